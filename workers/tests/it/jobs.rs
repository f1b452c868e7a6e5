//! Scheduled jobs over both stores and the files.

use vocabulary::Job;

use crate::stack::Stack;

/// A stack with two stored captures.
async fn stored() -> (Stack, u64) {
    let stack = Stack::new().await;
    stack.term("running shoes").await;
    stack.term("winter boots").await;
    stack.run_until_settled().await;
    let fingerprint = stack.fingerprint().await;
    assert_ne!(fingerprint, 0);
    (stack, fingerprint)
}

async fn change_ads(stack: &Stack, statement: &str) {
    stack.ads.plain().query(statement).execute().await.unwrap();
}

/// Runs the reconciler, and then a worker until nothing is unsettled.
async fn reconciled(stack: &Stack, says: &str) {
    let detail = stack.job(Job::Reconcile).await;
    assert!(detail.contains(says), "{detail}");
    stack.run_until_settled().await;
    stack.assert_sound().await;
    let again = stack.job(Job::Reconcile).await;
    assert!(again.contains(" 0 stored again, 0 beyond repair, 0 late"), "{again}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_starts_catches_up_on_every_job_once() {
    let stack = Stack::new().await;
    stack.postgres.execute("delete from job_run").await;
    let all = "select count(*) = 14 and bool_and(outcome = 'done') from job_run";
    stack.run_until(all).await;
    stack.term("running shoes").await;
    stack.run_until_settled().await;
    assert!(stack.postgres.fetch::<bool>(all).await, "none is run twice");
    let overview = schedules::calendar::overview(&stack.postgres.pool, chrono_tz::UTC, Stack::now())
        .await
        .unwrap();
    assert_eq!(overview.len(), 14);
    for scheduled in overview {
        assert!(
            scheduled.next.unwrap() > Stack::now() && scheduled.last.is_some(),
            "{scheduled:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_that_went_missing_are_stored_again_from_the_kept_pages() {
    let (stack, fingerprint) = stored().await;
    change_ads(
        &stack,
        "ALTER TABLE ad_results DELETE WHERE row % 2 = 0 SETTINGS mutations_sync = 2",
    )
    .await;
    reconciled(&stack, " 0 late").await;
    assert_eq!(stack.fingerprint().await, fingerprint);
    change_ads(&stack, "TRUNCATE TABLE ad_results").await;
    reconciled(&stack, " 0 late").await;
    assert_eq!(stack.fingerprint().await, fingerprint);
    let query = "select bool_and(state = 'verified' and epoch > 1) from manifest";
    assert!(stack.postgres.fetch::<bool>(query).await, "under the numbers they had");
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_that_are_there_twice_are_stored_again_once() {
    let (stack, fingerprint) = stored().await;
    let twice = "INSERT INTO ad_results SELECT * FROM ad_results SETTINGS insert_deduplicate = 0";
    change_ads(&stack, twice).await;
    reconciled(&stack, " 0 late").await;
    assert_eq!(stack.fingerprint().await, fingerprint);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_that_lands_after_it_was_given_up_is_deleted() {
    let (stack, fingerprint) = stored().await;
    stack
        .postgres
        .execute("insert into manifest (month, n_rows, state, settled_at) values (date_trunc('month', now()), 6, 'abandoned', now())")
        .await;
    let number: i64 = stack.postgres.fetch("select max(id) from manifest").await;
    let late = format!("INSERT INTO ad_results SELECT * REPLACE ({number} AS batch) FROM ad_results");
    change_ads(&stack, &late).await;
    assert_ne!(stack.fingerprint().await, fingerprint);
    reconciled(&stack, " 1 late").await;
    assert_eq!(stack.fingerprint().await, fingerprint);
}

#[tokio::test(flavor = "multi_thread")]
async fn batches_nobody_knows_are_told_of_and_left_alone() {
    let (stack, _) = stored().await;
    for batch in [1_u64 << 30, 1 << 38] {
        let unknown = format!("INSERT INTO ad_results SELECT * REPLACE ({batch} AS batch) FROM ad_results");
        change_ads(&stack, &unknown).await;
    }
    let detail = stack.job(Job::Reconcile).await;
    assert!(
        detail.contains(" 1 unknown"),
        "made-up rows are not looked at: {detail}"
    );
    assert_eq!(stack.batches().await.len(), 2 + stack.manifests().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_whose_pages_are_gone_are_not_touched() {
    let (stack, _) = stored().await;
    change_ads(
        &stack,
        "ALTER TABLE ad_results DELETE WHERE row = 0 SETTINGS mutations_sync = 2",
    )
    .await;
    let left = stack.fingerprint().await;
    let pages: Vec<Vec<u8>> = stack.postgres.fetch("select array_agg(page_sha256) from capture").await;
    for page in pages {
        stack.blobs.delete(&page.try_into().unwrap()).await.unwrap();
    }
    let detail = stack.job(Job::Reconcile).await;
    assert!(
        detail.contains(" 0 stored again") && !detail.contains(" 0 beyond repair"),
        "{detail}"
    );
    assert_eq!(stack.fingerprint().await, left);
}

#[tokio::test(flavor = "multi_thread")]
async fn retention_takes_away_what_is_over_and_nothing_is_missed() {
    let (stack, _) = stored().await;
    let detail = stack.job(Job::Retention).await;
    assert_eq!(detail, "0 months of ads dropped, 0 files of 0 captures deleted");

    let deleted = format!("{} files of 2 captures deleted, ", files(&stack).await);
    let later = stack.in_years(3);
    let detail = later.job(Job::Retention).await;
    assert!(
        detail.contains("months of ads dropped, ")
            && detail.contains(&deleted)
            && detail.ends_with("3 months of the ledger and 3 of the audit log dropped"),
        "{detail}"
    );
    let again = later.job(Job::Retention).await;
    assert!(
        again.contains("0 months of ads dropped, 0 files of 0 captures deleted"),
        "{again}"
    );
    assert_eq!(stack.stored_rows().await, []);
    let left = "select (select count(*) from slot) + (select count(*) from capture) + (select count(*) from manifest)
        + (select count(*) from manifest_capture) + (select count(*) from evidence_entry)";
    assert_eq!(stack.postgres.fetch::<i64>(left).await, 0);
    let detail = later.job(Job::Reconcile).await;
    assert!(
        detail.starts_with("0 manifests compared, 0 stored again, 0 beyond repair"),
        "{detail}"
    );
    let violations =
        postgres::invariants::violations(&stack.postgres.pool, Stack::now(), std::time::Duration::from_hours(1))
            .await
            .unwrap();
    assert_eq!(violations, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn uploads_that_nothing_uses_are_deleted_once_they_had_time_to_be_saved() {
    let stack = Stack::new().await;
    let mut contents = Vec::new();
    for content in ["shown", "replaced", "twice", "attached", "forgotten"] {
        contents.push(stack.blobs.put(content.as_bytes().to_vec()).await.unwrap());
    }
    let files = "insert into file (id, sha256, purpose) values
        ('00000000-0000-0000-0000-000000000000', sha256('shown'), 'avatar'),
        (gen_random_uuid(), sha256('replaced'), 'avatar'),
        (gen_random_uuid(), sha256('twice'), 'avatar'),
        (gen_random_uuid(), sha256('twice'), 'avatar'),
        (gen_random_uuid(), sha256('attached'), 'attachment'),
        (gen_random_uuid(), sha256('forgotten'), 'attachment')";
    stack.postgres.execute(files).await;
    let shows = "insert into user_account (email, avatar_id) values ('ann@acme.example', '00000000-0000-0000-0000-000000000000')";
    stack.postgres.execute(shows).await;
    let carries = "insert into attachment (name, sha256) values ('a.pdf', sha256('attached'))";
    stack.postgres.execute(carries).await;
    stack.job(Job::Retention).await;
    assert_eq!(stack.postgres.fetch::<i64>("select count(*) from file").await, 6);
    let detail = stack.in_years(1).job(Job::Retention).await;
    assert!(
        detail.contains("4 uploaded files that nothing uses deleted"),
        "{detail}"
    );
    assert_eq!(stack.postgres.fetch::<i64>("select count(*) from file").await, 2);
    let mut left = Vec::new();
    for sha256 in &contents {
        left.push(stack.blobs.read(sha256).await.unwrap().is_some());
    }
    assert_eq!(left, [true, false, false, true, false]);
}

#[tokio::test(flavor = "multi_thread")]
async fn deleted_rows_can_be_brought_back_for_thirty_days_and_are_gone_then() {
    let stack = Stack::new().await;
    let delete = "with kept as (
             insert into deleted_row (model, row_id, row, at) values
                 ('Term', 1, '{\"id\": 1}', now() - interval '29 days 23 hours'),
                 ('Term', 2, '{\"id\": 2}', now() - interval '30 days 1 hour')
             returning id
         )
         insert into deleted_with (deleted_row_id, depth, table_name, rows) select id, 1, 'term_category', '[]' from kept";
    stack.postgres.execute(delete).await;
    let detail = stack.job(Job::Retention).await;
    assert!(
        detail.contains("1 deleted rows forgotten that could be brought back"),
        "{detail}"
    );
    let left = "select string_agg(row_id::text, ' ') from deleted_row";
    assert_eq!(stack.postgres.fetch::<String>(left).await, "1");
    let with_it = "select count(*) from deleted_with";
    assert_eq!(
        stack.postgres.fetch::<i64>(with_it).await,
        1,
        "what went with it is gone, too"
    );
    let later = stack.in_years(1);
    later.job(Job::Retention).await;
    let left = "select (select count(*) from deleted_row) + (select count(*) from deleted_with)";
    assert_eq!(stack.postgres.fetch::<i64>(left).await, 0);
}

/// The files of all captures. A page that loads slowly is stored without its picture.
async fn files(stack: &Stack) -> i64 {
    let count = "select count(page_sha256) + count(view_sha256) + count(screenshot_sha256) from capture";
    stack.postgres.fetch(count).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retention_that_was_interrupted_converges() {
    let (stack, _) = stored().await;
    let later = stack.in_years(3);
    // As a crash leaves it: manifests marked but their rows not dropped, one file deleted but not marked.
    stack.postgres.execute("update manifest set rows_gone_at = now()").await;
    let page: Vec<u8> = stack.postgres.fetch("select page_sha256 from capture limit 1").await;
    stack.blobs.delete(&page.try_into().unwrap()).await.unwrap();
    let left = files(&stack).await - 1;
    let detail = later.job(Job::Retention).await;
    let deleted = format!("{left} files of 2 captures deleted");
    assert!(
        detail.contains("months of ads dropped, ") && detail.contains(&deleted),
        "{detail}"
    );
    assert_eq!(stack.stored_rows().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn totals_are_what_the_store_counts() {
    let stack = Stack::new().await;
    let brand = stack.postgres.brand("acme").await;
    stack.postgres.term("running shoes", Some(brand), 3_600_000).await;
    stack.run_until_settled().await;
    stack.job(Job::RefreshTotals).await;
    let counted: u64 = stack
        .ads
        .plain()
        .query("SELECT count() FROM ad_results WHERE domain != ''")
        .fetch_one()
        .await
        .unwrap();
    assert!(counted > 0);
    let total: i64 = stack.postgres.fetch("select total_views::bigint from brand").await;
    assert_eq!(u64::try_from(total).unwrap(), counted);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_roll_up_is_made_anew() {
    let (stack, _) = stored().await;
    // Moved back by a month, because today is not over.
    change_ads(
        &stack,
        "INSERT INTO ad_results SELECT * REPLACE (seen_at - 2678400 AS seen_at, 274877906944 AS batch) FROM ad_results",
    )
    .await;
    let sealed = stack.job(Job::SealDays).await;
    let days = sealed.split(' ').next().unwrap();
    assert_ne!(days, "0");
    change_ads(
        &stack,
        "ALTER TABLE ad_days UPDATE views = views + 1 WHERE 1 SETTINGS mutations_sync = 2",
    )
    .await;
    assert_eq!(stack.job(Job::CheckRollUps).await, format!("{days} days differed"));
    assert_eq!(stack.job(Job::CheckRollUps).await, "0 days differed");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_accepted_case_is_captured_again_by_the_queue() {
    let stack = Stack::new().await;
    let term = stack.term("running shoes").await;
    stack.run_until_settled().await;
    let accepted = format!(
        "insert into action (domain, country, engine, status, accepted_date, last_status_date)
             values ('shop.example', 'FR', 'google', 'accepted', now() - interval '25 hours', now() - interval '25 hours');
         insert into action_term (action_id, term_id, last_seen) select max(id), {term}, now()::date from action"
    );
    stack.postgres.execute(accepted.leak()).await;
    let (job, none) = (
        Job::CheckAccepted,
        "0 accepted cases checked by 0 more captures, 0 left for another day",
    );
    // The grid has captured since the day after the acceptance: nothing more is needed.
    assert_eq!(
        stack.job(job).await,
        "1 accepted cases checked by 0 more captures, 0 left for another day"
    );
    assert_eq!(stack.job(job).await, none);
    // Now that day is over later than the capture of the grid.
    stack
        .postgres
        .execute("update action set accepted_date = now() - interval '24 hours'")
        .await;
    assert_eq!(
        stack.job(job).await,
        "1 accepted cases checked by 1 more captures, 0 left for another day"
    );
    assert_eq!(stack.job(job).await, none);
    stack.run_until_settled().await;
    let looked = "select count(*) = 2 and bool_and(state = 'verified') and (select count(*) = 1 from acceptance_check_slot where is_extra) from slot";
    assert!(stack.postgres.fetch::<bool>(looked).await, "a page was looked at");
}

#[tokio::test(flavor = "multi_thread")]
async fn mails_of_cases_are_forgotten_two_years_after_the_last_event() {
    let stack = Stack::new().await;
    let file = stack.blobs.put(b"letter".to_vec()).await.unwrap();
    let mails = format!(
        "insert into action (domain, last_status_date, sended_count) values ('old.example', now() - interval '26 months', 1), ('new.example', now(), 1);
         insert into email (action_id, direction, status, body, created_date, left_at)
             select n, 'out', 'sent', 'text', now() - interval '26 months', now() - interval '26 months' from generate_series(1, 2) n;
         insert into attachment (email_id, name, sha256) values (1, 'a', '\\x{0}'), (2, 'a', '\\x{0}');
         insert into inbound_mail (digest, raw, source, received_at) values (sha256('1'), 'text', 'imap', now() - interval '26 months')",
        hex::encode(file)
    );
    stack.postgres.execute(mails.leak()).await;
    assert!(stack.job(Job::Retention).await.contains("1 mails of cases forgotten"));
    let left = "select (select array_agg(action_id) = '{2}' from email) and not exists (select from inbound_mail)
        and (select bool_and(sended_count = 1) from action)";
    assert!(stack.postgres.fetch::<bool>(left).await, "counts stay");
    assert!(stack.blobs.read(&file).await.unwrap().is_some(), "another mail has it");
    assert!(
        stack
            .in_years(3)
            .job(Job::Retention)
            .await
            .contains("1 mails of cases forgotten")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sources_of_mails_are_forgotten_before_what_was_read_in_them() {
    let stack = Stack::new().await;
    let mails = "insert into inbound_mail (digest, raw, source, received_at, verdict, verdict_at)
        select sha256(n::text::bytea), 'source', 'imap', now() - days * interval '1 day', verdict, case when verdict is not null then now() end
        from (values (1, 89, 'matched'), (2, 91, 'matched'), (3, 91, 'report'), (4, 91, 'unmatched'), (5, 91, 'unreadable'), (6, 91, null))
            as m (n, days, verdict);
        insert into email (direction, status, body, inbound_id, created_date) select 'in', 'received', 'text', id, received_at from inbound_mail";
    stack.postgres.execute(mails).await;
    assert!(stack.job(Job::Retention).await.contains("2 sources of mails forgotten"));
    let left = "select string_agg(verdict || ' ' || octet_length(raw), ', ' order by id) from inbound_mail where verdict is not null";
    assert_eq!(
        stack.postgres.fetch::<String>(left).await,
        "matched 6, matched 0, report 0, unmatched 6, unreadable 6"
    );
    assert!(
        stack
            .postgres
            .fetch::<bool>("select bool_and(body = 'text') from email")
            .await
    );
    assert!(!stack.job(Job::Retention).await.contains("sources"), "run again");
}
