//! `vigie serp-sim`: serves the search simulator, as a part of `vigie up`.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use serp_sim::{Settings, Simulator};

use super::CommandError;

/// Serves the search simulator on the configured port of loopback until a signal ends it.
pub fn run() -> Result<ExitCode, CommandError> {
    let settings = super::settings()?;
    super::block_on(async {
        let stop = runtime::shutdown::on_signals()?;
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, settings.embedded.simulator_port));
        let simulator = Simulator::bind(Settings {
            listen,
            ..Settings::default()
        })
        .await?;
        simulator.serve(stop.cancelled_owned()).await?;
        Ok(ExitCode::SUCCESS)
    })
}
