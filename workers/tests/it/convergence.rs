//! Whatever state a crash leaves behind, the next worker settles it, and the stored ads are the same.
//!
//! Each test completes captures, puts the stores back into the state after a crash at one point (leases run out), and runs a new worker.

use crate::stack::Stack;

/// Lets the leases of all work under way run out.
const LOST: &str = "update slot set state = 'storing', settled_at = null, leased_by = 'dead', lease_until = now() - interval '1 second'";

async fn stored() -> (Stack, u64) {
    let stack = Stack::new().await;
    stack.term("running shoes").await;
    stack.term("winter boots").await;
    stack.run_until_settled().await;
    let fingerprint = stack.fingerprint().await;
    assert_ne!(fingerprint, 0);
    (stack, fingerprint)
}

async fn converges(stack: &Stack, fingerprint: u64) {
    stack.run_until_settled().await;
    assert_eq!(
        stack
            .postgres
            .fetch::<i64>("select count(*) from slot where state = 'verified'")
            .await,
        2
    );
    assert_eq!(stack.fingerprint().await, fingerprint);
    stack.assert_sound().await;
}

async fn delete_rows(stack: &Stack, condition: &str) {
    let delete = format!("ALTER TABLE ad_results DELETE WHERE {condition} SETTINGS mutations_sync = 2");
    stack.ads.plain().query(&delete).execute().await.unwrap();
}

const MANIFEST_LOST: &str = "update manifest set state = 'storing', settled_at = null, leased_by = 'dead',
    lease_until = now() - interval '1 second' where state = 'verified'";

#[tokio::test(flavor = "multi_thread")]
async fn after_the_claim_and_before_the_page_is_kept() {
    let stack = Stack::new().await;
    stack.term("running shoes").await;
    stack.term("winter boots").await;
    schedules::pass(&stack.postgres.pool).await.unwrap();
    stack
        .postgres
        .execute(
            "update slot set state = 'capturing', attempt = 1, leased_by = 'dead', lease_until = now() - interval '1 second';
             update apalis.jobs set status = 'Done', done_at = now()",
        )
        .await;
    stack.run_until_settled().await;
    assert_eq!(
        stack
            .postgres
            .fetch::<i64>("select count(*) from slot where state = 'verified' and lost_claims = 1")
            .await,
        2
    );
    stack.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_the_page_is_kept_and_before_its_manifest() {
    let (stack, fingerprint) = stored().await;
    delete_rows(&stack, "1").await;
    stack.postgres.execute(LOST).await;
    stack
        .postgres
        .execute("update slot set state = 'captured'; delete from manifest_capture; delete from manifest")
        .await;
    converges(&stack, fingerprint).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_the_manifest_and_before_the_insert() {
    let (stack, fingerprint) = stored().await;
    delete_rows(&stack, "1").await;
    stack.postgres.execute(LOST).await;
    stack.postgres.execute(MANIFEST_LOST).await;
    converges(&stack, fingerprint).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_part_of_the_insert() {
    let (stack, fingerprint) = stored().await;
    delete_rows(&stack, "row % 2 = 0").await;
    stack.postgres.execute(LOST).await;
    stack.postgres.execute(MANIFEST_LOST).await;
    converges(&stack, fingerprint).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_the_insert_and_before_it_is_read_back() {
    let (stack, fingerprint) = stored().await;
    stack.postgres.execute(LOST).await;
    stack.postgres.execute(MANIFEST_LOST).await;
    converges(&stack, fingerprint).await;
    assert_eq!(
        stack
            .postgres
            .fetch::<i64>("select count(*) from manifest where state = 'abandoned'")
            .await,
        0
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn after_the_manifest_is_verified_and_before_its_slots_are() {
    let (stack, fingerprint) = stored().await;
    stack.postgres.execute(LOST).await;
    converges(&stack, fingerprint).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_everything() {
    let (stack, fingerprint) = stored().await;
    stack
        .postgres
        .execute("update apalis.jobs set status = 'Pending', done_at = null, lock_by = null")
        .await;
    stack
        .run_until("select count(*) = 0 from apalis.jobs where status <> 'Done'")
        .await;
    converges(&stack, fingerprint).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_workers_at_once_store_every_capture_once() {
    let stack = Stack::new().await;
    for word in ["shoes", "boots", "hats", "gloves", "socks", "belts"] {
        stack.term(word).await;
    }
    let done = "select count(*) = 6 from slot where state = 'verified'";
    tokio::join!(stack.run_until(done), stack.run_until(done));
    assert_eq!(
        stack
            .postgres
            .fetch::<i64>("select max(attempt)::bigint from slot")
            .await,
        1
    );
    stack.assert_sound().await;
}
