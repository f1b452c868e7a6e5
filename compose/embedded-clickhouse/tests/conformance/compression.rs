use crate::server::{self, header};

const ROWS: &str = "SELECT number AS n, repeat('ad ', number % 50) AS text FROM numbers(60000)";
const SUMS: &str = "SELECT count(), sum(n), sum(length(text)) FROM t";

async fn start() -> (server::Server, tempfile::TempDir) {
    let (server, data) = server::start();
    server
        .text("CREATE TABLE t (n UInt64, text String) ENGINE = MergeTree ORDER BY n")
        .await;
    (server, data)
}

#[tokio::test]
async fn sends_and_takes_every_content_encoding() {
    let (server, _data) = start().await;
    let plain = server.text(&format!("{ROWS} FORMAT TSV")).await;
    for encoding in ["lz4", "zstd", "gzip", "deflate", "br"] {
        let request = server
            .post(&[], format!("{ROWS} FORMAT TSV"))
            .header("Accept-Encoding", encoding);
        let answer = request.send().await.expect("an answer");
        assert_eq!(header(&answer, "content-encoding"), encoding);
        let body = answer.bytes().await.expect("a body");
        assert!(
            body.len() * 4 < plain.len(),
            "{encoding} is not compressed: {} bytes",
            body.len()
        );
        let request = server
            .post(&[("query", "INSERT INTO t FORMAT TSV")], body)
            .header("Content-Encoding", encoding);
        let stored = request.send().await.expect("an answer");
        assert_eq!(stored.status(), 200, "{encoding}: {:?}", stored.text().await);
        assert_eq!(server.text(SUMS).await, "60000\t1799970000\t4410000\n", "{encoding}");
        server.text("TRUNCATE TABLE t").await;
    }
}

#[tokio::test]
async fn sends_and_takes_native_blocks_with_checksums() {
    let (server, _data) = start().await;
    let answer = server
        .post(&[("compress", "1")], format!("{ROWS} FORMAT RowBinary"))
        .send()
        .await
        .expect("an answer");
    assert_eq!(header(&answer, "content-encoding"), "");
    let body = answer.bytes().await.expect("a body").to_vec();
    let query = ("query", "INSERT INTO t FORMAT RowBinary");
    let stored = server
        .post(&[query, ("decompress", "1")], body.clone())
        .send()
        .await
        .expect("an answer");
    assert_eq!(stored.status(), 200);
    assert_eq!(server.text(SUMS).await, "60000\t1799970000\t4410000\n");

    let mut torn = body;
    let middle = torn.len() / 2;
    torn[middle] ^= 1;
    let refused = server
        .post(&[query, ("decompress", "1")], torn)
        .send()
        .await
        .expect("an answer");
    assert_eq!(header(&refused, "x-clickhouse-exception-code"), "40");
}

#[tokio::test]
async fn refuses_bodies_that_are_not_what_they_say() {
    let (server, _data) = start().await;
    let query = ("query", "INSERT INTO t FORMAT TSV");
    let plain = server
        .post(&[query], "1\tx\n")
        .header("Content-Encoding", "gzip")
        .send()
        .await
        .expect("an answer");
    assert_eq!(header(&plain, "x-clickhouse-exception-code"), "271");
    let unknown = server
        .post(&[query], "1\tx\n")
        .header("Content-Encoding", "compress")
        .send()
        .await
        .expect("an answer");
    assert_eq!(unknown.status(), 501);
    let blocks = server
        .post(&[query, ("decompress", "1")], "1\tx\n".repeat(20))
        .send()
        .await
        .expect("an answer");
    assert_eq!(header(&blocks, "x-clickhouse-exception-code"), "271");
    assert_eq!(server.text("SELECT count() FROM t").await, "0\n");
}
