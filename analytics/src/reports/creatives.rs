//! The headlines that were seen most.

use clickhouse::Row;
use serde::Deserialize;
use vocabulary::Scope;

use super::source;
use crate::filter::Filters;
use crate::statement::{Statement, Value};
use crate::{Client, Error};

/// A headline of an advertiser, wherever it was seen.
#[derive(Clone, Debug, PartialEq, Eq, Row, Deserialize)]
pub struct Creative {
    /// The advertiser's host.
    pub host: String,
    /// As [`vocabulary::AdKind`] displays.
    pub ad_kind: String,
    /// What its ads begin with.
    pub headline: String,
    /// Countries it was seen in, ascending.
    pub countries: Vec<String>,
    /// Results that show it.
    pub nb_views: u64,
}

/// The `most` headlines with most views that a scope sees under the filters, most viewed first.
pub async fn top(client: &Client, scope: &Scope, filters: &Filters, most: u32) -> Result<Vec<Creative>, Error> {
    let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/top_creatives.sql"));
    let statement = source::fill(client, statement, scope, filters, 1)
        .await?
        .with("limit", Value::Unsigned(most.into()));
    client.fetch_shared(statement).await
}
