//! Parts of a whole stack are killed at random moments while captures run. Afterwards every slot has ended, nothing that was acknowledged
//! is lost, and nothing is there twice.

use std::str::FromStr;
use std::time::{Duration, Instant};

use crate::ledger::Ledger;
use crate::nemesis::Nemesis;
use crate::trial::{Trial, folder, vigie};

/// A minute after a term was captured it is due again, so that there is always something to capture.
const TERMS: i32 = 24;
/// Less would prove nothing.
const FEWEST_VERIFIED: i64 = 10;

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_killed_nothing_is_lost_and_nothing_is_there_twice() {
    withstands(Duration::from_secs(25)).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes VIGIE_FAULTS_SECONDS (1,200) and some minutes; see docs/CONTRIBUTING.md"]
async fn the_same_for_as_long_as_one_likes() {
    withstands(Duration::from_secs(asked("VIGIE_FAULTS_SECONDS").unwrap_or(1_200))).await;
}

async fn withstands(rage: Duration) {
    let seed = asked("VIGIE_FAULTS_SEED").unwrap_or_else(rand::random);
    println!("VIGIE_FAULTS_SEED={seed}");
    let data = folder();
    let mut up = Trial::start(
        vigie(data.path(), "up")
            .env("VIGIE__WORKERS__TICK_MILLIS", "1000")
            .env("VIGIE__ENGINES__GOOGLE__PER_MINUTE", "6000"),
    );
    up.hear("Vigie is ready");
    let ledger = Ledger::of(data.path());
    ledger.watch_terms(TERMS).await;

    let acknowledged = ledger.note_acknowledged();
    let mut nemesis = Nemesis::new(data.path(), seed);
    let kills = nemesis.rage(rage);
    let began = Instant::now();
    ledger.drain().await;
    let drained = began.elapsed();
    ledger
        .assert_sound(&acknowledged.end(), &data.path().join("blobs"))
        .await;

    let (states, verified) = ledger.states().await;
    println!("seed {seed}: {kills} kills; slots: {states}; drained in {drained:.0?}");
    assert!(
        verified >= FEWEST_VERIFIED,
        "only {verified} captures were stored: {states}"
    );
}

/// A number of the caller's environment.
fn asked<T: FromStr>(name: &str) -> Option<T> {
    std::env::var_os(name)?.to_str()?.parse().ok()
}
