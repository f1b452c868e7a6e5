//! `vigie browsers`: the browser host.

use std::process::ExitCode;

use capture::browsing::BrowserHost;
use thiserror::Error;

use super::CommandError;
use crate::browsing;

/// No setting names the host's socket.
#[derive(Debug, Error)]
#[error("set VIGIE__CAPTURE__HOST to the path of the socket on which the workers ask for browsers")]
pub struct SocketError;

/// Runs browsers for the workers until a signal ends it. Fails when no setting names the socket, or no browser is set or installed.
pub fn run() -> Result<ExitCode, CommandError> {
    let settings = super::settings()?;
    let host = browsing::host(&settings)?.ok_or(SocketError)?;
    super::block_on(async move {
        let stop = runtime::shutdown::on_signals()?;
        let host = BrowserHost::start(host)?;
        stop.cancelled().await;
        drop(host);
        Ok(ExitCode::SUCCESS)
    })
}
