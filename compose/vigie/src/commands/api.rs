//! `vigie api`: the HTTP server with the web client.

use std::process::ExitCode;
use std::sync::Arc;

use api::{ApiState, Tls};
use runtime::{Clock, Settings};

use super::CommandError;
use crate::listening::{OPERATIONS_CONNECTIONS, listen};
use crate::{connections, open_files, web_client};

/// Open files reserved for connections to the stores, files of lists, pages and the program itself.
const FILES_OF_OUR_OWN: usize = 256;

/// Serves the API and the web client until a signal ends it.
pub fn run() -> Result<ExitCode, CommandError> {
    let settings = super::settings()?;
    super::block_on(serve_api(settings))
}

/// Binds the public and the operations address and serves until a signal, or until either server fails; the stores are connected to on first use.
/// Only the public address has TLS, and only if both a certificate and a key are set.
async fn serve_api(settings: Settings) -> Result<ExitCode, CommandError> {
    let stop = runtime::shutdown::on_signals()?;
    let metrics = super::metrics()?;
    let public = listen(settings.api.listen, "VIGIE__API__LISTEN")?;
    let operations = listen(settings.api.operations_listen, "VIGIE__API__OPERATIONS_LISTEN")?;
    let connections = affordable_connections(settings.api.max_connections);
    let tls = settings.api.tls_certificate.clone().zip(settings.api.tls_key.clone());
    let tls = tls.map(|(certificate, key)| Tls { certificate, key });
    let postgres = connections::postgres_without_libraries(&settings, "vigie api")?;
    let state = ApiState {
        direct: connections::postgres_direct(&settings, &postgres, "vigie api")?,
        postgres,
        analytics: connections::analytics(&settings)?,
        blobs: connections::blobs(&settings).await?,
        coordination: connections::coordination(&settings)?,
        changes: api::Changes::default(),
        clock: Clock::system(),
        settings: Arc::new(settings),
    };
    let app = api::router(
        state.clone(),
        web_client::router(state.settings.frames.legacy_dashboard_url.as_ref()),
    );
    let operations_app = api::operations(state, metrics);
    tokio::try_join!(
        api::serve(public, tls, connections, app, stop.clone().cancelled_owned()),
        api::serve(
            operations,
            None,
            OPERATIONS_CONNECTIONS,
            operations_app,
            stop.cancelled_owned()
        ),
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Limits the wanted number of connections to what the limit of open files leaves, at least 1; warns when that is less.
fn affordable_connections(wanted: usize) -> usize {
    let files = usize::try_from(open_files::soft_limit()).unwrap_or(usize::MAX);
    let most = files.saturating_sub(FILES_OF_OUR_OWN).max(1);
    if most < wanted {
        tracing::warn!(
            connections = most,
            wanted,
            "fewer connections are taken than VIGIE__API__MAX_CONNECTIONS says; raise the limit of open files (LimitNOFILE)"
        );
    }
    wanted.min(most)
}
