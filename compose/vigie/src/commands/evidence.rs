//! `vigie evidence`: verifies the evidence, seals it, or packs one capture.

use std::path::PathBuf;
use std::process::ExitCode;

use chrono::NaiveDate;
use clap::{Args, Subcommand};
use vocabulary::CaptureId;

use super::CommandError;
use crate::connections;
use crate::terminal::{complain, say};

/// Operations on the evidence.
#[derive(Debug, Args)]
pub struct Evidence {
    #[command(subcommand)]
    act: EvidenceCommand,
}

#[derive(Debug, Subcommand)]
enum EvidenceCommand {
    /// Compare records and files with the chain and name what was changed or removed; the exit code is 1 if anything was
    Verify {
        /// Check one day (UTC, as in 2026-11-21) instead of all
        #[arg(long)]
        day: Option<NaiveDate>,
    },
    /// Append to the chain what is not in it yet; the workers do so by themselves
    Seal,
    /// Write one capture with its files, hashes and a readable summary as a zip archive
    Bundle {
        /// The id of the capture, as in its public address
        capture: uuid::Uuid,
        /// The archive to write; it is overwritten
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
    },
}

/// Checks the evidence, appends to the chain what is not in it yet, or writes one capture as a zip archive, as the subcommand says. The exit code is
/// 1 if the evidence is not sound or there is no such capture.
pub fn run(arguments: &Evidence) -> Result<ExitCode, CommandError> {
    let settings = super::settings_of_stack()?;
    super::block_on(async {
        let postgres = connections::postgres(&settings, "vigie evidence")?;
        let blobs = connections::blobs(&settings).await?;
        match &arguments.act {
            EvidenceCommand::Verify { day } => Ok(print_report(&::evidence::verify(&postgres, &blobs, *day).await?)),
            EvidenceCommand::Seal => {
                say(format!("{} readings sealed", ::evidence::seal(&postgres).await?));
                Ok(ExitCode::SUCCESS)
            }
            EvidenceCommand::Bundle { capture, out } => {
                let Some(bundle) = ::evidence::bundle(&postgres, &blobs, CaptureId(*capture)).await? else {
                    complain(format!("there is no capture {capture}"));
                    return Ok(ExitCode::FAILURE);
                };
                std::fs::write(out, &bundle.bytes)?;
                say(format!("{} bytes written to {}", bundle.bytes.len(), out.display()));
                Ok(ExitCode::SUCCESS)
            }
        }
    })
}

/// Prints the faults on standard error and the days and totals on standard output; returns a failure if there is any fault.
fn print_report(report: &::evidence::Report) -> ExitCode {
    for finding in &report.findings {
        complain(finding.to_string());
    }
    for day in &report.broken_days {
        complain(format!(
            "{day}: its entries do not end as they did when they were sealed"
        ));
    }
    if let (Some(first), Some(last)) = (report.digest_only.first(), report.digest_only.last()) {
        let count = report.digest_only.len();
        say(format!(
            "{count} days from {first} to {last}: their entries went with their month, only the digest of each day is kept"
        ));
    }
    for (day, head) in &report.heads {
        say(format!("{day} ends with {}", hex::encode(head)));
    }
    say(format!(
        "evidence: entries {}, files {}, findings {}",
        report.entries,
        report.files,
        report.findings.len() + report.broken_days.len()
    ));
    if report.is_sound() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
