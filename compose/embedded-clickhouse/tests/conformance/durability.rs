use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use clickhouse::{Client, Row};
use serde::{Deserialize, Serialize};

use crate::server::{self, Server};

const WRITERS: u64 = 6;
const ROWS: u64 = 200;
const ROUNDS: u64 = 3;
/// Batches acknowledged per round before the server is killed.
const BATCHES: usize = 40;

#[derive(Row, Serialize, Deserialize)]
struct Line {
    batch: u64,
    row: u64,
}

async fn insert_until_it_dies(client: Client, writer: u64, round: u64, acknowledged: Arc<Mutex<Vec<u64>>>) {
    for number in 0.. {
        let batch = (round * WRITERS + writer) * 1_000_000 + number;
        let stored = async {
            let mut insert = client.insert::<Line>("lines").await?;
            for row in 0..ROWS {
                insert.write(&Line { batch, row }).await?;
            }
            insert.end().await
        };
        if stored.await.is_err() {
            return;
        }
        acknowledged.lock().expect("unpoisoned").push(batch);
    }
}

#[tokio::test]
async fn loses_no_acknowledged_batch_when_it_is_killed() {
    let data = tempfile::tempdir().expect("a folder");
    let server = Server::on(data.path());
    server
        .text(
            "CREATE TABLE lines (batch UInt64, row UInt64) ENGINE = MergeTree ORDER BY (batch, row)
             SETTINGS fsync_after_insert = 1, fsync_part_directory = 1",
        )
        .await;
    server.kill();
    let acknowledged = Arc::new(Mutex::new(Vec::new()));
    for round in 0..ROUNDS {
        let server = Server::on(data.path());
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                tokio::spawn(insert_until_it_dies(
                    server.client(),
                    writer,
                    round,
                    acknowledged.clone(),
                ))
            })
            .collect();
        let wanted = acknowledged.lock().expect("unpoisoned").len() + BATCHES;
        let enough = || async { acknowledged.lock().expect("unpoisoned").len() >= wanted };
        server::until("batches are acknowledged", enough).await;
        server.kill();
        for writer in writers {
            writer.await.expect("joined");
        }
    }
    let server = Server::on(data.path());
    let found: Vec<(u64, u64)> = server
        .client()
        .query("SELECT batch, count() FROM lines GROUP BY batch")
        .fetch_all()
        .await
        .expect("rows");
    let found: BTreeMap<u64, u64> = found.into_iter().collect();
    let acknowledged = acknowledged.lock().expect("unpoisoned");
    assert!(acknowledged.len() >= BATCHES * usize::try_from(ROUNDS).expect("small"));
    for batch in acknowledged.iter() {
        assert_eq!(found.get(batch), Some(&ROWS), "batch {batch} was acknowledged");
    }
    let torn: Vec<_> = found.iter().filter(|&(_, &rows)| rows != ROWS).collect();
    assert!(torn.is_empty(), "batches stored in part: {torn:?}");
}
