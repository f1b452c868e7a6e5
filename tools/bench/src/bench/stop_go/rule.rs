//! The rule alone, and over what is stored.

use std::hint::black_box;
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use futures::{StreamExt, TryStreamExt, stream};
use postgres::stop_go::readings;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stop_go::{
    Circumstances, Lane, LaneHistory, Reading, ReadingVerdict, Readings, Settings, Source, decide, dry_run, live,
};
use uuid::Uuid;
use vigie::terminal::say;
use vocabulary::{CaptureId, SystemScope};

use super::world;
use crate::bench::BenchError;

const DECIDED: u32 = 1_000_000;
/// Lanes that are read at the same time.
const AT_ONCE: usize = 4;
const MOST_READINGS: i64 = 30_000;
/// Of a lane that is captured hourly, less a few at the ends.
const LEAST_READINGS: usize = 90 * 24 - 10;
const SCOPE: SystemScope = SystemScope::new("dry runs of a bench");

/// Lets a lane with two sources live through random readings; the mean time of one, with what it changes.
pub(super) fn decide_each(seed: u64) -> Duration {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let settings = Settings::default();
    let first: DateTime<Utc> = DateTime::UNIX_EPOCH + TimeDelta::days(20_000);
    let story: Vec<Reading> = (0..DECIDED)
        .map(|number| Reading {
            source: number % 2,
            at: first + TimeDelta::minutes(30 * i64::from(number)),
            verdict: match random.random_range(0..20) {
                0 => ReadingVerdict::Rival,
                1 => ReadingVerdict::Unsure,
                2 => ReadingVerdict::Invalid,
                _ => ReadingVerdict::Clean,
            },
            capture: CaptureId(Uuid::from_u128(u128::from(number))),
        })
        .collect();
    let interval = TimeDelta::hours(1);
    let sources = vec![Source { id: 0, interval }, Source { id: 1, interval }];
    let mut lane = Lane::new(first, sources, Circumstances::UNHINDERED);
    let mut readings = Readings::default();
    let began = Instant::now();
    for reading in &story {
        readings.push(reading);
        let decision = decide(&lane, &readings, reading.at, &settings);
        lane.follow(decision, reading.at, &settings);
        // The list does at once what is wanted.
        lane.observed = Some(lane.desired);
    }
    black_box(&lane);
    began.elapsed() / DECIDED
}

/// Reads the last [`world::DRY_DAYS`] days of [`world::DRY_LANES`] lanes from the database and runs the rule over them; the time of it all.
pub(super) async fn run_dry(pool: &postgres::Pool) -> Result<Duration, BenchError> {
    let now = runtime::Clock::system().now();
    let period = (now - TimeDelta::days(world::DRY_DAYS), now);
    let began = Instant::now();
    let found: Vec<(usize, u32)> = stream::iter(world::dry_lanes())
        .map(|lane| async move {
            let stored = readings::between(pool, &SCOPE, lane, period, MOST_READINGS).await?;
            let run = tokio::task::spawn_blocking(move || {
                let readings = stored.iter().filter_map(|reading| live::reading_of(reading).ok());
                let history = LaneHistory {
                    sources: world::sources_of(lane),
                    readings: readings.collect(),
                };
                (
                    history.readings.len(),
                    dry_run(&history, period, &Settings::default()).toggles,
                )
            });
            Ok::<_, BenchError>(run.await.map_err(std::io::Error::other)?)
        })
        .buffer_unordered(AT_ONCE)
        .try_collect()
        .await?;
    let took = began.elapsed();
    let readings: usize = found.iter().map(|(readings, _)| readings).sum();
    let toggles: u32 = found.iter().map(|(_, toggles)| toggles).sum();
    say(format!(
        "\n{} dry runs over {readings} readings: {toggles} stops and goes",
        found.len()
    ));
    if toggles == 0 || readings < found.len() * LEAST_READINGS {
        return Err(BenchError::Answer {
            peer: "the dry run",
            reply: format!("{readings} readings, {toggles} stops and goes"),
        });
    }
    Ok(took)
}
