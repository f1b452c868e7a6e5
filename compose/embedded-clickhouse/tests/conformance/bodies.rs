use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::server;

#[tokio::test]
async fn takes_a_statement_that_comes_in_small_pieces() {
    let (server, _data) = server::start();
    server
        .text("CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a")
        .await;
    let mut connection = TcpStream::connect(server.url.trim_start_matches("http://"))
        .await
        .expect("connected");
    connection.set_nodelay(true).expect("nodelay");
    let head = format!(
        "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-ClickHouse-Key: {}\r\n",
        server::SECRET
    );
    connection
        .write_all(format!("{head}Transfer-Encoding: chunked\r\n\r\n").as_bytes())
        .await
        .expect("sent");
    for byte in "INSERT INTO t FORMAT TSV\n12\n345\n".bytes() {
        connection
            .write_all(format!("1\r\n{}\r\n", char::from(byte)).as_bytes())
            .await
            .expect("sent");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    connection.write_all(b"0\r\n\r\n").await.expect("sent");
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await.expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert_eq!(server.text("SELECT sum(a) FROM t").await, "357\n");
}

#[tokio::test]
async fn runs_nothing_of_a_statement_that_was_cut() {
    let (server, _data) = server::start();
    server
        .text("CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a")
        .await;
    let mut connection = TcpStream::connect(server.url.trim_start_matches("http://"))
        .await
        .expect("connected");
    let head = format!(
        "POST / HTTP/1.1\r\nHost: x\r\nX-ClickHouse-Key: {}\r\nContent-Length: 100\r\n\r\n",
        server::SECRET
    );
    connection
        .write_all(format!("{head}DROP TABLE t").as_bytes())
        .await
        .expect("sent");
    drop(connection);
    let alone = || async { server.text("SELECT count() FROM system.processes").await == "1\n" };
    server::until("nothing runs", alone).await;
    assert_eq!(server.text("EXISTS TABLE t").await, "1\n");
}

#[tokio::test]
async fn refuses_tables_in_a_form() {
    let (server, _data) = server::start();
    let body = "--b\r\nContent-Disposition: form-data; name=\"x\"; filename=\"x.tsv\"\r\n\r\n1\r\n--b--\r\n";
    let request = server
        .post(&[("query", "SELECT * FROM x")], body)
        .header("Content-Type", "multipart/form-data; boundary=b");
    assert_eq!(request.send().await.expect("an answer").status(), 501);
}

#[tokio::test]
async fn answers_a_long_insert_that_fails_early() {
    let (server, _data) = server::start();
    let body = vec![b'1'; 20 << 20];
    let refused = server
        .post(&[("query", "INSERT INTO nowhere FORMAT TSV")], body)
        .send()
        .await
        .expect("an answer");
    assert_eq!(refused.status(), 404);
}
