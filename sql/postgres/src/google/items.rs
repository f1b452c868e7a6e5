//! Items: a brand linked to a customer.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{BrandId, CompanyAccountId, Scope, SystemScope};

use crate::Result;
use crate::scoped::ScopeLists;

/// A brand linked to a customer.
#[derive(Clone, Debug, PartialEq)]
pub struct GoogleItem {
    /// Id of the item.
    pub id: i32,
    /// The customer, in digits.
    pub customer: String,
    /// Name of the customer.
    pub customer_name: Option<String>,
    /// ISO 4217 code of its currency.
    pub currency: Option<String>,
    /// Time zone of its dates.
    pub time_zone: Option<String>,
    /// The manager it is reached through.
    pub login_customer: Option<String>,
    /// The name of that manager.
    pub login_customer_name: Option<String>,
    /// The brand; none once it was deleted.
    pub brand: Option<i32>,
    /// Name of the brand.
    pub brand_label: Option<String>,
    /// The domain whose searches are read.
    pub domain: Option<String>,
    /// The property of Search Console.
    pub site: Option<String>,
    /// Until when the invitation can be used.
    pub expiration: Option<DateTime<Utc>>,
    /// Addresses of what may be used.
    pub scope: Vec<String>,
    /// When it was made.
    pub created: DateTime<Utc>,
    /// The market of its paid figures.
    pub country: Option<String>,
    /// `ok`, `failing` or `revoked`.
    pub health: String,
    /// What was wrong last.
    pub last_error: Option<String>,
    /// When figures were last read.
    pub last_ok: Option<DateTime<Utc>>,
    /// The grant that Google Ads is read with.
    pub ads_grant: Option<i64>,
    /// The grant that Search Console is read with.
    pub site_grant: Option<i64>,
    /// Keywords that are mapped.
    pub activated: i64,
    /// Keywords that could be.
    pub available: i64,
}

/// What the list is narrowed by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemFilter {
    /// Items of brands of these company accounts; empty: all.
    pub companies: Vec<CompanyAccountId>,
    /// Whether those are the ones to leave out.
    pub excludes: bool,
    /// Of one item alone.
    pub id: Option<i32>,
}

/// What the list is ordered by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::EnumString, strum::Display)]
#[strum(serialize_all = "camelCase")]
pub enum ItemSort {
    /// When it was made.
    #[default]
    CreatedDate,
    /// Id of the customer.
    #[strum(serialize = "customerID")]
    CustomerId,
    /// Name of the brand.
    BrandLabel,
    /// How many keywords are mapped.
    Keywords,
}

/// An item to be made.
#[derive(Clone, Debug)]
pub struct NewItem<'a> {
    /// The customer, in digits.
    pub customer: &'a str,
    /// The grant that it is reached with.
    pub grant: i64,
    /// The manager above it.
    pub login_customer: Option<&'a str>,
    /// Id of the brand.
    pub brand: BrandId,
    /// The domain whose searches are read.
    pub domain: Option<&'a str>,
}

/// The items in scope, in order, and how many there are without the page.
pub async fn list(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    filter: &ItemFilter,
    (sort, descending): (ItemSort, bool),
    (offset, limit): (i64, Option<i64>),
) -> Result<(Vec<GoogleItem>, u64)> {
    let bounds = ScopeLists::from_scope(scope);
    let companies: Vec<i32> = filter.companies.iter().map(|id| id.0).collect();
    let rows = sqlx::query!(
        r#"with item as (
             select c.*, coalesce(b.label, b.name) as brand_label,
               (select count(*) from google_keyword k where k.google_connect_id = c.id) as activated,
               (select count(*) from term t where t.brand_id = c.brand_id and coalesce(t.engine, 'GOOGLE') = 'GOOGLE' and t.state <> 'archived'
                  and btrim(coalesce(t.term, '')) <> '') as terms
             from google_connect c left join brand b on b.id = c.brand_id
             where ($1::int[] is null or c.brand_id = any($1)) and ($2::int is null or c.id = $2)
               and (cardinality($3::int[]) = 0 or $4 <> exists (select from brand_company_account cb
                      where cb.brand_id = c.brand_id and cb.company_account_id = any($3)))
           )
           select i.id as "id!", i.customer_id as "customer_id!", i.login_customer_id, i.brand_id, i.brand_label, i.analytics_domain, i.site_url,
             i.expiration, i.scope as "scope!", i.created_date as "created_date!", i.country, i.health as "health!", i.last_error, i.last_ok,
             i.ads_grant_id, i.site_grant_id, i.activated as "activated!", greatest(i.terms, i.activated) as "available!",
             g.name as "customer_name?", g.currency as "currency?", g.time_zone as "time_zone?", m.name as "manager_name?", count(*) over () as "total!"
           from item i
             left join google_customer g on g.grant_id = i.ads_grant_id and g.customer_id = i.customer_id
             left join google_customer m on m.grant_id = i.ads_grant_id and m.customer_id = i.login_customer_id
           order by
             case when $5 = 'customerID' and $6 then i.customer_id end desc, case when $5 = 'customerID' and not $6 then i.customer_id end,
             case when $5 = 'brandLabel' and $6 then lower(i.brand_label) end desc nulls last,
             case when $5 = 'brandLabel' and not $6 then lower(i.brand_label) end,
             case when $5 = 'keywords' and $6 then i.activated end desc, case when $5 = 'keywords' and not $6 then i.activated end,
             case when not $6 then i.created_date end, i.created_date desc, i.id desc
           offset $7 limit $8"#,
        bounds.brands as Option<Vec<i32>>,
        filter.id,
        &companies,
        filter.excludes,
        sort.to_string(),
        descending,
        offset,
        limit
    )
    .fetch_all(executor)
    .await?;
    let total = rows.first().map_or(0, |row| row.total);
    let items = rows
        .into_iter()
        .map(|row| GoogleItem {
            id: row.id,
            customer: row.customer_id,
            customer_name: row.customer_name,
            currency: row.currency,
            time_zone: row.time_zone,
            login_customer: row.login_customer_id,
            login_customer_name: row.manager_name,
            brand: row.brand_id,
            brand_label: row.brand_label,
            domain: row.analytics_domain,
            site: row.site_url,
            expiration: row.expiration,
            scope: row.scope,
            created: row.created_date,
            country: row.country,
            health: row.health,
            last_error: row.last_error,
            last_ok: row.last_ok,
            ads_grant: row.ads_grant_id,
            site_grant: row.site_grant_id,
            activated: row.activated,
            available: row.available,
        })
        .collect();
    Ok((items, u64::try_from(total).unwrap_or_default()))
}

/// An item in scope.
pub async fn get(executor: impl PgExecutor<'_>, scope: &Scope, id: i32) -> Result<Option<GoogleItem>> {
    let filter = ItemFilter {
        id: Some(id),
        ..ItemFilter::default()
    };
    let (items, _) = list(executor, scope, &filter, (ItemSort::default(), false), (0, None)).await?;
    Ok(items.into_iter().next())
}

/// Links a brand in scope to a customer; returns the id. `None` where the brand is out of scope, the grant does not reach the customer, or an item has
/// them already.
pub async fn create(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    item: &NewItem<'_>,
    (invitation, until): (&[u8; 32], DateTime<Utc>),
    now: DateTime<Utc>,
) -> Result<Option<i32>> {
    let bounds = ScopeLists::from_scope(scope);
    Ok(sqlx::query_scalar!(
        "insert into google_connect (customer_id, from_id, login_customer_id, brand_id, analytics_domain, ads_grant_id, scope, invitation_digest,
             expiration, created_date)
         select g.customer_id, g.grant_id::text, coalesce($4, g.manager_id), b.id, $6, g.grant_id,
             array(select s from unnest(r.scopes) s where s like '%/auth/adwords'), $7, $8, $9
         from google_customer g join google_grant r on r.id = g.grant_id, brand b
         where g.grant_id = $2 and g.customer_id = $3 and not g.is_manager and b.id = $5 and ($1::int[] is null or b.id = any($1))
         on conflict (customer_id, brand_id) do nothing returning id",
        bounds.brands as Option<Vec<i32>>,
        item.grant,
        item.customer,
        item.login_customer,
        item.brand.0,
        item.domain,
        &invitation[..],
        until,
        now
    )
    .fetch_optional(executor)
    .await?)
}

/// Replaces the scope of an item by a part of it. `false` for an item out of scope.
pub async fn set_scope(executor: impl PgExecutor<'_>, scope: &Scope, id: i32, addresses: &[String]) -> Result<bool> {
    let bounds = ScopeLists::from_scope(scope);
    let done = sqlx::query!(
        "update google_connect set scope = $3 where id = $2 and ($1::int[] is null or brand_id = any($1))",
        bounds.brands as Option<Vec<i32>>,
        id,
        addresses
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Gives an item a new invitation until a time; the former link is void, and so are sign-ins that it began. `false` for an item out of scope.
pub async fn invite(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    id: i32,
    (invitation, until): (&[u8; 32], DateTime<Utc>),
) -> Result<bool> {
    let bounds = ScopeLists::from_scope(scope);
    let invited = sqlx::query_scalar!(
        r#"with invited as (
               update google_connect set invitation_digest = $3, expiration = $4 where id = $2 and ($1::int[] is null or brand_id = any($1)) returning id
           ), begun as (
               delete from google_sign_in where google_connect_id in (select id from invited)
           )
           select count(*) as "count!" from invited"#,
        bounds.brands as Option<Vec<i32>>,
        id,
        &invitation[..],
        until
    );
    Ok(invited.fetch_one(executor).await? > 0)
}

/// What the holder of an invitation may know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invited {
    /// Id of the item.
    pub item: i32,
    /// Name of the brand.
    pub brand: String,
    /// The domain of the site that is asked for.
    pub domain: Option<String>,
    /// Until when it can be used.
    pub until: DateTime<Utc>,
}

/// The invitation with this digest; `None` once it was used or replaced. One that is over is returned.
pub async fn invited(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    invitation: &[u8; 32],
) -> Result<Option<Invited>> {
    Ok(sqlx::query_as!(
        Invited,
        r#"select c.id as item, coalesce(b.label, b.name, '') as "brand!", c.analytics_domain as domain, c.expiration as "until!"
           from google_connect c join brand b on b.id = c.brand_id where c.invitation_digest = $1 and c.expiration is not null"#,
        &invitation[..]
    )
    .fetch_optional(executor)
    .await?)
}

/// Gives an item its site and the grant to read it with, which uses up the invitation. Returns the sealed token of the grant before, to be taken back;
/// an outer `None` where the item has no invitation that is still valid.
pub async fn attach_site(
    connection: &mut crate::Connection,
    _system: &SystemScope,
    (item, grant): (i32, i64),
    (site, scopes): (&str, &[String]),
    now: DateTime<Utc>,
) -> Result<Option<Option<String>>> {
    let before = sqlx::query!(
        r#"select g.id as "grant?", g.refresh_token as "token?" from google_connect c left join google_grant g on g.id = c.site_grant_id and g.kind = 'item'
           where c.id = $1 and c.invitation_digest is not null and c.expiration > $2 for update of c"#,
        item,
        now
    )
    .fetch_optional(&mut *connection)
    .await?;
    let Some(before) = before else { return Ok(None) };
    sqlx::query!(
        "update google_connect set site_grant_id = $2, site_url = $3, invitation_digest = null, expiration = null, health = 'ok', last_error = null,
             scope = array(select distinct s from unnest(scope || $4::text[]) s order by s)
         where id = $1",
        item,
        grant,
        site,
        scopes
    )
    .execute(&mut *connection)
    .await?;
    if let Some(grant) = before.grant {
        sqlx::query!("delete from google_grant where id = $1", grant)
            .execute(&mut *connection)
            .await?;
    }
    Ok(Some(before.token))
}

/// Notes how the last reading of an item ended: `ok`, `failing` or `revoked`, and what was wrong.
pub async fn note_health(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    id: i32,
    (health, error): (&str, Option<&str>),
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!(
        "update google_connect set health = $2, last_error = left($3, 1000), last_ok = case when $2 = 'ok' then $4 else last_ok end where id = $1",
        id,
        health,
        error,
        now
    )
    .execute(executor)
    .await?;
    Ok(())
}
