//! A program that does one thing and ends, such as a migration.

use std::path::PathBuf;
use std::process::Stdio;

use nix::sys::signal::Signal;
use thiserror::Error;
use tokio::io::AsyncWriteExt;

use super::launch::{Launch, log_tail};
use super::{LINES_SHOWN, Processes, describe_end};

/// A program that does one thing and ends, such as a migration.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its name in messages.
    pub name: &'static str,
    /// How it is started.
    pub launch: Launch,
    /// Its standard input.
    pub input: Option<String>,
}

/// A step did not do its work.
#[derive(Debug, Error)]
#[error("{step} failed: {how}. Its log is {}:{}", .log.display(), log_tail(.log, LINES_SHOWN))]
pub struct StepError {
    step: &'static str,
    how: String,
    log: PathBuf,
}

impl Step {
    /// Runs the program to its end, registered in `processes` meanwhile, with its output appended to its log. Fails when it cannot be started or does
    /// not end with code 0. Dropping the future kills it.
    pub async fn run(self, processes: &Processes) -> Result<(), StepError> {
        let failed = |how: String| StepError {
            step: self.name,
            how,
            log: self.launch.log.clone(),
        };
        let input = if self.input.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        };
        let mut child = self
            .launch
            .start(Signal::SIGTERM, input)
            .map_err(|error| failed(format!("it cannot be executed ({error})")))?;
        let _noted = child.id().map(|pid| processes.note(pid));
        if let (Some(text), Some(mut pipe)) = (&self.input, child.stdin.take()) {
            pipe.write_all(text.as_bytes())
                .await
                .map_err(|error| failed(error.to_string()))?;
        }
        match child.wait().await {
            Ok(status) if status.success() => Ok(()),
            other => Err(failed(describe_end(other))),
        }
    }
}
