//! Advertisers that appeared in a period: for the first time, or after they had been away.

use chrono::{DateTime, TimeDelta, Utc};
use clickhouse::Row;
use serde::Deserialize;
use vocabulary::Scope;

use super::page::MOST_ROWS;
use super::source;
use crate::filter::{Comparison, Filters};
use crate::statement::{Statement, Value};
use crate::{Client, Error};

/// How far back an advertiser is remembered: one that was not seen for so long is new.
pub const KNOWN_FOR: TimeDelta = TimeDelta::days(365);
/// An advertiser that was not seen for so long and is seen again has returned.
pub const AWAY_FOR: TimeDelta = TimeDelta::days(30);
/// The precision of sightings, in seconds; days of every time zone begin at a multiple of it.
const QUARTER: i64 = 900;

/// An advertiser that appeared in a period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Newcomer {
    /// The advertiser's host.
    pub domain: String,
    /// When it appeared, to the quarter of an hour.
    pub since: DateTime<Utc>,
    /// How long it had been away; `None` for one that was not seen in the year before the period.
    pub away: Option<TimeDelta>,
    /// Terms it was seen on in the period.
    pub terms: u64,
}

/// The advertisers that appeared in a period, and how many did in the time that it is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Newcomers {
    /// Those of the period, those on most terms first.
    pub list: Vec<Newcomer>,
    /// How many were new in the time before, which ends with the quarter of an hour that its end lies in.
    pub earlier_new: u64,
    /// How many returned in it.
    pub earlier_returning: u64,
}

/// A [`Newcomer`] as ClickHouse returns it, in quarters of an hour.
#[derive(Clone, Row, Deserialize)]
struct StoredNewcomer {
    name: String,
    /// Which of the times that were asked for it appeared in, from 1.
    time: u32,
    is_new: bool,
    since: u32,
    away: i64,
    on_terms: u64,
}

/// The advertisers that a scope sees under the filters from `from` to `until`, both included, and that were not seen in [`KNOWN_FOR`] before, or are
/// back after at least [`AWAY_FOR`]; those on most terms first. The period replaces the one of the filters.
///
/// # Errors
/// [`Error::TooMany`] when there are more than [`MOST_ROWS`].
pub async fn list(
    client: &Client,
    scope: &Scope,
    filters: &Filters,
    period: (DateTime<Utc>, DateTime<Utc>),
) -> Result<Vec<Newcomer>, Error> {
    newcomers(appeared(client, scope, filters, &[period]).await?)
}

/// Like [`list`], with those of the time that the period is compared with, which are counted from the same rows.
///
/// # Errors
/// [`Error::TooMany`] when there are more than [`MOST_ROWS`] in one of the times.
pub async fn list_compared(
    client: &Client,
    scope: &Scope,
    filters: &Filters,
    period: (DateTime<Utc>, DateTime<Utc>),
    compared: &Comparison,
) -> Result<Newcomers, Error> {
    let earlier = (compared.earlier_from, compared.earlier_until);
    let stored = appeared(client, scope, filters, &[period, earlier]).await?;
    let (of_period, earlier): (Vec<_>, Vec<_>) = stored.into_iter().partition(|row| row.time == 1);
    let earlier = newcomers(earlier)?;
    let earlier_new = earlier.iter().filter(|newcomer| newcomer.away.is_none()).count();
    Ok(Newcomers {
        list: newcomers(of_period)?,
        earlier_new: earlier_new as u64,
        earlier_returning: (earlier.len() - earlier_new) as u64,
    })
}

/// What appeared in each of these times, the latest of which is the first; terms are those of the latest.
async fn appeared(
    client: &Client,
    scope: &Scope,
    filters: &Filters,
    times: &[(DateTime<Utc>, DateTime<Utc>)],
) -> Result<Vec<StoredNewcomer>, Error> {
    let (Some((_, until)), Some((earliest, _))) = (times.first(), times.last()) else {
        return Ok(Vec::new());
    };
    let remembered = filters.within(*earliest - KNOWN_FOR, *until);
    let known_from = times.iter().map(|(from, _)| quarter(*from - KNOWN_FOR)).collect();
    let begins = times.iter().map(|(from, _)| quarter(*from)).collect();
    let ends = times.iter().map(|(_, until)| quarter(*until)).collect();
    let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/newcomers.sql"));
    let statement = source::fill(client, statement, scope, &remembered, 1)
        .await?
        .with("known_from", Value::Integers(known_from))
        .with("begins", Value::Integers(begins))
        .with("ends", Value::Integers(ends))
        .with("away", Value::Integer(AWAY_FOR.num_seconds() / QUARTER))
        .with("limit", Value::Unsigned(u64::from(MOST_ROWS) + 1));
    client.fetch_shared(statement).await
}

/// The quarter of an hour that an instant lies in, counted from 1970; 0 before.
fn quarter(instant: DateTime<Utc>) -> i64 {
    (instant.timestamp() / QUARTER).max(0)
}

/// The rows as newcomers; [`Error::TooMany`] when there are more than [`MOST_ROWS`].
fn newcomers(stored: Vec<StoredNewcomer>) -> Result<Vec<Newcomer>, Error> {
    if u32::try_from(stored.len()).map_or(true, |count| count > MOST_ROWS) {
        return Err(Error::TooMany);
    }
    let newcomers = stored.into_iter().map(|row| Newcomer {
        domain: row.name,
        since: DateTime::from_timestamp_secs(i64::from(row.since) * QUARTER).unwrap_or_default(),
        away: (!row.is_new).then(|| TimeDelta::seconds(row.away * QUARTER)),
        terms: row.on_terms,
    });
    Ok(newcomers.collect())
}
