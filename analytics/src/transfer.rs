//! Copies of what cannot be made again, for backups: partitions leave as bytes and come back into an empty database.
//!
//! Roll-ups are not copied: jobs make them again from the results, and until then lists read the results themselves.

use bytes::Bytes;
use clickhouse::Row;
use futures::stream::{self, Stream, StreamExt, TryStreamExt};
use serde::Deserialize;

use crate::layout::identifier;
use crate::statement::{Statement, Value};
use crate::{Client, Error};

/// The tables that are copied.
const COPIED: [&str; 4] = ["ad_results", "ad_signals", "creatives", "sems_by_hand"];
/// A format of ClickHouse that names its columns and keeps their order, so that a table may gain columns in between.
const FORMAT: &str = "Native";

/// A partition of a table and the state of its parts.
#[derive(Clone, Debug, PartialEq, Eq, Row, Deserialize)]
pub struct Partition {
    /// Name of the table.
    pub table: String,
    /// The engine's id of the partition, such as `202611`.
    #[serde(rename = "partition_id")]
    pub partition: String,
    /// Rows in its parts, deleted ones included that no merge has dropped yet.
    pub rows: u64,
    /// A digest of the names and contents of its parts: the same state means the same rows.
    pub state: String,
}

/// Whether the tables are spread over a cluster, of which one node sees only its own parts: such a store is not copied by this module.
pub fn is_cluster(client: &Client) -> bool {
    client.layout().is_cluster()
}

/// The partitions of the tables to copy, by table and partition.
pub async fn partitions(client: &Client) -> Result<Vec<Partition>, Error> {
    let tables = COPIED.map(str::to_owned).to_vec();
    let statement = Statement::new(include_str!("../../sql/clickhouse/queries/partitions.sql"))
        .with("database", Value::Text(client.layout().database().to_owned()))
        .with("tables", Value::Texts(tables));
    client.for_housekeeping().fetch_all(statement).await
}

/// The rows of a partition as bytes that [`import`] takes, without columns that the engine computes. All of them are of one moment. The first error
/// ends the stream.
pub fn export(client: &Client, partition: &Partition) -> impl Stream<Item = Result<Bytes, Error>> + Send + use<> {
    let statement = Statement::new(include_str!("../../sql/clickhouse/queries/export_partition.sql"))
        .fill("table", &identifier(&partition.table))
        .with("partition", Value::Text(partition.partition.clone()));
    client.for_housekeeping().bytes(statement, FORMAT)
}

/// Whether the database has no table yet, or does not exist.
pub async fn is_empty(client: &Client) -> Result<bool, Error> {
    let statement = Statement::new(include_str!("../../sql/clickhouse/queries/tables_of_database.sql"))
        .with("database", Value::Text(client.layout().database().to_owned()));
    let tables: Vec<String> = client.fetch_all_without_database(statement).await?;
    Ok(tables.is_empty())
}

/// Stores exported rows in a table, which must not hold them yet. Nothing of an export whose stream fails counts as stored: blocks that arrived before
/// stay, and the database is to be dropped.
///
/// # Errors
/// That of the stream, or [`Error`] when the table is none of the copied ones or the engine refuses the rows.
pub async fn import<E: From<Error>>(
    client: &Client,
    table: &str,
    rows: impl Stream<Item = Result<Bytes, E>>,
) -> Result<(), E> {
    if !COPIED.contains(&table) {
        return Err(Error::UnknownTable(table.to_owned()).into());
    }
    let mut insert = client
        .database()
        .clone()
        // Equal blocks of different backups are no retries of each other.
        .with_setting("insert_deduplicate", "0")
        .insert_formatted_with(format!("INSERT INTO {} FORMAT {FORMAT}", identifier(table)));
    let mut rows = std::pin::pin!(rows);
    while let Some(bytes) = rows.next().await {
        insert.send(bytes?).await.map_err(|error| client.error(error))?;
    }
    client
        .while_alive(async { insert.end().await.map_err(|error| client.error(error)) })
        .await?;
    Ok(())
}

/// Deletes the results of manifests after `newest`, which a ledger restored from an earlier moment does not know and whose numbers it gives away again.
/// Made-up results stay.
pub async fn forget_after(client: &Client, newest: u64) -> Result<u64, Error> {
    let unknown = crate::ingest::batches(client, newest + 1..=crate::ingest::MADE_UP_BATCHES - 1).await?;
    let rows = unknown.iter().map(|(_, rows)| rows).sum();
    stream::iter(unknown.into_iter().map(Ok))
        .try_for_each(|(batch, _)| crate::ingest::delete(client, batch))
        .await?;
    Ok(rows)
}
