//! Runs a router on a listener until told to stop.

use std::io;
use std::net::TcpListener;
use std::path::PathBuf;
use std::time::Duration;

use axum::Router;
use axum_server::Handle;
use axum_server::tls_rustls::RustlsConfig;
use thiserror::Error;

/// What running requests get to finish once the server is told to stop.
const GRACE: Duration = Duration::from_secs(10);

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

/// Answers on `listener` until `stop` resolves, then lets running requests finish.
pub async fn serve(
    listener: TcpListener,
    tls: Option<Tls>,
    app: Router,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ServeError> {
    listener.set_nonblocking(true)?;
    let handle = Handle::new();
    let told = handle.clone();
    tokio::spawn(async move {
        stop.await;
        told.graceful_shutdown(Some(GRACE));
    });
    let app = app.into_make_service_with_connect_info::<std::net::SocketAddr>();
    match tls {
        None => axum_server::from_tcp(listener)?.handle(handle).serve(app).await?,
        Some(Tls { certificate, key }) => {
            // Fails only when another provider was installed first, which serves as well.
            let _ = rustls::crypto::ring::default_provider().install_default();
            let config = RustlsConfig::from_pem_file(&certificate, &key)
                .await
                .map_err(|source| ServeError::Tls { certificate, source })?;
            axum_server::from_tcp_rustls(listener, config)?
                .handle(handle)
                .serve(app)
                .await?;
        }
    }
    Ok(())
}
