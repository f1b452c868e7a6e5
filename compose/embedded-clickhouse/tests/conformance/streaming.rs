use clickhouse::Row;
use serde::Deserialize;

use crate::server;

const MILLION: &str = "SELECT number AS n, toString(number) AS text FROM numbers(1000000)";

#[derive(Row, Deserialize)]
struct Line<'a> {
    n: u64,
    text: &'a str,
}

#[tokio::test]
async fn streams_a_million_rows_to_the_official_client() {
    let (server, _data) = server::start();
    let mut cursor = server.client().query(MILLION).fetch::<Line<'_>>().expect("a cursor");
    let (mut rows, mut sum) = (0_u64, 0);
    while let Some(line) = cursor.next().await.expect("a row") {
        assert_eq!(line.text.parse(), Ok(line.n));
        (rows, sum) = (rows + 1, sum + line.n);
    }
    assert_eq!((rows, sum), (1_000_000, 499_999_500_000));
}

#[tokio::test]
async fn sends_the_head_of_a_format_once() {
    let (server, _data) = server::start();
    for (format, head) in [
        ("TSVWithNamesAndTypes", "n\ttext\nUInt64\tString\n"),
        ("CSVWithNames", "\"n\",\"text\"\n"),
        ("JSONCompactEachRowWithNames", "[\"n\", \"text\"]\n"),
    ] {
        let text = server.text(&format!("{MILLION} FORMAT {format}")).await;
        assert!(text.starts_with(head), "{format}");
        assert_eq!(text.lines().count(), 1_000_000 + head.lines().count(), "{format}");
        assert_eq!(text.matches(head).count(), 1, "{format}");
        let empty = server
            .text(&format!(
                "SELECT number AS n, '' AS text FROM numbers(5) WHERE n > 9 FORMAT {format}"
            ))
            .await;
        assert_eq!(empty, head, "{format}");
    }
}

#[tokio::test]
async fn streams_without_holding_the_output() {
    let (server, _data) = server::start_with(&["--max-query-memory", "400000000"]);
    let statement = "SELECT repeat('x', 1000) FROM numbers(1000000) FORMAT TSV";
    let mut answer = server.post(&[], statement).send().await.expect("an answer");
    let mut bytes = 0;
    while let Some(piece) = answer.chunk().await.expect("a piece") {
        bytes += piece.len();
    }
    assert_eq!(bytes, 1_001_000_000);
}

#[tokio::test]
async fn serves_readers_beside_each_other() {
    let (server, _data) = server::start();
    let statement = "SELECT count(), sum(number) FROM (SELECT number FROM numbers(1000000) WHERE sleepEachRow(0) = 0)";
    let answers = futures::future::join_all((0..8).map(|_| server.text(statement))).await;
    assert!(
        answers.iter().all(|answer| answer == "1000000\t499999500000\n"),
        "{answers:?}"
    );
}
