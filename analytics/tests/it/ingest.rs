use analytics::Error;
use analytics::ingest::{BatchToken, MOST_ROWS, delete, end_inserts_and_count, insert};

use crate::engine::Engine;
use crate::sample::{batch, row, store};

const FIRST: BatchToken = BatchToken { batch: 7, epoch: 0 };

#[tokio::test]
async fn a_repeated_insert_stores_its_rows_once() {
    let (_engine, client) = Engine::migrated().await;
    let rows = batch(7, (0..500).map(row));
    for _ in 0..3 {
        insert(&client, FIRST, &rows).await.unwrap();
        assert_eq!(end_inserts_and_count(&client, FIRST, &rows).await.unwrap(), 500);
    }
}

#[tokio::test]
async fn a_deleted_batch_comes_back_under_a_new_epoch_only() {
    let (_engine, client) = Engine::migrated().await;
    store(&client, 6, (0..20).map(row)).await;
    let rows = store(&client, 7, (0..20).map(row)).await;
    delete(&client, 7).await.unwrap();
    assert_eq!(end_inserts_and_count(&client, FIRST, &rows).await.unwrap(), 0);
    insert(&client, FIRST, &rows).await.unwrap();
    assert_eq!(end_inserts_and_count(&client, FIRST, &rows).await.unwrap(), 0);
    let second = BatchToken { epoch: 1, ..FIRST };
    insert(&client, second, &rows).await.unwrap();
    assert_eq!(end_inserts_and_count(&client, second, &rows).await.unwrap(), 20);
}

#[tokio::test]
async fn deleting_a_batch_that_is_not_there_changes_nothing() {
    let (_engine, client) = Engine::migrated().await;
    let rows = store(&client, 6, (0..20).map(row)).await;
    delete(&client, 7).await.unwrap();
    assert_eq!(
        end_inserts_and_count(&client, BatchToken { batch: 6, epoch: 0 }, &rows)
            .await
            .unwrap(),
        20
    );
}

#[tokio::test]
async fn every_ad_of_a_result_has_its_creative() {
    let (engine, client) = Engine::migrated().await;
    store(&client, 7, (0..300).map(row)).await;
    let orphans = "SELECT count() FROM ad_results WHERE (domain, ad) NOT IN (SELECT domain, ad FROM creatives)";
    assert_eq!(engine.plain().query(orphans).fetch_one::<u64>().await.unwrap(), 0);
}

#[tokio::test]
async fn texts_that_were_stored_lately_are_not_sent_again() {
    let (engine, client) = Engine::migrated().await;
    let creatives = async || {
        let query = "SELECT uniqExact(domain, ad) FROM creatives";
        engine.plain().query(query).fetch_one::<u64>().await.unwrap()
    };
    store(&client, 7, (0..30).map(row)).await;
    let first = creatives().await;
    engine
        .plain()
        .query("TRUNCATE TABLE creatives")
        .execute()
        .await
        .unwrap();
    store(&client, 8, (0..31).map(row)).await;
    assert_eq!(creatives().await, 1);
    let another = analytics::Client::connect(engine.store()).await.unwrap();
    store(&another, 9, (0..31).map(row)).await;
    assert_eq!(creatives().await, first + 1);
}

#[tokio::test]
async fn rows_that_are_no_batch_are_refused() {
    let (_engine, client) = Engine::migrated().await;
    let too_many = batch(7, (0..=u32::try_from(MOST_ROWS).unwrap()).map(row));
    let mut twice = batch(7, (0..3).map(row));
    twice[1].row = 0;
    for rows in [Vec::new(), too_many, twice, batch(8, [row(1)])] {
        assert!(matches!(insert(&client, FIRST, &rows).await, Err(Error::BadBatch(_))));
    }
}

#[tokio::test]
async fn an_insert_that_still_runs_is_ended_before_its_batch_is_counted() {
    let (engine, client) = Engine::migrated().await;
    let slow = "INSERT INTO ad_results (batch, seen_at, domain) \
        SELECT 7, 1767225600, 'slow.example' FROM numbers(300) WHERE sleepEachRow(0.1) = 0 SETTINGS max_block_size = 1";
    let id = format!("{}.7#0", engine.store().database);
    let insert = engine.plain().query(slow).with_setting("query_id", &id).execute();
    let insert = tokio::spawn(insert);
    let running = "SELECT count() FROM system.processes WHERE query LIKE '%slow.example%' AND query NOT LIKE '%system.processes%'";
    while engine.plain().query(running).fetch_one::<u64>().await.unwrap() == 0 {
        tokio::task::yield_now().await;
    }
    let rows = batch(7, [row(1)]);
    assert_eq!(end_inserts_and_count(&client, FIRST, &rows).await.unwrap(), 0);
    assert_eq!(engine.plain().query(running).fetch_one::<u64>().await.unwrap(), 0);
    assert!(insert.await.unwrap().is_err());
}
