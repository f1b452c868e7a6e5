//! Prices of products in shopping ads.

use chrono_tz::Tz;
use clickhouse::Row;
use serde::Deserialize;
use vocabulary::Scope;

use super::conditions;
use crate::filter::Filters;
use crate::statement::{Statement, Value};
use crate::{Client, Error};

/// Offers that are read for one answer; more is 'too many results'.
pub const MOST_OFFERS: u32 = 200_000;

/// A price that a seller asked for a product, with the days on which it was seen.
#[derive(Clone, Debug, PartialEq, Eq, Row, Deserialize)]
pub struct Offer {
    /// The number of the brand whose terms showed it; 0 for none.
    pub brand: u32,
    /// The country of the page, ISO 3166.
    pub place: String,
    /// The title of the ad.
    pub headline: String,
    /// As written on the page.
    pub shown_price: String,
    /// The name of the seller; may be empty.
    pub seller: String,
    /// The seller's host.
    pub host: String,
    /// The comparison service that placed the ad, as written on the page; empty for none.
    pub service: String,
    /// Days since 1970-01-01 in the time zone asked for, in no order.
    pub days: Vec<u16>,
    /// Times it was seen.
    pub views: u64,
    /// The name of the latest capture that shows it.
    pub capture: String,
}

/// The offers of shopping ads that a scope sees under the filters, in no order, by days of a time zone.
///
/// # Errors
/// [`Error::TooMany`] when there are more than [`MOST_OFFERS`].
pub async fn list(client: &Client, scope: &Scope, filters: &Filters, zone: Tz) -> Result<Vec<Offer>, Error> {
    let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/offers.sql"))
        .restricted(conditions(scope, filters))
        .with("zone", Value::Text(zone.name().to_owned()))
        .with("limit", Value::Unsigned(u64::from(MOST_OFFERS) + 1));
    let found: Vec<Offer> = client.fetch_shared(statement).await?;
    if u32::try_from(found.len()).map_or(true, |count| count > MOST_OFFERS) {
        return Err(Error::TooMany);
    }
    Ok(found)
}
