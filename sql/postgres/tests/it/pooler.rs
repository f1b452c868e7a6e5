//! Behind a pooler in transaction mode, with far more clients than connections of the server.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::future::{join_all, try_join_all};
use futures::{StreamExt, pin_mut};
use postgres::changes::{self, Change};
use postgres::{DirectPool, Pool, job_runs};
use sqlx::Row;
use testkit::{POOLER_CONNECTIONS, Pooler, Postgres};
use tokio::time::timeout;
use vocabulary::Job;

const CLIENTS: u32 = 20;
const ROUNDS: i64 = 30;
const PATIENCE: Duration = Duration::from_secs(10);

async fn behind_pooler() -> (Postgres, Pooler, Pool, DirectPool) {
    let store = Postgres::new().await;
    postgres::set_role_limits(&store.pool).await.unwrap();
    let (pooler, url) = store.behind_pooler();
    let pool = postgres::connect_through_pooler(&url, CLIENTS, "test").unwrap();
    let direct = store.direct();
    (store, pooler, pool, direct)
}

/// Transactions of one client, each with statements that were prepared on whatever connection came before: it sees its own writes and nobody else's.
async fn write_and_read(pool: &Pool, client: i64) -> postgres::Result<()> {
    for round in 0..ROUNDS {
        let mut tx = postgres::begin(pool).await?;
        sqlx::query("insert into taken (client, round) values ($1, $2)")
            .bind(client)
            .bind(round)
            .execute(&mut *tx)
            .await?;
        let row = sqlx::query("select count(*), max(round), array_agg(client) from taken where client = $1")
            .bind(client)
            .fetch_one(&mut *tx)
            .await?;
        assert_eq!((row.get::<i64, _>(0), row.get::<i64, _>(1)), (round + 1, round));
        tx.commit().await?;
        let seen: i64 = sqlx::query_scalar("select count(*) from taken where client = $1")
            .bind(client)
            .fetch_one(pool)
            .await?;
        assert_eq!(seen, round + 1);
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn many_clients_share_few_connections_with_their_prepared_statements() {
    let (store, _pooler, pool, _) = behind_pooler().await;
    store.execute("create table taken (client bigint, round bigint)").await;
    try_join_all((0..CLIENTS.into()).map(|client| write_and_read(&pool, client)))
        .await
        .unwrap();
    let written: i64 = store.fetch("select count(*) from taken").await;
    assert_eq!(written, i64::from(CLIENTS) * ROUNDS);
}

/// Writes until the pooler was restarted and a write has succeeded since; returns how many succeeded. A refused write is tried again.
async fn write_across(pool: &Pool, client: i64, restarted: &AtomicBool) -> i64 {
    for round in 0.. {
        let was_restarted = restarted.load(Ordering::SeqCst);
        let write = async || {
            sqlx::query("insert into taken (client, round) values ($1, $2) on conflict do nothing")
                .bind(client)
                .bind(round)
                .execute(pool)
                .await
        };
        while write().await.is_err() {
            tokio::task::yield_now().await;
        }
        if was_restarted {
            return round + 1;
        }
    }
    unreachable!("there is a next round")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_that_restarts_loses_nothing_that_was_acknowledged() {
    let (store, mut pooler, pool, _) = behind_pooler().await;
    store
        .execute("create table taken (client bigint, round bigint, primary key (client, round))")
        .await;
    let restarted = AtomicBool::new(false);
    let restart = async {
        while store.fetch::<i64>("select count(*) from taken").await < i64::from(CLIENTS) {
            tokio::task::yield_now().await;
        }
        tokio::task::block_in_place(|| pooler.restart());
        restarted.store(true, Ordering::SeqCst);
    };
    let writes = join_all((0..CLIENTS.into()).map(|client| write_across(&pool, client, &restarted)));
    let (acknowledged, ()) = timeout(PATIENCE, async { tokio::join!(writes, restart) })
        .await
        .expect("clients go on");
    let written: i64 = store.fetch("select count(*) from taken").await;
    assert_eq!(written, acknowledged.into_iter().sum::<i64>());
}

#[tokio::test]
async fn who_finds_every_connection_taken_waits_for_one() {
    let (_store, _pooler, pool, direct) = behind_pooler().await;
    let mut held = Vec::new();
    for _ in 0..POOLER_CONNECTIONS {
        let mut tx = postgres::begin(&pool).await.unwrap();
        sqlx::query("select 1").execute(&mut *tx).await.unwrap();
        held.push(tx);
    }
    let waiting = {
        let pool = pool.clone();
        tokio::spawn(async move { postgres::ping(&pool).await })
    };
    postgres::ping(direct.pool()).await.unwrap();
    assert!(!waiting.is_finished());
    held.pop().unwrap().commit().await.unwrap();
    timeout(PATIENCE, waiting).await.unwrap().unwrap().unwrap();
}

#[tokio::test]
async fn statements_have_the_limits_that_their_role_was_given() {
    let (_store, _pooler, pool, _) = behind_pooler().await;
    for (name, value) in [
        ("statement_timeout", "50s"),
        ("idle_in_transaction_session_timeout", "1min"),
        ("timezone", "UTC"),
    ] {
        let shown: String = sqlx::query_scalar("select current_setting($1)")
            .bind(name)
            .fetch_one(&pool)
            .await
            .unwrap();
        assert_eq!(shown, value, "{name}");
    }
}

#[tokio::test]
async fn what_is_announced_through_the_pooler_is_heard() {
    let (_store, _pooler, pool, direct) = behind_pooler().await;
    let heard = changes::listen(&direct).await.unwrap();
    pin_mut!(heard);
    changes::notify(&pool, changes::SEMS, Change::Create { ids: vec![7] })
        .await
        .unwrap();
    let change = timeout(PATIENCE, heard.next()).await.unwrap().unwrap().unwrap();
    assert!(matches!(change.change, Change::Create { ids } if ids == [7]));
}

#[tokio::test]
async fn a_job_is_locked_for_as_long_as_its_connection_lasts() {
    let (_store, _pooler, pool, direct) = behind_pooler().await;
    let lock = job_runs::lock(&direct, Job::Retention).await.unwrap().unwrap();
    for _ in 0..ROUNDS {
        postgres::ping(&pool).await.unwrap();
        assert!(job_runs::lock(&direct, Job::Retention).await.unwrap().is_none());
    }
    drop(lock);
    let again = async {
        while job_runs::lock(&direct, Job::Retention).await.unwrap().is_none() {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, again)
        .await
        .expect("the server notices that it is gone");
}

#[tokio::test]
async fn limits_of_a_role_are_set_by_many_at_once() {
    let store = Postgres::new().await;
    let pool = postgres::connect(&store.url, 8, "test").unwrap();
    try_join_all((0..8).map(|_| postgres::set_role_limits(&pool)))
        .await
        .unwrap();
    let (_pooler, url) = store.behind_pooler();
    let through = postgres::connect_through_pooler(&url, 1, "test").unwrap();
    assert!(postgres::limits_statements(&through).await.unwrap());
}

#[tokio::test]
async fn without_limits_of_the_role_statements_have_none() {
    let store = Postgres::new().await;
    let (_pooler, url) = store.behind_pooler();
    let through = postgres::connect_through_pooler(&url, 1, "test").unwrap();
    assert!(!postgres::limits_statements(&through).await.unwrap());
}
