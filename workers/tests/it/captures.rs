//! From a due term to stored ads.

use chrono::TimeDelta;
use runtime::Clock;

use crate::stack::Stack;

#[tokio::test(flavor = "multi_thread")]
async fn a_due_term_is_captured_read_and_stored() {
    let stack = Stack::new().await;
    stack.term("running shoes").await;
    stack.term("winter boots").await;
    stack.run_until_settled().await;
    assert_eq!(
        stack
            .postgres
            .fetch::<i64>("select count(*) from slot where state = 'verified'")
            .await,
        2
    );
    let (ads, rows): (i64, u64) = (
        stack
            .postgres
            .fetch("select sum(text_ads + shopping_ads) from capture")
            .await,
        stack.stored_rows().await.iter().map(|(_, rows)| rows).sum(),
    );
    assert_eq!(u64::try_from(ads).unwrap(), rows);
    assert!(rows > 0, "the simulated engine shows ads for these words");
    // Pages were loaded with scripts and resources, and no ad was clicked.
    let clicks = stack.clicks().await;
    assert!(clicks.contains("\"total\":0"), "{clicks}");
    stack.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_captcha_is_a_failure_that_is_tried_again_and_never_no_ads() {
    let stack = Stack::new().await;
    stack.term("shoes fault-captcha").await;
    stack
        .run_until("select exists (select from slot where failures = 1)")
        .await;
    let slot = "select concat_ws(' ', state, last_failure, run_at > now() + interval '50 seconds', (select count(*) from capture)) from slot";
    assert_eq!(stack.postgres.fetch::<String>(slot).await, "queued captcha t 0");
    let job =
        "select count(*) from apalis.jobs j join slot s on j.idempotency_key = s.id || '#1' where j.status = 'Pending'";
    assert_eq!(stack.postgres.fetch::<i64>(job).await, 1);

    stack
        .postgres
        .execute(
            "update slot set failures = 3, run_at = now(); update apalis.jobs set run_at = now() - interval '1 second'",
        )
        .await;
    stack.run_until_settled().await;
    assert_eq!(
        stack
            .postgres
            .fetch::<String>("select state || ' ' || reason from slot")
            .await,
        "failed captcha"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_term_paused_while_it_waits_is_not_captured() {
    let stack = Stack::new().await;
    stack.term("shoes").await;
    schedules::pass(&stack.postgres.pool).await.unwrap();
    stack.postgres.execute("update term set state = 'disabled'").await;
    stack.run_until_settled().await;
    assert_eq!(
        stack
            .postgres
            .fetch::<String>("select state || ' ' || reason from slot")
            .await,
        "missed disabled"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_term_does_not_ask_for_is_not_stored() {
    let stack = Stack::new().await;
    stack.term("running shoes").await;
    stack.postgres.execute(r#"update term set options = '{"disableSaveAds": true, "saveShoppingAds": false, "saveOrganicResults": true}'"#).await;
    stack.run_until_settled().await;
    assert_eq!(stack.stored_rows().await, []);
    assert!(stack.postgres.fetch::<i64>("select count(*) from organic_result").await > 0);

    stack
        .postgres
        .execute(
            "delete from apalis.jobs;
             update term_due set first_slot = first_slot - interval '1464 hours', next_slot = next_slot - interval '1464 hours';
             delete from slot",
        )
        .await;
    stack
        .run_until("select count(*) = 1 from slot where state = 'verified'")
        .await;
    let sets = "select count(organic_results) from capture";
    assert_eq!(
        stack.postgres.fetch::<i64>(sets).await,
        1,
        "organic results are saved again only after the delay"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_capture_that_is_refused_is_left_out_and_the_others_of_its_batch_are_stored() {
    let stack = Stack::new().await;
    for words in ["running shoes", "winter boots", "refused hats"] {
        stack.term(words).await;
    }
    let constraint = "ALTER TABLE ad_results ADD CONSTRAINT no_hats CHECK keyword != 'refused hats'";
    stack.ads.plain().query(constraint).execute().await.unwrap();
    stack.run_until_settled().await;
    let states = "select string_agg(state || coalesce(' ' || reason, ''), ', ' order by state) from slot";
    assert_eq!(
        stack.postgres.fetch::<String>(states).await,
        "failed refused, verified, verified"
    );
    stack.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn captures_wait_for_a_store_that_is_away_and_are_stored_when_it_is_back() {
    let stack = Stack::new().await;
    stack.term("running shoes").await;
    stack.term("winter boots").await;
    let waiting =
        "select count(*) = 2 from slot where state in ('captured', 'storing') and lease_until is null and failures = 0";
    stack.run_without_clickhouse_until(waiting).await;
    assert_eq!(stack.stored_rows().await, []);
    stack
        .postgres
        .execute("update apalis.jobs set run_at = now() - interval '1 second' where status = 'Pending'")
        .await;
    stack.run_until_settled().await;
    assert_eq!(
        stack
            .postgres
            .fetch::<i64>("select count(*) from slot where state = 'verified'")
            .await,
        2
    );
    stack.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn captures_wait_while_no_page_can_be_kept_and_none_is_lost() {
    let stack = Stack::new().await;
    for number in 0..5 {
        stack.term(&format!("running shoes {number}")).await;
    }
    let waiting =
        "select count(*) = 5 and bool_and(lease_until is null and run_at > now() + interval '5 seconds') from slot";
    stack.run_without_room_until(waiting).await;
    assert_eq!(stack.postgres.fetch::<i64>("select count(*) from capture").await, 0);
    let due = "update slot set run_at = now(); update apalis.jobs set run_at = now() - interval '1 second' where status = 'Pending'";
    stack.postgres.execute(due).await;
    stack.run_until_settled().await;
    let verified = "select count(*) from slot where state = 'verified'";
    assert_eq!(stack.postgres.fetch::<i64>(verified).await, 5);
    stack.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_jumps_loses_no_slot_and_captures_none_twice() {
    let stack = Stack::new().await;
    let now = Stack::now();
    for (round, jump) in [0, 26, -3].into_iter().enumerate() {
        stack.term(&format!("running shoes {round}")).await;
        schedules::pass(&stack.postgres.pool).await.unwrap();
        stack
            .run_by_until_settled(Clock::by_hand(now + TimeDelta::hours(jump)))
            .await;
    }
    let slots = "select string_agg(distinct state, ' ') || ' ' || count(*) || ' ' || count(distinct term_id) from slot";
    assert_eq!(stack.postgres.fetch::<String>(slots).await, "verified 3 3");
    stack.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_is_told_to_stop_gives_back_what_it_holds() {
    let stack = Stack::new().await;
    stack.term("shoes fault-hang").await;
    stack
        .run_until("select exists (select from slot where state = 'capturing')")
        .await;
    let slot = "select concat_ws(' ', state, lease_until is null, failures, lost_claims) from slot";
    assert_eq!(stack.postgres.fetch::<String>(slot).await, "queued t 0 0");
    let job =
        "select count(*) from apalis.jobs j join slot s on j.idempotency_key = s.id || '#1' where j.status = 'Pending'";
    assert_eq!(stack.postgres.fetch::<i64>(job).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_engine_is_not_asked_until_it_goes_on() {
    let stack = Stack::new().await;
    stack.term("red shoes").await;
    stack
        .postgres
        .execute("insert into engine_pause (engine, user_name) values ('google', 'Ada')")
        .await;
    stack
        .run_until("select count(*) = 1 from slot where state = 'queued' and attempt > 0 and run_at > now()")
        .await;
    assert!(
        !stack
            .postgres
            .fetch::<bool>("select exists (select from capture)")
            .await
    );

    stack
        .postgres
        .execute(
            "delete from engine_pause; update slot set run_at = now(); \
             update apalis.jobs set run_at = now() - interval '1 second'",
        )
        .await;
    stack.run_until_settled().await;
    assert_eq!(
        stack.postgres.fetch::<String>("select state from slot").await,
        "verified"
    );
}
