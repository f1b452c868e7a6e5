//! Parts of a whole stack are killed, stopped and starved at random moments while captures run and accounts are created. Afterwards every
//! slot has ended, nothing that was acknowledged is lost, and nothing is duplicated.

use std::str::FromStr;
use std::time::{Duration, Instant};

use crate::client::Administrator;
use crate::ledger::{Ledger, announcement};
use crate::nemesis::Nemesis;
use crate::processes;
use crate::trial::{Trial, folder, vigie};

/// A minute after a term was captured it is due again, so that there is always something to capture.
const TERMS: i32 = 24;
/// Fewer would prove nothing.
const FEWEST_VERIFIED: i64 = 10;

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_killed_nothing_is_lost_and_nothing_is_there_twice() {
    withstands(Duration::from_secs(25)).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes VIGIE_FAULTS_SECONDS (1,200) and some minutes; see docs/CONTRIBUTING.md"]
async fn the_same_for_as_long_as_one_likes() {
    withstands(Duration::from_secs(
        from_environment("VIGIE_FAULTS_SECONDS").unwrap_or(1_200),
    ))
    .await;
}

async fn withstands(time: Duration) {
    let seed = from_environment("VIGIE_FAULTS_SEED").unwrap_or_else(rand::random);
    println!("VIGIE_FAULTS_SEED={seed}");
    let data = folder();
    let mut up = Trial::start(
        vigie(data.path(), "up")
            .env("VIGIE__WORKERS__TICK_MILLIS", "1000")
            .env("VIGIE__ENGINES__GOOGLE__PER_MINUTE", "6000"),
    );
    up.wait_for("Vigie is ready");
    let ledger = Ledger::open(data.path());
    ledger.watch_terms(TERMS).await;

    let administrator = Administrator::sign_in(data.path(), &ledger).await;
    let accounts = administrator.make_accounts();
    let acknowledged = ledger.note_acknowledged();
    let mut nemesis = Nemesis::new(data.path(), seed);
    let kills = nemesis.do_harm(time);
    let began = Instant::now();
    ledger.drain().await;
    let drained = began.elapsed();
    ledger
        .assert_sound(&acknowledged.end(), &data.path().join("blobs"))
        .await;

    let made = accounts.end();
    assert!(!made.is_empty(), "no account was made");
    administrator.assert_kept(&made, &ledger).await;

    let (states, verified) = ledger.states().await;
    println!(
        "seed {seed}: {kills} harms, {} accounts made; slots: {states}; drained in {drained:.0?}",
        made.len()
    );
    assert!(
        verified >= FEWEST_VERIFIED,
        "only {verified} captures were stored: {states}"
    );
}

/// Time until a user learns that a store does not respond.
const REPORTED_WITHIN: Duration = Duration::from_secs(20);
/// Time until new terms have slots.
const PLANNED_WITHIN: Duration = Duration::from_secs(30);

#[tokio::test(flavor = "multi_thread")]
async fn a_store_of_ads_that_hangs_stops_neither_scheduling_nor_gauges_nor_readers() {
    let data = folder();
    let mut up = Trial::start(
        vigie(data.path(), "up")
            .env("VIGIE__WORKERS__TICK_MILLIS", "1000")
            .env("VIGIE__ENGINES__GOOGLE__PER_MINUTE", "6000"),
    );
    up.wait_for("Vigie is ready");
    let ledger = Ledger::open(data.path());
    let administrator = Administrator::sign_in(data.path(), &ledger).await;
    let acknowledged = ledger.note_acknowledged();
    ledger.watch_terms(2).await;
    ledger.stored(2).await;

    let stopped = processes::stop(data.path(), "embedded-clickhouse");
    ledger.watch_terms(6).await;
    let planned = ledger
        .until("select count(distinct term_id) >= 6 from slot", PLANNED_WITHIN)
        .await;
    assert!(planned, "new terms have slots: {}", ledger.states().await.0);
    let operations = announcement(data.path())["VIGIE__WORKERS__OPERATIONS_LISTEN"].clone();
    let waits = async || {
        let text = reqwest::get(format!("http://{operations}/metrics"))
            .await
            .unwrap()
            .text()
            .await
            .unwrap();
        let slots = text.lines().filter(|line| line.starts_with("vigie_slots{"));
        slots
            .filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok())
            .sum::<f64>()
            > 0.0
    };
    let deadline = Instant::now() + PLANNED_WITHIN;
    while !waits().await {
        assert!(Instant::now() < deadline, "the gauges do not tell of slots that wait");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let started = Instant::now();
    let (status, body) = administrator.get("/Sems/findAdvertisers").await.unwrap();
    assert_eq!(
        (status.as_u16(), &body["error"]["code"]),
        (503, &"STORE_UNAVAILABLE".into()),
        "{body}"
    );
    assert!(started.elapsed() < REPORTED_WITHIN, "{:?}", started.elapsed());
    let (status, body) = administrator.get("/actions").await.unwrap();
    assert_eq!(status.as_u16(), 200, "{body}");
    drop(stopped);

    ledger.drain().await;
    ledger
        .assert_sound(&acknowledged.end(), &data.path().join("blobs"))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ledger_that_hangs_is_reported_and_continues_where_it_was() {
    let data = folder();
    let mut up = Trial::ready(data.path());
    let ledger = Ledger::open(data.path());
    let administrator = Administrator::sign_in(data.path(), &ledger).await;
    let stopped = processes::stop(data.path(), "postgres");
    let started = Instant::now();
    let (status, body) = administrator.get("/UserAccounts/me").await.unwrap();
    assert_eq!(
        (status.as_u16(), &body["error"]["code"]),
        (503, &"STORE_UNAVAILABLE".into()),
        "{body}"
    );
    assert!(started.elapsed() < REPORTED_WITHIN, "{:?}", started.elapsed());
    drop(stopped);
    let deadline = Instant::now() + REPORTED_WITHIN;
    while !matches!(administrator.get("/UserAccounts/me").await, Ok((status, _)) if status.is_success()) {
        assert!(Instant::now() < deadline, "it does not come back");
    }
    let stopped = processes::stop(data.path(), "redis-server");
    for _ in 0..20 {
        let started = Instant::now();
        let (status, body) = administrator.get("/UserAccounts/me").await.unwrap();
        assert!(status.is_success(), "{body}");
        assert!(started.elapsed() < REPORTED_WITHIN, "{:?}", started.elapsed());
    }
    drop(stopped);
    up.send(nix::sys::signal::Signal::SIGTERM);
    assert!(up.end().success());
}

/// Most stops of the workers until one of their claims is lost.
const MOST_STOPS: usize = 8;
/// Time for the sweeper to find expired leases.
const SWEPT_WITHIN: Duration = Duration::from_secs(5);

#[tokio::test(flavor = "multi_thread")]
async fn workers_that_stand_still_until_their_leases_run_out_store_nothing_twice() {
    let data = folder();
    let mut up = Trial::start(
        vigie(data.path(), "up")
            .env("VIGIE__WORKERS__TICK_MILLIS", "200")
            .env("VIGIE__ENGINES__GOOGLE__PER_MINUTE", "6000"),
    );
    up.wait_for("Vigie is ready");
    let ledger = Ledger::open(data.path());
    let acknowledged = ledger.note_acknowledged();
    ledger.watch_terms(TERMS).await;
    let mut is_lost = false;
    for _ in 0..MOST_STOPS {
        let is_capturing = "select exists (select from slot where state = 'capturing')";
        assert!(ledger.until(is_capturing, PLANNED_WITHIN).await);
        let stopped = processes::stop(data.path(), "vigie workers");
        ledger.end_leases().await;
        drop(stopped);
        // What was running continues, and finds that its slot belongs to another attempt.
        let lost = "select exists (select from slot where lost_claims > 0)";
        is_lost = ledger.until(lost, SWEPT_WITHIN).await;
        if is_lost {
            break;
        }
    }
    assert!(
        is_lost,
        "every attempt ended before its lease: {}",
        ledger.states().await.0
    );
    ledger.drain().await;
    ledger
        .assert_sound(&acknowledged.end(), &data.path().join("blobs"))
        .await;
    let (states, verified) = ledger.states().await;
    assert!(
        verified >= FEWEST_VERIFIED,
        "only {verified} captures were stored: {states}"
    );
}

/// A number from the caller's environment.
pub fn from_environment<T: FromStr>(name: &str) -> Option<T> {
    std::env::var_os(name)?.to_str()?.parse().ok()
}
