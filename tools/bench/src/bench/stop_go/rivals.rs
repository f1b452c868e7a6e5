//! Rivals that appear while lanes are stopped.

use std::time::{Duration, Instant};

use futures::future::try_join_all;
use postgres::stop_go::readings::{self, StoredReading};
use rand::SeedableRng;
use rand::seq::index::sample;
use rand_chacha::ChaCha8Rng;
use stop_go::ReadingVerdict;
use stop_go::live::{self, ProductSwitches};
use uuid::Uuid;
use vigie::terminal::say;
use vocabulary::{CaptureId, Device, SystemScope, TermId};

use super::world;
use crate::bench::BenchError;
use crate::bench::figures::percentile;
use crate::bench::peers::Psql;

const RIVALS: usize = 200;
/// Between two rivals: 200 in 40 s are 18,000 an hour.
const EVERY: Duration = Duration::from_millis(200);
const GONE_WITHIN: Duration = Duration::from_mins(1);
/// Short beside the target, and long enough that looking takes little of the machine.
const LOOK_EVERY: Duration = Duration::from_millis(100);
const SCOPE: SystemScope = SystemScope::new("rivals of a bench");
const ON: ProductSwitches = ProductSwitches {
    automation: true,
    mutations: true,
};

/// Stores readings with a rival as a worker does with a capture, one after the other, and waits for each until the removal of its text is read back. The time
/// that 95 of 100 do not exceed; fails where a lane does not go.
pub(super) async fn measure(pool: &postgres::Pool, psql: &Psql, seed: u64) -> Result<Duration, BenchError> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let lanes = sample(&mut random, usize::try_from(world::LANES).unwrap_or_default(), RIVALS);
    let began = Instant::now();
    let goes = lanes.into_iter().enumerate().map(|(number, place)| async move {
        let due = EVERY * u32::try_from(number).unwrap_or_default();
        tokio::time::sleep(due.saturating_sub(began.elapsed())).await;
        go(pool, world::lane(i32::try_from(place).unwrap_or_default())).await
    });
    let mut times = try_join_all(goes).await?;
    times.sort_unstable();
    let wrong = psql
        .number("select count(*) from stop_go_lane where desired and observed is not true")
        .await?;
    if wrong > 0 {
        return Err(BenchError::Answer {
            peer: "Stop and Go",
            reply: format!("{wrong} lanes without a rival are not stopped any more"),
        });
    }
    let [median, p95, most] = [0.5, 0.95, 1.0].map(|share| percentile(&times, share));
    say(format!(
        "\n{RIVALS} lanes of {} went, one every {} ms: median {median:.0} ms, p95 {p95:.0} ms, longest {most:.0} ms",
        world::LANES,
        EVERY.as_millis()
    ));
    Ok(Duration::from_secs_f64(p95 / 1e3))
}

async fn go(pool: &postgres::Pool, lane: i32) -> Result<Duration, BenchError> {
    let now = runtime::Clock::system().now();
    let reading = StoredReading {
        capture: CaptureId(Uuid::now_v7()),
        term: TermId(lane),
        device: Device::Desktop,
        at: now,
        verdict: ReadingVerdict::Rival.to_string(),
        rivals: vec!["rival.example".to_owned()],
        partners: Vec::new(),
        organic_first: Some(true),
        own_ad: false,
    };
    let began = Instant::now();
    let mut tx = postgres::begin(pool).await?;
    readings::add(&mut tx, &SCOPE, lane, &reading).await?;
    live::decide_stored(&mut tx, lane, ON, now)
        .await
        .map_err(std::io::Error::other)?;
    tx.commit().await.map_err(postgres::Error::from)?;
    while began.elapsed() < GONE_WITHIN {
        let stored = postgres::stop_go::lanes::get(pool, &SCOPE, lane).await?;
        if stored.is_some_and(|stored| !stored.desired && stored.observed == Some(false)) {
            return Ok(began.elapsed());
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    Err(BenchError::Answer {
        peer: "Stop and Go",
        reply: format!("lane {lane} has not gone {} s after its rival", GONE_WITHIN.as_secs()),
    })
}
