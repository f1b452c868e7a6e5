//! The stores start on first use, and each test has its own databases.

use testkit::{ClickHouse, Postgres};

#[tokio::test]
async fn every_test_has_a_migrated_postgres_of_its_own() {
    let (one, other) = (Postgres::new().await, Postgres::new().await);
    one.execute("insert into company_account (name) values ('north')").await;
    assert_eq!(one.fetch::<i64>("select count(*) from company_account").await, 1);
    assert_eq!(other.fetch::<i64>("select count(*) from company_account").await, 0);
    assert_eq!(other.fetch::<i64>("select count(*) from apalis.jobs").await, 0);
}

#[tokio::test]
async fn every_test_has_a_clickhouse_database_of_its_own() {
    let store = ClickHouse::new().await;
    let name: String = store
        .plain()
        .query("SELECT currentDatabase()")
        .fetch_one()
        .await
        .unwrap();
    assert_eq!(name, store.database);
}

#[test]
fn redis_is_there() {
    assert!(testkit::redis().starts_with("redis+unix://"));
}
