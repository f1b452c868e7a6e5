//! Authorised partners and resellers of brands (decision D213).

use std::collections::BTreeMap;

use sqlx::PgExecutor;
use sqlx::types::Json;
use vocabulary::{BrandId, PartnerTerms, Partners, Scope, SystemScope};

use crate::scoped::ScopeLists;
use crate::{Connection, Result};

/// A stored partner (its row).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PartnerId(pub i32);

/// A partner of a brand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partner {
    /// Id of the partner.
    pub id: PartnerId,
    /// What is known of it.
    pub facts: PartnerFacts,
    /// Which state of the row this is; goes up with each change.
    pub version: i32,
}

/// What somebody says of a partner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartnerFacts {
    /// Its domain, which covers the hosts below it like an official domain.
    pub domain: String,
    /// On what conditions, and for how long.
    pub terms: PartnerTerms,
    /// What people should know besides.
    pub note: Option<String>,
}

/// The partners of a brand by domain, at most `limit`; none for a brand out of scope.
pub async fn of_brand(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    brand: BrandId,
    limit: i64,
) -> Result<Vec<Partner>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query!(
        r#"select id, domain, note, version, to_jsonb(p) as "terms!: Json<PartnerTerms>" from brand_partner p
           where brand_id = $2 and ($1::int[] is null or brand_id = any($1)) order by domain limit $3"#,
        bounds.brands as Option<Vec<i32>>,
        brand.0,
        limit
    )
    .fetch_all(executor)
    .await?;
    let partners = rows.into_iter().map(|row| Partner {
        id: PartnerId(row.id),
        facts: PartnerFacts {
            domain: row.domain,
            terms: row.terms.0,
            note: row.note,
        },
        version: row.version,
    });
    Ok(partners.collect())
}

/// Adds a partner to a brand and returns its id; an error for a brand out of scope, and for a domain that it has already.
pub async fn add(
    connection: &mut Connection,
    scope: &Scope,
    brand: BrandId,
    facts: &PartnerFacts,
) -> Result<PartnerId> {
    let bounds = ScopeLists::from_scope(scope);
    let id = sqlx::query_scalar!(
        "insert into brand_partner (brand_id, domain, kind, forbidden_words, below_own, ends_on, note)
         select id, $3, $4, $5, $6, $7, $8 from brand where id = $2 and ($1::int[] is null or id = any($1)) returning id",
        bounds.brands as Option<Vec<i32>>,
        brand.0,
        facts.domain,
        facts.terms.kind.to_string(),
        &facts.terms.forbidden_words,
        facts.terms.below_own,
        facts.terms.ends_on,
        facts.note
    )
    .fetch_one(connection)
    .await?;
    Ok(PartnerId(id))
}

/// Gives a partner of a brand in scope other facts; an error for the domain of another one. Returns whether there was such a partner in this version.
pub async fn change(connection: &mut Connection, scope: &Scope, brand: BrandId, partner: &Partner) -> Result<bool> {
    let bounds = ScopeLists::from_scope(scope);
    let facts = &partner.facts;
    let changed = sqlx::query!(
        "update brand_partner set domain = $5, kind = $6, forbidden_words = $7, below_own = $8, ends_on = $9, note = $10,
             version = version + 1
         where brand_id = $2 and id = $3 and version = $4 and ($1::int[] is null or brand_id = any($1))",
        bounds.brands as Option<Vec<i32>>,
        brand.0,
        partner.id.0,
        partner.version,
        facts.domain,
        facts.terms.kind.to_string(),
        &facts.terms.forbidden_words,
        facts.terms.below_own,
        facts.terms.ends_on,
        facts.note
    )
    .execute(connection)
    .await?;
    Ok(changed.rows_affected() > 0)
}

/// Takes a partner away from a brand in scope. Returns whether it was there.
pub async fn remove(connection: &mut Connection, scope: &Scope, brand: BrandId, partner: PartnerId) -> Result<bool> {
    let bounds = ScopeLists::from_scope(scope);
    let removed = sqlx::query!(
        "delete from brand_partner where brand_id = $2 and id = $3 and ($1::int[] is null or brand_id = any($1))",
        bounds.brands as Option<Vec<i32>>,
        brand.0,
        partner.0
    )
    .execute(connection)
    .await?;
    Ok(removed.rows_affected() > 0)
}

/// The partners of each visible brand that has any, also those whose last day is over.
pub async fn of_all_brands(executor: impl PgExecutor<'_>, scope: &Scope) -> Result<BTreeMap<BrandId, Partners>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query!(
        r#"select brand_id, jsonb_object_agg(domain, to_jsonb(p)) as "partners!: Json<BTreeMap<String, PartnerTerms>>"
           from brand_partner p where $1::int[] is null or brand_id = any($1) group by brand_id"#,
        bounds.brands as Option<Vec<i32>>
    )
    .fetch_all(executor)
    .await?;
    let partners = rows
        .into_iter()
        .map(|row| (BrandId(row.brand_id), row.partners.0.into_iter().collect()));
    Ok(partners.collect())
}

/// The domains of the partners of these brands, and the official ones of those of them that have a partner: the ads on them are what the conditions of
/// partners look at.
pub async fn judged_domains(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    brands: &[BrandId],
) -> Result<Vec<String>> {
    let brands: Vec<i32> = brands.iter().map(|brand| brand.0).collect();
    let domains = sqlx::query_scalar!(
        r#"select domain as "domain!" from brand_partner where brand_id = any($1)
           union
           select d.domain
           from category c join category_dealer cd on cd.category_id = c.id join dealer d on d.id = cd.dealer_id
           where c.name = 'official' and c.scope = 'tag' and cd.company_account_id is null
               and c.brand_owner_id in (select brand_id from brand_partner where brand_id = any($1))"#,
        &brands
    );
    Ok(domains.fetch_all(executor).await?)
}
