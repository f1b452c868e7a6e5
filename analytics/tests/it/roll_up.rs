use analytics::ingest::delete;
use analytics::roll_up::{check, seal_closed_days};

use crate::engine::Engine;
use crate::sample::{row, store};

#[tokio::test]
async fn sealed_days_say_what_the_results_say() {
    let (engine, client) = Engine::migrated().await;
    store(&client, 1, (0..2_000).map(row)).await;
    assert_eq!(seal_closed_days(&client).await.unwrap(), 10);
    assert_eq!(check(&client).await.unwrap(), []);
    let views = "SELECT sum(views) FROM ad_days WHERE (day, build) IN (SELECT day, build FROM ad_day_builds FINAL WHERE sealed)";
    assert_eq!(engine.plain().query(views).fetch_one::<u64>().await.unwrap(), 2_000);
    assert_eq!(seal_closed_days(&client).await.unwrap(), 0);
}

#[tokio::test]
async fn a_late_batch_opens_its_days_and_the_next_build_holds_it() {
    let (_engine, client) = Engine::migrated().await;
    store(&client, 1, (0..2_000).map(row)).await;
    seal_closed_days(&client).await.unwrap();
    store(&client, 2, [row(3)]).await;
    assert_eq!(seal_closed_days(&client).await.unwrap(), 1);
    assert_eq!(check(&client).await.unwrap(), []);
}

#[tokio::test]
async fn a_deletion_opens_its_days_and_the_next_build_lacks_it() {
    let (_engine, client) = Engine::migrated().await;
    store(&client, 1, (0..2_000).map(row)).await;
    store(&client, 2, [row(3)]).await;
    seal_closed_days(&client).await.unwrap();
    delete(&client, 2).await.unwrap();
    assert_eq!(seal_closed_days(&client).await.unwrap(), 1);
    assert_eq!(check(&client).await.unwrap(), []);
}

#[tokio::test]
async fn the_checker_finds_a_broken_roll_up() {
    let (engine, client) = Engine::migrated().await;
    store(&client, 1, (0..2_000).map(row)).await;
    seal_closed_days(&client).await.unwrap();
    let moved = "ALTER TABLE ad_days UPDATE rank_sum = rank_sum + 1 WHERE day = '2026-01-04' AND ad IN \
        (SELECT min(ad) FROM ad_days WHERE day = '2026-01-04') SETTINGS mutations_sync = 2";
    engine.plain().query(moved).execute().await.unwrap();
    let found = check(&client).await.unwrap();
    assert_eq!(
        found
            .iter()
            .map(|difference| difference.day.to_string())
            .collect::<Vec<_>>(),
        ["2026-01-04"]
    );
}
