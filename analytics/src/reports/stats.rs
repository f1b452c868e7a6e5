//! Figures over time.

use chrono::NaiveDate;
use chrono_tz::Tz;
use clickhouse::Row;
use serde::Deserialize;
use vocabulary::Scope;

use super::conditions;
use crate::filter::Filters;
use crate::statement::{Statement, Value};
use crate::{Client, Error};

/// Views of one day.
#[derive(Clone, Debug, PartialEq, Eq, Row, Deserialize)]
pub struct DailyViews {
    /// The day, in the time zone of the query.
    #[serde(with = "clickhouse::serde::chrono::date")]
    pub local_day: NaiveDate,
    /// Views of text ads.
    pub text_ads: u64,
    /// Views of shopping ads.
    pub shopping_ads: u64,
}

/// The views under the filters by kind of ad and day of a time zone, ascending. Days without views are left out.
pub async fn daily_views(
    client: &Client,
    scope: &Scope,
    filters: &Filters,
    zone: Tz,
) -> Result<Vec<DailyViews>, Error> {
    let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/daily_views.sql"))
        .restricted(conditions(scope, filters))
        .with("zone", Value::Text(zone.name().to_owned()));
    client.fetch_all(statement).await
}

/// Terms of one day.
#[derive(Clone, Debug, PartialEq, Eq, Row, Deserialize)]
pub struct DailyTerms {
    /// The day, in the time zone of the query.
    #[serde(with = "clickhouse::serde::chrono::date")]
    pub local_day: NaiveDate,
    /// Terms on which an ad was seen.
    pub terms: u64,
    /// Views on them.
    pub views: u64,
}

/// How many terms show an ad under the filters, and their views, by day of a time zone, ascending. Days without any are left out.
pub async fn daily_terms(
    client: &Client,
    scope: &Scope,
    filters: &Filters,
    zone: Tz,
) -> Result<Vec<DailyTerms>, Error> {
    let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/daily_terms.sql"))
        .restricted(conditions(scope, filters))
        .with("zone", Value::Text(zone.name().to_owned()));
    client.fetch_all(statement).await
}
