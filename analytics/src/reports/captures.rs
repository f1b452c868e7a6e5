//! The ads of one capture.

use chrono::{DateTime, Utc};
use clickhouse::Row;
use serde::Deserialize;
use vocabulary::{AdKind, BrandId, CaptureId, Scope};

use crate::scoped;
use crate::statement::{Statement, Value};
use crate::{Client, Error};

/// Where the rows of a capture are: they are sorted by brand and day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaptureLocation {
    /// Id of the capture.
    pub capture: CaptureId,
    /// The brand of its term at the time.
    pub brand: Option<BrandId>,
    /// The time of its slot, under whose day older rows may be stored.
    pub slot_time: DateTime<Utc>,
    /// When its page was received.
    pub seen_at: DateTime<Utc>,
}

/// An ad of a capture. A text the page did not show is empty.
#[derive(Clone, Debug, PartialEq, Eq, Row, Deserialize)]
pub struct CaptureAd {
    /// `ads` or `shopping`.
    pub kind: String,
    /// Rank among the ads of its kind, from 1.
    pub position: u16,
    /// Rank over the page, from 1.
    pub real_position: u16,
    /// The number of its mark in the viewing copy.
    pub mark: u16,
    /// The advertiser's host.
    pub domain: String,
    /// The ad's headline.
    pub title: String,
    /// The ad's text below the headline.
    pub description: String,
    /// The address shown.
    pub display_url: String,
    /// As displayed, with its currency.
    pub price: String,
    /// The merchant as displayed.
    pub merchant: String,
}

/// The stored ads of a capture in the order of the page; none if the scope does not see the capture.
pub async fn ads(client: &Client, scope: &Scope, location: &CaptureLocation) -> Result<Vec<CaptureAd>, Error> {
    let file = include_str!("../../../sql/clickhouse/queries/capture_ads.sql");
    client.fetch_all(at_location(file, scope, location)).await
}

/// The mark (in older rows the rank over the page) of the first ad with exactly this domain on the page of a capture: the smallest one, of one kind
/// or, with `None`, of both. `None` if the capture has no such ad or the scope does not see it.
pub async fn first_mark_of_domain(
    client: &Client,
    scope: &Scope,
    location: &CaptureLocation,
    domain: &str,
    kind: Option<AdKind>,
) -> Result<Option<u16>, Error> {
    let file = include_str!("../../../sql/clickhouse/queries/ad_of_domain.sql");
    let kind = kind.map(|kind| kind.to_string()).unwrap_or_default();
    let statement = at_location(file, scope, location)
        .with("domain", Value::Text(domain.to_owned()))
        .with("kind", Value::Text(kind));
    // The smallest of no values is 0, which no ad has.
    let first: u16 = client.fetch_one(statement).await?;
    Ok((first > 0).then_some(first))
}

/// A statement of the SQL text `file`, with the parameters that find the rows of one capture and the conditions of the scope. Without a brand, only
/// rows without one are found.
fn at_location(file: &str, scope: &Scope, location: &CaptureLocation) -> Statement {
    let brand = location.brand.map_or(0, |brand| brand.0.unsigned_abs());
    let seconds = |time: DateTime<Utc>| Value::Unsigned(u64::try_from(time.timestamp()).unwrap_or(0));
    Statement::new(file)
        .restricted(scoped::conditions(scope))
        .with("brand", Value::Unsigned(brand.into()))
        .with("slot_time", seconds(location.slot_time))
        .with("seen_at", seconds(location.seen_at))
        .with("capture", Value::Text(location.capture.to_string()))
}
