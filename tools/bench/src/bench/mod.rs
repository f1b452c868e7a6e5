//! Measurements on this machine, printed as tables. Peers answer the same questions over the same rows in the same run, and their results
//! are compared before any time is taken.

mod export;
pub(crate) mod figures;
pub(crate) mod home;
mod ingest;
mod monitoring;
pub(crate) mod outreach;
pub(crate) mod peers;
mod settings;
mod sign_in;
mod stop_go;
pub(crate) mod targets;
pub(crate) mod world;

use thiserror::Error;
use vigie::terminal::say;
use vigie::trial::TrialError;

use crate::trial;

/// The time between passes that workers have by default.
pub(crate) const DEFAULT_TICK: (&str, &str) = ("VIGIE__WORKERS__TICK_MILLIS", "30000");

/// What can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Subject {
    /// Lists and the ad portal through the API, straight at the engine, in PostgreSQL and in DuckDB.
    Monitoring,
    /// Storing ad results with read-back.
    Ingest,
    /// Sign-ins, compared with the bare check of a password.
    SignIn,
    /// A list of a million rows as CSV.
    Export,
    /// The home page with all its questions, and the search in the header.
    Home,
    /// Lists, bulk changes, matches and imports of 100,000 terms.
    Settings,
    /// Lists and details of a million cases with their mails, and ten thousand mails that leave.
    Outreach,
    /// The rule of Stop and Go, dry runs, and 10,000 lanes in the simulated Google.
    StopGo,
}

/// What to measure and with which data.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What to measure; everything when empty.
    pub subjects: Vec<Subject>,
    /// Sizes of the lists, in ad results.
    pub rows: Vec<u64>,
    /// Cases of outreach; five times as many mails.
    pub cases: u64,
    /// The same seed gives the same results.
    pub seed: u64,
    /// Whether every result is a different ad; otherwise ads repeat over captures.
    pub all_different: bool,
}

/// Why nothing was measured.
#[derive(Debug, Error)]
pub enum BenchError {
    /// The stack did not start or stop.
    #[error(transparent)]
    Stack(#[from] TrialError),
    /// ClickHouse returned an error.
    #[error(transparent)]
    Analytics(#[from] analytics::Error),
    /// Postgres returned an error.
    #[error(transparent)]
    Postgres(#[from] postgres::Error),
    /// A request failed.
    #[error("a call failed: {0}")]
    Http(#[from] reqwest::Error),
    /// A peer returned something unexpected.
    #[error("{peer} answered: {reply}")]
    Answer {
        /// Name of the peer.
        peer: &'static str,
        /// Its response, shortened.
        reply: String,
    },
    /// Two peers disagree, which makes every time worthless.
    #[error("{question}: {peer} found {found:?}, the API {expected:?}")]
    Disagreement {
        /// Description of the question.
        question: String,
        /// The peer that disagrees.
        peer: &'static str,
        /// The totals it found.
        found: peers::Totals,
        /// The totals of the API.
        expected: peers::Totals,
    },
    /// A program of Postgres failed.
    #[error("psql: {0}; install postgresql-client")]
    Psql(std::io::Error),
    /// The reference data lack the localization of terms that are captured.
    #[error("the schema brings no localization {0}")]
    NoLocalization(&'static str),
    /// The password could not be hashed.
    #[error(transparent)]
    Hash(#[from] api::passwords::HashError),
    /// A task of the bench failed.
    #[error("a task failed: {0}")]
    Task(#[from] tokio::task::JoinError),
    /// The system failed: no randomness, no space, or no program.
    #[error(transparent)]
    System(#[from] std::io::Error),
    /// Measurements missed targets.
    #[error("targets missed: {}", .0.join("; "))]
    Missed(Vec<String>),
}

/// Measures all requested subjects on a separate stack in a temporary folder, even after a missed target; prints the results, the lines of home,
/// settings, outreach and Stop and Go last. Fails with [`BenchError::Missed`] when targets were missed.
pub async fn run(plan: &Plan) -> Result<(), BenchError> {
    let is_requested = |subject| plan.subjects.is_empty() || plan.subjects.contains(&subject);
    let mail_server = outreach::BenchMailServer::start(plan.cases).await?;
    let mut settings = vec![DEFAULT_TICK];
    if is_requested(Subject::Outreach) {
        settings.extend(mail_server.settings());
    }
    if is_requested(Subject::StopGo) {
        settings.extend(stop_go::SETTINGS);
    }
    let stack = trial::start_with(&settings).await?;
    let mut last_lines = Vec::new();
    let measured = async {
        let mut missed = Vec::new();
        let reader = world::reader(stack.setting("VIGIE__POSTGRES__URL", "where PostgreSQL is")?).await?;
        if is_requested(Subject::SignIn) {
            missed.extend(sign_in::measure(&stack, &reader).await?);
        }
        if is_requested(Subject::Export) {
            missed.extend(export::measure(&stack, plan, &reader).await?);
        }
        if is_requested(Subject::Monitoring) {
            missed.extend(monitoring::measure(&stack, plan, &reader).await?);
        }
        if is_requested(Subject::Home) {
            let report = home::measure(&stack, plan, &reader).await?;
            last_lines.push(report.line);
            missed.extend(report.missed);
        }
        // Its rows stay, and the others count rows.
        if is_requested(Subject::Ingest) {
            ingest::measure(&stack).await?;
        }
        // Its terms stay, too, and workers are busy with them.
        if is_requested(Subject::Settings) {
            let report = settings::measure(&stack, &reader).await?;
            last_lines.push(report.line);
            missed.extend(report.missed);
        }
        if is_requested(Subject::Outreach) {
            let report = outreach::measure(&stack, plan, &reader, &mail_server).await?;
            last_lines.push(report.line);
            missed.extend(report.missed);
        }
        if is_requested(Subject::StopGo) {
            let report = stop_go::measure(&stack, plan, &reader).await?;
            last_lines.push(report.line);
            missed.extend(report.missed);
        }
        if missed.is_empty() {
            Ok(())
        } else {
            Err(BenchError::Missed(missed))
        }
    }
    .await;
    stack.stop().await?;
    last_lines.iter().for_each(say);
    measured
}
