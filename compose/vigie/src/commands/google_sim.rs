//! `vigie google-sim`: serves the simulated Google, as a part of `vigie up`.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use google_sim::Simulator;
use runtime::Clock;

use super::CommandError;
use crate::demo;

/// Serves the simulated Google until a signal ends it. Its sites are those of the brands of the demonstration.
pub fn run() -> Result<ExitCode, CommandError> {
    let settings = super::settings()?;
    super::block_on(async {
        let stop = runtime::shutdown::on_signals()?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, settings.embedded.google_port));
        let simulator = Simulator::bind(address, &demo::official_domains(), Clock::system()).await?;
        simulator.serve(stop.cancelled_owned()).await?;
        Ok(ExitCode::SUCCESS)
    })
}
