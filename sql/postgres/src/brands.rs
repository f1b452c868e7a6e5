//! Brands: what is watched for.

use sqlx::PgExecutor;
use vocabulary::{BrandId, Scope, SystemScope};

use crate::scoped::ScopeLists;
use crate::{Connection, Error, Result};

/// A brand as lists and labels show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brand {
    /// Id of the brand.
    pub id: BrandId,
    /// Its slug, unique where there is one.
    pub name: Option<String>,
    /// Its name on screens.
    pub label: Option<String>,
    /// Whether its ads lead to actions.
    pub validated: bool,
}

/// A brand to be made.
#[derive(Clone, Copy, Debug)]
pub struct NewBrand<'a> {
    /// Its slug, unique.
    pub name: &'a str,
    /// Its name on screens.
    pub label: &'a str,
    /// Whether its ads lead to actions.
    pub validated: bool,
    /// Whether text ads do.
    pub create_notification: bool,
    /// Whether shopping ads do.
    pub create_shopping_notification: bool,
}

/// Makes a brand and returns its id. A taken `name` is an error whose violated key is `brand_name_key`.
pub async fn create(executor: impl PgExecutor<'_>, _system: &SystemScope, new: &NewBrand<'_>) -> Result<BrandId> {
    let id = sqlx::query_scalar!(
        "insert into brand (name, label, validated, create_notification, create_shopping_notification)
         values ($1, $2, $3, $4, $5) returning id",
        new.name,
        new.label,
        new.validated,
        new.create_notification,
        new.create_shopping_notification
    )
    .fetch_one(executor)
    .await?;
    Ok(BrandId(id))
}

/// The visible brands whose `label` or `name` contains `text`, ordered by `name`, at most `limit`. Case is ignored; an empty text matches all.
pub async fn search(executor: impl PgExecutor<'_>, scope: &Scope, text: &str, limit: i64) -> Result<Vec<Brand>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query!(
        r#"select id, name, label, coalesce(validated, false) as "validated!" from brand
           where ($1::int[] is null or id = any($1))
               and ($2 = '' or strpos(lower(label), lower($2)) > 0 or strpos(lower(name), lower($2)) > 0)
           order by name, id limit $3"#,
        bounds.brands as Option<Vec<i32>>,
        text,
        limit
    )
    .fetch_all(executor)
    .await?;
    let brands = rows.into_iter().map(|row| Brand {
        id: BrandId(row.id),
        name: row.name,
        label: row.label,
        validated: row.validated,
    });
    Ok(brands.collect())
}

/// The visible brands whose ads lead to actions, in ascending order of their ids.
pub async fn validated(executor: impl PgExecutor<'_>, scope: &Scope) -> Result<Vec<BrandId>> {
    let bounds = ScopeLists::from_scope(scope);
    let ids = sqlx::query_scalar!(
        "select id from brand where validated and ($1::int[] is null or id = any($1)) order by id",
        bounds.brands as Option<Vec<i32>>
    )
    .fetch_all(executor)
    .await?;
    Ok(ids.into_iter().map(BrandId).collect())
}

/// The visible validated brand with the most views in the last 30 days, as they were counted last; of several, the first by `name`.
pub async fn most_viewed(executor: impl PgExecutor<'_>, scope: &Scope) -> Result<Option<Brand>> {
    let bounds = ScopeLists::from_scope(scope);
    let row = sqlx::query!(
        r#"select id, name, label from brand
           where validated and ($1::int[] is null or id = any($1))
           order by coalesce(total_views, 0) desc, name, id limit 1"#,
        bounds.brands as Option<Vec<i32>>
    )
    .fetch_optional(executor)
    .await?;
    Ok(row.map(|row| Brand {
        id: BrandId(row.id),
        name: row.name,
        label: row.label,
        validated: true,
    }))
}

/// The visible brands among `ids`, ordered by id. Unknown and invisible ids are left out, repeated ones found once.
pub async fn by_ids(executor: impl PgExecutor<'_>, scope: &Scope, ids: &[BrandId]) -> Result<Vec<Brand>> {
    let bounds = ScopeLists::from_scope(scope);
    let ids: Vec<i32> = ids.iter().map(|id| id.0).collect();
    let rows = sqlx::query!(
        r#"select id, name, label, coalesce(validated, false) as "validated!" from brand
           where id = any($2) and ($1::int[] is null or id = any($1)) order by id"#,
        bounds.brands as Option<Vec<i32>>,
        &ids
    )
    .fetch_all(executor)
    .await?;
    let brands = rows.into_iter().map(|row| Brand {
        id: BrandId(row.id),
        name: row.name,
        label: row.label,
        validated: row.validated,
    });
    Ok(brands.collect())
}

/// Pairs of brand and official domain for the visible brands among `brands`, ordered by brand and domain (decision D98), without the domains that a
/// company account tagged for itself.
pub async fn official_domains(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    brands: &[BrandId],
) -> Result<Vec<(BrandId, String)>> {
    let bounds = ScopeLists::from_scope(scope);
    let brands: Vec<i32> = brands.iter().map(|id| id.0).collect();
    let rows = sqlx::query!(
        r#"select c.brand_owner_id as "brand!", d.domain
           from category c join category_dealer cd on cd.category_id = c.id join dealer d on d.id = cd.dealer_id
           where c.name = 'official' and c.scope = 'tag' and c.brand_owner_id = any($2)
               and cd.company_account_id is null and ($1::int[] is null or c.brand_owner_id = any($1))
           order by c.brand_owner_id, d.domain"#,
        bounds.brands as Option<Vec<i32>>,
        &brands
    )
    .fetch_all(executor)
    .await
    .map_err(Error::from)?;
    Ok(rows.into_iter().map(|row| (BrandId(row.brand), row.domain)).collect())
}

/// Pairs of brand and official domain for all visible brands, ordered by brand and domain (decision D98), without the domains that a company account
/// tagged for itself.
pub async fn all_official_domains(executor: impl PgExecutor<'_>, scope: &Scope) -> Result<Vec<(BrandId, String)>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query!(
        r#"select c.brand_owner_id as "brand!", d.domain
           from category c join category_dealer cd on cd.category_id = c.id join dealer d on d.id = cd.dealer_id
           where c.name = 'official' and c.scope = 'tag' and c.brand_owner_id is not null
               and cd.company_account_id is null and ($1::int[] is null or c.brand_owner_id = any($1))
           order by c.brand_owner_id, d.domain"#,
        bounds.brands as Option<Vec<i32>>
    )
    .fetch_all(executor)
    .await?;
    Ok(rows.into_iter().map(|row| (BrandId(row.brand), row.domain)).collect())
}

/// Whether a brand has at least one enabled term, or Stop and Go is enabled for it (decision D96). `false` for an unknown brand. Until the transaction
/// ends nothing else changes its terms, nor its Stop and Go, and so the answer.
pub async fn lock_and_check_enabled(connection: &mut Connection, brand: BrandId) -> Result<bool> {
    let enabled = sqlx::query_scalar(
        "select (select coalesce(bool_or(state = 'enabled'), false)
                 from (select state from term where brand_id = $1 order by id for no key update) terms)
             or (select coalesce(bool_or(state = 'enable'), false)
                 from (select state from stop_go_brand where brand_id = $1 for no key update) switches)",
    );
    Ok(enabled.bind(brand.0).fetch_one(connection).await?)
}

/// Room for a number after a name that is taken, of the 255 characters of a name.
const MAX_NUMBERED: usize = 245;

/// The slug, or the slug with the first number from 2 on, that no brand has as its name (decision D97). Until the transaction ends no other one is
/// given a name by this function.
pub async fn free_name(connection: &mut Connection, slug: &str) -> Result<String> {
    let base: String = slug.chars().take(MAX_NUMBERED).collect();
    sqlx::query("select pg_advisory_xact_lock(hashtextextended('names of brands', 0))")
        .execute(&mut *connection)
        .await?;
    // A slug has no character with a meaning in patterns.
    let taken: Vec<String> = sqlx::query_scalar("select name from brand where name = $1 or name like $1 || '-%'")
        .bind(&base)
        .fetch_all(connection)
        .await?;
    let numbered = (2..).map(|number| format!("{base}-{number}"));
    let mut names = std::iter::once(base.clone()).chain(numbered);
    Ok(names.find(|name| !taken.contains(name)).unwrap_or(base))
}

/// Locks a brand until the transaction ends, so that nobody else changes what belongs to it. `false` for a brand out of scope.
pub async fn lock(connection: &mut Connection, scope: &Scope, brand: BrandId) -> Result<bool> {
    let bounds = ScopeLists::from_scope(scope);
    let found = sqlx::query_scalar!(
        "select id from brand where id = $2 and ($1::int[] is null or id = any($1)) for no key update",
        bounds.brands as Option<Vec<i32>>,
        brand.0
    );
    Ok(found.fetch_optional(connection).await?.is_some())
}
