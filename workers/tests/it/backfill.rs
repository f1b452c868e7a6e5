//! The two times of an ad: the slot's and the page's.

use chrono::{DateTime, NaiveDate, Utc};
use postgres::rereading::RereadQuery;
use vocabulary::Job;
use workers::backfill;

use crate::detection::watched;
use crate::stack::Stack;

/// A stack with captures of a brand, taken thirty hours after the time of their slots.
async fn late() -> Stack {
    let stack = watched().await;
    schedules::pass(&stack.postgres.pool).await.unwrap();
    stack
        .postgres
        .execute(
            "delete from apalis.jobs; delete from slot; update term_due set first_slot = now() - interval '30 hours', next_slot = now() - interval '30 hours'",
        )
        .await;
    schedules::pass(&stack.postgres.pool).await.unwrap();
    stack.run_until_settled().await;
    stack
}

/// The number of stored ads that have the time and day of their page according to the ledger.
async fn timed(stack: &Stack) -> u64 {
    let of_captures: Vec<String> = stack
        .postgres
        .fetch("select array_agg(format('(toUUID(''%s''), %s)', id, floor(extract(epoch from taken_at))::bigint)) from capture")
        .await;
    let query = format!(
        "SELECT count() FROM ad_results WHERE (capture_id, toUnixTimestamp(seen_at)) IN ({}) AND day = toDate(seen_at) \
         AND seen_at >= slot_time + 30 * 3600",
        of_captures.join(", ")
    );
    stack.ads.plain().query(&query).fetch_one().await.unwrap()
}

async fn all(stack: &Stack) -> u64 {
    let query = "SELECT count() FROM ad_results";
    stack.ads.plain().query(query).fetch_one().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ad_has_the_time_of_its_page_however_late_that_came_and_wherever_it_is_stored_again() {
    let stack = late().await;
    let ads = all(&stack).await;
    assert!(ads > 0);
    assert_eq!(timed(&stack).await, ads);
    let of_actions =
        "select count(*) > 0 and bool_and(last_view = (select max(date_trunc('second', taken_at)) from capture)
            or last_view = (select min(date_trunc('second', taken_at)) from capture)) from action";
    assert!(stack.postgres.fetch::<bool>(of_actions).await);

    let truncate = "TRUNCATE TABLE ad_results";
    stack.ads.plain().query(truncate).execute().await.unwrap();
    stack.job(Job::Reconcile).await;
    stack.run_until_settled().await;
    assert_eq!(timed(&stack).await, ads, "stored again");

    let misread = "ALTER TABLE ad_results UPDATE target_url = 'https://misread.example/' WHERE real_position = 2 SETTINGS mutations_sync = 2";
    stack.ads.plain().query(misread).execute().await.unwrap();
    let query = RereadQuery {
        since: DateTime::<Utc>::UNIX_EPOCH,
        term: None,
        engine: None,
    };
    let summary = workers::reread::run(&stack.stores(), &query, true, |_| {})
        .await
        .unwrap();
    assert!(summary.applied > 0);
    assert_eq!(timed(&stack).await, ads, "read again");
    stack.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ads_that_an_earlier_version_stored_are_given_the_time_that_the_ledger_knows() {
    let stack = late().await;
    let (ads, right) = (all(&stack).await, stack.fingerprint().await);
    for statement in [
        "CREATE TABLE older AS ad_results",
        "INSERT INTO older SELECT * REPLACE (slot_time AS seen_at) FROM ad_results",
        "TRUNCATE TABLE ad_results",
        "INSERT INTO ad_results SELECT * FROM older",
    ] {
        stack.ads.plain().query(statement).execute().await.unwrap();
    }
    assert_eq!(timed(&stack).await, 0);
    let stores = stack.stores();
    let mut reported: Vec<(NaiveDate, usize)> = Vec::new();
    let captures = backfill::run(&stores.postgres, &stores.analytics, |month, captures| {
        reported.push((month, captures));
    })
    .await
    .unwrap();
    assert_eq!(
        (captures, reported.iter().map(|(_, captures)| captures).sum::<usize>()),
        (2, 2)
    );
    assert_eq!((timed(&stack).await, stack.fingerprint().await), (ads, right));
    stack.assert_sound().await;
    let again = backfill::run(&stores.postgres, &stores.analytics, |_, _| {})
        .await
        .unwrap();
    assert_eq!(again, 0);
    assert_eq!(stack.fingerprint().await, right);
}
