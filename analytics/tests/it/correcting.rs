use analytics::ingest::{AdRow, Corrected, correct, rows};
use analytics::roll_up::{check, seal_closed_days};
use chrono::NaiveDate;

use crate::engine::Engine;
use crate::sample::{DAY, START, row, store};

fn january() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 1, 1).unwrap()
}

fn correction(before: &[AdRow], after: Vec<AdRow>) -> Corrected {
    Corrected {
        outgoing: before.iter().map(|row| (row.batch, row.row)).collect(),
        incoming: after,
        seen_at: before.iter().map(|row| row.seen_at).collect(),
    }
}

async fn count(engine: &Engine, query: &str) -> u64 {
    engine.plain().query(query).fetch_one().await.unwrap()
}

#[tokio::test]
async fn a_corrected_row_keeps_its_number_and_its_days_are_added_up_again() {
    let (engine, client) = Engine::migrated().await;
    let stored = store(&client, 7, (0..500).map(row)).await;
    store(&client, 8, (0..500).map(row)).await;
    seal_closed_days(&client).await.unwrap();
    let before = &stored[3..5];
    let mut after = before.to_vec();
    after[0].title = "Another".to_owned();
    after[0].domain = "corrected.example".to_owned();
    after[1].seen_at = START + 8 * DAY;
    let corrected = correction(before, after.clone());
    correct(&client, january(), 1, &corrected).await.unwrap();
    assert_eq!(rows(&client, &[7 * 8_192 + 3, 7 * 8_192 + 4]).await.unwrap(), after);
    assert_eq!(count(&engine, "SELECT count() FROM ad_results").await, 1_000);
    let orphans = "SELECT count() FROM ad_results WHERE (domain, ad) NOT IN (SELECT domain, ad FROM creatives)";
    assert_eq!(count(&engine, orphans).await, 0);

    assert_eq!(
        check(&client).await.unwrap(),
        [],
        "what is sealed still is what is stored"
    );
    assert_eq!(
        seal_closed_days(&client).await.unwrap(),
        2,
        "the days it left and came to"
    );
    assert_eq!(check(&client).await.unwrap(), []);
    let found = "SELECT sum(views) FROM ad_days WHERE domain = 'corrected.example'";
    assert_eq!(count(&engine, found).await, 1);
}

#[tokio::test]
async fn an_attempt_that_still_runs_is_ended_before_the_next() {
    let (engine, client) = Engine::migrated().await;
    let stored = store(&client, 7, (0..20).map(row)).await;
    let slow = "INSERT INTO ad_results (batch, row, seen_at, domain) \
        SELECT 7, 3, 1767225600, 'slow.example' FROM numbers(300) WHERE sleepEachRow(0.1) = 0 SETTINGS max_block_size = 1";
    let id = format!("{}.correction#1", engine.store().database);
    let insert = engine.plain().query(slow).with_setting("query_id", &id).execute();
    let insert = tokio::spawn(insert);
    let running = "SELECT count() FROM system.processes WHERE query LIKE '%slow.example%' AND query NOT LIKE '%system.processes%'";
    while count(&engine, running).await == 0 {
        tokio::task::yield_now().await;
    }
    let corrected = correction(&stored[3..4], stored[3..4].to_vec());
    correct(&client, january(), 2, &corrected).await.unwrap();
    assert!(insert.await.unwrap().is_err());
    assert_eq!(rows(&client, &[7 * 8_192 + 3]).await.unwrap(), stored[3..4]);
}

#[tokio::test]
async fn an_attempt_that_broke_off_anywhere_is_completed_by_the_next() {
    let (engine, client) = Engine::migrated().await;
    let stored = store(&client, 7, (0..20).map(row)).await;
    let changed = AdRow {
        title: "Another".to_owned(),
        ..stored[3].clone()
    };
    // The first is changed, the second deleted.
    let corrected = correction(&stored[3..5], vec![changed.clone()]);
    let is_done = async || {
        let found = rows(&client, &[7 * 8_192 + 3, 7 * 8_192 + 4]).await.unwrap();
        assert_eq!(found, std::slice::from_ref(&changed));
        assert_eq!(count(&engine, "SELECT count() FROM ad_results").await, 19);
    };
    // Only the old rows went.
    let gone = "ALTER TABLE ad_results DELETE WHERE row IN (3, 4) SETTINGS mutations_sync = 2";
    engine.plain().query(gone).execute().await.unwrap();
    correct(&client, january(), 1, &corrected).await.unwrap();
    is_done().await;
    // It was completed without the caller learning of it.
    correct(&client, january(), 2, &corrected).await.unwrap();
    is_done().await;
}
