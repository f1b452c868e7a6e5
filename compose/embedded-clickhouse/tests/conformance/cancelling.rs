use std::time::Instant;

use crate::server::{self, Server, header};

/// Runs for minutes unless it is cancelled.
const ENDLESS: &str = "SELECT count() FROM numbers(1000000000000) WHERE NOT ignore(number)";

async fn runs(server: &Server, id: &str) -> bool {
    server
        .text(&format!(
            "SELECT count() FROM system.processes WHERE Settings['log_comment'] = '{id}'"
        ))
        .await
        == "1\n"
}

#[tokio::test]
async fn cancels_a_statement_whose_client_goes_away_before_the_answer() {
    let (server, _data) = server::start();
    let request = tokio::spawn(server.post(&[("query_id", "endless")], ENDLESS).send());
    server::until("it runs", || runs(&server, "endless")).await;
    request.abort();
    server::until("it is cancelled", || async { !runs(&server, "endless").await }).await;
}

#[tokio::test]
async fn cancels_a_statement_whose_client_goes_away_in_the_middle() {
    let (server, _data) = server::start();
    let statement = "SELECT number FROM numbers(1000000000000)";
    let mut answer = server
        .post(&[("query_id", "stream")], statement)
        .send()
        .await
        .expect("an answer");
    answer.chunk().await.expect("a piece").expect("not the end");
    assert!(runs(&server, "stream").await);
    drop(answer);
    server::until("it is cancelled", || async { !runs(&server, "stream").await }).await;
}

#[tokio::test]
async fn cancels_when_the_official_client_drops_its_cursor() {
    let (server, _data) = server::start();
    let client = server.client().with_setting("query_id", "cursor");
    let mut cursor = client
        .query("SELECT number FROM numbers(1000000000000)")
        .fetch::<u64>()
        .expect("a cursor");
    assert_eq!(cursor.next().await.expect("a row"), Some(0));
    drop(cursor);
    server::until("it is cancelled", || async { !runs(&server, "cursor").await }).await;
}

#[tokio::test]
async fn kills_a_query_by_its_comment() {
    let (server, _data) = server::start();
    let request = tokio::spawn(server.post(&[("query_id", "victim")], ENDLESS).send());
    server::until("it runs", || runs(&server, "victim")).await;
    let started = Instant::now();
    server
        .text("KILL QUERY WHERE Settings['log_comment'] = 'victim' SYNC")
        .await;
    let killed = request.await.expect("joined").expect("an answer");
    assert_eq!(header(&killed, "x-clickhouse-exception-code"), "394");
    assert!(started.elapsed() < server::PATIENCE);
}

#[tokio::test]
async fn refuses_a_second_statement_with_the_id_of_one_that_runs() {
    let (server, _data) = server::start();
    let request = tokio::spawn(server.post(&[("query_id", "twin")], ENDLESS).send());
    server::until("it runs", || runs(&server, "twin")).await;
    let refused = server
        .post(&[("query_id", "twin")], "SELECT 1")
        .send()
        .await
        .expect("an answer");
    assert_eq!(header(&refused, "x-clickhouse-exception-code"), "216");
    request.abort();
}

#[tokio::test]
async fn finishes_an_insert_whose_client_goes_away_after_its_data() {
    let (server, _data) = server::start();
    server
        .text("CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a")
        .await;
    let slow = "INSERT INTO t SELECT number + sleepEachRow(0.02) FROM numbers(50) SETTINGS max_block_size = 1";
    let request = tokio::spawn(server.post(&[("query_id", "insert")], slow).send());
    server::until("it runs", || runs(&server, "insert")).await;
    request.abort();
    server::until("it is stored", || async {
        server.text("SELECT count() FROM t").await == "50\n"
    })
    .await;
}
