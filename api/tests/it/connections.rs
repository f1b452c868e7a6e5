//! Connections that say nothing, say it slowly, or are too many.

use std::time::Duration;

use axum::Router;
use axum::routing::get;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

/// A server that accepts up to `most` connections, and its address. It ends when the guard is dropped.
fn server(most: usize) -> (std::net::SocketAddr, tokio_util::sync::DropGuard) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    let app = Router::new().route("/", get(|| async { "here" }));
    tokio::spawn(api::serve(listener, None, most, app, stop.clone().cancelled_owned()));
    (address, stop.drop_guard())
}

async fn answered(stream: &mut TcpStream) -> String {
    stream
        .write_all(b"GET / HTTP/1.1\r\nhost: vigie\r\n\r\n")
        .await
        .unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"here") {
        let mut piece = [0; 512];
        let read = stream.read(&mut piece).await.unwrap();
        assert_ne!(read, 0, "closed after {:?}", String::from_utf8_lossy(&answer));
        answer.extend_from_slice(&piece[..read]);
    }
    String::from_utf8(answer).unwrap()
}

/// Time passes by itself while nobody does anything.
#[tokio::test(start_paused = true)]
async fn a_head_that_is_never_ended_and_a_silent_client_are_closed() {
    let (address, _server) = server(8);
    let began = tokio::time::Instant::now();
    for said in [
        "",
        "G",
        "PRI * HTTP/2.0\r\n",
        "GET / HTTP/1.1\r\nhost: vigie\r\nx-slow: ",
    ] {
        let mut slow = TcpStream::connect(address).await.unwrap();
        slow.write_all(said.as_bytes()).await.unwrap();
        let mut rest = Vec::new();
        // Closed or reset, as the system has it.
        let _ = slow.read_to_end(&mut rest).await;
    }
    assert!(began.elapsed() < Duration::from_mins(3), "{:?}", began.elapsed());
    let mut idle = TcpStream::connect(address).await.unwrap();
    assert!(answered(&mut idle).await.starts_with("HTTP/1.1 200"));
    let mut rest = Vec::new();
    let _ = idle.read_to_end(&mut rest).await;
    assert!(rest.is_empty(), "{:?}", String::from_utf8_lossy(&rest));
}

#[tokio::test]
async fn more_connections_than_there_are_places_for_are_closed_at_once() {
    let (address, _server) = server(2);
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        answered(&mut stream).await;
        held.push(stream);
    }
    let mut third = TcpStream::connect(address).await.unwrap();
    let mut rest = Vec::new();
    let _ = third.read_to_end(&mut rest).await;
    assert!(rest.is_empty());
    answered(&mut held[0]).await;
    drop(held);
    // The places come back as the server notices that the clients are gone.
    loop {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let asked = stream
            .write_all(b"GET / HTTP/1.1\r\nhost: vigie\r\nconnection: close\r\n\r\n")
            .await;
        let mut answer = Vec::new();
        if asked.is_ok() && stream.read_to_end(&mut answer).await.is_ok() && answer.ends_with(b"here") {
            break;
        }
    }
}
