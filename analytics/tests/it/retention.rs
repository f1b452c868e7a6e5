use analytics::ingest::{MADE_UP_BATCHES, batches};
use analytics::migrate;
use analytics::reports::totals;
use analytics::retention::{drop_months_before, forget_before};
use analytics::roll_up::{check, open, seal_closed_days};
use chrono::NaiveDate;

use crate::engine::Engine;
use crate::sample::{DAY, START, row, store};

fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

/// A batch of January and one of February 2026.
async fn two_months(client: &analytics::Client) {
    store(client, 1, (0..400).map(row)).await;
    let february = |seed| analytics::ingest::AdRow {
        seen_at: START + 40 * DAY,
        ..row(seed)
    };
    store(client, 2, (0..100).map(february)).await;
}

#[tokio::test]
async fn whole_months_go_with_their_roll_ups_and_nothing_else_does() {
    let (engine, client) = Engine::migrated().await;
    two_months(&client).await;
    seal_closed_days(&client).await.unwrap();
    assert_eq!(drop_months_before(&client, date("2026-01-31")).await.unwrap(), []);
    assert_eq!(
        drop_months_before(&client, date("2026-02-28")).await.unwrap(),
        [date("2026-01-01")]
    );
    assert_eq!(drop_months_before(&client, date("2026-02-28")).await.unwrap(), []);
    assert_eq!(batches(&client, 0..=MADE_UP_BATCHES).await.unwrap(), [(2, 100)]);
    let months = "SELECT arraySort(groupUniqArray(toYYYYMM(day))) FROM ad_days";
    assert_eq!(
        engine.plain().query(months).fetch_one::<Vec<u32>>().await.unwrap(),
        [202_602]
    );
    assert_eq!(check(&client).await.unwrap(), []);
    assert_eq!(seal_closed_days(&client).await.unwrap(), 0);
}

#[tokio::test]
async fn an_interrupted_drop_is_brought_to_its_end() {
    let (engine, client) = Engine::migrated().await;
    two_months(&client).await;
    seal_closed_days(&client).await.unwrap();
    let half = "ALTER TABLE ad_results DROP PARTITION ID '202601'";
    engine.plain().query(half).execute().await.unwrap();
    drop_months_before(&client, date("2026-02-28")).await.unwrap();
    let left = "SELECT count() FROM ad_days WHERE day < '2026-02-01'";
    assert_eq!(engine.plain().query(left).fetch_one::<u64>().await.unwrap(), 0);
    assert_eq!(check(&client).await.unwrap(), []);
}

#[tokio::test]
async fn views_are_counted_from_roll_ups_and_open_days_alike() {
    let (_engine, client) = Engine::migrated().await;
    two_months(&client).await;
    let since = date("2026-01-06");
    let sum = async || {
        let (by_term, by_domain) = (
            totals::views_by_term(&client, since).await.unwrap(),
            totals::views_by_domain(&client, since).await.unwrap(),
        );
        let terms: u64 = by_term.iter().map(|row| row.2).sum();
        let domains: u64 = by_domain.iter().map(|row| row.2).sum();
        assert_eq!(terms, domains);
        terms
    };
    let from_results = sum().await;
    assert!(from_results > 100 && from_results < 500);
    seal_closed_days(&client).await.unwrap();
    assert_eq!(sum().await, from_results);
    open(&client, date("2026-01-07")).await.unwrap();
    assert_eq!(sum().await, from_results);
}

#[tokio::test]
async fn an_empty_store_lacks_every_migration_and_a_migrated_one_none() {
    let engine = Engine::start().await;
    let client = analytics::Client::connect(engine.store()).await.unwrap();
    let all = migrate::pending(&client).await.unwrap();
    assert!(all > 0);
    migrate::run(&client).await.unwrap();
    assert_eq!(migrate::pending(&client).await.unwrap(), 0);
    let mut elsewhere = engine.store().clone();
    elsewhere.database = "t_not_made".to_owned();
    let elsewhere = analytics::Client::connect(&elsewhere).await.unwrap();
    assert_eq!(migrate::pending(&elsewhere).await.unwrap(), all);
}

#[tokio::test]
async fn texts_of_ads_not_seen_any_more_and_old_sems_by_hand_are_forgotten() {
    let (engine, client) = Engine::migrated().await;
    store(&client, 1, (0..20).map(row)).await;
    let texts: u64 = engine
        .plain()
        .query("SELECT count() FROM creatives")
        .fetch_one()
        .await
        .unwrap();
    assert!(texts > 0);
    for statement in [
        // One that was not seen for long, and a row that was removed.
        "INSERT INTO creatives (domain, kind, title, stored_at) VALUES ('old.example', 'ads', 'Old', '2024-01-01 00:00:00')",
        "INSERT INTO sems_by_hand (id, version, removed, brand_id, date) VALUES (1, 1, false, 0, 1704067200000), (2, 1, false, 0, 1893456000000),
            (3, 1, false, 0, NULL), (4, 1, false, 0, 1893456000000)",
        "INSERT INTO sems_by_hand (id, version, removed, brand_id, date) VALUES (4, 2, true, 0, 1893456000000)",
    ] {
        engine.plain().query(statement).execute().await.unwrap();
    }
    assert_eq!(forget_before(&client, date("2026-02-28")).await.unwrap(), 3);
    assert_eq!(forget_before(&client, date("2026-02-28")).await.unwrap(), 0);
    let plain = engine.plain();
    let count = "SELECT count() FROM creatives";
    assert_eq!(plain.query(count).fetch_one::<u64>().await.unwrap(), texts);
    let ids = "SELECT id FROM sems_by_hand ORDER BY id";
    assert_eq!(plain.query(ids).fetch_all::<u64>().await.unwrap(), [2, 3]);
}
