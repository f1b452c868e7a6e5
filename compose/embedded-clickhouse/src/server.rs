use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::sync::oneshot;

use crate::engine::Engine;
use crate::http::{self, Access};
use crate::running::Running;
use crate::sessions::Sessions;
use crate::state::ServerState;
use crate::{Error, Settings};

/// How long statements may run on after shutdown was requested.
const GRACE: Duration = Duration::from_secs(5);
/// How long cancelled statements may take to end.
const CANCEL_GRACE: Duration = Duration::from_secs(3);

/// A server that is ready: the engine runs, the database exists, connections are accepted.
pub struct Server {
    state: Arc<ServerState>,
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// Starts the engine and listens; answers nothing until [`Server::run`]. Fails for unusable settings, an address in use, or when the engine does
    /// not start. One engine per process: it makes the data folder the working directory, and once it has stopped, no other starts in this process.
    pub async fn start(settings: Settings) -> Result<Self, Error> {
        settings.check()?;
        let listen_error = |source| Error::Listen {
            address: settings.listen,
            source,
        };
        let listener = TcpListener::bind(settings.listen).await.map_err(listen_error)?;
        let address = listener.local_addr().map_err(listen_error)?;
        let started = settings.clone();
        let engine = tokio::task::spawn_blocking(move || Engine::start(&started))
            .await
            .map_err(|error| Error::Prepare(error.to_string()))??;
        let state = ServerState {
            engine,
            access: Access::new(&settings),
            sessions: Sessions::default(),
            running: Running::default(),
            permits: Arc::new(Semaphore::new(settings.max_concurrent as usize)),
            max_concurrent: settings.max_concurrent,
        };
        Ok(Self {
            state: Arc::new(state),
            listener,
            address,
        })
    }

    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `shutdown` completes, then waits for running statements, cancels them after `GRACE`, and closes the engine unless some still run.
    /// Fails only when connections can no longer be accepted.
    pub async fn run(self, shutdown: impl Future<Output = ()> + Send + 'static) -> Result<(), Error> {
        let Self { state, listener, .. } = self;
        // Otherwise small responses wait for the client's delayed acknowledgement.
        let listener = listener.tap_io(|connection| {
            if let Err(error) = connection.set_nodelay(true) {
                tracing::debug!(%error, "cannot set TCP_NODELAY");
            }
        });
        let (stop_sender, stop_receiver) = oneshot::channel();
        let shutdown = async move {
            shutdown.await;
            // The receiver lives until the end of this function.
            let _ = stop_sender.send(());
        };
        let serving = axum::serve(listener, http::router(state.clone())).with_graceful_shutdown(shutdown);
        let late = async {
            if stop_receiver.await.is_ok() {
                tokio::time::sleep(GRACE).await;
            }
        };
        tokio::select! {
            served = serving.into_future() => served.map_err(Error::Serve)?,
            () = late => cancel_all(&state).await,
        }
        close_engine(state).await;
        Ok(())
    }
}

/// Orders the engine to cancel all statements; a failure is logged only.
async fn cancel_all(state: &Arc<ServerState>) {
    let cancelled = state.clone();
    let outcome = tokio::task::spawn_blocking(move || cancelled.engine.cancel_all()).await;
    if let Ok(Err(exception)) = outcome {
        tracing::warn!(%exception, "cannot cancel the statements that still run");
    }
}

/// Waits for running statements, at most [`CANCEL_GRACE`], then closes sessions and engine. If some still run, both are left open.
async fn close_engine(state: Arc<ServerState>) {
    let every = state.permits.acquire_many(state.max_concurrent);
    if tokio::time::timeout(CANCEL_GRACE, every).await.is_err() {
        tracing::warn!("statements still run; the engine is left to end with the process");
        return;
    }
    state.sessions.close();
    if let Err(error) = tokio::task::spawn_blocking(move || state.engine.stop()).await {
        tracing::warn!(%error, "the engine did not close well");
    }
}
