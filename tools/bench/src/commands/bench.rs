//! `vigie-bench [SUBJECT]…`

use std::process::ExitCode;

use clap::Args;

use super::CommandError;
use crate::bench::{self, Plan, Subject};

/// What is measured, and how.
#[derive(Debug, Args)]
pub struct Bench {
    /// What to measure; everything when left out
    #[arg(value_enum)]
    subjects: Vec<Subject>,
    /// Ad results under the lists, one run a size
    #[arg(long, value_delimiter = ',', default_values_t = [1_000_000, 10_000_000])]
    rows: Vec<u64>,
    /// The same seed makes the same results
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Make every result another ad, instead of ads that repeat over captures
    #[arg(long)]
    all_different: bool,
}

impl Bench {
    /// How it is measured.
    pub fn plan(&self) -> Plan {
        Plan {
            subjects: self.subjects.clone(),
            rows: self.rows.clone(),
            seed: self.seed,
            all_different: self.all_different,
        }
    }
}

/// Measures and prints tables.
pub fn run(arguments: &Bench) -> Result<ExitCode, CommandError> {
    let plan = arguments.plan();
    super::block_on(async { Ok(bench::run(&plan).await?) })?;
    Ok(ExitCode::SUCCESS)
}
