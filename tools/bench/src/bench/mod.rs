//! Measurements on this machine, printed as tables. Peers answer the same questions over the same rows in the same run, and their
//! answers are compared before any time is taken.

mod export;
mod figures;
mod ingest;
mod monitoring;
mod peers;
mod sign_in;
pub(crate) mod world;

use thiserror::Error;
use vigie::trial::TrialError;

use crate::trial;

/// What can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Subject {
    /// Lists and the ad portal through the API, straight at the engine, in PostgreSQL and in DuckDB.
    Monitoring,
    /// Storing ad results with read-back.
    Ingest,
    /// Sign-ins, beside the bare check of a password.
    SignIn,
    /// A list of a million rows as CSV.
    Export,
}

/// How it is measured.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What to measure; empty is everything.
    pub subjects: Vec<Subject>,
    /// Sizes of the lists, in ad results.
    pub rows: Vec<u64>,
    /// The same seed makes the same results.
    pub seed: u64,
    /// Whether every result is another ad; otherwise ads repeat over captures.
    pub all_different: bool,
}

/// Why nothing was measured.
#[derive(Debug, Error)]
pub enum BenchError {
    /// The stack.
    #[error(transparent)]
    Stack(#[from] TrialError),
    /// ClickHouse.
    #[error(transparent)]
    Analytics(#[from] analytics::Error),
    /// Postgres.
    #[error(transparent)]
    Postgres(#[from] postgres::Error),
    /// An HTTP call.
    #[error("a call failed: {0}")]
    Http(#[from] reqwest::Error),
    /// An answer that is not what was asked for.
    #[error("{peer} answered: {answer}")]
    Answer {
        /// Who.
        peer: &'static str,
        /// What, shortened.
        answer: String,
    },
    /// Two peers that do not agree make every time worthless.
    #[error("{question}: {peer} found {found:?}, the API {expected:?}")]
    Disagreement {
        /// The question.
        question: String,
        /// Who disagrees.
        peer: &'static str,
        /// What it found.
        found: peers::Totals,
        /// The same by the API.
        expected: peers::Totals,
    },
    /// A program of Postgres.
    #[error("psql: {0}; install postgresql-client")]
    Psql(std::io::Error),
    /// The password could not be hashed.
    #[error(transparent)]
    Hash(#[from] api::passwords::HashError),
    /// The system: no randomness, no room, no program.
    #[error(transparent)]
    System(#[from] std::io::Error),
    /// Measured, and too slow.
    #[error("targets missed: {}", .0.join("; "))]
    Missed(Vec<String>),
}

/// Measures on a stack of its own, in a temporary folder: all that is asked for, also after a target was missed.
pub async fn run(plan: &Plan) -> Result<(), BenchError> {
    let asked = |subject| plan.subjects.is_empty() || plan.subjects.contains(&subject);
    let stack = trial::start().await?;
    let measured = async {
        let mut missed = Vec::new();
        let reader = world::reader(stack.announced("VIGIE__POSTGRES__URL", "where PostgreSQL is")?).await?;
        if asked(Subject::SignIn) {
            missed.extend(sign_in::measure(&stack, &reader).await?);
        }
        if asked(Subject::Export) {
            missed.extend(export::measure(&stack, plan, &reader).await?);
        }
        if asked(Subject::Monitoring) {
            missed.extend(monitoring::measure(&stack, plan, &reader).await?);
        }
        // At the end: its rows stay, and the others count rows.
        if asked(Subject::Ingest) {
            ingest::measure(&stack).await?;
        }
        if missed.is_empty() {
            Ok(())
        } else {
            Err(BenchError::Missed(missed))
        }
    }
    .await;
    stack.stop().await?;
    measured
}
