//! The links between domains at full size: the job that keeps what ads show, and a group of an advertiser.

use std::time::{Duration, Instant};

use chrono::Days;
use runtime::Clock;
use vigie::terminal::say;
use vigie::trial::TrialStack;

use super::super::figures::percentile;
use super::super::peers::{Api, Psql};
use super::super::{BenchError, Plan, world};
use crate::memory::{forget_most_resident, most_resident};

/// Distinct creatives of 90 days.
const CREATIVES: u64 = 1_000_000;
const LONGEST: Duration = Duration::from_mins(10);
const MOST_MB: u64 = 500;
/// The time between two looks at the job.
const LOOK: Duration = Duration::from_secs(1);
/// Advertisers whose groups are opened.
const DOMAINS: [&str; 5] = [
    "nordmart.example",
    "solstore.example",
    "brand-1.example",
    "veraplaza.example",
    "lumideal.example",
];
const SHARE: f64 = 0.95;

/// What was measured.
pub(super) struct Attribution {
    /// How long the job took over all creatives.
    pub(super) took: Duration,
    /// The most memory of the workers meanwhile, in MB (10^6 bytes).
    pub(super) megabytes: u64,
    /// What was missed.
    pub(super) missed: Vec<String>,
}

/// Replaces the rows by as many distinct creatives, lets the workers read them, and opens groups.
pub(super) async fn measure(
    stack: &TrialStack,
    plan: &Plan,
    (psql, api, client): (&Psql, &Api, &analytics::Client),
) -> Result<Attribution, BenchError> {
    let now = Clock::system().now();
    let different = Plan {
        all_different: true,
        ..plan.clone()
    };
    world::fill(client, &different, CREATIVES, now).await?;
    analytics::signals::forget_before(client, now.date_naive() + Days::new(1)).await?;
    let workers = stack.process_of("workers")?;
    forget_most_resident(workers)?;
    psql.run(&["delete from job_run where job = 'link-advertisers'"])
        .await?;
    let done = "select count(*) from job_run where job = 'link-advertisers' and outcome = 'done'";
    let began = Instant::now();
    while psql.number(done).await? == 0 && began.elapsed() < LONGEST * 2 {
        tokio::time::sleep(LOOK).await;
    }
    let millis = "select coalesce(max(round(extract(epoch from ended_at - started_at) * 1000)), 0)::bigint
                  from job_run where job = 'link-advertisers' and outcome = 'done'";
    let took = match psql.number(millis).await? {
        0 => began.elapsed(),
        millis => Duration::from_millis(millis),
    };
    let megabytes = most_resident(workers)?;
    let mut times = Vec::new();
    for domain in DOMAINS.iter().cycle().take(DOMAINS.len() * 4) {
        if let Ok((time, _)) = api.get(&format!("api/advertiserGroups/{domain}")).await {
            times.push(time);
        }
    }
    times.sort_unstable();
    say(format!(
        "attribution: {CREATIVES} creatives read in {} s with {megabytes} MB; {} groups opened, p95 {:.0} ms",
        took.as_secs(),
        times.len(),
        percentile(&times, SHARE)
    ));
    let mut missed = Vec::new();
    if took > LONGEST {
        missed.push(format!("attribution, {} s of {} s", took.as_secs(), LONGEST.as_secs()));
    }
    if megabytes > MOST_MB {
        missed.push(format!("attribution, {megabytes} MB of {MOST_MB} MB"));
    }
    Ok(Attribution {
        took,
        megabytes,
        missed,
    })
}
