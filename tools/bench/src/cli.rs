//! The command line.

use clap::{Parser, Subcommand};

use crate::commands::bench::Bench;
use crate::commands::load::Load;
use crate::commands::stress::Stress;

/// Measures this machine: lists beside hand-tuned SQL and PostgreSQL over the same rows, storing with read-back, sign-ins and files
///
/// Needs the `vigie` binary of the same build in its own folder, what `vigie up` needs, and psql. Uses a separate stack in a temporary
/// folder; 10 million rows need about 3 GB of disk.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// What to do instead of measuring.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// What to measure.
    #[command(flatten)]
    pub bench: Bench,
}

/// What to do instead of measuring.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Let many users work beside captures, detection, reminders and every job, and report how long they wait and what the processes grow to
    ///
    /// Needs the `vigie` binary of the same build in its own folder, what `vigie up` needs, and psql. Uses a temporary folder and free ports
    /// of this machine alone; the last line has the figures.
    Load(Load),
    /// Attack a stack and stop its stores one by one, and report whether an ordinary user noticed and anything was lost
    ///
    /// Needs the `vigie` binary of the same build in its own folder, and what `vigie up` needs. Uses a temporary folder and free ports of
    /// this machine alone; the last line has the figures.
    Stress(Stress),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Subject;

    fn parsed(arguments: &str) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(std::iter::once("vigie-bench").chain(arguments.split_whitespace()))
    }

    #[test]
    fn measures_everything_unless_subjects_are_named() {
        let everything = parsed("").unwrap();
        assert!(everything.command.is_none());
        assert_eq!(everything.bench.plan().subjects, []);
        assert_eq!(everything.bench.plan().rows, [1_000_000, 10_000_000]);

        let some = parsed("sign-in monitoring --rows 1000,2000 --seed 7 --all-different").unwrap();
        let plan = some.bench.plan();
        assert_eq!(plan.subjects, [Subject::SignIn, Subject::Monitoring]);
        assert_eq!(plan.rows, [1_000, 2_000]);
        assert_eq!((plan.seed, plan.all_different), (7, true));
    }

    #[test]
    fn attacks_for_as_long_as_asked_and_measures_nothing_beside() {
        let Some(Command::Stress(stress)) = parsed("stress --seconds 40").unwrap().command else {
            panic!("another command");
        };
        assert_eq!(stress.length().as_secs(), 40);
        for both in ["ingest stress", "--seed 2 stress", "stress ingest", "load ingest"] {
            assert!(parsed(both).is_err(), "{both}");
        }
    }
}
