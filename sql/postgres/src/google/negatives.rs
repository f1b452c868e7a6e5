//! Lists of negative keywords at Google: how each is reached, and what is known of it.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::SystemScope;

use crate::Result;

/// How Google Ads is reached for an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdsReach {
    /// The customer, in digits.
    pub customer: String,
    /// The manager it is reached through.
    pub login_customer: Option<String>,
    /// The grant to work with; `None` once nobody gives one.
    pub grant: Option<i64>,
    /// Its sealed refresh token.
    pub refresh_token: Option<String>,
}

/// How Google Ads is reached for an item; `None` for an item that is gone. A grant that was revoked does not count.
pub async fn ads_reach(executor: impl PgExecutor<'_>, _system: &SystemScope, item: i32) -> Result<Option<AdsReach>> {
    Ok(sqlx::query_as!(
        AdsReach,
        r#"select c.customer_id as customer, c.login_customer_id as login_customer, g.id as "grant?", g.refresh_token as "refresh_token?"
           from google_connect c left join google_grant g on g.id = c.ads_grant_id and g.status <> 'revoked' where c.id = $1"#,
        item
    )
    .fetch_optional(executor)
    .await?)
}

/// A list as it was set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedSet {
    /// Its id at Google, in digits.
    pub id: String,
    /// The campaigns that it was attached to, by their ids.
    pub campaigns: Vec<String>,
}

/// The list of an item and country; `None` if it was never set up.
pub async fn shared_set(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    item: i32,
    country: &str,
) -> Result<Option<SharedSet>> {
    Ok(sqlx::query_as!(
        SharedSet,
        "select shared_set as id, campaigns from google_negative where google_connect_id = $1 and country = $2",
        item,
        country
    )
    .fetch_optional(executor)
    .await?)
}

/// Stores which list an item and country have, and the campaigns that it is attached to.
pub async fn keep_shared_set(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    (item, country): (i32, &str),
    list: &SharedSet,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!(
        "insert into google_negative (google_connect_id, country, shared_set, campaigns, checked_at) values ($1, $2, $3, $4, $5)
         on conflict (google_connect_id, country) do update set shared_set = $3, campaigns = $4, checked_at = $5",
        item,
        country,
        list.id,
        &list.campaigns,
        now
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Notes which texts a list was found to have, beside those that its lanes want at that time.
pub async fn note_negatives(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    (item, country): (i32, &str),
    observed: &[String],
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!(
        "update google_negative n set observed = $3, checked_at = $4,
             desired = array(select l.text_folded from stop_go_lane l join google_connect c on l.account = 'customer:' || c.customer_id
                             where c.id = n.google_connect_id and l.country = n.country and l.desired order by 1)
         where n.google_connect_id = $1 and n.country = $2",
        item,
        country,
        observed,
        now
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// The texts of the lanes of an item's customer in a country: whose cost a list is about.
pub async fn texts_of_lanes(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    item: i32,
    country: &str,
) -> Result<Vec<String>> {
    Ok(sqlx::query_scalar!(
        "select l.text_folded from stop_go_lane l join google_connect c on l.account = 'customer:' || c.customer_id
         where c.id = $1 and l.country = $2 order by 1",
        item,
        country
    )
    .fetch_all(executor)
    .await?)
}

/// What a person has to remove by hand, because nobody gives access to a customer any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stranded {
    /// The customer, in digits.
    pub customer: String,
    /// The country of the list, two letters.
    pub country: String,
    /// The texts that are still in the list.
    pub texts: Vec<String>,
}

/// The texts that are in lists, as last read, of accounts to which nobody gives access any more; of one account, or of all.
pub async fn stranded(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    account: Option<&str>,
) -> Result<Vec<Stranded>> {
    Ok(sqlx::query_as!(
        Stranded,
        r#"select c.customer_id as customer, l.country, array_agg(l.text_folded order by l.text_folded) as "texts!"
           from stop_go_lane l join google_connect c on c.id = l.google_connect_id
               left join google_grant g on g.id = c.ads_grant_id and g.status <> 'revoked'
           where g.id is null and (l.observed or l.observed is null and (l.desired or l.state = 'resuming'))
               and ($1::text is null or l.account = $1)
           group by c.customer_id, l.country order by 1, 2"#,
        account
    )
    .fetch_all(executor)
    .await?)
}
