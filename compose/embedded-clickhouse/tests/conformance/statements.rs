use clickhouse::{Client, Compression, Row};
use serde::{Deserialize, Serialize};

use crate::server::{self, header};

#[derive(Row, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Ad {
    id: u64,
    title: String,
    price: Option<f64>,
    tags: Vec<String>,
}

fn ads() -> Vec<Ad> {
    let ad = |id: u64| Ad {
        id,
        title: format!("shoe n° {id}\t'\n"),
        price: id.is_multiple_of(2).then_some(9.5),
        tags: vec!["a".to_owned(), "b".to_owned()],
    };
    (0..1000).map(ad).collect()
}

async fn creates_inserts_and_selects(client: &Client) {
    client
        .query("CREATE DATABASE IF NOT EXISTS other")
        .execute()
        .await
        .expect("a database");
    client
        .query("CREATE TABLE ads (id UInt64, title String, price Nullable(Float64), tags Array(String)) ENGINE = MergeTree ORDER BY id")
        .execute()
        .await
        .expect("a table");
    let mut insert = client.insert::<Ad>("ads").await.expect("an insert");
    for ad in ads() {
        insert.write(&ad).await.expect("written");
    }
    insert.end().await.expect("stored");
    let found = client
        .query("SELECT ?fields FROM ads ORDER BY id")
        .fetch_all::<Ad>()
        .await
        .expect("rows");
    assert_eq!(found, ads());
    let none = client
        .query("SELECT ?fields FROM ads WHERE id > 5000")
        .fetch_all::<Ad>()
        .await
        .expect("no rows");
    assert_eq!(none, []);
    client
        .query("ALTER TABLE ads DELETE WHERE id < 10 SETTINGS mutations_sync = 1")
        .execute()
        .await
        .expect("a mutation");
    client.query("DROP TABLE ads").execute().await.expect("dropped");
}

#[tokio::test]
async fn serves_the_official_client_in_its_default_settings() {
    let (server, _data) = server::start();
    creates_inserts_and_selects(&server.client()).await;
}

#[tokio::test]
async fn serves_the_official_client_without_compression_and_validation() {
    let (server, _data) = server::start();
    let client = server
        .client()
        .with_compression(Compression::None)
        .with_validation(false)
        .with_database("vigie");
    creates_inserts_and_selects(&client).await;
}

#[tokio::test]
async fn binds_parameters_on_the_server() {
    let (server, _data) = server::start();
    let hostile = "'); DROP TABLE x; -- \\ \t \n é `";
    let (text, sum, none) = server
        .client()
        .query("SELECT {text:String}, arraySum({numbers:Array(UInt32)}), {none:Nullable(String)}")
        .param("text", hostile)
        .param("numbers", vec![1_u32, 2, 3])
        .param("none", None::<String>)
        .fetch_one::<(String, u64, Option<String>)>()
        .await
        .expect("a row");
    assert_eq!((text.as_str(), sum, none), (hostile, 6, None));
}

#[tokio::test]
async fn takes_parameters_from_the_address_and_in_inserts() {
    let (server, _data) = server::start();
    let answer = server
        .post(&[("param_n", "41")], "SELECT {n:UInt8} + 1")
        .send()
        .await
        .expect("an answer");
    assert_eq!(answer.text().await.expect("text"), "42\n");
    server
        .text("CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a")
        .await;
    let stored = server.post(
        &[
            ("param_table", "t"),
            ("query", "INSERT INTO {table:Identifier} FORMAT TSV"),
        ],
        "7\n",
    );
    assert_eq!(stored.send().await.expect("an answer").status(), 200);
    assert_eq!(server.text("SELECT a FROM t").await, "7\n");
}

#[tokio::test]
async fn holds_settings_for_one_request_only() {
    let (server, _data) = server::start();
    let client = server.client();
    let threads = |client: Client| async move {
        client
            .query("SELECT toString(getSetting('max_threads'))")
            .fetch_one::<String>()
            .await
            .expect("a row")
    };
    let other = threads(client.clone()).await;
    assert_ne!(other, "3");
    assert_eq!(threads(client.clone().with_setting("max_threads", "3")).await, "3");
    assert_eq!(threads(client).await, other);
}

#[tokio::test]
async fn works_in_the_database_that_a_request_names() {
    let (server, _data) = server::start();
    assert_eq!(server.text("SELECT currentDatabase()").await, "vigie\n");
    server.text("CREATE DATABASE `or``dinary`").await;
    let client = server.client().with_database("or`dinary");
    let name = client
        .query("SELECT currentDatabase()")
        .fetch_one::<String>()
        .await
        .expect("a row");
    assert_eq!(name, "or`dinary");
    let answer = server
        .post(&[], "SELECT currentDatabase()")
        .header("X-ClickHouse-Database", "system");
    assert_eq!(
        answer.send().await.expect("an answer").text().await.expect("text"),
        "system\n"
    );
}

#[tokio::test]
async fn reads_only_by_get() {
    let (server, _data) = server::start();
    let get = |statement: &str| {
        server::plain()
            .get(&server.url)
            .query(&[("query", statement)])
            .header("X-ClickHouse-Key", server::SECRET)
            .send()
    };
    assert_eq!(
        get("SELECT 1").await.expect("an answer").text().await.expect("text"),
        "1\n"
    );
    for statement in [
        "CREATE TABLE t (a UInt8) ENGINE = Memory",
        "DROP DATABASE vigie",
        "INSERT INTO system.one VALUES (1)",
    ] {
        let refused = get(statement).await.expect("an answer");
        assert_eq!(header(&refused, "x-clickhouse-exception-code"), "164", "{statement}");
    }
}

#[tokio::test]
async fn runs_statements_that_are_not_selects() {
    let (server, _data) = server::start();
    server
        .text("CREATE TABLE t (a UInt8, b String DEFAULT 'x') ENGINE = MergeTree ORDER BY a")
        .await;
    assert_eq!(server.text("SHOW TABLES").await, "t\n");
    assert_eq!(server.text("EXISTS TABLE t").await, "1\n");
    assert!(server.text("DESCRIBE TABLE t").await.starts_with("a\tUInt8"));
    server.text("INSERT INTO t (a) SELECT number FROM numbers(5)").await;
    server.text("INSERT INTO t VALUES (5, 'y'), (6, 'z;')").await;
    assert_eq!(server.text("SELECT count(), max(b) FROM t").await, "7\tz;\n");
    assert_eq!(
        server
            .text("SELECT b, count() FROM t GROUP BY b WITH TOTALS ORDER BY b")
            .await,
        "x\t5\ny\t1\nz;\t1\n\n\t7\n"
    );
    assert!(server.text("SELECT a FROM t FORMAT JSON").await.contains("\"rows\": 7"));
    server.text("OPTIMIZE TABLE t FINAL").await;
    server.text("DROP TABLE t SYNC").await;
}

#[tokio::test]
async fn sends_clients_what_they_read_from_headers() {
    let (server, _data) = server::start();
    let statement = "SELECT number FROM numbers(10) FORMAT JSONEachRow";
    let answer = server
        .post(&[("query_id", "q-1"), ("wait_end_of_query", "1")], statement)
        .send()
        .await
        .expect("an answer");
    assert_eq!(header(&answer, "x-clickhouse-query-id"), "q-1");
    assert_eq!(header(&answer, "x-clickhouse-format"), "JSONEachRow");
    assert_eq!(header(&answer, "content-type"), "application/x-ndjson; charset=UTF-8");
    assert_eq!(header(&answer, "x-clickhouse-exception-tag").len(), 16);
    assert!(!header(&answer, "x-clickhouse-timezone").is_empty());
    let summary: serde_json::Value = serde_json::from_str(header(&answer, "x-clickhouse-summary")).expect("JSON");
    assert_eq!(
        (&summary["read_rows"], &summary["result_rows"]),
        (&"10".into(), &"10".into())
    );
}

#[tokio::test]
async fn answers_a_ping_without_a_password_and_nothing_else() {
    let (server, _data) = server::start();
    let ping = server::plain()
        .get(format!("{}/ping", server.url))
        .send()
        .await
        .expect("an answer");
    assert_eq!(ping.text().await.expect("text"), "Ok.\n");
    let unknown = server::plain()
        .get(format!("{}/play", server.url))
        .send()
        .await
        .expect("an answer");
    assert_eq!(unknown.status(), 404);
    let ask = || server::plain().post(&server.url).body("SELECT 1");
    for refused in [
        ask(),
        ask().header("X-ClickHouse-Key", "guess"),
        ask().basic_auth("root", Some(server::SECRET)),
    ] {
        let refused = refused.send().await.expect("an answer");
        assert_eq!(
            (
                refused.status().as_u16(),
                header(&refused, "x-clickhouse-exception-code")
            ),
            (403, "516")
        );
    }
    let basic = ask().basic_auth("default", Some(server::SECRET));
    let address = ask().query(&[("user", "default"), ("password", server::SECRET)]);
    for accepted in [basic, address] {
        assert_eq!(accepted.send().await.expect("an answer").status(), 200);
    }
}
