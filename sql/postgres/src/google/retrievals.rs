//! Retrievals: what is asked of Google about a month of an item.

use std::time::Duration;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use sqlx::PgExecutor;
use sqlx::types::Json;
use vocabulary::{Scope, SystemScope};

use crate::actions::events::user_of;
use crate::scoped::ScopeLists;
use crate::stored::{interval, parse};
use crate::{Connection, Result};

/// Where figures come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::EnumString, strum::Display)]
pub enum Source {
    /// Paid: Google Ads.
    #[strum(serialize = "SEA")]
    Sea,
    /// Unpaid: Search Console.
    #[strum(serialize = "SEO")]
    Seo,
}

/// What the reader should know of figures that were read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Remark {
    /// Google takes no such words, of which the first are named.
    Unaskable {
        /// Words of terms.
        words: Vec<String>,
        /// How many others there are.
        others: usize,
    },
    /// Terms of other countries than the market of the item were left out.
    Elsewhere {
        /// Terms that were left out.
        terms: usize,
        /// Two letters of the country.
        market: String,
    },
    /// Search Console keeps 16 months.
    Forgotten,
    /// Search Console has no such country.
    UnknownCountry {
        /// Two letters of the country.
        country: String,
    },
}

/// A month, or a part of one, that is to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRetrieval {
    /// The source of the figures.
    pub source: Source,
    /// The first and the last day, both included, of one month.
    pub days: (NaiveDate, NaiveDate),
    /// The terms, ascending.
    pub terms: Vec<i32>,
}

/// A retrieval as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetrievalRow {
    /// Id of the retrieval.
    pub id: i64,
    /// `SEA` or `SEO`.
    pub source: String,
    /// The first day.
    pub first_day: NaiveDate,
    /// The last day.
    pub last_day: NaiveDate,
    /// How many terms.
    pub terms: i32,
    /// `queued`, `running`, `done`, `failed` or `stopped`.
    pub state: String,
    /// When it is taken, while it waits.
    pub run_at: DateTime<Utc>,
    /// Pages read so far.
    pub pages: i32,
    /// Rows that were stored.
    pub rows_read: i32,
    /// Operations of Google Ads.
    pub operations: i32,
    /// Google's id of its last request.
    pub request_id: Option<String>,
    /// What the reader should know.
    pub remarks: Json<Vec<Remark>>,
    /// What was wrong, or why it waits.
    pub note: Option<String>,
    /// When it was asked for.
    pub requested_at: DateTime<Utc>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
}

/// A retrieval that a worker took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedRetrieval {
    /// Id of the retrieval.
    pub id: i64,
    /// How often it was taken; fences what the worker writes.
    pub tries: i32,
    /// Id of the item.
    pub item: i32,
    /// The source of the figures.
    pub source: Source,
    /// The first and the last day.
    pub days: (NaiveDate, NaiveDate),
    /// Ids of the terms.
    pub terms: Vec<i32>,
    /// Whether a person asked for it.
    pub is_by_hand: bool,
    /// The customer, in digits.
    pub customer: String,
    /// The manager it is reached through.
    pub login_customer: Option<String>,
    /// The site of Search Console.
    pub site: Option<String>,
    /// The market of paid figures, if the item names one.
    pub country: Option<String>,
    /// Currency of the customer.
    pub currency: Option<String>,
    /// The grant of the source.
    pub grant: Option<i64>,
}

/// How a retrieval ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome<'a> {
    /// `done` or `failed`.
    pub state: &'a str,
    /// Rows that were stored.
    pub rows: i32,
    /// Operations of Google Ads.
    pub operations: i32,
    /// Google's id of the last request.
    pub request_id: Option<&'a str>,
    /// What the reader should know.
    pub remarks: &'a [Remark],
    /// What was wrong.
    pub note: Option<&'a str>,
}

/// Queues retrievals of an item in scope; returns the ids in their order. One that waits or runs already is returned, not queued again.
pub async fn queue(
    connection: &mut Connection,
    scope: &Scope,
    item: i32,
    wanted: &[NewRetrieval],
    now: DateTime<Utc>,
) -> Result<Vec<i64>> {
    let bounds = ScopeLists::from_scope(scope);
    let mut ids = Vec::with_capacity(wanted.len());
    for new in wanted {
        let id = sqlx::query_scalar!(
            r#"insert into google_retrieval (google_connect_id, source, first_day, last_day, terms, terms_key, requested_by, requested_at, run_at)
               select c.id, $3, $4, $5, $6, md5($6::int[]::text), $7, $8, $8 from google_connect c where c.id = $2 and ($1::int[] is null or c.brand_id = any($1))
               on conflict (google_connect_id, source, first_day, last_day, terms_key) where state in ('queued', 'running')
               do update set requested_by = coalesce(google_retrieval.requested_by, excluded.requested_by)
               returning id"#,
            bounds.brands.clone() as Option<Vec<i32>>,
            item,
            new.source.to_string(),
            new.days.0,
            new.days.1,
            &new.terms,
            user_of(scope),
            now
        )
        .fetch_optional(&mut *connection)
        .await?;
        ids.extend(id);
    }
    Ok(ids)
}

/// Google changes figures no more this many days after their day.
const FINAL_AFTER: TimeDelta = TimeDelta::days(4);

/// Queues, for each item with keywords and a grant of the source, the days from `first` to `last`, which are of one month; those that were read of the same
/// terms when they were final already are left out. Returns how many were queued.
pub async fn refresh(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    source: Source,
    (first, last): (NaiveDate, NaiveDate),
    now: DateTime<Utc>,
) -> Result<u64> {
    let done = sqlx::query!(
        "insert into google_retrieval (google_connect_id, source, first_day, last_day, terms, terms_key, requested_at, run_at)
         select c.id, $1, $2, $3, array_agg(k.term_id order by k.term_id), md5(array_agg(k.term_id order by k.term_id)::text), $4, $4
         from google_connect c join google_keyword k on k.google_connect_id = c.id
         where c.health <> 'revoked' and case when $1 = 'SEA' then c.ads_grant_id else c.site_grant_id end is not null
         group by c.id having count(*) <= 20000
             and not exists (select from google_retrieval r where r.google_connect_id = c.id and r.source = $1 and r.state = 'done'
                 and r.first_day <= $2 and r.last_day >= $3 and r.ended_at >= $5 and r.terms_key = md5(array_agg(k.term_id order by k.term_id)::text))
         on conflict (google_connect_id, source, first_day, last_day, terms_key) where state in ('queued', 'running') do nothing",
        source.to_string(),
        first,
        last,
        now,
        last.and_hms_opt(0, 0, 0).unwrap_or_default().and_utc() + FINAL_AFTER
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected())
}

/// The newest retrievals of an item in scope, at most `limit`.
pub async fn of_item(executor: impl PgExecutor<'_>, scope: &Scope, item: i32, limit: i64) -> Result<Vec<RetrievalRow>> {
    let bounds = ScopeLists::from_scope(scope);
    Ok(sqlx::query_as!(
        RetrievalRow,
        r#"select r.id, r.source, r.first_day, r.last_day, cardinality(r.terms) as "terms!", r.state, r.run_at, r.pages, r.rows_read, r.operations,
             r.request_id, r.remarks as "remarks: Json<Vec<Remark>>", r.note, r.requested_at, r.ended_at
           from google_retrieval r join google_connect c on c.id = r.google_connect_id
           where c.id = $2 and ($1::int[] is null or c.brand_id = any($1)) order by r.id desc limit $3"#,
        bounds.brands as Option<Vec<i32>>,
        item,
        limit
    )
    .fetch_all(executor)
    .await?)
}

/// Ends all retrievals of an item in scope that wait or run; returns how many.
pub async fn stop(executor: impl PgExecutor<'_>, scope: &Scope, item: i32, now: DateTime<Utc>) -> Result<u64> {
    let bounds = ScopeLists::from_scope(scope);
    let done = sqlx::query!(
        "update google_retrieval r set state = 'stopped', ended_at = $3 from google_connect c
         where c.id = r.google_connect_id and c.id = $2 and ($1::int[] is null or c.brand_id = any($1)) and r.state in ('queued', 'running')",
        bounds.brands as Option<Vec<i32>>,
        item,
        now
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected())
}

/// Takes the oldest retrieval that may run, of an item of whose customer none runs, for as long as `lease`; those of persons first. `sea` says whether
/// Google Ads may be asked, and `nightly` whether what no person asked for may.
pub async fn claim(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    (sea, nightly): (bool, bool),
    lease: Duration,
    now: DateTime<Utc>,
) -> Result<Option<ClaimedRetrieval>> {
    let row = sqlx::query!(
        r#"with next as (
             select r.id from google_retrieval r join google_connect c on c.id = r.google_connect_id
             where r.state in ('queued', 'running') and r.run_at <= $1 and ($2 or r.source <> 'SEA') and ($3 or r.source <> 'SEA' or r.requested_by is not null)
               and not exists (select from google_retrieval o join google_connect oc on oc.id = o.google_connect_id
                 where o.state = 'running' and o.run_at > $1 and oc.customer_id = c.customer_id)
             order by r.requested_by is null, r.id limit 1 for update of r skip locked
           ), taken as (
             update google_retrieval r set state = 'running', tries = r.tries + 1, run_at = $1::timestamptz + $4::interval, note = null
             from next where r.id = next.id returning r.*
           )
           select t.id as "id!", t.tries as "tries!", t.google_connect_id as "item!", t.source as "source!", t.first_day as "first_day!",
             t.last_day as "last_day!", t.terms as "terms!", t.requested_by is not null as "by_hand!", c.customer_id, c.login_customer_id, c.site_url,
             c.country, g.currency as "currency?", case when t.source = 'SEA' then c.ads_grant_id else c.site_grant_id end as grant_id
           from taken t join google_connect c on c.id = t.google_connect_id
             left join google_customer g on g.grant_id = c.ads_grant_id and g.customer_id = c.customer_id"#,
        now,
        sea,
        nightly,
        interval(lease)
    )
    .fetch_optional(executor)
    .await?;
    row.map(|row| {
        Ok(ClaimedRetrieval {
            id: row.id,
            tries: row.tries,
            item: row.item,
            source: parse("google_retrieval.source", &row.source)?,
            days: (row.first_day, row.last_day),
            terms: row.terms,
            is_by_hand: row.by_hand,
            customer: row.customer_id,
            login_customer: row.login_customer_id,
            site: row.site_url,
            country: row.country,
            currency: row.currency,
            grant: row.grant_id,
        })
    })
    .transpose()
}

/// The words and country of the terms of a retrieval that are still mapped.
pub async fn terms_of(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    retrieval: &ClaimedRetrieval,
) -> Result<Vec<super::GoogleKeyword>> {
    Ok(sqlx::query_as!(
        super::GoogleKeyword,
        r#"select t.id, coalesce(t.term, '') as "content!", upper(right(coalesce(l.locale, ''), 2)) as "country!", l.country ->> 'en' as country_name
           from google_keyword k join term t on t.id = k.term_id left join localization l on l.id = t.localization_id
           where k.google_connect_id = $1 and k.term_id = any($2) order by t.id"#,
        retrieval.item,
        &retrieval.terms
    )
    .fetch_all(executor)
    .await?)
}

/// Notes the pages read so far, and keeps the retrieval for as long as `lease`. `false` when it was stopped or taken by another worker.
pub async fn note_page(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    retrieval: &ClaimedRetrieval,
    (pages, rows): (i32, i32),
    lease: Duration,
    now: DateTime<Utc>,
) -> Result<bool> {
    let done = sqlx::query!(
        "update google_retrieval set pages = $3, rows_read = $4, run_at = $5::timestamptz + $6::interval where id = $1 and tries = $2 and state = 'running'",
        retrieval.id,
        retrieval.tries,
        pages,
        rows,
        now,
        interval(lease)
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Ends a retrieval. `false` when it was stopped, deleted or taken by another worker: then nothing may be stored for it either.
pub async fn end(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    retrieval: &ClaimedRetrieval,
    outcome: &Outcome<'_>,
    now: DateTime<Utc>,
) -> Result<bool> {
    let done = sqlx::query!(
        "update google_retrieval set state = $3, rows_read = $4, operations = operations + $5, request_id = left($6, 200), note = left($7, 1000),
             ended_at = $8, remarks = $9
         where id = $1 and tries = $2 and state = 'running'",
        retrieval.id,
        retrieval.tries,
        outcome.state,
        outcome.rows,
        outcome.operations,
        outcome.request_id,
        outcome.note,
        now,
        Json(outcome.remarks) as _
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Has a retrieval wait, with the reason.
pub async fn put_off(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    retrieval: &ClaimedRetrieval,
    (until, note, operations): (DateTime<Utc>, &str, i32),
) -> Result<()> {
    sqlx::query!(
        "update google_retrieval set state = 'queued', run_at = $3, note = left($4, 1000), operations = operations + $5
         where id = $1 and tries = $2 and state = 'running'",
        retrieval.id,
        retrieval.tries,
        until,
        note,
        operations
    )
    .execute(executor)
    .await?;
    Ok(())
}
