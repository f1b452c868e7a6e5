use clickhouse::Row;
use clickhouse::error::Error;
use serde::Serialize;

use crate::server::{self, Server, header};

async fn refusal(server: &Server, pairs: &[(&str, &str)], statement: &str) -> (u16, String, String) {
    let answer = server
        .post(pairs, statement.to_owned())
        .send()
        .await
        .expect("an answer");
    let facts = (
        answer.status().as_u16(),
        header(&answer, "x-clickhouse-exception-code").to_owned(),
    );
    (facts.0, facts.1, answer.text().await.expect("text"))
}

#[tokio::test]
async fn gives_every_error_its_code_status_and_text() {
    let (server, _data) = server::start();
    for (pairs, statement, status, code) in [
        (vec![], "SELECT * FROM nowhere", 404, "60"),
        (vec![], "SELECT nothing", 404, "47"),
        (vec![], "SELEC 1", 400, "62"),
        (vec![], "SELECT 1; SELECT 2", 400, "62"),
        (vec![], "", 500, "393"),
        (vec![("database", "nowhere")], "SELECT 1", 404, "81"),
        (vec![("no_such_setting", "1")], "SELECT 1", 404, "115"),
        (vec![("max_threads", "many")], "SELECT 1", 400, "27"),
        (vec![], "SELECT 1 FORMAT Nothing", 404, "73"),
        (vec![], "SELECT {x:UInt8}", 500, "456"),
        (vec![("param_x", "y")], "SELECT {x:UInt8}", 500, "457"),
        (vec![], "INSERT INTO nowhere FORMAT TSV\n1\n", 404, "60"),
        (vec![], "SELECT 1 INTO OUTFILE '/tmp/never'", 500, "358"),
        (vec![], "SELECT throwIf(1)", 500, "395"),
    ] {
        let (found, found_code, text) = refusal(&server, &pairs, statement).await;
        assert_eq!((found_code.as_str(), found), (code, status), "{statement}: {text}");
        assert!(text.starts_with(&format!("Code: {code}. DB::Exception: ")), "{text}");
        assert!(text.ends_with(")\n") && text.contains("(version "), "{text}");
    }
}

#[tokio::test]
async fn gives_the_official_client_typed_errors() {
    let (server, _data) = server::start();
    let missing = server.client().query("SELECT 1 FROM nowhere").fetch_one::<u8>().await;
    assert!(
        matches!(&missing, Err(Error::BadResponse(text)) if text.starts_with("Code: 60.")),
        "{missing:?}"
    );
    let none = server.client().query("SELECT 1 WHERE 0").fetch_one::<u8>().await;
    assert!(matches!(none, Err(Error::RowNotFound)), "{none:?}");
}

#[tokio::test]
async fn refuses_rows_that_do_not_fit() {
    #[derive(Row, Serialize)]
    struct Wrong {
        a: String,
    }
    let (server, _data) = server::start();
    server
        .text("CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a")
        .await;
    let wrong = server
        .client()
        .insert::<Wrong>("t")
        .await
        .expect("an insert")
        .write(&Wrong { a: "x".to_owned() })
        .await;
    assert!(matches!(wrong, Err(Error::SchemaMismatch(_))), "{wrong:?}");
    let (status, code, _) = refusal(&server, &[("query", "INSERT INTO t FORMAT TSV")], "1\nno number\n").await;
    assert_eq!((status, code.as_str()), (400, "27"));
    assert_eq!(server.text("SELECT count() FROM t").await, "0\n");
}

#[tokio::test]
async fn answers_408_when_time_is_up() {
    let (server, _data) = server::start();
    let slow = "SELECT sleepEachRow(0.05) FROM numbers(1000) SETTINGS max_block_size = 1";
    let (status, code, text) = refusal(&server, &[("max_execution_time", "1")], slow).await;
    assert_eq!((status, code.as_str()), (408, "159"), "{text}");
}

#[tokio::test]
async fn answers_241_when_memory_is_up() {
    let (server, _data) = server::start_with(&["--max-query-memory", "100000000"]);
    let greedy = "SELECT groupArray(number) FROM numbers(100000000)";
    let (status, code, text) = refusal(&server, &[], greedy).await;
    assert_eq!((status, code.as_str()), (500, "241"), "{text}");
    let (_, code, _) = refusal(&server, &[("max_memory_usage", "10000000")], greedy).await;
    assert_eq!(code, "241");
    assert_eq!(server.text("SELECT 1").await, "1\n");
}

#[tokio::test]
async fn holds_all_queries_together_to_the_memory_of_the_engine() {
    let (server, _data) = server::start_with(&["--max-memory", "600000000", "--max-query-memory", "5000000000"]);
    let (_, code, text) = refusal(&server, &[], "SELECT groupArray(number) FROM numbers(200000000)").await;
    assert_eq!(code, "241", "{text}");
    assert_eq!(server.text("SELECT 1").await, "1\n");
}

#[tokio::test]
async fn reports_a_failure_in_the_middle_of_a_response() {
    let (server, _data) = server::start();
    let late = "SELECT number, throwIf(number = 900000) FROM numbers(1000000)";
    let mut answer = server.post(&[], late).send().await.expect("an answer");
    assert_eq!(answer.status(), 200);
    let tag = header(&answer, "x-clickhouse-exception-tag").to_owned();
    let mut body = Vec::new();
    let broken = loop {
        match answer.chunk().await {
            Ok(Some(piece)) => body.extend_from_slice(&piece),
            Ok(None) => break false,
            Err(_) => break true,
        }
    };
    assert!(broken, "an answer cut short must not end like a whole one");
    let text = String::from_utf8(body).expect("text");
    let (_, tail) = text
        .split_once(&format!("\r\n__exception__\r\n{tag}\r\nCode: 395. DB::Exception: "))
        .expect("the tail");
    assert!(tail.ends_with(&format!(" {tag}\r\n__exception__\r\n")));

    let mut cursor = server.client().query(late).fetch::<(u64, u8)>().expect("a cursor");
    let failed = loop {
        match cursor.next().await {
            Ok(Some(_)) => {}
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    assert!(
        matches!(&failed, Some(Error::BadResponse(text)) if text.starts_with("Code: 395.")),
        "{failed:?}"
    );
}

#[tokio::test]
async fn refuses_more_statements_at_once_than_set() {
    let (server, _data) = server::start_with(&["--max-concurrent", "1"]);
    let endless = server
        .post(&[], "SELECT number FROM numbers(1000000000000)")
        .send()
        .await
        .expect("an answer");
    assert_eq!(refusal(&server, &[], "SELECT 1").await.1, "202");
    drop(endless);
    let free = || async { refusal(&server, &[], "SELECT 1").await.0 == 200 };
    server::until("the place is free again", free).await;
}
