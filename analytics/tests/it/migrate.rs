use analytics::{Error, migrate};

use crate::engine::Engine;

#[tokio::test]
async fn a_second_run_applies_nothing() {
    let (_engine, client) = Engine::migrated().await;
    assert_eq!(migrate::run(&client).await.unwrap(), Vec::<&str>::new());
}

#[tokio::test]
async fn a_schema_of_a_newer_version_is_refused() {
    let (engine, client) = Engine::migrated().await;
    let newer = "INSERT INTO schema_migrations (version, name, checksum) VALUES (900, 'later', 1)";
    engine.plain().query(newer).execute().await.unwrap();
    assert!(matches!(
        migrate::run(&client).await,
        Err(Error::NewerSchema { found: 900, .. })
    ));
}

#[tokio::test]
async fn a_changed_migration_is_refused() {
    let (engine, client) = Engine::migrated().await;
    applied_with(&engine, 1, 1).await;
    assert!(matches!(migrate::run(&client).await, Err(Error::ChangedMigration(name)) if name.starts_with("0001")));
}

#[tokio::test]
async fn a_store_that_was_given_another_text_of_the_same_is_left_alone() {
    let (engine, client) = Engine::migrated().await;
    applied_with(&engine, 6, 0x081f_0938_ca4e_684a).await;
    assert_eq!(migrate::run(&client).await.unwrap(), Vec::<&str>::new());
    applied_with(&engine, 6, 1).await;
    assert!(matches!(migrate::run(&client).await, Err(Error::ChangedMigration(name)) if name.starts_with("0006")));
}

async fn applied_with(engine: &Engine, version: u32, checksum: u64) {
    let changed = format!(
        "ALTER TABLE schema_migrations UPDATE checksum = {checksum} WHERE version = {version} SETTINGS mutations_sync = 2"
    );
    engine.plain().query(&changed).execute().await.unwrap();
}

#[tokio::test]
async fn a_store_that_is_not_there_is_named() {
    let engine = Engine::start().await;
    let mut store = engine.store().clone();
    store.url = "http://127.0.0.1:9".parse().unwrap();
    let error = analytics::Client::connect(&store).await.err().unwrap();
    assert_eq!(error.to_string(), "ClickHouse cannot be reached at http://127.0.0.1:9/");
}
