//! `vigie embedded-clickhouse`: serves the embedded ClickHouse, as a part of `vigie up`.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use super::CommandError;
use crate::programs;

/// Serves the embedded ClickHouse on loopback until a signal ends it; its data are in `clickhouse` of the data folder. Fails when its library is not
/// found.
pub fn run() -> Result<ExitCode, CommandError> {
    let settings = super::settings()?;
    let library = programs::clickhouse_library(settings.embedded.clickhouse_library.as_deref())?;
    let data = std::path::absolute(&settings.data)?.join("clickhouse");
    let mut engine = embedded_clickhouse::Settings::new(library, data, settings.clickhouse.password.expose());
    engine.listen = SocketAddr::from((Ipv4Addr::LOCALHOST, settings.embedded.clickhouse_port));
    engine.user = settings.clickhouse.user;
    engine.database = settings.clickhouse.database;
    super::block_on(async {
        let stop = runtime::shutdown::on_signals()?;
        embedded_clickhouse::serve(engine, stop.cancelled_owned()).await?;
        Ok(ExitCode::SUCCESS)
    })
}
