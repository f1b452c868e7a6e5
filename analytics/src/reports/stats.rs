//! Figures over time.

use chrono::NaiveDate;
use clickhouse::Row;
use serde::Deserialize;
use vocabulary::Scope;

use super::conditions;
use crate::filter::Filters;
use crate::statement::Statement;
use crate::{Client, Error};

/// Views of one day.
#[derive(Clone, Debug, PartialEq, Eq, Row, Deserialize)]
pub struct DailyViews {
    /// The day in UTC.
    #[serde(with = "clickhouse::serde::chrono::date")]
    pub day: NaiveDate,
    /// Views of text ads.
    pub text_ads: u64,
    /// Views of shopping ads.
    pub shopping_ads: u64,
}

/// Views per day, ascending. Days without any are left out.
pub async fn daily_views(client: &Client, scope: &Scope, filters: &Filters) -> Result<Vec<DailyViews>, Error> {
    let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/daily_views.sql"))
        .restricted(conditions(scope, filters));
    client.fetch_all(statement).await
}
