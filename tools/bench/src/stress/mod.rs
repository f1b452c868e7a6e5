//! Whether an ordinary user notices attacks on a stack, hanging stores and a full disk; and whether anything is lost meanwhile.

mod disk;
mod hostile;
mod ordinary;
mod world;

use std::time::Duration;

use thiserror::Error;
use vigie::terminal::say;
use vigie::trial::{TrialError, TrialStack};

use crate::processes::StackProcesses;
use crate::{captures, memory, trial};
use hostile::Attacker;
use ordinary::{OrdinaryUser, UserReport};
use world::World;

/// Longest time of 99 of 100 responses to the ordinary user.
const LONGEST_P99: Duration = Duration::from_secs(1);
/// Fewer requests would prove nothing; required of a run of the full length.
const FEWEST_REQUESTS: usize = 1_000;
const FULL_LENGTH: Duration = Duration::from_mins(10);
/// Peak memory that the API may reach.
const MOST_MEMORY_MB: u64 = 600;

/// Why there is no verdict.
#[derive(Debug, Error)]
pub enum StressError {
    /// The stack did not start or stop.
    #[error(transparent)]
    Stack(#[from] TrialError),
    /// Postgres returned an error.
    #[error(transparent)]
    Postgres(#[from] postgres::Error),
    /// ClickHouse returned an error.
    #[error(transparent)]
    Analytics(#[from] analytics::Error),
    /// Generating results or terms failed, or counting what was lost.
    #[error(transparent)]
    World(#[from] crate::bench::BenchError),
    /// A request that must succeed failed.
    #[error("a call failed: {0}")]
    Http(#[from] reqwest::Error),
    /// The password could not be hashed.
    #[error(transparent)]
    Hash(#[from] api::passwords::HashError),
    /// The system failed.
    #[error(transparent)]
    System(#[from] std::io::Error),
    /// A user could not sign in at the beginning.
    #[error("{0} cannot sign in")]
    NoSession(&'static str),
    /// The ordinary user's task failed.
    #[error("the ordinary user broke down: {0}")]
    User(#[from] tokio::task::JoinError),
}

/// The result of a run.
pub struct Verdict {
    report: UserReport,
    slots_lost: u64,
    rows_lost: u64,
    memory_mb: u64,
    dead: Vec<String>,
    is_full: bool,
}

impl Verdict {
    /// The closing line with the figures.
    pub fn line(&self) -> String {
        let UserReport {
            p99, refused, requests, ..
        } = &self.report;
        format!(
            "stress: ordinary user p99 {} ms, refused {refused} of {requests}, slots lost {}, rows lost {}, API memory {} MB",
            p99.as_millis(),
            self.slots_lost,
            self.rows_lost,
            self.memory_mb
        )
    }

    /// Lists the requirements that were missed; empty when the run has passed.
    pub fn faults(&self) -> Vec<String> {
        let mut faults: Vec<String> = self.dead.iter().map(|part| format!("{part} died")).collect();
        let mut check = |holds: bool, fault: &str| {
            if !holds {
                faults.push(fault.to_owned());
            }
        };
        check(self.report.p99 <= LONGEST_P99, "the ordinary user waited for too long");
        check(
            self.report.refused == 0,
            "the ordinary user was refused outside a stopped store",
        );
        check(self.slots_lost == 0, "slots were lost");
        check(self.rows_lost == 0, "rows were lost");
        check(self.memory_mb <= MOST_MEMORY_MB, "the API took too much memory");
        check(
            !self.is_full || self.report.requests >= FEWEST_REQUESTS,
            "the ordinary user asked too rarely",
        );
        faults
    }
}

/// Runs all attacks in about `length` (at least 30 s) on a separate stack; returns the verdict, good or bad. The stack's folder is kept unless the
/// verdict is good.
pub async fn run(length: Duration) -> Result<Verdict, StressError> {
    let length = length.max(Duration::from_secs(30));
    let mut stack = trial::start().await?;
    let outcome = run_on(&stack, length).await;
    if !outcome.as_ref().is_ok_and(|verdict| verdict.faults().is_empty()) {
        stack.keep_folder();
        say(format!("The logs are kept in {}", stack.logs().display()));
    }
    stack.stop().await?;
    outcome
}

/// Fills a stack, attacks it while an ordinary user works, and collects the verdict.
async fn run_on(stack: &TrialStack, length: Duration) -> Result<Verdict, StressError> {
    let world = World::make(stack, length).await?;
    let address = stack.setting_url("VIGIE__API__PUBLIC_URL", "the address of the API")?;
    let ordinary = OrdinaryUser::sign_in(&address, &world.ordinary).await?;
    let hostile = Attacker::sign_in(&address, &world.hostile).await?;
    let parts = StackProcesses::from_stack(stack)?;
    let user = ordinary.start();
    let outcome = attack(stack, &parts, &hostile, &user, length).await;
    let report = user.end().await?;
    outcome?;
    say(format!("slowest: {}", report.slowest()));
    let lost = captures::losses(stack, &world.postgres, &world.terms).await?;
    Ok(Verdict {
        report,
        slots_lost: lost.slots,
        rows_lost: lost.rows,
        memory_mb: memory::most_resident(parts.find_part("api")?)?,
        dead: parts.dead(stack)?,
        is_full: length >= FULL_LENGTH,
    })
}

/// Runs the attacks one after the other, each for its share of the time, then stops each store and fills the disk.
async fn attack(
    stack: &TrialStack,
    parts: &StackProcesses,
    hostile: &Attacker,
    user: &ordinary::Running,
    length: Duration,
) -> Result<(), StressError> {
    let share = |hundredths: u32| length * hundredths / 100;
    phase("nothing else", share(5), tokio::time::sleep(share(5))).await;
    phase("hostile forms", share(12), hostile.forms(share(12))).await;
    phase("nested includes", share(10), hostile.includes(share(10))).await;
    phase("600 parallel logins", share(12), hostile.logins(600, share(12))).await;
    phase(
        "1,100 slow connections",
        share(12),
        hostile.slow_connections(1_100, share(12)),
    )
    .await;
    phase("40 worst lists", share(15), hostile.worst_lists(40, share(15))).await;
    for (name, part) in [
        ("ClickHouse", "embedded-clickhouse"),
        ("PostgreSQL", "postgres"),
        ("Redis", "redis-server"),
    ] {
        say(format!("{:>8} s  {name} is stopped", share(8).as_secs()));
        user.excuse_from_now();
        parts.stop(part)?;
        tokio::time::sleep(share(8)).await;
        parts.resume(part)?;
        user.excuse_no_more();
    }
    say(format!("{:>8} s  a disk that takes no page", share(10).as_secs()));
    let full = disk::FullDisk::make(&stack.blobs())?;
    tokio::time::sleep(share(10)).await;
    full.end()?;
    Ok(())
}

/// Prints the name of a phase and its length, and runs it.
async fn phase(name: &str, length: Duration, work: impl Future<Output = ()>) {
    say(format!("{:>8} s  {name}", length.as_secs()));
    work.await;
}
