//! `vigie up`: runs the whole stack on this machine.

use std::process::ExitCode;

use runtime::Settings;
use runtime::settings::{LogFormat, Logs};

use super::CommandError;
use crate::stack;

/// Runs the whole stack until a signal ends it. As root, this process only supervises: the stack runs under its system users, and its exit code is
/// returned.
pub fn run() -> Result<ExitCode, CommandError> {
    let settings = runtime::settings::from_environment()?;
    crate::open_files::raise();
    // The stack itself prints what matters; the parts write their own logs.
    super::start_logs(&Logs {
        format: LogFormat::Text,
        filter: "warn".to_owned(),
    });
    if nix::unistd::Uid::effective().is_root() {
        return as_root(&settings);
    }
    // The new user may not be allowed into the folder it was started in; the parts inherit the working directory.
    if std::fs::read_dir(".").is_err() {
        std::env::set_current_dir(&settings.data)?;
    }
    super::on_one_thread(async {
        let stop = runtime::shutdown::on_signals()?;
        stack::run(&settings, stop).await?;
        Ok(ExitCode::SUCCESS)
    })
}

/// Runs the stack under its system users, supervised by this process.
fn as_root(settings: &Settings) -> Result<ExitCode, CommandError> {
    super::on_one_thread(async {
        let stop = runtime::shutdown::on_signals()?;
        Ok(stack::as_root::run(settings, stop).await?)
    })
}
