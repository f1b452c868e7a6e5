//! Negative lists: what has to be changed in them, and what they were found to be.

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgExecutor;
use vocabulary::SystemScope;

use crate::{Connection, Result};

/// A list that differs from what is wanted, or has to be set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListToChange {
    /// The account that the list belongs to.
    pub account: String,
    /// The Google item through which it is reached.
    pub google_connect: i32,
    /// The country, two letters.
    pub country: String,
    /// Whether a lane has to go, or the list has to be detached: that waits for nothing.
    pub must_go: bool,
}

/// The lists with lanes that are not as wanted at `now`, and those that have to be attached or detached; those where a lane has to go first.
pub async fn to_change(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<ListToChange>> {
    let rows = sqlx::query_as!(
        ListToChange,
        r#"select n.account, min(n.google_connect_id) as "google_connect!", n.country,
               bool_or(s.emergency_at is not null or n.observed is distinct from n.desired and not n.desired
                   and (n.state = 'resuming' or n.state = 'manual' and n.checked_at is not null)) as "must_go!"
           from stop_go_lane n left join stop_go_list s on s.account = n.account and s.country = n.country
           where n.google_connect_id is not null
               and (n.observed is distinct from n.desired and (n.desired or n.state = 'resuming' or n.state = 'manual' and n.checked_at is not null)
                       and coalesce(n.apply_after <= $1, true)
                   or s.emergency_at is not null and s.attached and coalesce(s.ask_after <= $1, true))
           group by n.account, n.country order by 4 desc, n.account, n.country limit $2"#,
        now,
        limit
    );
    Ok(rows.fetch_all(executor).await?)
}

/// The lists of accounts whose lanes may stop and that were never set up, or not asked since `ask_after`.
pub async fn to_set_up(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<ListToChange>> {
    let rows = sqlx::query_as!(
        ListToChange,
        r#"select n.account, min(n.google_connect_id) as "google_connect!", n.country, false as "must_go!"
           from stop_go_lane n join stop_go_keyword k on k.lane_id = n.id and k.removed_at is null
               join stop_go_brand b on b.brand_id = k.brand_id and b.removed_at is null
               left join stop_go_list s on s.account = n.account and s.country = n.country
           where n.google_connect_id is not null and (b.mode <> 'observe' or n.desired) and s.emergency_at is null
               and not coalesce(s.attached, false) and coalesce(s.ask_after <= $1, true)
           group by n.account, n.country order by n.account, n.country limit $2"#,
        now,
        limit
    );
    Ok(rows.fetch_all(executor).await?)
}

/// A lane whose text has to be added to its list or removed from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneToChange {
    /// Id of the lane.
    pub id: i32,
    /// The text to be added or removed.
    pub text: String,
    /// Whether the text should be in the list.
    pub desired: bool,
    /// Whether a person decides.
    pub is_manual: bool,
}

/// The lanes of a list that are not as wanted at the time of this statement, those that have to go first.
pub async fn lanes_to_change(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    account: &str,
    country: &str,
) -> Result<Vec<LaneToChange>> {
    let rows = sqlx::query_as!(
        LaneToChange,
        r#"select id, text_folded as text, desired, state = 'manual' as "is_manual!" from stop_go_lane
           where account = $1 and country = $2 and observed is distinct from desired
               and (desired or state = 'resuming' or state = 'manual' and checked_at is not null)
           order by desired, id"#,
        account,
        country
    );
    Ok(rows.fetch_all(executor).await?)
}

/// Notes for each lane of a list whether its text was found in it; when it was read is exact to a minute. Returns the lanes for which the finding is new.
pub async fn observe(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    (account, country): (&str, &str),
    texts: &[String],
    now: DateTime<Utc>,
) -> Result<Vec<i32>> {
    let rows = sqlx::query!(
        r#"with before as (
               select id, observed, checked_at, text_folded from stop_go_lane where account = $1 and country = $2 order by id for no key update
           ), found as (
               select b.*, text_folded in (select unnest($3::text[])) as is_there from before b
           )
           update stop_go_lane n set observed = f.is_there, checked_at = $4
           from found f where f.id = n.id
               and (f.observed is distinct from f.is_there or f.checked_at is null or f.checked_at < $4::timestamptz - interval '1 minute')
           returning n.id, f.observed is distinct from f.is_there as "is_new!""#,
        account,
        country,
        texts,
        now
    )
    .fetch_all(executor)
    .await?;
    Ok(rows.into_iter().filter(|row| row.is_new).map(|row| row.id).collect())
}

/// Lets the lanes of a list wait until `ask_after`, because it did not answer, and longer each time: twice as long, up to a quarter of an hour.
pub async fn put_off(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    (account, country): (&str, &str),
    ask_after: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!(
        "update stop_go_lane set apply_failures = apply_failures + 1,
             apply_after = greatest($3, $4::timestamptz + least(interval '15 minutes', interval '5 seconds' * power(2, least(apply_failures, 10))))
         where account = $1 and country = $2 and observed is distinct from desired",
        account,
        country,
        ask_after,
        now
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// The lists in which texts may be, or should be, and that were not read since `before`: those that a person may have changed.
pub async fn to_compare(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    before: DateTime<Utc>,
) -> Result<Vec<ListToChange>> {
    let rows = sqlx::query_as!(
        ListToChange,
        r#"select n.account, min(n.google_connect_id) as "google_connect!", n.country, false as "must_go!"
           from stop_go_lane n join stop_go_list s on s.account = n.account and s.country = n.country
           where n.google_connect_id is not null
           group by n.account, n.country having min(coalesce(n.checked_at, '-infinity')) < $1 order by n.account, n.country"#,
        before
    );
    Ok(rows.fetch_all(executor).await?)
}

/// The lists of lanes that went at least `after` ago and were not read since that time was over: a change whose answer was lost may have come late.
pub async fn to_read_after_goes(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    after: TimeDelta,
    now: DateTime<Utc>,
) -> Result<Vec<ListToChange>> {
    let rows = sqlx::query_as!(
        ListToChange,
        r#"select account, min(google_connect_id) as "google_connect!", country, false as "must_go!"
           from stop_go_lane
           where state = 'cooling' and google_connect_id is not null and not desired
               and since <= $2 and checked_at < since + $1::bigint * interval '1 second'
           group by account, country order by account, country"#,
        after.num_seconds(),
        now - after
    );
    Ok(rows.fetch_all(executor).await?)
}

/// A list as it was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredList {
    /// Whether it is attached to campaigns.
    pub attached: bool,
    /// Whether every campaign serves its country alone; `None` while unknown.
    pub campaigns_fit: Option<bool>,
    /// Campaigns that it is attached to.
    pub campaigns: Option<i32>,
    /// The share of cost that Performance Max has, in percent.
    pub pmax_percent: Option<f64>,
    /// What setting it up was refused with.
    pub refused: Option<String>,
    /// Since when everything is let go by hand.
    pub emergency_at: Option<DateTime<Utc>>,
    /// When it is asked again.
    pub ask_after: Option<DateTime<Utc>>,
}

/// A list as it was found last; `None` if it was never set up.
pub async fn get(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    account: &str,
    country: &str,
) -> Result<Option<StoredList>> {
    let row = sqlx::query_as!(
        StoredList,
        "select attached, campaigns_fit, campaigns, pmax_percent, refused, emergency_at, ask_after from stop_go_list
         where account = $1 and country = $2",
        account,
        country
    );
    Ok(row.fetch_optional(executor).await?)
}

/// Stores what a list was found to be.
pub async fn save(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    (account, country): (&str, &str),
    list: &StoredList,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!(
        "insert into stop_go_list (account, country, attached, campaigns_fit, campaigns, pmax_percent, refused, ask_after, checked_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         on conflict (account, country) do update set attached = $3, campaigns_fit = $4, campaigns = $5, pmax_percent = $6,
             refused = $7, ask_after = $8, checked_at = $9",
        account,
        country,
        list.attached,
        list.campaigns_fit,
        list.campaigns,
        list.pmax_percent,
        list.refused,
        list.ask_after,
        now
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Begins the emergency of every list of an account: each is to be detached, and nothing is stopped until it is lifted. Returns its countries.
pub async fn begin_emergency(
    connection: &mut Connection,
    _system: &SystemScope,
    account: &str,
    now: DateTime<Utc>,
) -> Result<Vec<String>> {
    let countries = sqlx::query_scalar!(
        "insert into stop_go_list (account, country, emergency_at, ask_after)
         select distinct account, country, $2::timestamptz, null::timestamptz from stop_go_lane where account = $1
         on conflict (account, country) do update set emergency_at = $2, ask_after = null
         returning country",
        account,
        now
    );
    Ok(countries.fetch_all(connection).await?)
}

/// Ends the emergency of an account; its lists are attached again when a lane may stop.
pub async fn end_emergency(connection: &mut Connection, _system: &SystemScope, account: &str) -> Result<bool> {
    let ended = sqlx::query!(
        "update stop_go_list set emergency_at = null, ask_after = null where account = $1 and emergency_at is not null",
        account
    );
    Ok(ended.execute(connection).await?.rows_affected() > 0)
}

/// Takes the lock of a customer until the transaction ends, so that one worker at a time changes its lists. `false` if another has it. The transaction may idle
/// as long as Google takes to answer.
pub async fn try_lock(connection: &mut Connection, _system: &SystemScope, account: &str) -> Result<bool> {
    sqlx::query("set local idle_in_transaction_session_timeout = 0")
        .execute(&mut *connection)
        .await?;
    let locked = sqlx::query_scalar("select pg_try_advisory_xact_lock(hashtextextended('negative list of ' || $1, 0))")
        .bind(account);
    Ok(locked.fetch_one(connection).await?)
}
