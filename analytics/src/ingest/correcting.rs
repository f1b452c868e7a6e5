//! Correcting stored rows, each under the number it has.
//!
//! The old row is masked (a lightweight delete) and the new one inserted. A row cannot be updated in place, because what is corrected is part
//! of the sort key or of the ad's identity; and a month cannot be rewritten for a request (decision record 0007).

use std::collections::BTreeSet;

use chrono::NaiveDate;
use clickhouse::Row;

use super::{AdRow, MOST_ROWS, SECONDS_OF_DAY, creatives, end_inserts, insert_block};
use crate::statement::{Statement, Value};
use crate::{Client, Error, roll_up};

/// What the tokens of these inserts begin with.
const TOKENS: &str = "correction#";

/// Stored rows of one month, and the rows that replace them.
#[derive(Clone, Debug, Default)]
pub struct Corrected {
    /// Batch and row of each row that goes.
    pub outgoing: Vec<(u64, u16)>,
    /// The new rows, each under the batch and row of an outgoing one. Fewer where rows are deleted.
    pub incoming: Vec<AdRow>,
    /// When the outgoing rows were seen, in seconds since 1970.
    pub seen_at: Vec<u32>,
}

/// Replaces rows of the month that begins with `month`, opens the roll-ups of their days, and returns once queries see exactly the incoming rows in
/// place of the outgoing ones. `number` names the attempt and must never be used again; an interrupted attempt may have deleted rows without
/// inserting the new ones, and another one completes it. The caller holds the correction lock and has journaled the correction.
///
/// # Errors
/// [`Error::BadBatch`] when the number of rows is wrong afterwards; other errors when the store fails.
pub async fn correct(client: &Client, month: NaiveDate, number: i64, corrected: &Corrected) -> Result<(), Error> {
    // An earlier attempt may still run, and would insert its rows a second time.
    end_inserts(client, TOKENS).await?;
    creatives::insert(client, &corrected.incoming).await?;
    let days = days_of_rows(corrected);
    // Before the change, since no roll-up may hold what the results do not, and after it, for a day that was rolled up meanwhile.
    roll_up::open_each(client, &days).await?;
    let ids: Vec<u64> = corrected.outgoing.iter().map(|(batch, row)| id(*batch, *row)).collect();
    client.change(delete_rows(month, &ids)).await?;
    if !corrected.incoming.is_empty() {
        insert_block(
            client,
            "ad_results",
            Some(format!("{TOKENS}{number}")),
            &corrected.incoming,
        )
        .await?;
    }
    roll_up::open_each(client, &days).await?;
    let count = Statement::new(include_str!("../../../sql/clickhouse/queries/count_rows.sql"));
    let found: u64 = client.fetch_one(with_ids(count, &ids)).await?;
    if found == corrected.incoming.len() as u64 {
        Ok(())
    } else {
        Err(Error::BadBatch("its corrected rows did not arrive"))
    }
}

/// The stored rows with these ids (`batch * 8192 + row`), in the order of their ids. Ids without a row are left out.
pub async fn rows(client: &Client, ids: &[u64]) -> Result<Vec<AdRow>, Error> {
    let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/rows.sql"))
        .fill("columns", &AdRow::COLUMN_NAMES.join(", "));
    client.fetch_all(with_ids(statement, ids)).await
}

/// The statement that deletes rows of a month by their ids and waits until no query sees them.
pub(super) fn delete_rows(month: NaiveDate, ids: &[u64]) -> Statement {
    let delete = Statement::new(include_str!("../../../sql/clickhouse/queries/delete_rows.sql"))
        .with("month", Value::Text(month.format("%Y%m").to_string()));
    with_ids(delete, ids)
}

/// Fills in the parameters `ids` and `batches`: the batches of these ids, so that only their parts are read.
fn with_ids(statement: Statement, ids: &[u64]) -> Statement {
    let batches: BTreeSet<u64> = ids.iter().map(|id| id / MOST_ROWS as u64).collect();
    statement
        .with("batches", Value::Unsigneds(batches.into_iter().collect()))
        .with("ids", Value::Unsigneds(ids.to_vec()))
}

/// The id of a row in the API.
pub(super) fn id(batch: u64, row: u16) -> u64 {
    batch * MOST_ROWS as u64 + u64::from(row)
}

/// The days on which an outgoing or incoming row was seen, as numbers since 1970.
fn days_of_rows(corrected: &Corrected) -> BTreeSet<u32> {
    let incoming = corrected.incoming.iter().map(|row| row.seen_at);
    let times = corrected.seen_at.iter().copied().chain(incoming);
    times.map(|time| time / SECONDS_OF_DAY).collect()
}
