//! What was seen of advertisers, by what makes an action: brand, domain, country and engine (decision D40).

use chrono::{DateTime, NaiveDate, Utc};
use clickhouse::Row;
use serde::Deserialize;
use uuid::Uuid;
use vocabulary::{BrandId, Scope, TermId};

use super::hosts::hosts_of;
use super::source;
use crate::filter::Filters;
use crate::statement::{Statement, Value};
use crate::{Client, Error};

/// One advertiser on the terms of one brand, in one country and on one engine, over the filtered results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdvertiserRow {
    /// The brand of the terms.
    pub brand: BrandId,
    /// The advertiser's host.
    pub domain: String,
    /// Country of the searches, two letters.
    pub country: String,
    /// The search engine.
    pub engine: String,
    /// Results that show it.
    pub nb_views: u64,
    /// Distinct ads (decision D76), exact.
    pub nb_ads: u64,
}

/// An [`AdvertiserRow`] as ClickHouse returns it.
#[derive(Clone, Row, Deserialize)]
struct StoredAdvertiser {
    brand_id: u32,
    host: String,
    in_country: String,
    on_engine: String,
    nb_views: u64,
    nb_ads: u64,
}

/// The advertisers that a scope sees under the filters, one row each per brand, domain, country and engine, in this order.
///
/// # Errors
/// [`Error::TooMany`] when there are more than `most` rows.
pub async fn list(client: &Client, scope: &Scope, filters: &Filters, most: u32) -> Result<Vec<AdvertiserRow>, Error> {
    let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/advertisers.sql"));
    let statement = source::fill(client, statement, scope, filters, 1)
        .await?
        .with("limit", Value::Unsigned(u64::from(most) + 1));
    let stored: Vec<StoredAdvertiser> = client.fetch_shared(statement).await?;
    if u32::try_from(stored.len()).map_or(true, |count| count > most) {
        return Err(Error::TooMany);
    }
    let rows = stored.into_iter().map(|row| AdvertiserRow {
        brand: BrandId(row.brand_id.cast_signed()),
        domain: row.host,
        country: row.in_country,
        engine: row.on_engine,
        nb_views: row.nb_views,
        nb_ads: row.nb_ads,
    });
    Ok(rows.collect())
}

/// When ads of an advertiser were last seen in a country and on an engine, by kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastByKind {
    /// The advertiser's host.
    pub domain: String,
    /// Country of the searches, two letters.
    pub country: String,
    /// The search engine.
    pub engine: String,
    /// The last time that a text ad was seen.
    pub text: Option<DateTime<Utc>>,
    /// The last time that a shopping ad was seen.
    pub shopping: Option<DateTime<Utc>>,
}

/// A [`LastByKind`] as ClickHouse returns it, in seconds since 1970.
#[derive(Clone, Row, Deserialize)]
struct StoredLast {
    host: String,
    in_country: String,
    on_engine: String,
    // 0 where there was none.
    last_text: u32,
    last_shopping: u32,
}

/// When text and shopping ads of each advertiser were last seen that a scope sees under the filters: one row per domain, country and engine, in no
/// order.
pub async fn last_by_kind(client: &Client, scope: &Scope, filters: &Filters) -> Result<Vec<LastByKind>, Error> {
    let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/last_by_kind.sql"));
    let statement = source::fill(client, statement, scope, filters, 1).await?;
    let stored: Vec<StoredLast> = client.fetch_shared(statement).await?;
    let rows = stored.into_iter().map(|row| LastByKind {
        domain: row.host,
        country: row.in_country,
        engine: row.on_engine,
        text: instant_or_never(row.last_text),
        shopping: instant_or_never(row.last_shopping),
    });
    Ok(rows.collect())
}

/// The time that many seconds after 1970; `None` for 0, which means never.
fn instant_or_never(seconds: u32) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(seconds.into(), 0).filter(|_| seconds > 0)
}

/// An advertiser as it was seen on one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DaySighting {
    /// The brand of the terms.
    pub brand: BrandId,
    /// The advertiser's host.
    pub domain: String,
    /// Its registrable domain.
    pub master: String,
    /// Country of the searches, two letters.
    pub country: String,
    /// The search engine.
    pub engine: String,
    /// Languages of the searches, ascending.
    pub languages: Vec<String>,
    /// The terms, ascending.
    pub terms: Vec<TermId>,
    /// The first time.
    pub first: DateTime<Utc>,
    /// The last time that a text ad was seen.
    pub text: Option<DateTime<Utc>>,
    /// The last time that a shopping ad was seen.
    pub shopping: Option<DateTime<Utc>>,
    /// Its ads, if it is one of the advertisers whose ads were asked for; else the highest of the last ones of each kind.
    pub ads: Vec<DayAd>,
}

/// An ad that was seen on one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DayAd {
    /// The capture it was seen in.
    pub capture: Uuid,
    /// As [`vocabulary::AdKind`] displays.
    pub kind: String,
    /// When its page was received.
    pub at: DateTime<Utc>,
    /// Its headline and its text.
    pub words: String,
    /// Its rank over the page.
    pub rank: u16,
}

/// A [`DaySighting`] as ClickHouse returns it, in seconds since 1970.
#[derive(Row, Deserialize)]
struct StoredSighting {
    brand_id: u32,
    host: String,
    registrable: String,
    in_country: String,
    on_engine: String,
    languages: Vec<String>,
    terms: Vec<u32>,
    // 0 where there was none.
    last_text: u32,
    last_shopping: u32,
    first: u32,
    known_ads: Vec<(String, String, u32, u16, String)>,
}

/// Every advertiser seen on a UTC day on terms of these brands, one row each per brand, country, engine and domain, in this order. Ads without a
/// domain are left out. Those on the hosts of `judged`, domains, and below them have all their ads.
pub async fn seen_on(
    client: &Client,
    day: NaiveDate,
    brands: &[BrandId],
    judged: &[String],
) -> Result<Vec<DaySighting>, Error> {
    let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/sightings.sql"))
        .with("day", Value::Integer(day.to_epoch_days().into()))
        .with(
            "brands",
            Value::Integers(brands.iter().map(|brand| brand.0.into()).collect()),
        )
        .with("judged", Value::Text(hosts_of(judged.iter().map(String::as_str))));
    let stored: Vec<StoredSighting> = client.fetch_all(statement).await?;
    let instant = |seconds: u32| DateTime::from_timestamp(seconds.into(), 0).unwrap_or_default();
    let seen = stored.into_iter().map(|row| DaySighting {
        brand: BrandId(row.brand_id.cast_signed()),
        domain: row.host,
        master: row.registrable,
        country: row.in_country,
        engine: row.on_engine,
        languages: row.languages,
        terms: row.terms.into_iter().map(|term| TermId(term.cast_signed())).collect(),
        first: instant(row.first),
        text: instant_or_never(row.last_text),
        shopping: instant_or_never(row.last_shopping),
        ads: row.known_ads.into_iter().filter_map(day_ad).collect(),
    });
    Ok(seen.collect())
}

/// An ad as ClickHouse returns it; `None` if its capture has no valid id.
fn day_ad((capture, kind, at, rank, words): (String, String, u32, u16, String)) -> Option<DayAd> {
    Some(DayAd {
        capture: capture.parse().ok()?,
        kind,
        at: DateTime::from_timestamp(at.into(), 0)?,
        words,
        rank,
    })
}

/// The UTC days from `first` to `last`, both included, on which at least one ad was seen on any term, ascending; other days are left out.
pub async fn days_with_results(client: &Client, first: NaiveDate, last: NaiveDate) -> Result<Vec<NaiveDate>, Error> {
    let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/days_with_results.sql"))
        .with("first", Value::Integer(first.to_epoch_days().into()))
        .with("last", Value::Integer(last.to_epoch_days().into()));
    let days: Vec<u16> = client.fetch_all(statement).await?;
    Ok(days
        .into_iter()
        .filter_map(|day| NaiveDate::from_epoch_days(day.into()))
        .collect())
}
