use clickhouse::Row;
use clickhouse::native::builder::BlockBuilder;
use serde::{Deserialize, Serialize};

use crate::server::{self, Server};

#[derive(Row, Serialize, Deserialize)]
struct Number {
    n: u64,
}

async fn start() -> (Server, tempfile::TempDir) {
    let (server, data) = server::start();
    server
        .text(
            "CREATE TABLE numbers (n UInt64) ENGINE = MergeTree ORDER BY n
             SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000",
        )
        .await;
    (server, data)
}

async fn counts(server: &Server) -> String {
    server.text("SELECT count(), sum(n) FROM numbers").await
}

#[tokio::test]
async fn stores_rows_of_json() {
    let (server, _data) = start().await;
    let mut insert = server
        .client()
        .insert_formatted_with("INSERT INTO numbers FORMAT JSONEachRow");
    for n in 0..100 {
        insert.send(format!("{{\"n\":{n}}}\n").into()).await.expect("sent");
    }
    insert.end().await.expect("stored");
    assert_eq!(counts(&server).await, "100\t4950\n");
}

#[tokio::test]
async fn stores_native_blocks_and_reads_them_back() {
    let (server, _data) = start().await;
    let client = server.client();
    let mut builder = BlockBuilder::new();
    builder
        .upsert_column::<u64>("n")
        .expect("a column")
        .add_all(0..100_u64)
        .expect("values");
    let block = builder.build().expect("a block");
    let mut insert = client.insert_native("numbers");
    insert.write(&block).await.expect("written");
    insert.end().await.expect("stored");
    assert_eq!(counts(&server).await, "100\t4950\n");
    let mut cursor = client
        .query("SELECT n FROM numbers ORDER BY n")
        .fetch_native()
        .expect("a cursor");
    let mut found = Vec::new();
    while let Some(block) = cursor.next().await.expect("a block") {
        let column = block.column_by_name("n").expect("the column");
        found.extend(column.iter::<u64>().expect("numbers").map(|n| n.expect("a number")));
    }
    assert_eq!(found, (0..100).collect::<Vec<u64>>());
}

#[tokio::test]
async fn stores_a_million_rows_of_one_insert() {
    let (server, _data) = start().await;
    let mut insert = server.client().insert::<Number>("numbers").await.expect("an insert");
    for n in 0..1_000_000 {
        insert.write(&Number { n }).await.expect("written");
    }
    insert.end().await.expect("stored");
    assert_eq!(counts(&server).await, "1000000\t499999500000\n");
}

#[tokio::test]
async fn takes_the_statement_from_the_start_of_the_body() {
    let (server, _data) = start().await;
    assert_eq!(server.text("INSERT INTO numbers FORMAT CSV\n1\n2\n").await, "");
    assert_eq!(server.text("INSERT INTO numbers (n) VALUES (3), (4)").await, "");
    let split = server
        .post(&[("query", "INSERT INTO numbers")], "FORMAT TSV\n5\n")
        .send()
        .await
        .expect("an answer");
    assert_eq!(split.status(), 200);
    assert_eq!(counts(&server).await, "5\t15\n");
}

#[tokio::test]
async fn stores_an_insert_without_rows() {
    let (server, _data) = start().await;
    let empty = server
        .post(&[("query", "INSERT INTO numbers FORMAT RowBinary")], "")
        .send()
        .await
        .expect("an answer");
    assert_eq!(empty.status(), 200);
    assert_eq!(counts(&server).await, "0\t0\n");
}

#[tokio::test]
async fn stores_nothing_of_an_insert_that_its_client_abandons() {
    let (server, _data) = start().await;
    let mut insert = server.client().insert::<Number>("numbers").await.expect("an insert");
    for n in 0..200_000 {
        insert.write(&Number { n }).await.expect("written");
    }
    drop(insert);
    let mut whole = server.client().insert::<Number>("numbers").await.expect("an insert");
    whole.write(&Number { n: 7 }).await.expect("written");
    whole.end().await.expect("stored");
    let idle = || async { server.text("SELECT count() FROM system.processes").await == "1\n" };
    server::until("the abandoned insert ends", idle).await;
    assert_eq!(counts(&server).await, "1\t7\n");
}

#[tokio::test]
async fn stores_a_repeated_token_once_and_its_views_too() {
    let (server, _data) = start().await;
    // A view's target needs the window too, or it takes what the table itself refuses.
    server
        .text(
            "CREATE TABLE sums (day UInt8, total UInt64) ENGINE = SummingMergeTree ORDER BY day
             SETTINGS non_replicated_deduplication_window = 1000",
        )
        .await;
    server
        .text("CREATE MATERIALIZED VIEW view TO sums AS SELECT 1 AS day, sum(n) AS total FROM numbers GROUP BY day")
        .await;
    for token in ["slot-1", "slot-1", "slot-2"] {
        let client = server.client().with_setting("insert_deduplication_token", token);
        let mut insert = client.insert::<Number>("numbers").await.expect("an insert");
        for n in 0..10 {
            insert.write(&Number { n }).await.expect("written");
        }
        insert.end().await.expect("stored");
    }
    assert_eq!(counts(&server).await, "20\t90\n");
    assert_eq!(server.text("SELECT sum(total) FROM sums").await, "90\n");
}

#[tokio::test]
async fn says_how_many_rows_it_wrote() {
    let (server, _data) = start().await;
    let answer = server
        .post(&[("query", "INSERT INTO numbers FORMAT TSV")], "1\n2\n3\n")
        .send()
        .await
        .expect("an answer");
    assert!(server::header(&answer, "x-clickhouse-summary").contains(r#""written_rows":"3""#));
}
