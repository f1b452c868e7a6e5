//! The slot ledger: claims, fences, leases.

use std::time::Duration;

use postgres::manifests::{self, ManifestId};
use postgres::slots::{self, HeldSlot};
use testkit::Postgres;
use vocabulary::{CaptureFailure, MissedReason, SlotId, SlotState};

const LEASE: Duration = Duration::from_mins(1);

/// A slot that was never claimed.
async fn slot() -> (Postgres, HeldSlot) {
    let store = Postgres::new().await;
    store.term("shoes", None, 3_600_000).await;
    store
        .execute("insert into slot (term_id, device, slot_ts) values (1, 'desktop', date_trunc('hour', now()))")
        .await;
    let id = SlotId(store.fetch("select id from slot").await);
    (store, HeldSlot { id, attempt: 0 })
}

#[tokio::test]
async fn of_two_jobs_for_one_attempt_only_one_claims() {
    let (store, first) = slot().await;
    let (one, other) = tokio::join!(
        slots::claim(&store.pool, first, "one", LEASE),
        slots::claim(&store.pool, first, "other", LEASE),
    );
    let claims: Vec<_> = [one.unwrap(), other.unwrap()].into_iter().flatten().collect();
    assert_eq!(claims.len(), 1);
    assert_eq!((claims[0].held.attempt, claims[0].state), (1, SlotState::Capturing));
}

#[tokio::test]
async fn an_older_attempt_changes_nothing() {
    let (store, first) = slot().await;
    let old = slots::claim(&store.pool, first, "old", LEASE)
        .await
        .unwrap()
        .unwrap()
        .held;
    store
        .execute("update slot set lease_until = now() - interval '1 second'")
        .await;
    let mut connection = store.pool.acquire().await.unwrap();
    let swept = slots::sweep_leases(&mut connection, 10).await.unwrap();
    let new = slots::claim(&store.pool, swept.requeued[0], "new", LEASE)
        .await
        .unwrap()
        .unwrap()
        .held;
    assert!(!slots::fail(&store.pool, old, CaptureFailure::Timeout).await.unwrap());
    assert!(!slots::mark_captured(&store.pool, old).await.unwrap());
    assert!(!slots::miss(&store.pool, old, MissedReason::Disabled).await.unwrap());
    assert_eq!(slots::renew(&store.pool, &[old, new], LEASE).await.unwrap(), [new]);
    assert!(slots::fail(&store.pool, new, CaptureFailure::Timeout).await.unwrap());
}

#[tokio::test]
async fn three_lost_claims_put_a_slot_in_quarantine() {
    let (store, first) = slot().await;
    let mut connection = store.pool.acquire().await.unwrap();
    let mut job = first;
    for lost in 1..=slots::LOST_CLAIMS_LIMIT {
        slots::claim(&store.pool, job, "w", LEASE).await.unwrap().unwrap();
        store
            .execute("update slot set lease_until = now() - interval '1 second'")
            .await;
        let swept = slots::sweep_leases(&mut connection, 10).await.unwrap();
        if lost < slots::LOST_CLAIMS_LIMIT {
            job = swept.requeued[0];
        } else {
            assert_eq!(swept.poisoned, [first.id]);
        }
    }
    assert_eq!(
        store.fetch::<String>("select state || ' ' || reason from slot").await,
        "failed poison"
    );
}

#[tokio::test]
async fn a_lease_that_runs_is_not_swept() {
    let (store, first) = slot().await;
    slots::claim(&store.pool, first, "w", LEASE).await.unwrap().unwrap();
    let mut connection = store.pool.acquire().await.unwrap();
    assert_eq!(
        slots::sweep_leases(&mut connection, 10).await.unwrap(),
        slots::SweepFindings::default()
    );
}

#[tokio::test]
async fn a_slot_is_superseded_by_the_next_one() {
    let (store, first) = slot().await;
    store
        .execute(
            "insert into slot (term_id, device, slot_ts) select term_id, device, slot_ts + interval '1 hour' from slot",
        )
        .await;
    let claim = slots::claim(&store.pool, first, "w", LEASE).await.unwrap().unwrap();
    assert!(claim.is_superseded);
    assert!(
        slots::miss(&store.pool, claim.held, MissedReason::Superseded)
            .await
            .unwrap()
    );
}

#[tokio::test]
async fn a_slot_is_not_verified_before_its_rows_are() {
    let (store, first) = slot().await;
    let held = slots::claim(&store.pool, first, "w", LEASE)
        .await
        .unwrap()
        .unwrap()
        .held;
    slots::mark_captured(&store.pool, held).await.unwrap();
    store
        .execute(
            "insert into capture (id, slot_id, attempt, term, keyword_type, engine, device, locale, slot_ts, taken_at, final_url,
                 verdict, page_sha256, view_sha256, reader_version, text_ads, shopping_ads, saves_text_ads, saves_shopping_ads, n_rows)
             select capture_id, id, 1, 'shoes', 'GENERIC', 'google', 'desktop', 'fr_FR', slot_ts, now(), 'http://serp.test/',
                 'results', sha256('a'), sha256('b'), '1', 2, 0, true, false, 2 from slot",
        )
        .await;
    assert!(!slots::verify(&store.pool, held).await.unwrap());
    store.execute("update capture set text_ads = 0, n_rows = 0").await;
    assert!(slots::verify(&store.pool, held).await.unwrap());
    let violations = postgres::invariants::violations(&store.pool, chrono::DateTime::UNIX_EPOCH, LEASE)
        .await
        .unwrap();
    assert_eq!(violations, []);
}

#[tokio::test]
async fn a_worker_renews_its_leases_and_what_it_left_is_taken_over() {
    let store = Postgres::new().await;
    store
        .execute(
            "insert into manifest (month, n_rows, leased_by, lease_until)
             select '2026-01-01', 1, 'one', now() + interval '1 second' from generate_series(1, 2)",
        )
        .await;
    manifests::renew(&store.pool, "one", &[ManifestId(1)], LEASE)
        .await
        .unwrap();
    store
        .execute("update manifest set lease_until = lease_until - interval '2 seconds'")
        .await;
    let taken = manifests::take_over(&store.pool, "one", LEASE, 10).await.unwrap();
    assert_eq!(
        taken.iter().map(|manifest| manifest.id).collect::<Vec<_>>(),
        [ManifestId(2)]
    );
}
