//! What sems need of Postgres: numbers that no captured ad has, and the facts of their terms.

use std::collections::BTreeMap;

use sqlx::PgExecutor;

use crate::{Pool, Result};

/// The next number of the sequence of manifests, which no manifest will get. Ids made of it differ from those of all captured ads.
pub async fn take_number(executor: impl PgExecutor<'_>) -> Result<i64> {
    Ok(
        sqlx::query_scalar("select nextval(pg_get_serial_sequence('manifest', 'id'))")
            .fetch_one(executor)
            .await?,
    )
}

/// The id of the brand of each of these terms, keyed by term, regardless of any scope. Unknown terms and those without a brand are absent.
pub async fn brands_of_terms(executor: impl PgExecutor<'_>, terms: &[i64]) -> Result<BTreeMap<i64, i32>> {
    if terms.is_empty() {
        return Ok(BTreeMap::new());
    }
    let rows: Vec<(i64, i32)> =
        sqlx::query_as("select id::int8, brand_id from term where id = any($1) and brand_id is not null")
            .bind(terms)
            .fetch_all(executor)
            .await?;
    Ok(rows.into_iter().collect())
}

/// The labels and dealers that captured ads are shown with.
#[derive(Clone, Debug, Default)]
pub struct SemNames {
    /// Labels of brands.
    pub labels: BTreeMap<i32, String>,
    /// Dealers by domain.
    pub dealers: BTreeMap<String, i32>,
}

/// The labels of these brands and the dealers of these domains, regardless of any scope. Brands without a label and domains without a dealer are
/// absent.
pub async fn names(pool: &Pool, brands: &[i32], domains: &[String]) -> Result<SemNames> {
    let mut names = SemNames::default();
    if !brands.is_empty() {
        let labels = sqlx::query_as("select id, label from brand where id = any($1) and label is not null");
        let rows: Vec<(i32, String)> = labels.bind(brands).fetch_all(pool).await?;
        names.labels.extend(rows);
    }
    if !domains.is_empty() {
        let dealers = sqlx::query_as("select domain, id from dealer where domain = any($1)");
        let rows: Vec<(String, i32)> = dealers.bind(domains).fetch_all(pool).await?;
        names.dealers.extend(rows);
    }
    Ok(names)
}

/// The ids of the brands with exactly these labels (case counts), keyed by label, regardless of any scope. A label that no brand has is absent.
pub async fn brands_named(executor: impl PgExecutor<'_>, labels: &[String]) -> Result<BTreeMap<String, Vec<i32>>> {
    if labels.is_empty() {
        return Ok(BTreeMap::new());
    }
    let rows: Vec<(String, i32)> = sqlx::query_as("select label, id from brand where label = any($1)")
        .bind(labels)
        .fetch_all(executor)
        .await?;
    let mut brands = BTreeMap::<String, Vec<i32>>::new();
    for (label, id) in rows {
        brands.entry(label).or_default().push(id);
    }
    Ok(brands)
}

/// The domain of each of these dealers, keyed by dealer, regardless of any scope. Unknown dealers are absent.
pub async fn domains_of_dealers(executor: impl PgExecutor<'_>, dealers: &[i64]) -> Result<BTreeMap<i64, String>> {
    if dealers.is_empty() {
        return Ok(BTreeMap::new());
    }
    let rows: Vec<(i64, String)> = sqlx::query_as("select id::int8, domain from dealer where id = any($1)")
        .bind(dealers)
        .fetch_all(executor)
        .await?;
    Ok(rows.into_iter().collect())
}

/// What is stored with an ad about its term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermFacts {
    /// Id of the term.
    pub id: i32,
    /// Whose it is.
    pub brand: Option<i32>,
    /// Words of the term.
    pub words: Option<String>,
    /// What the words are about.
    pub keyword_type: Option<String>,
    /// Where it is searched from.
    pub localization: Option<i32>,
    /// The city of that place.
    pub city: Option<String>,
}

/// What ads store about these terms (brand, words, keyword type, localization, city), as it is now, in no particular order and regardless of any
/// scope. Unknown terms are left out.
pub async fn facts_of_terms(executor: impl PgExecutor<'_>, terms: &[i64]) -> Result<Vec<TermFacts>> {
    let facts = sqlx::query_as!(
        TermFacts,
        r#"select t.id as "id!", t.brand_id as brand, t.term as words, t.keyword_type, t.localization_id as localization, l.city as "city?"
           from term t left join localization l on l.id = t.localization_id
           where t.id = any($1::bigint[])"#,
        terms
    )
    .fetch_all(executor)
    .await?;
    Ok(facts)
}
