//! The sweeper, against lost workers and lost jobs.

use std::time::Duration;

use postgres::slots::{self, HeldSlot};
use schedules::{Swept, delete_finished_jobs, pass, sweep};
use testkit::Postgres;
use vocabulary::SlotId;

const LEASE: Duration = Duration::from_mins(1);

async fn queued() -> Postgres {
    let store = Postgres::new().await;
    store.term("shoes", None, 732 * 3_600_000).await;
    pass(&store.pool).await.unwrap();
    store
}

/// The only slot of the store, with this attempt.
async fn held(store: &Postgres, attempt: i32) -> HeldSlot {
    let id = SlotId(store.fetch("select id from slot").await);
    HeldSlot { id, attempt }
}

async fn pending(store: &Postgres) -> i64 {
    store
        .fetch("select count(*) from apalis.jobs where status = 'Pending'")
        .await
}

#[tokio::test]
async fn a_slot_whose_worker_was_lost_gets_another_job() {
    let store = queued().await;
    let claim = async |attempt| {
        let held = held(&store, attempt).await;
        slots::claim(&store.pool, held, "w", LEASE).await.unwrap()
    };
    assert!(claim(0).await.is_some());
    assert_eq!(sweep(&store.pool).await.unwrap(), Swept::default());
    store
        .execute("update slot set lease_until = now() - interval '1 second'")
        .await;
    assert_eq!(sweep(&store.pool).await.unwrap().requeued, 1);
    assert_eq!(pending(&store).await, 2);
    assert!(claim(0).await.is_none());
    assert!(claim(1).await.is_some());
}

#[tokio::test]
async fn a_slot_whose_job_is_gone_gets_another_and_one_that_waits_in_a_long_queue_does_not() {
    let store = queued().await;
    store
        .execute("update slot set run_at = now() - interval '1 hour'")
        .await;
    assert_eq!(sweep(&store.pool).await.unwrap(), Swept::default());
    store.execute("delete from apalis.jobs").await;
    assert_eq!(sweep(&store.pool).await.unwrap().rescued, 1);
    assert_eq!(sweep(&store.pool).await.unwrap(), Swept::default());
    assert_eq!(pending(&store).await, 1);
}

#[tokio::test]
async fn jobs_that_ended_long_ago_are_deleted() {
    let store = queued().await;
    store
        .execute("update apalis.jobs set status = 'Done', done_at = now() - interval '2 days'")
        .await;
    assert_eq!(delete_finished_jobs(&store.pool).await.unwrap(), 1);
}

#[tokio::test]
async fn names_of_processes_that_ended_long_ago_are_forgotten() {
    let store = queued().await;
    store
        .execute(
            "insert into apalis.workers (id, worker_type, storage_name, layers, last_seen) values
                 ('gone', 'captures', 'postgres', '', now() - interval '8 days'),
                 ('busy', 'captures', 'postgres', '', now() - interval '8 days'),
                 ('here', 'captures', 'postgres', '', now());
             update apalis.jobs set lock_by = 'busy'",
        )
        .await;
    delete_finished_jobs(&store.pool).await.unwrap();
    assert_eq!(
        store
            .fetch::<String>("select string_agg(id, ' ' order by id) from apalis.workers")
            .await,
        "busy here"
    );
}
