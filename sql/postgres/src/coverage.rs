//! How many of the planned captures of a period were valid. Without it, "no ads" and "not searched" look the same.

use chrono::NaiveDate;
use sqlx::PgExecutor;
use sqlx::types::Json;
use vocabulary::{Device, Engine, Scope, TermId};

use crate::captures::CaptureQuery;
use crate::scoped::ScopeLists;
use crate::stored::parse;
use crate::{Connection, Pool, Result, begin};

/// Less than this share of the planned captures is few.
pub const ENOUGH: f64 = 0.9;
/// Terms that are named where their captures are few.
const MOST_TERMS: i64 = 10;
/// Days added up by one run, so that a long ledger does not delay the job's other work.
const MOST_DAYS: i64 = 400;
/// Days that one transaction extends the running totals by.
const CARRIED_AT_ONCE: i32 = 31;

/// What became of planned captures, in numbers. Captures that are planned but in no other count are still under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Slots of the period, whatever became of them.
    pub planned: u64,
    /// Stored captures of pages that answer the search.
    pub valid: u64,
    /// Stored captures of pages that may not answer it.
    pub doubtful: u64,
    /// Slots without a page.
    pub failed: u64,
    /// Slots that were not tried.
    pub missed: u64,
}

impl Counts {
    /// Whether the valid captures are less than the share [`ENOUGH`] of the planned ones. False when none were planned.
    #[expect(clippy::cast_precision_loss, reason = "slots are far below 2^52")]
    pub fn are_few(&self) -> bool {
        (self.valid as f64) < self.planned as f64 * ENOUGH
    }
}

/// The planned captures of one engine in one country.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfPlace {
    /// Engine of the terms; `None` for terms without one.
    pub engine: Option<Engine>,
    /// Country of the searches, two letters; none where a term lost its place.
    pub country: Option<String>,
    /// What became of the planned captures.
    pub counts: Counts,
}

/// The planned captures of one term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfTerm {
    /// Id of the term.
    pub id: TermId,
    /// Words of the term.
    pub content: String,
    /// Where it is searched.
    pub place: OfPlace,
}

/// The captures planned in a period.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// All of them.
    pub all: Counts,
    /// By engine and country, those that miss the most first.
    pub places: Vec<OfPlace>,
    /// The terms with few valid captures, those that miss the most first; ten at most.
    pub terms: Vec<OfTerm>,
}

/// The coverage of the captures in scope that were planned from `query.from` to `query.to`, both included to the second, `None` being open. Scope and
/// conditions apply to the terms as they are now, without deleted ones; the query's time zone is ignored. Slots under way count as planned.
pub async fn coverage(executor: impl PgExecutor<'_>, scope: &Scope, query: &CaptureQuery) -> Result<Coverage> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query_file!(
        "queries/coverage.sql",
        bounds.brands as Option<Vec<i32>>,
        bounds.terms as Option<Vec<i32>>,
        query.from,
        query.to,
        Json(&query.tests) as _,
        ENOUGH,
        MOST_TERMS
    )
    .fetch_all(executor)
    .await?;
    let mut coverage = Coverage::default();
    for row in rows {
        let counts = Counts {
            planned: row.planned.unsigned_abs(),
            valid: row.valid.unsigned_abs(),
            doubtful: row.doubtful.unsigned_abs(),
            failed: row.failed.unsigned_abs(),
            missed: row.missed.unsigned_abs(),
        };
        let place = OfPlace {
            engine: row.engine.map(|engine| parse("term.engine", &engine)).transpose()?,
            country: row.country.filter(|country| !country.is_empty()),
            counts,
        };
        match (row.kind, row.term_id) {
            (0, _) => coverage.all = counts,
            (_, Some(id)) => coverage.terms.push(OfTerm {
                id: TermId(id),
                content: row.term.unwrap_or_default(),
                place,
            }),
            _ => coverage.places.push(place),
        }
    }
    Ok(coverage)
}

/// Adds up the days of the ledger that are not sealed: past days, and today up to the last hour that can no longer change. Takes at most
/// `MOST_DAYS` days, each in its own transaction, then extends the running totals. Returns how many days were sealed; a day with slots
/// under way is added up in part and not counted.
pub async fn seal_closed_days(pool: &Pool) -> Result<u64> {
    let days = sqlx::query_scalar!(
        r#"select day::date as "day!"
           from generate_series(
               ((select min(slot_ts) from slot) at time zone 'UTC')::date, (now() at time zone 'UTC')::date, interval '1 day'
           ) as day
           where not exists (select from ledger_day_seal s where s.day = day::date and s.until is null)
           order by day limit $1"#,
        MOST_DAYS
    )
    .fetch_all(pool)
    .await?;
    let mut sealed = 0;
    for day in days {
        let mut tx = begin(pool).await?;
        sealed += u64::from(seal_settled_hours(&mut tx, day).await?);
        tx.commit().await?;
    }
    while carry_totals(pool).await? == CARRIED_AT_ONCE {}
    Ok(sealed)
}

/// Adds up a UTC day up to the last hour in which no slot can change or be added any more, replaces its earlier sums, and locks the day until the
/// transaction ends. Returns whether that is the whole day; `false` with nothing added up where not even its first hour is settled.
async fn seal_settled_hours(connection: &mut Connection, day: NaiveDate) -> Result<bool> {
    sqlx::query!(r#"select hold_ledger_day($1)::text as held"#, day)
        .fetch_one(&mut *connection)
        .await?;
    // Slots of this moment may not be committed yet.
    let settled = sqlx::query!(
        r#"select settled.until as "until!", settled.until = days.ends as "is_whole!", settled.until > days.begins as "is_begun!"
           from (select $1::date::timestamp at time zone 'UTC' as begins, ($1::date + 1)::timestamp at time zone 'UTC' as ends) as days
               cross join lateral (
                   select date_trunc('hour', least(
                       days.ends, now() - interval '5 minutes', (select min(next_slot) from term_due),
                       (select min(slot_ts) from slot where slot_ts >= days.begins and slot_ts < days.ends and settled_at is null)
                   ), 'UTC') as until
               ) as settled"#,
        day
    )
    .fetch_one(&mut *connection)
    .await?;
    if !settled.is_begun {
        return Ok(false);
    }
    sqlx::query!(
        "delete from ledger_day d where d.day = $1 and not exists (
             select from slot s where s.term_id = d.term_id and s.device = d.device
                 and s.slot_ts >= $1::date::timestamp at time zone 'UTC' and s.slot_ts < $2
         )",
        day,
        settled.until
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query_file!("queries/add_up_ledger_day.sql", day, settled.until)
        .execute(&mut *connection)
        .await?;
    sqlx::query!(
        "insert into ledger_day_seal (day, until) values ($1, $2)
         on conflict (day) do update set until = excluded.until, sealed_at = now()",
        day,
        (!settled.is_whole).then_some(settled.until)
    )
    .execute(connection)
    .await?;
    Ok(settled.is_whole)
}

/// Extends the running totals by up to `CARRIED_AT_ONCE` of the wholly sealed days that follow them, in one transaction. Returns by how many.
async fn carry_totals(pool: &Pool) -> Result<i32> {
    let mut tx = begin(pool).await?;
    let carried = sqlx::query_scalar!(r#"select carry_ledger_totals($1) as "carried!""#, CARRIED_AT_ONCE)
        .fetch_one(&mut *tx)
        .await?;
    tx.commit().await?;
    Ok(carried)
}

/// What became of the captures of a term and device on a day from before the ledger, which has no slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PastDay {
    /// The day (UTC).
    pub day: NaiveDate,
    /// The term that was planned.
    pub term: TermId,
    /// The device that was planned.
    pub device: Device,
    /// What became of the planned captures.
    pub counts: Counts,
}

/// The first UTC day that has slots of any of these terms, in whatever state; `None` when there is none.
pub async fn first_day(executor: impl PgExecutor<'_>, terms: &[TermId]) -> Result<Option<NaiveDate>> {
    let terms: Vec<i32> = terms.iter().map(|term| term.0).collect();
    let day = sqlx::query_scalar!(
        r#"select (min(slot_ts) at time zone 'UTC')::date as "day" from slot where term_id = any($1)"#,
        &terms
    )
    .fetch_one(executor)
    .await?;
    Ok(day)
}

/// Deletes all coverage of `terms` on days from before the ledger, then writes that of `days` and seals these days. Days on which the ledger has
/// slots of any term are left as they are, and so are rows that other terms have already. Counts above `i32::MAX` are cut to it.
pub async fn replace_past(connection: &mut Connection, terms: &[TermId], days: &[PastDay]) -> Result<()> {
    let of_terms: Vec<i32> = terms.iter().map(|term| term.0).collect();
    sqlx::query!(
        "delete from ledger_day d where d.term_id = any($1) and not exists (
             select from slot s
             where s.slot_ts >= d.day::timestamp at time zone 'UTC' and s.slot_ts < (d.day + 1)::timestamp at time zone 'UTC')",
        &of_terms
    )
    .execute(&mut *connection)
    .await?;
    let dates: Vec<NaiveDate> = days.iter().map(|past| past.day).collect();
    let terms: Vec<i32> = days.iter().map(|past| past.term.0).collect();
    let devices: Vec<String> = days.iter().map(|past| past.device.to_string()).collect();
    let numbers = |number: fn(&Counts) -> u64| -> Vec<i32> {
        let counts = days.iter().map(|past| number(&past.counts));
        counts.map(|count| i32::try_from(count).unwrap_or(i32::MAX)).collect()
    };
    sqlx::query_file!(
        "queries/write_past_days.sql",
        &dates,
        &terms,
        &devices,
        &numbers(|counts| counts.planned),
        &numbers(|counts| counts.valid),
        &numbers(|counts| counts.doubtful),
        &numbers(|counts| counts.failed),
        &numbers(|counts| counts.missed)
    )
    .execute(connection)
    .await?;
    Ok(())
}
