//! Servers of tests, on ports of loopback.

use tokio::net::{TcpListener, TcpStream};

/// Serves each connection in a task of its own until the test ends; returns the port. A connection that fails ends alone.
pub async fn serve_each<Serving>(serve: impl Fn(TcpStream) -> Serving + Send + 'static) -> u16
where
    Serving: Future<Output = std::io::Result<()>> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            tokio::spawn(serve(connection));
        }
    });
    port
}
