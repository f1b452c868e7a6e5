//! Many users on lists, ads, cases, home and files, beside captures, detection, reminders and every job: how long they wait, what is lost, what the
//! processes grow to; and from how many requests a second on they wait for too long.

mod chores;
mod screens;
mod traffic;
mod usage;
mod world;

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use vigie::terminal::say;
use vigie::trial::TrialStack;

use crate::bench::targets::{Report, Targets};
use crate::bench::{BenchError, DEFAULT_TICK};
use crate::processes::StackProcesses;
use crate::{captures, trial};
use screens::{LISTS, Mix, WORK};
use traffic::{Figures, Traffic};
use usage::UsageWatch;
use world::World;

/// A user opens a page so often, on the average.
const PAGE_EVERY: Duration = Duration::from_secs(30);
/// The 99th percentile of all responses.
const LONGEST_P99: Duration = Duration::from_secs(1);
/// Peak memory that the API may reach, in MB.
const MOST_MEMORY_MB: u64 = 600;
/// Before memory is looked at: caches fill, and code is paged in.
const WARM_UP: Duration = Duration::from_mins(1);
/// Length of a step towards the knee, and how much faster the next one is.
const STEP: Duration = Duration::from_secs(30);
const FASTER: f64 = 1.25;
/// Single requests a second at first.
const FIRST_LISTS: f64 = 50.0;
/// Requests a second, a quarter of them lists of one brand, until 99 of 100 are not answered in time.
const LEAST_LISTS_KNEE: f64 = 300.0;
/// Steps at most: the last one is 200 times as fast as the first.
const STEPS: i32 = 24;
/// Mails to advertisers leave without a limit for the day.
const SETTINGS: [(&str, &str); 2] = [DEFAULT_TICK, ("VIGIE__ACTIONS__MAIL_DAILY_MAX", "10000000")];

/// Users, what they work on, and how long.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Length of the steady part.
    pub length: Duration,
    /// Users at work.
    pub users: u32,
    /// Ad results behind the lists.
    pub rows: u64,
    /// Cases of outreach; five times as many mails.
    pub cases: u64,
    /// The same seed draws the same pages.
    pub seed: u64,
}

/// Fills a separate stack, lets users work on it, and prints what it finds and each target. The stack's folder is kept when a target is missed.
pub async fn run(plan: &Plan) -> Result<Report, BenchError> {
    let mut stack = trial::start_with(&SETTINGS).await?;
    let outcome = run_on(&stack, plan).await;
    if !outcome.as_ref().is_ok_and(|report| report.missed.is_empty()) {
        stack.keep_folder();
        say(format!("The logs are kept in {}", stack.logs().display()));
    }
    stack.stop().await?;
    outcome
}

async fn run_on(stack: &TrialStack, plan: &Plan) -> Result<Report, BenchError> {
    let world = World::make(stack, plan).await?;
    let traffic = Traffic::sign_in(stack, &world, plan.seed).await?;
    let parts = StackProcesses::from_stack(stack)?;
    let ended = CancellationToken::new();
    let others = [
        tokio::spawn(chores::run(world.psql.clone(), ended.clone())),
        tokio::spawn(traffic.clone().follow_changes(ended.clone())),
    ];

    let pages_a_second = f64::from(plan.users) / PAGE_EVERY.as_secs_f64();
    say(format!(
        "\n{} users open {pages_a_second:.1} pages a second for {} s",
        plan.users,
        plan.length.as_secs()
    ));
    let warm_up = WARM_UP.min(plan.length / 4);
    traffic.run(WORK, pages_a_second, warm_up).await?;
    let watch = UsageWatch::start(stack)?;
    let steady = traffic.run(WORK, pages_a_second, plan.length).await?;
    let usage = watch.end().await?;
    steady.print();
    usage.print();
    say("\nThe same pages, faster and faster");
    let knee = find_knee(&traffic, WORK, pages_a_second).await?;
    say("\nSingle requests, a quarter of them lists of one brand");
    let lists_knee = find_knee(&traffic, LISTS, FIRST_LISTS).await?;

    ended.cancel();
    for other in others {
        other.await??;
    }
    let mails = chores::mails_left(&world.psql).await?;
    let failed_jobs = chores::failed_jobs(&world.psql).await?;
    let lost = captures::losses(stack, &world.postgres, &world.captured).await?;
    let dead = parts.dead(stack)?;

    let mut targets = Targets::default();
    targets.time("99 of 100 responses", steady.percentile(0.99), LONGEST_P99);
    targets.add(
        "errors",
        &format!("{} of {} requests", steady.errors, steady.requests()),
        steady.errors > 0,
    );
    let refused = traffic.refused_streams();
    targets.add("change streams refused", &refused.to_string(), refused > 0);
    targets.add("slots lost", &lost.slots.to_string(), lost.slots > 0);
    targets.add("rows lost", &lost.rows.to_string(), lost.rows > 0);
    targets.add("captures", &lost.stored.to_string(), lost.stored == 0);
    targets.add("mails to advertisers", &mails.to_string(), mails == 0);
    targets.add("jobs that failed", &failed_jobs.to_string(), failed_jobs > 0);
    targets.add("processes that died", &format!("{dead:?}"), !dead.is_empty());
    let api = usage.most_of("api");
    targets.memory("memory of the API", api, MOST_MEMORY_MB);
    targets.add(
        "requests a second, a quarter of them lists",
        &format!("{lists_knee:.0} of {LEAST_LISTS_KNEE:.0}"),
        lists_knee < LEAST_LISTS_KNEE,
    );
    let line = format!(
        "load {} rows, {} users, {} s: requests {}, p50 {} ms, p99 {} ms, errors {}, captures {}, mails {mails}, slots lost {}, rows lost {}, \
         API {api} MB, knee {knee:.0} requests a second, of lists {lists_knee:.0}",
        plan.rows,
        plan.users,
        plan.length.as_secs(),
        steady.requests(),
        steady.percentile(0.5).as_millis(),
        steady.percentile(0.99).as_millis(),
        steady.errors,
        lost.stored,
        lost.slots,
        lost.rows,
    );
    Ok(Report {
        line,
        missed: targets.missed,
    })
}

/// Lets pages come faster step by step until [`LONGEST_P99`] is exceeded or a request fails; prints each step and returns the requests a second of the
/// last good one, 0 without any.
async fn find_knee(traffic: &Traffic, mix: &Mix, pages_a_second: f64) -> Result<f64, BenchError> {
    let mut knee = 0.0;
    for step in 0..STEPS {
        let figures: Figures = traffic.run(mix, pages_a_second * FASTER.powi(step), STEP).await?;
        let p99 = figures.percentile(0.99);
        say(format!(
            "{:>6.1} requests a second: p50 {} ms, p99 {} ms, {} errors",
            figures.a_second(),
            figures.percentile(0.5).as_millis(),
            p99.as_millis(),
            figures.errors
        ));
        if p99 > LONGEST_P99 || figures.errors > 0 {
            break;
        }
        knee = figures.a_second();
    }
    Ok(knee)
}
