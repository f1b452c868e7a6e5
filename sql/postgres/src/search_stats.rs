//! Reading the monthly searches of terms (decision D93): the terms that wait for it, and what was read.

use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use sqlx::PgExecutor;
use vocabulary::{Engine, Locale, Scope, SystemScope, TermId};

use crate::scoped::ScopeLists;
use crate::stored::{interval, parse};
use crate::{Connection, Result};

/// Terms of one engine and locale that a worker took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedTerms {
    /// Where they are searched.
    pub engine: Engine,
    /// Language and country that they are searched in.
    pub locale: Locale,
    /// At least one, by id.
    pub terms: Vec<ClaimedTerm>,
}

/// A term whose monthly searches a worker reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedTerm {
    /// Id of the term.
    pub id: TermId,
    /// The words it searches.
    pub words: String,
    /// How often it was taken since it was requested, this time included.
    pub tries: i32,
}

/// The monthly searches of a term as they were read.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadSearches<'a> {
    /// Id of the term.
    pub term: TermId,
    /// The words whose searches were counted.
    pub words: &'a str,
    /// Searches a month; `None` where nothing is known.
    pub monthly: Option<f64>,
}

/// How far terms are whose monthly searches were requested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Terms not read yet.
    pub waiting: u64,
    /// Terms whose last try failed.
    pub failed: u64,
}

/// Requests the monthly searches of the visible terms among `terms` that have words and a place, also of those that wait or failed already. Returns
/// how many these are.
pub async fn request(executor: impl PgExecutor<'_>, scope: &Scope, terms: &[TermId]) -> Result<u64> {
    let bounds = ScopeLists::from_scope(scope);
    let done = sqlx::query!(
        "insert into search_stats_request (term_id)
         select t.id from term t join localization l on l.id = t.localization_id
         where t.id = any($3) and t.term is not null and btrim(t.term) <> '' and l.locale ~ '^[A-Za-z]{2,3}[_-][A-Za-z]{2}$'
             and ($1::int[] is null or t.brand_id = any($1) or t.id = any($2))
         order by t.id
         on conflict (term_id) do update set run_at = now(), tries = 0, problem = null",
        bounds.brands as Option<Vec<i32>>,
        bounds.terms as Option<Vec<i32>>,
        &ids(terms)
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected())
}

/// Requests the monthly searches of every enabled term with the automatic frequency that has none read since `since`, unless it waits already.
/// Returns how many were requested.
pub async fn request_outdated(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    since: DateTime<Utc>,
) -> Result<u64> {
    let done = sqlx::query!(
        "insert into search_stats_request (term_id)
         select t.id from term t join localization l on l.id = t.localization_id
         where t.state = 'enabled' and coalesce(t.every, 0) = 0
             and t.term is not null and btrim(t.term) <> '' and l.locale ~ '^[A-Za-z]{2,3}[_-][A-Za-z]{2}$'
             and coalesce(t.search_stats ->> 'fetchedAt', '') < $1
         order by t.id
         on conflict (term_id) do update set run_at = now(), tries = 0, problem = null
             where search_stats_request.run_at = 'infinity'",
        written(since)
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected())
}

/// Takes up to `limit` terms that wait longest and share engine and locale, for as long as `lease`; `None` when none waits.
pub async fn claim(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    limit: i64,
    lease: Duration,
) -> Result<Option<ClaimedTerms>> {
    let rows = sqlx::query!(
        r#"with oldest as (
               select t.engine, l.locale
               from search_stats_request r join term t on t.id = r.term_id join localization l on l.id = t.localization_id
               where r.run_at <= now() and t.term is not null
               order by r.run_at, r.term_id limit 1
           ), taken as (
               select r.term_id, t.term, coalesce(t.engine, 'GOOGLE') as engine, l.locale
               from search_stats_request r join term t on t.id = r.term_id join localization l on l.id = t.localization_id
                   join oldest on t.engine is not distinct from oldest.engine and l.locale = oldest.locale
               where r.run_at <= now() and t.term is not null
               order by r.run_at, r.term_id limit $1
               for update of r skip locked
           )
           update search_stats_request r set run_at = now() + $2::interval, tries = r.tries + 1
           from taken where r.term_id = taken.term_id
           returning r.term_id, r.tries, taken.term as "words!", taken.engine as "engine!", taken.locale as "locale!""#,
        limit,
        interval(lease)
    )
    .fetch_all(executor)
    .await?;
    let Some(first) = rows.first() else { return Ok(None) };
    let engine = parse("term.engine", &first.engine)?;
    let locale = parse("localization.locale", &first.locale)?;
    let mut terms: Vec<ClaimedTerm> = rows
        .into_iter()
        .map(|row| ClaimedTerm {
            id: TermId(row.term_id),
            words: row.words,
            tries: row.tries,
        })
        .collect();
    terms.sort_unstable_by_key(|term| term.id);
    Ok(Some(ClaimedTerms { engine, locale, terms }))
}

/// Stores, in one statement, the monthly searches that were read at `at` (none, where there are none) and ends the requests of these terms. A term
/// whose words were changed meanwhile keeps its statistics and its request. Returns how many were stored.
pub async fn store(
    connection: &mut Connection,
    _system: &SystemScope,
    read: &[ReadSearches<'_>],
    at: DateTime<Utc>,
) -> Result<u64> {
    let terms: Vec<i32> = read.iter().map(|one| one.term.0).collect();
    let words: Vec<String> = read.iter().map(|one| one.words.to_owned()).collect();
    let monthly: Vec<Option<f64>> = read.iter().map(|one| one.monthly).collect();
    let stored = sqlx::query_scalar!(
        r#"with held as (
               select t.id, read.monthly
               from unnest($1::int[], $2::text[], $3::double precision[]) as read (term_id, words, monthly)
                   join term t on t.id = read.term_id and t.term = read.words
               order by t.id for no key update of t
           ), stored as (
               update term t set search_stats = jsonb_build_object('monthly', held.monthly, 'fetchedAt', $4::text)
               from held where t.id = held.id
               returning t.id
           ), ended as (
               delete from search_stats_request r using stored where r.term_id = stored.id
           )
           select count(*) as "count!" from stored"#,
        &terms,
        &words,
        &monthly as &[Option<f64>],
        written(at)
    )
    .fetch_one(connection)
    .await?;
    Ok(stored.unsigned_abs())
}

/// Notes why the monthly searches of claimed terms could not be read. They are read again after `wait`, or not until they are requested again.
pub async fn note_failure(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    terms: &[TermId],
    wait: Option<Duration>,
    problem: &str,
) -> Result<()> {
    sqlx::query!(
        "update search_stats_request set problem = $3, run_at = coalesce(now() + $2::interval, 'infinity') where term_id = any($1)",
        &ids(terms),
        wait.map(interval),
        problem
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Gives claimed terms back, as if they had not been taken, to be taken after `wait`.
pub async fn give_back(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    terms: &[TermId],
    wait: Duration,
) -> Result<()> {
    sqlx::query!(
        "update search_stats_request set run_at = now() + $2::interval, tries = greatest(tries - 1, 0) where term_id = any($1)",
        &ids(terms),
        interval(wait)
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// How far the visible terms among `terms` are that were requested. Terms without a request count nowhere: theirs are read.
pub async fn progress(executor: impl PgExecutor<'_>, scope: &Scope, terms: &[TermId]) -> Result<Progress> {
    let bounds = ScopeLists::from_scope(scope);
    let row = sqlx::query!(
        r#"select count(*) filter (where r.problem is null) as "waiting!", count(r.problem) as "failed!"
           from search_stats_request r join term t on t.id = r.term_id
           where r.term_id = any($3) and ($1::int[] is null or t.brand_id = any($1) or t.id = any($2))"#,
        bounds.brands as Option<Vec<i32>>,
        bounds.terms as Option<Vec<i32>>,
        &ids(terms)
    )
    .fetch_one(executor)
    .await?;
    Ok(Progress {
        waiting: row.waiting.unsigned_abs(),
        failed: row.failed.unsigned_abs(),
    })
}

/// Ids as a statement binds them.
fn ids(terms: &[TermId]) -> Vec<i32> {
    terms.iter().map(|term| term.0).collect()
}

/// A time as statistics store it: of a fixed length, so that texts compare like times.
fn written(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}
