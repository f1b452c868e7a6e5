//! Storing ad results, one manifest at a time, so that every row is stored exactly once.
//!
//! A caller keeps the manifest elsewhere, inserts it under a token that holds the batch number and an epoch, and counts the batch
//! afterwards: a success of the insert alone does not prove that the rows are there, and a used token blocks the same rows for good. After
//! a count of 0 the caller begins a new epoch; after any other count than the manifest's it deletes the batch first.

mod batches;
mod correcting;
mod creative_cache;
mod creatives;
mod reattributing;
mod replacing;
pub mod retiming;
mod row;

pub use batches::{MADE_UP_BATCHES, batches};
pub use correcting::{Corrected, correct, rows};
pub(crate) use creative_cache::CreativeCache;
pub use reattributing::{Owner, reattribute};
pub use replacing::{Replacement, StoredAd, replace, stored_ads};
pub use row::AdRow;

use crate::statement::{Statement, Value};
use crate::{Client, Error, roll_up};

/// Rows of one batch at most. The number of a row in the API is `batch * 8192 + row`.
pub const MOST_ROWS: usize = 8_192;

const SECONDS_OF_DAY: u32 = 86_400;
/// A Distributed table acknowledges an insert only when the shards have the rows.
const ON_EVERY_SHARD: (&str, &str) = ("distributed_foreground_insert", "1");

/// Names one attempt to store a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchToken {
    /// Number of the manifest.
    pub batch: u64,
    /// Counts the attempts whose rows are known not to be there, from 0.
    pub epoch: u32,
}

impl std::fmt::Display for BatchToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}#{}", self.batch, self.epoch)
    }
}

/// Stores the rows of one manifest as one block, durably, the texts of their ads first. Repeating the call with the same token and rows changes
/// nothing. A success alone does not prove that the rows are there (see [`end_inserts_and_count`]).
///
/// # Errors
/// [`Error::BadBatch`] unless there are 1 to [`MOST_ROWS`] rows of the token's batch, numbered upwards; they must also be of one month.
pub async fn insert(client: &Client, token: BatchToken, rows: &[AdRow]) -> Result<(), Error> {
    check_batch(token, rows)?;
    creatives::insert(client, rows).await?;
    insert_results(client, token, rows).await
}

/// Ends all inserts of a batch that still run, and returns how many rows of it queries see from now on. Days of the batch that were rolled up are
/// opened, as with [`read_back`]. `rows` are those that were inserted.
pub async fn end_inserts_and_count(client: &Client, token: BatchToken, rows: &[AdRow]) -> Result<u64, Error> {
    check_batch(token, rows)?;
    end_inserts(client, &of_batch(token.batch)).await?;
    read_back(client, token, rows).await
}

/// Returns how many rows of a batch queries see, for a batch whose only insert has returned, so that none can still run. `rows` are those that were
/// inserted: only their days are counted. Those that were already rolled up are opened again, so that every figure includes a batch counted here.
/// [`Error::BadBatch`] for rows that are not one batch under the number of the token.
pub async fn read_back(client: &Client, token: BatchToken, rows: &[AdRow]) -> Result<u64, Error> {
    check_batch(token, rows)?;
    let days = rows.iter().map(|row| row.seen_at / SECONDS_OF_DAY);
    let (first, last) = days.fold((u32::MAX, 0), |(first, last), day| (first.min(day), last.max(day)));
    let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/count_batch.sql"))
        .with("batch", Value::Unsigned(token.batch))
        .with("first", Value::Unsigned(first.into()))
        .with("last", Value::Unsigned(last.into()));
    let (count, today): (u64, u16) = client.fetch_one(statement).await?;
    // Today cannot be rolled up yet.
    if count > 0 && first < u32::from(today) {
        roll_up::open_days(client, first, last).await?;
    }
    Ok(count)
}

/// Ends the running inserts of a batch, deletes all its rows, and waits until no query sees them. The roll-ups of their days are opened; without rows
/// nothing is.
pub async fn delete(client: &Client, batch: u64) -> Result<(), Error> {
    let with_batch = |file: &str| Statement::new(file).with("batch", Value::Unsigned(batch));
    let days = with_batch(include_str!("../../../sql/clickhouse/queries/days_of_batch.sql"));
    // First, so that no row lands after the count.
    end_inserts(client, &of_batch(batch)).await?;
    let (rows, first, last): (u64, u16, u16) = client.fetch_one(days).await?;
    if rows == 0 {
        return Ok(());
    }
    // Before the change, since no roll-up may hold what the results do not, and after it, for a day that was rolled up meanwhile.
    roll_up::open_days(client, first.into(), last.into()).await?;
    client
        .change(with_batch(include_str!(
            "../../../sql/clickhouse/queries/delete_batch.sql"
        )))
        .await?;
    roll_up::open_days(client, first.into(), last.into()).await
}

/// Ends the running inserts whose tokens begin with this text, and waits for their end. An insert whose client went away may still run in the server
/// and would be counted too late. The query id has the database before the token, so that installations on one server do not end each other's
/// inserts.
async fn end_inserts(client: &Client, tokens: &str) -> Result<(), Error> {
    let prefix = format!("{}.{tokens}", client.layout().database());
    let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/end_inserts.sql"))
        .with("prefix", Value::Text(prefix));
    client.change(statement).await
}

/// The text that the tokens of a batch begin with.
fn of_batch(batch: u64) -> String {
    format!("{batch}#")
}

/// Refuses rows that do not form one batch: none, more than [`MOST_ROWS`], of another batch, or not numbered upwards from 0 to below [`MOST_ROWS`],
/// with gaps allowed.
fn check_batch(token: BatchToken, rows: &[AdRow]) -> Result<(), Error> {
    if rows.is_empty() {
        return Err(Error::BadBatch("it has no rows"));
    }
    if rows.len() > MOST_ROWS {
        return Err(Error::BadBatch("it has more than 8,192 rows"));
    }
    let is_ordered = rows.is_sorted_by(|one, next| one.row < next.row);
    if !is_ordered
        || rows
            .iter()
            .any(|row| row.batch != token.batch || usize::from(row.row) >= MOST_ROWS)
    {
        return Err(Error::BadBatch(
            "its rows are not numbered in order under its own number",
        ));
    }
    Ok(())
}

/// Inserts rows into `ad_results` under the token.
async fn insert_results(client: &Client, token: BatchToken, rows: &[AdRow]) -> Result<(), Error> {
    insert_block(client, "ad_results", Some(token.to_string()), rows).await
}

/// Inserts rows as one block and waits until every shard has them. With a token the block is stored only once, however often it is sent, and
/// [`end_inserts`] finds the insert.
async fn insert_block(client: &Client, table: &str, token: Option<String>, rows: &[AdRow]) -> Result<(), Error> {
    let failed = |error| client.error(error);
    let inserted = async {
        let insert = client.database().insert::<AdRow>(table).await.map_err(failed)?;
        let mut insert = insert.with_setting(ON_EVERY_SHARD.0, ON_EVERY_SHARD.1);
        if let Some(token) = token {
            insert = insert
                .with_setting("query_id", format!("{}.{token}", client.layout().database()))
                .with_setting("insert_deduplication_token", token);
        }
        for row in rows {
            insert.write(row).await.map_err(failed)?;
        }
        insert.end().await.map_err(failed)
    };
    client.while_alive(inserted).await
}
