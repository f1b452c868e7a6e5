//! Matching terms with brands by the patterns of the brands (decision D95).

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{BrandId, PatternedBrand, Scope, TermId};

use crate::scoped::ScopeLists;
use crate::{Connection, Result};

/// A term as it is matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermToMatch {
    /// Id of the term.
    pub id: TermId,
    /// The words it searches.
    pub words: String,
    /// The brand it is watched for, if any.
    pub brand: Option<BrandId>,
    /// As in `fr_FR`; `None` for a term without a localization.
    pub locale: Option<String>,
}

/// A term that got another brand, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RebrandedTerm {
    /// Id of the term.
    pub id: TermId,
    /// The brand it had before.
    pub was: Option<BrandId>,
    /// Its last change before this one.
    pub updated_before: Option<DateTime<Utc>>,
}

/// The visible brands that have a pattern, oldest first; and `besides`, if it is visible, whether it has one or not.
pub async fn patterned_brands(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    besides: Option<BrandId>,
) -> Result<Vec<PatternedBrand>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query!(
        r#"select id, coalesce(validated, false) as "validated!", auto_match_reg_exp, auto_match_exclude_reg_exp
           from brand
           where (btrim(auto_match_reg_exp) <> '' or id = $2) and ($1::int[] is null or id = any($1))
           order by created_at, id"#,
        bounds.brands as Option<Vec<i32>>,
        besides.map(|brand| brand.0)
    )
    .fetch_all(executor)
    .await?;
    let brands = rows.into_iter().map(|row| PatternedBrand {
        id: BrandId(row.id),
        validated: row.validated,
        include: row.auto_match_reg_exp,
        exclude: row.auto_match_exclude_reg_exp,
    });
    Ok(brands.collect())
}

/// Locks a visible brand against changes and deletion until the transaction ends, and returns its patterns; `None` when there is no such brand.
pub async fn lock_brand(connection: &mut Connection, scope: &Scope, brand: BrandId) -> Result<Option<PatternedBrand>> {
    let bounds = ScopeLists::from_scope(scope);
    let row = sqlx::query!(
        r#"select id, coalesce(validated, false) as "validated!", auto_match_reg_exp, auto_match_exclude_reg_exp
           from brand where id = $2 and ($1::int[] is null or id = any($1)) for no key update"#,
        bounds.brands as Option<Vec<i32>>,
        brand.0
    )
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| PatternedBrand {
        id: BrandId(row.id),
        validated: row.validated,
        include: row.auto_match_reg_exp,
        exclude: row.auto_match_exclude_reg_exp,
    }))
}

/// The visible terms that have words, by id; `without_brand` leaves out those that have a brand.
pub async fn terms(executor: impl PgExecutor<'_>, scope: &Scope, without_brand: bool) -> Result<Vec<TermToMatch>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query!(
        r#"select t.id, t.term as "words!", t.brand_id, l.locale as "locale?"
           from term t left join localization l on l.id = t.localization_id
           where t.term is not null and (not $3 or t.brand_id is null)
               and ($1::int[] is null or t.brand_id = any($1) or t.id = any($2))
           order by t.id"#,
        bounds.brands as Option<Vec<i32>>,
        bounds.terms as Option<Vec<i32>>,
        without_brand
    )
    .fetch_all(executor)
    .await?;
    let terms = rows.into_iter().map(|row| TermToMatch {
        id: TermId(row.id),
        words: row.words,
        brand: row.brand_id.map(BrandId),
        locale: row.locale,
    });
    Ok(terms.collect())
}

/// Gives the visible terms among `terms` the brand `becomes`, or none. A term whose words or brand are no longer those given with it stays as it is.
/// Returns the changed ones.
pub async fn set_brand(
    connection: &mut Connection,
    scope: &Scope,
    terms: &[&TermToMatch],
    becomes: Option<BrandId>,
    now: DateTime<Utc>,
) -> Result<Vec<RebrandedTerm>> {
    let bounds = ScopeLists::from_scope(scope);
    let ids: Vec<i32> = terms.iter().map(|term| term.id.0).collect();
    // No brand has the id 0.
    let were: Vec<i32> = terms.iter().map(|term| term.brand.map_or(0, |was| was.0)).collect();
    let words: Vec<String> = terms.iter().map(|term| term.words.clone()).collect();
    let rows = sqlx::query!(
        r#"with held as (
               select t.id, t.brand_id as was, t.updated_date
               from unnest($3::int[], $4::int[], $7::text[]) as chosen (term_id, was, words) join term t on t.id = chosen.term_id
               where coalesce(t.brand_id, 0) = chosen.was and t.term = chosen.words
                   and ($1::int[] is null or t.brand_id = any($1) or t.id = any($2))
               order by t.id for update of t
           )
           update term t set brand_id = $5, updated_date = $6 from held where t.id = held.id
           returning t.id, held.was, held.updated_date"#,
        bounds.brands as Option<Vec<i32>>,
        bounds.terms as Option<Vec<i32>>,
        &ids,
        &were,
        becomes.map(|brand| brand.0),
        now,
        &words
    )
    .fetch_all(connection)
    .await?;
    let changed = rows.into_iter().map(|row| RebrandedTerm {
        id: TermId(row.id),
        was: row.was.map(BrandId),
        updated_before: row.updated_date,
    });
    Ok(changed.collect())
}
