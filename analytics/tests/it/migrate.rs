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
    record(&engine, 1, 1).await;
    assert!(matches!(migrate::run(&client).await, Err(Error::ChangedMigration(name)) if name.starts_with("0001")));
}

/// As earlier versions recorded them.
const FORMER_CHECKSUMS: [u64; 9] = [
    0xb0db_46d0_fb7d_39d3,
    0xbc88_7844_04d1_684f,
    0x9333_a74b_8dd6_0aba,
    0x35fa_7372_1f85_eb14,
    0x3d4f_c4d2_ab32_97ce,
    0xaa17_00ea_3a45_ae45,
    0xeb9d_f670_e325_5aba,
    0xba24_f4f2_0091_82eb,
    0xe1c4_d8aa_d393_0908,
];

#[tokio::test]
async fn checksums_of_earlier_versions_are_accepted_and_replaced() {
    let (engine, client) = Engine::migrated().await;
    let current = checksums(&engine).await;
    for (version, former) in (1..).zip(FORMER_CHECKSUMS) {
        record(&engine, version, former).await;
    }
    assert_eq!(checksums(&engine).await[..FORMER_CHECKSUMS.len()], FORMER_CHECKSUMS);
    assert_eq!(migrate::run(&client).await.unwrap(), Vec::<&str>::new());
    assert_eq!(checksums(&engine).await, current);
    assert_eq!(migrate::run(&client).await.unwrap(), Vec::<&str>::new());
}

#[tokio::test]
async fn the_first_text_of_the_sixth_migration_is_accepted() {
    let (engine, client) = Engine::migrated().await;
    let current = checksums(&engine).await;
    record(&engine, 6, 0x081f_0938_ca4e_684a).await;
    assert_eq!(migrate::run(&client).await.unwrap(), Vec::<&str>::new());
    assert_eq!(checksums(&engine).await, current);
    record(&engine, 7, 0x081f_0938_ca4e_684a).await;
    assert!(matches!(migrate::run(&client).await, Err(Error::ChangedMigration(name)) if name.starts_with("0007")));
}

async fn checksums(engine: &Engine) -> Vec<u64> {
    let recorded = "SELECT checksum FROM schema_migrations ORDER BY version";
    engine.plain().query(recorded).fetch_all().await.unwrap()
}

async fn record(engine: &Engine, version: u32, checksum: u64) {
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
