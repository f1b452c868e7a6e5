//! Servers of tests.

use std::net::Ipv4Addr;

use tokio::net::{TcpListener, TcpStream};

/// Serves each connection to a port of loopback in a task of its own until the test ends; returns the port. A connection that fails ends alone.
pub async fn serve_each<Serving>(serve: impl Fn(TcpStream) -> Serving + Send + 'static) -> u16
where
    Serving: Future<Output = std::io::Result<()>> + Send + 'static,
{
    serve_each_on(Ipv4Addr::LOCALHOST, serve).await
}

/// Like [`serve_each`], on this address.
pub async fn serve_each_on<Serving>(address: Ipv4Addr, serve: impl Fn(TcpStream) -> Serving + Send + 'static) -> u16
where
    Serving: Future<Output = std::io::Result<()>> + Send + 'static,
{
    let listener = TcpListener::bind((address, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            tokio::spawn(serve(connection));
        }
    });
    port
}
