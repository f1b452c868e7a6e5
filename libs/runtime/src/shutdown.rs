//! An orderly end on SIGTERM, Ctrl-C or a closed terminal.

use std::io;

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// A token that is cancelled at the first SIGTERM, SIGINT or SIGHUP. Tasks watch it, finish what they hold and return. Later signals have no effect.
/// Call it within a Tokio runtime.
///
/// # Errors
/// When the process may not install signal handlers.
pub fn on_signals() -> io::Result<CancellationToken> {
    let token = CancellationToken::new();
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    let cancelled = token.clone();
    tokio::spawn(async move {
        let name = tokio::select! {
            _ = terminate.recv() => "SIGTERM",
            _ = interrupt.recv() => "SIGINT",
            _ = hang_up.recv() => "SIGHUP",
        };
        tracing::info!(signal = name, "stopping");
        cancelled.cancel();
    });
    Ok(token)
}
