//! Brands with Stop and Go.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::PgExecutor;
use vocabulary::{BrandId, Scope, UserId};

use crate::scoped::ScopeLists;
use crate::{Connection, Result};

/// A brand with Stop and Go.
#[derive(Clone, Debug, PartialEq)]
pub struct StopGoBrand {
    /// Id of the row.
    pub id: i32,
    /// The brand that is watched.
    pub brand: BrandId,
    /// Its name on screens.
    pub label: String,
    /// Its official domains in alphabetical order.
    pub domains: Vec<String>,
    /// When it was linked.
    pub created: DateTime<Utc>,
    /// Whether it is switched on.
    pub is_enabled: bool,
    /// What its lanes may do.
    pub options: BrandOptions,
    /// Goes up with each change of the options.
    pub version: i32,
}

/// What the lanes of a brand may do, and how they decide.
#[derive(Clone, Debug, PartialEq)]
pub struct BrandOptions {
    /// `observe`, `propose` or `automatic`.
    pub mode: String,
    /// What differs from the defaults of the rule.
    pub settings: Value,
    /// The person that answers for the budget.
    pub owner: Option<UserId>,
    /// What a click is worth.
    pub value_per_click: Option<f64>,
}

/// The brands with Stop and Go that the scope sees, by label; only the one with this id if one is given.
pub async fn list(executor: impl PgExecutor<'_>, scope: &Scope, only: Option<i32>) -> Result<Vec<StopGoBrand>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query!(
        r#"select s.id, s.brand_id, coalesce(nullif(b.label, ''), b.name, '') as "label!", s.created_date, s.state, s.mode,
               s.settings, s.settings_version, s.owner_user_id, s.value_per_click,
               array(select d.domain from category c join category_dealer cd on cd.category_id = c.id
                         join dealer d on d.id = cd.dealer_id
                     where c.name = 'official' and c.scope = 'tag' and c.brand_owner_id = s.brand_id
                         and cd.company_account_id is null order by d.domain) as "domains!: Vec<String>"
           from stop_go_brand s join brand b on b.id = s.brand_id
           where s.removed_at is null and ($2::int is null or s.id = $2) and ($1::int[] is null or s.brand_id = any($1))
           order by 3, s.id"#,
        bounds.brands as Option<Vec<i32>>,
        only
    )
    .fetch_all(executor)
    .await?;
    let found = rows.into_iter().map(|row| StopGoBrand {
        id: row.id,
        brand: BrandId(row.brand_id),
        label: row.label,
        domains: row.domains,
        created: row.created_date,
        is_enabled: row.state == "enable",
        options: BrandOptions {
            mode: row.mode,
            settings: row.settings,
            owner: row.owner_user_id.map(UserId),
            value_per_click: row.value_per_click,
        },
        version: row.settings_version,
    });
    Ok(found.collect())
}

/// Links a brand in scope, and brings one back that was hidden. Returns the id of the row; `None` if it is linked already, or out of scope.
pub async fn link(
    connection: &mut Connection,
    scope: &Scope,
    brand: BrandId,
    now: DateTime<Utc>,
) -> Result<Option<i32>> {
    let bounds = ScopeLists::from_scope(scope);
    let id = sqlx::query_scalar!(
        "insert into stop_go_brand (brand_id, created_date)
         select id, $3 from brand where id = $2 and ($1::int[] is null or id = any($1))
         on conflict (brand_id) do update set removed_at = null, state = 'enable', created_date = excluded.created_date
             where stop_go_brand.removed_at is not null
         returning id",
        bounds.brands as Option<Vec<i32>>,
        brand.0,
        now
    );
    Ok(id.fetch_optional(connection).await?)
}

/// Switches a brand in scope on or off. `false` if it is not linked.
pub async fn switch(connection: &mut Connection, scope: &Scope, brand: BrandId, on: bool) -> Result<bool> {
    let bounds = ScopeLists::from_scope(scope);
    let done = sqlx::query!(
        "update stop_go_brand set state = case when $3 then 'enable' else 'disable' end
         where brand_id = $2 and removed_at is null and ($1::int[] is null or brand_id = any($1))",
        bounds.brands as Option<Vec<i32>>,
        brand.0,
        on
    );
    Ok(done.execute(connection).await?.rows_affected() > 0)
}

/// Gives a brand in scope other options. `false` if it is not linked, or has another version by now.
pub async fn set_options(
    connection: &mut Connection,
    scope: &Scope,
    (id, version): (i32, i32),
    options: &BrandOptions,
) -> Result<bool> {
    let bounds = ScopeLists::from_scope(scope);
    let done = sqlx::query!(
        "update stop_go_brand set mode = $4, settings = $5, owner_user_id = $6, value_per_click = $7,
             settings_version = settings_version + 1
         where id = $2 and settings_version = $3 and removed_at is null and ($1::int[] is null or brand_id = any($1))",
        bounds.brands as Option<Vec<i32>>,
        id,
        version,
        options.mode,
        options.settings,
        options.owner.map(|user| user.0),
        options.value_per_click
    );
    Ok(done.execute(connection).await?.rows_affected() > 0)
}

/// Hides a brand in scope with its keywords; [`purge_removed`](super::keywords::purge_removed) removes them once nothing is stopped. `false` if it is not
/// linked.
pub async fn hide(connection: &mut Connection, scope: &Scope, id: i32, now: DateTime<Utc>) -> Result<bool> {
    let bounds = ScopeLists::from_scope(scope);
    let brand = sqlx::query_scalar!(
        "update stop_go_brand set removed_at = $3, state = 'disable'
         where id = $2 and removed_at is null and ($1::int[] is null or brand_id = any($1)) returning brand_id",
        bounds.brands as Option<Vec<i32>>,
        id,
        now
    );
    let Some(brand) = brand.fetch_optional(&mut *connection).await? else {
        return Ok(false);
    };
    sqlx::query!(
        "update stop_go_keyword set removed_at = $2 where brand_id = $1 and removed_at is null",
        brand,
        now
    )
    .execute(connection)
    .await?;
    Ok(true)
}
