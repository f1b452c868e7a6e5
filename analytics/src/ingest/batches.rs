//! Which batches are there, for comparing the store with the ledger.

use std::ops::RangeInclusive;

use crate::statement::{Statement, Value};
use crate::{Client, Error};

/// Batches from this number on are made up, by benches and demonstrations; manifests have lower numbers.
pub const MADE_UP_BATCHES: u64 = 1 << 37;

/// The batches within `range`, both ends included, that have rows: number and count of rows, ascending by number.
pub async fn batches(client: &Client, range: RangeInclusive<u64>) -> Result<Vec<(u64, u64)>, Error> {
    let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/batches.sql"))
        .with("first", Value::Unsigned(*range.start()))
        .with("last", Value::Unsigned(*range.end()));
    client.fetch_all(statement).await
}
