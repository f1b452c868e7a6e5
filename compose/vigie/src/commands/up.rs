//! `vigie up`

use std::process::ExitCode;

use runtime::settings::{LogFormat, Logs};

use super::Failure;
use crate::stack;

/// Runs everything until a signal ends it.
pub fn run() -> Result<ExitCode, Failure> {
    let settings = runtime::settings::from_environment()?;
    // The terminal hears what matters from the stack itself; the parts write logs of their own.
    super::start_logs(&Logs {
        format: LogFormat::Text,
        filter: "warn".to_owned(),
    });
    stack::unprivileged::hand_over(&settings.embedded.user, &settings.data)?;
    // After handing over, the folder it was started in may be closed to the new user; the parts inherit it.
    if std::fs::read_dir(".").is_err() {
        std::env::set_current_dir(&settings.data)?;
    }
    // One thread: the signal a part gets when its parent dies follows the thread that started it.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let stop = runtime::shutdown::on_signals()?;
        stack::run(&settings, stop).await?;
        Ok(ExitCode::SUCCESS)
    })
}
