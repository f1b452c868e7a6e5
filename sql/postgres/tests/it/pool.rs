//! Connections whose users go away.

use std::pin::pin;

use futures::poll;
use postgres::{Pool, Tx};
use testkit::{Certificates, Postgres};
use tokio::task::yield_now;

/// More steps than a transaction takes to begin,
const STEPS: usize = 120;
/// and how often each number of them is tried: how far a step gets is up to the system.
const ROUNDS: usize = 4;
/// A client that is silent is asked whether it is there, and what is sent to one has to be taken; the seconds after which it is given up.
const GIVEN_UP_AFTER: &str = "select current_setting('tcp_keepalives_idle')::int
    + current_setting('tcp_keepalives_interval')::int * current_setting('tcp_keepalives_count')::int,
    current_setting('tcp_user_timeout')::int / 1000";

#[tokio::test]
async fn a_transaction_that_is_given_up_while_it_begins_takes_no_later_write_along() {
    let store = Postgres::new().await;
    let pool = postgres::connect_without_libraries(&store.url, 1, "test").unwrap();
    nothing_is_lost(&store, &pool, postgres::begin).await;
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "libraries call it")]
async fn nor_does_one_that_a_library_gives_up() {
    let store = Postgres::new().await;
    let pool = postgres::connect(&store.url, 1, "test").unwrap();
    nothing_is_lost(&store, &pool, async |pool| Ok(pool.begin().await.unwrap())).await;
}

#[tokio::test]
async fn nor_does_one_through_a_pooler() {
    let store = Postgres::new().await;
    let (_pooler, url) = store.behind_pooler();
    let pool = postgres::connect_through_pooler(&url, 1, "test").unwrap();
    nothing_is_lost(&store, &pool, postgres::begin).await;
}

#[tokio::test]
async fn the_server_gives_up_a_client_that_is_gone_within_a_minute() {
    let certificates = Certificates::new();
    let server = certificates.postgres();
    let address = format!(
        "postgres://vigie@localhost:{}/postgres?sslmode=verify-full&sslrootcert={}",
        server.address.port(),
        certificates.authority().display()
    );
    let pool = postgres::connect(&address, 1, "test").unwrap();
    let seconds: (i32, i32) = sqlx::query_as(GIVEN_UP_AFTER).fetch_one(&pool).await.unwrap();
    assert_eq!(seconds, (60, 60));
}

/// The pool has one connection: the next write uses the one whose transaction began.
async fn nothing_is_lost(store: &Postgres, pool: &Pool, begin: impl AsyncFn(&Pool) -> postgres::Result<Tx>) {
    store.execute("create table written (steps int)").await;
    let mut ready = 0;
    for (attempts, steps) in (0..ROUNDS).flat_map(|_| 0..STEPS).enumerate() {
        ready += usize::from(is_ready_within(steps, begin(pool)).await);
        let write = sqlx::query("insert into written values ($1)").bind(i32::try_from(steps).unwrap());
        write.execute(pool).await.unwrap();
        let seen: i64 = store.fetch("select count(*) from written").await;
        assert_eq!(
            usize::try_from(seen).unwrap(),
            attempts + 1,
            "as others see it, after {steps} steps"
        );
    }
    assert!(ready > 0 && ready < ROUNDS * STEPS, "{ready}");
}

/// Polls a future this many times; returns whether it finished, and drops it.
async fn is_ready_within(steps: usize, work: impl Future) -> bool {
    let mut work = pin!(work);
    for _ in 0..steps {
        if poll!(work.as_mut()).is_ready() {
            return true;
        }
        yield_now().await;
    }
    false
}
