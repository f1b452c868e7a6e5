//! `vigie doctor`: checks every part that Vigie needs.

use std::process::ExitCode;

use clap::Args;
use nix::unistd::{Uid, User};

use super::CommandError;
use crate::doctor::{self, Finding, Verdict};
use crate::stack::{Running, unprivileged};
use crate::terminal::say;

/// How to print the findings.
#[derive(Debug, Args)]
pub struct Doctor {
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
    /// Search once by each proxy of each engine, instead of checking the parts
    #[arg(long)]
    engines: bool,
}

/// Checks every part, or with `--engines` the engines, and prints the findings, with `--json` as JSON; the exit code is 1 if one is bad. As root, it first becomes the system user that
/// runs the parts, if there is one.
pub fn run(arguments: &Doctor) -> Result<ExitCode, CommandError> {
    let alone = runtime::settings::from_environment()?;
    // Chromium's sandbox and the data folder are checked as the user that runs the parts.
    if Uid::effective().is_root()
        && let Ok(Some(account)) = User::from_name(&alone.embedded.user)
    {
        unprivileged::become_user(&account, &alone.data)?;
    }
    let running = !Running::read(&alone.data).is_empty();
    let settings = super::settings_of_stack()?;
    let findings = super::block_on(async {
        Ok(if arguments.engines {
            doctor::engines(&settings).await
        } else {
            doctor::examine(&settings, running).await
        })
    })?;
    if arguments.json {
        say(serde_json::to_string_pretty(&findings)?);
    } else {
        findings.iter().for_each(print_finding);
    }
    let bad = findings.iter().any(|finding| finding.verdict == Verdict::Bad);
    Ok(if bad { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Prints a finding on one line, and its cure, if it has one, on the next.
fn print_finding(finding: &Finding) {
    let mark = match finding.verdict {
        Verdict::Good => "good",
        Verdict::Doubtful => "doubtful",
        Verdict::Bad => "BAD",
    };
    say(format!("{mark:<9} {:<18} {}", finding.part, finding.found));
    if let Some(cure) = &finding.cure {
        say(format!("{:<28} to mend: {cure}", ""));
    }
}
