//! `vigie workers`

use std::process::ExitCode;
use std::sync::Arc;

use api::ApiState;
use capture::browsing::Pool;
use runtime::{Clock, Settings};
use workers::{Pace, Parts};

use super::Failure;
use crate::{browsing, connections};

/// Captures what is due until a signal ends it.
pub fn run() -> Result<ExitCode, Failure> {
    let settings = super::settings()?;
    super::block_on(work(settings))
}

async fn work(settings: Settings) -> Result<ExitCode, Failure> {
    let stop = runtime::shutdown::on_signals()?;
    let metrics = super::metrics()?;
    let operations = super::api::listen(settings.workers.operations_listen, "VIGIE__WORKERS__OPERATIONS_LISTEN")?;
    let parts = Parts {
        records: connections::records(&settings, "vigie workers")?,
        analytics: connections::analytics(&settings)?,
        blobs: connections::blobs(&settings)?,
        browsers: Pool::start(browsing::pool(&settings, settings.workers.concurrency)?).await?,
        coordination: connections::coordination(&settings)?,
        clock: Clock::system(),
        pace: Pace::of(&settings),
    };
    let state = ApiState {
        records: parts.records.clone(),
        analytics: parts.analytics.clone(),
        coordination: parts.coordination.clone(),
        clock: parts.clock.clone(),
        settings: Arc::new(settings),
    };
    let health = api::serve(
        operations,
        None,
        api::operations(state, metrics),
        stop.clone().cancelled_owned(),
    );
    let (worked, served) = tokio::join!(workers::run(parts, stop), health);
    worked?;
    served?;
    Ok(ExitCode::SUCCESS)
}
