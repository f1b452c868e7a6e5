//! Runs a router on a listener until it is stopped.

use std::io;
use std::net::TcpListener;
use std::path::PathBuf;
use std::time::Duration;

use axum::Router;
use axum_server::Handle;
use axum_server::tls_rustls::RustlsConfig;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use thiserror::Error;

use crate::connection::Bounded;

/// Time for running requests to finish once the server is stopped.
const GRACE: Duration = Duration::from_secs(10);

/// What the head of a request may take, and what a connection may be silent between two requests.
const HEAD: Duration = Duration::from_secs(20);
/// What a TLS handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// An HTTP/2 client that is silent for so long is asked whether it is there; it has [`HANDSHAKE`] to answer.
const BETWEEN_PINGS: Duration = Duration::from_secs(30);
/// Requests that run at the same time on one HTTP/2 connection.
const STREAMS: u32 = 64;

/// A certificate chain and its key, both PEM files.
#[derive(Clone, Debug)]
pub struct Tls {
    /// The chain, leaf first.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// Why a server could not run.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The certificate or key cannot be used.
    #[error("the TLS certificate {certificate} or its key cannot be used: {source}")]
    Tls {
        /// The file of the chain.
        certificate: PathBuf,
        /// What is wrong.
        source: io::Error,
    },
    /// The listener failed.
    #[error("the HTTP server failed: {0}")]
    Listen(#[from] io::Error),
}

/// Answers on `listener`, with TLS if given, until `stop` resolves, then lets running requests finish for up to `GRACE`. Connections beyond `most`
/// at the same time are closed. Fails when the certificate cannot be used or the listener fails.
pub async fn serve(
    listener: TcpListener,
    tls: Option<Tls>,
    most: usize,
    app: Router,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ServeError> {
    listener.set_nonblocking(true)?;
    let handle = Handle::new();
    let stopping = handle.clone();
    tokio::spawn(async move {
        stop.await;
        stopping.graceful_shutdown(Some(GRACE));
    });
    let app = app.into_make_service_with_connect_info::<std::net::SocketAddr>();
    match tls {
        None => {
            let mut server = axum_server::from_tcp(listener)?.map(|inner| Bounded::new(inner, most));
            set_limits(server.http_builder());
            server.handle(handle).serve(app).await?;
        }
        Some(Tls { certificate, key }) => {
            // Fails only when another provider was installed first, which serves as well.
            let _ = rustls::crypto::ring::default_provider().install_default();
            let config = RustlsConfig::from_pem_file(&certificate, &key)
                .await
                .map_err(|source| ServeError::Tls { certificate, source })?;
            let mut server = axum_server::from_tcp_rustls(listener, config)?
                .map(|inner| Bounded::new(inner.handshake_timeout(HANDSHAKE), most));
            set_limits(server.http_builder());
            server.handle(handle).serve(app).await?;
        }
    }
    Ok(())
}

/// Sets when a silent connection is closed, over HTTP/1 without a request head within [`HEAD`], over HTTP/2 without an answer to a ping, and how many
/// requests one HTTP/2 connection runs at the same time.
fn set_limits(builder: &mut Builder<TokioExecutor>) {
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEAD);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(BETWEEN_PINGS)
        .keep_alive_timeout(HANDSHAKE)
        .max_concurrent_streams(STREAMS);
}
