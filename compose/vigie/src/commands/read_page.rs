//! `vigie read-page`: prints the ads of saved pages.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::CommandError;
use crate::terminal::{complain, say};

/// The saved pages to read.
#[derive(Debug, Args)]
pub struct ReadPage {
    /// Files of saved result pages; the folder's name is the engine (google or bing), else the page decides
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

/// Reads saved result pages and prints one line of JSON for each. Files that cannot be opened are named on standard error and make the exit
/// code 1; the others are still read.
pub fn run(arguments: &ReadPage) -> Result<ExitCode, CommandError> {
    let mut code = ExitCode::SUCCESS;
    for file in &arguments.files {
        match capture::read_saved_page(file) {
            Ok(line) => say(serde_json::to_string(&line)?),
            Err(error) => {
                complain(format!("{} cannot be read: {error}", file.display()));
                code = ExitCode::FAILURE;
            }
        }
    }
    Ok(code)
}
