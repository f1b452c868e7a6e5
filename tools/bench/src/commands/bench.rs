//! `vigie-bench [SUBJECT]…`: measurements of a stack.

use std::process::ExitCode;

use clap::Args;

use super::CommandError;
use crate::bench::{self, Plan, Subject};

/// What to measure, and how.
#[derive(Debug, Args)]
pub struct Bench {
    /// What to measure; everything by default
    #[arg(value_enum)]
    subjects: Vec<Subject>,
    /// Ad results behind the lists, one run per size
    #[arg(long, value_delimiter = ',', default_values_t = [1_000_000, 10_000_000])]
    rows: Vec<u64>,
    /// Cases of outreach, with five times as many mails
    #[arg(long, default_value_t = 1_000_000)]
    cases: u64,
    /// Seed: the same seed gives the same results
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Make every result a different ad, instead of ads that repeat over captures
    #[arg(long)]
    all_different: bool,
}

impl Bench {
    /// Returns the plan that the arguments describe.
    pub fn plan(&self) -> Plan {
        Plan {
            subjects: self.subjects.clone(),
            rows: self.rows.clone(),
            cases: self.cases,
            seed: self.seed,
            all_different: self.all_different,
        }
    }
}

/// Measures and prints tables; fails when a target was missed.
pub fn run(arguments: &Bench) -> Result<ExitCode, CommandError> {
    let plan = arguments.plan();
    super::block_on(async { Ok(bench::run(&plan).await?) })?;
    Ok(ExitCode::SUCCESS)
}
