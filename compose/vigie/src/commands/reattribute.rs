//! `vigie reattribute`: moves a term's history to its present brand.

use std::process::ExitCode;

use clap::Args;
use corrections::{Reattributed, Stores};
use vocabulary::TermId;

use super::CommandError;
use crate::connections;
use crate::terminal::{complain, say};

/// The term whose history is moved, and the administrator who does it.
#[derive(Debug, Args)]
pub struct Reattribute {
    /// The term, by its id
    #[arg(long)]
    term: i32,
    /// The address of the administrator who does it, for the audit log
    #[arg(long, value_name = "EMAIL")]
    by: String,
}

/// Moves the captures and ads of a term to its present brand and keyword type, and prints how many captures and months that changed. Without such a
/// term or administrator nothing changes, and the exit code is 1.
pub fn run(arguments: &Reattribute) -> Result<ExitCode, CommandError> {
    let settings = super::settings_of_stack()?;
    super::block_on(async {
        let stores = Stores {
            postgres: connections::postgres(&settings, "vigie reattribute")?,
            analytics: connections::analytics(&settings)?.for_housekeeping(),
        };
        Ok(
            match corrections::reattribute(&stores, TermId(arguments.term), &arguments.by).await? {
                Reattributed::Moved { captures, months } => {
                    say(format!("reattribute: captures {captures}, months of ads {months}"));
                    ExitCode::SUCCESS
                }
                Reattributed::NoTerm => {
                    complain(format!("there is no term {}", arguments.term));
                    ExitCode::FAILURE
                }
                Reattributed::NoAdministrator => {
                    complain(format!("'{}' is not the address of an administrator", arguments.by));
                    ExitCode::FAILURE
                }
            },
        )
    })
}
