//! Advertisers that appeared in a period: for the first time, or after they had been away.

use chrono::{DateTime, TimeDelta, Utc};
use clickhouse::Row;
use serde::Deserialize;
use vocabulary::Scope;

use super::page::MOST_ROWS;
use super::source;
use crate::filter::Filters;
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

/// A [`Newcomer`] as ClickHouse returns it, in quarters of an hour.
#[derive(Clone, Row, Deserialize)]
struct StoredNewcomer {
    name: String,
    is_new: bool,
    since: u32,
    away: i64,
    terms: u64,
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
    (from, until): (DateTime<Utc>, DateTime<Utc>),
) -> Result<Vec<Newcomer>, Error> {
    let remembered = filters.within(from - KNOWN_FOR, until);
    let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/newcomers.sql"));
    let statement = source::fill(client, statement, scope, &remembered, 1)
        .await?
        .with("begin", Value::Integer((from.timestamp() / QUARTER).max(0)))
        .with("away", Value::Integer(AWAY_FOR.num_seconds() / QUARTER))
        .with("limit", Value::Unsigned(u64::from(MOST_ROWS) + 1));
    let stored: Vec<StoredNewcomer> = client.fetch_shared(statement).await?;
    if u32::try_from(stored.len()).map_or(true, |count| count > MOST_ROWS) {
        return Err(Error::TooMany);
    }
    let newcomers = stored.into_iter().map(|row| Newcomer {
        domain: row.name,
        since: DateTime::from_timestamp_secs(i64::from(row.since) * QUARTER).unwrap_or_default(),
        away: (!row.is_new).then(|| TimeDelta::seconds(row.away * QUARTER)),
        terms: row.terms,
    });
    Ok(newcomers.collect())
}
