//! Views and ads of the last days, kept with the actions (decisions D48, D56).

use chrono::{DateTime, NaiveDate, Utc};
use sqlx::PgExecutor;
use vocabulary::{BrandId, Engine, SystemScope};

use super::SeenDays;
use crate::{Connection, Result};

/// Views and ads counted for the actions of one domain, country and engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionFigures {
    /// The advertiser's host.
    pub domain: String,
    /// Country of the searches, two letters.
    pub country: String,
    /// The search engine.
    pub engine: Engine,
    /// Times that an ad was seen.
    pub views: u64,
    /// Distinct ads among the views.
    pub ads: u64,
}

/// The brands that have any action, ascending.
pub async fn brands(executor: impl PgExecutor<'_>, _system: &SystemScope) -> Result<Vec<BrandId>> {
    let ids = sqlx::query_scalar!(
        r#"select distinct brand_id as "brand!" from action where brand_id is not null order by brand_id"#
    )
    .fetch_all(executor)
    .await?;
    Ok(ids.into_iter().map(BrandId).collect())
}

/// Sets views, ads and priority (the views) of all actions of a brand, by domain, country and engine; an action that `counted` does not name gets 0.
/// Returns how many actions changed.
pub async fn set(
    connection: &mut Connection,
    _system: &SystemScope,
    brand: BrandId,
    counted: &[ActionFigures],
) -> Result<u64> {
    let (mut domains, mut countries, mut engines, mut views, mut ads) = (vec![], vec![], vec![], vec![], vec![]);
    for count in counted {
        domains.push(count.domain.clone());
        countries.push(count.country.clone());
        engines.push(count.engine.to_string());
        views.push(i64::try_from(count.views).unwrap_or(i64::MAX));
        ads.push(i64::try_from(count.ads).unwrap_or(i64::MAX));
    }
    let done = sqlx::query!(
        "with counted as (
             select a.id, coalesce(s.views, 0) as views, coalesce(s.ads, 0) as ads
             from action a
                 left join unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[])
                     as s (domain, country, engine, views, ads)
                 on s.domain = a.domain and s.country = a.country and s.engine = a.engine
             where a.brand_id = $1
         )
         update action set views = c.views, ads = c.ads, priority = c.views
         from counted c
         where action.id = c.id
             and (action.views, action.ads, action.priority) is distinct from (c.views, c.ads, c.views::float8)",
        brand.0,
        &domains,
        &countries,
        &engines,
        &views,
        &ads
    )
    .execute(connection)
    .await?;
    Ok(done.rows_affected())
}

/// When ads of each kind were last seen of one domain, in one country on one engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastSeen {
    /// The advertiser's host.
    pub domain: String,
    /// Country of the searches, two letters.
    pub country: String,
    /// The search engine, as in `google`.
    pub engine: String,
    /// The last time that a text ad was seen.
    pub text: Option<DateTime<Utc>>,
    /// The last time that a shopping ad was seen.
    pub shopping: Option<DateTime<Utc>>,
}

/// Whether a brand has an action that was seen, but with neither the time of its last text ad nor that of its last shopping ad.
pub async fn lacks_kinds(executor: impl PgExecutor<'_>, _system: &SystemScope, brand: BrandId) -> Result<bool> {
    let lacks = sqlx::query_scalar!(
        r#"select exists (
               select from action where brand_id = $1 and last_text is null and last_shopping is null and last_view is not null
           ) as "lacks!""#,
        brand.0
    )
    .fetch_one(executor)
    .await?;
    Ok(lacks)
}

/// Fills in when text and shopping ads were seen last, for actions of the brand that were seen but have neither time. A time later than the action's
/// last view is cut to it; a kind never seen stays null. Returns how many actions were changed.
pub async fn set_kinds(
    connection: &mut Connection,
    _system: &SystemScope,
    brand: BrandId,
    seen: &[LastSeen],
) -> Result<u64> {
    let (mut domains, mut countries, mut engines, mut texts, mut shoppings) = (vec![], vec![], vec![], vec![], vec![]);
    for last in seen {
        domains.push(last.domain.clone());
        countries.push(last.country.clone());
        engines.push(last.engine.clone());
        texts.push(last.text);
        shoppings.push(last.shopping);
    }
    let done = sqlx::query!(
        "update action set last_text = case when s.text is not null then least(s.text, last_view) end,
             last_shopping = case when s.shopping is not null then least(s.shopping, last_view) end
         from unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::timestamptz[])
             as s (domain, country, engine, text, shopping)
         where brand_id = $1 and action.domain = s.domain and action.country = s.country and action.engine = s.engine
             and last_text is null and last_shopping is null and last_view is not null
             and (s.text is not null or s.shopping is not null)",
        brand.0,
        &domains,
        &countries,
        &engines,
        &texts as &[Option<DateTime<Utc>>],
        &shoppings as &[Option<DateTime<Utc>>]
    )
    .execute(connection)
    .await?;
    Ok(done.rows_affected())
}

/// Moves the 30-day records of up to `limit` actions on to `today` (UTC): days that are now longer ago are dropped. Actions whose records
/// are empty are not touched. Returns how many were moved; fewer than `limit` means that none is left.
pub async fn pass_days(
    connection: &mut Connection,
    _system: &SystemScope,
    today: NaiveDate,
    limit: i64,
) -> Result<u64> {
    let rows = sqlx::query!(
        r#"select id, seen_until as "seen_until!", text_days, shopping_days from action
           where seen_until < $1 and text_days + shopping_days > 0 order by brand_id, country, engine, domain, id
           limit $2 for update"#,
        today,
        limit
    )
    .fetch_all(&mut *connection)
    .await?;
    let (mut ids, mut texts, mut shoppings, mut presences) = (vec![], vec![], vec![], vec![]);
    for row in rows {
        let days = SeenDays {
            until: row.seen_until,
            text: row.text_days.cast_unsigned(),
            shopping: row.shopping_days.cast_unsigned(),
        };
        let days = days.counted_back_from(today);
        ids.push(row.id);
        texts.push(days.text.cast_signed());
        shoppings.push(days.shopping.cast_signed());
        presences.push(days.presence());
    }
    let done = sqlx::query!(
        "update action set seen_until = $5, text_days = s.text, shopping_days = s.shopping, presence = s.presence
         from unnest($1::int[], $2::int[], $3::int[], $4::jsonb[]) as s (id, text, shopping, presence)
         where action.id = s.id",
        &ids,
        &texts,
        &shoppings,
        &presences,
        today
    )
    .execute(connection)
    .await?;
    Ok(done.rows_affected())
}
