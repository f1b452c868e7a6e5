//! `vigie openapi`: the description of the API.

use std::process::ExitCode;

use super::CommandError;
use crate::terminal::say;

/// Prints the description of the API as JSON.
pub fn run() -> Result<ExitCode, CommandError> {
    say(serde_json::to_string_pretty(&api::openapi())?);
    Ok(ExitCode::SUCCESS)
}
