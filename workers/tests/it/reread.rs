//! Reading stored pages again, against the real stores.

use chrono::DateTime;
use postgres::rereading::RereadQuery;
use workers::reread::{self, Summary};

use crate::detection::{SEEN, watched};
use crate::stack::Stack;

const ALL: RereadQuery = RereadQuery {
    since: DateTime::UNIX_EPOCH,
    term: None,
    engine: None,
};

/// Two captures as the present reader stores them, then as if an older reader had missed the first ad of one, and had another target
/// for the second ad of both. Returns the fingerprint of the right ads.
async fn read_by_an_older_reader() -> (Stack, u64) {
    let stack = watched().await;
    // Merchants are learnt from every page, which would change the readings.
    stack
        .postgres
        .execute(r#"update term set options = '{"saveShoppingAds": false}'"#)
        .await;
    stack.run_until_settled().await;
    let right = stack.fingerprint().await;
    assert_ne!(right, 0);
    for change in [
        "ALTER TABLE ad_results DELETE WHERE keyword = 'winter boots' AND mark = 1 SETTINGS mutations_sync = 2",
        "ALTER TABLE ad_results UPDATE target_url = 'https://misread.example/' WHERE mark = 2 SETTINGS mutations_sync = 2",
    ] {
        stack.ads.plain().query(change).execute().await.unwrap();
    }
    stack
        .postgres
        .execute(
            "update manifest_capture mc set n_rows = mc.n_rows - 1 from capture c where c.id = mc.capture_id and c.term = 'winter boots';
             update manifest m set n_rows = (select sum(n_rows) from manifest_capture where manifest_id = m.id);
             update capture set n_rows = n_rows - 1, text_ads = case when text_ads > 0 then text_ads - 1 else 0 end,
                 shopping_ads = case when text_ads > 0 then shopping_ads else shopping_ads - 1 end
             where term = 'winter boots';
             update capture set reader_version = '0'",
        )
        .await;
    stack.assert_sound().await;
    assert_ne!(stack.fingerprint().await, right);
    (stack, right)
}

async fn run(stack: &Stack, apply: bool) -> (Summary, Vec<String>) {
    let mut reported = Vec::new();
    let summary = reread::run(&stack.stores(), &ALL, apply, |difference| {
        reported.push(difference.to_string());
    })
    .await
    .unwrap();
    (summary, reported)
}

#[tokio::test(flavor = "multi_thread")]
async fn differences_are_shown_first_and_change_nothing() {
    let (stack, right) = read_by_an_older_reader().await;
    let wrong = stack.fingerprint().await;
    let (summary, reported) = run(&stack, false).await;
    let shown = (
        summary.captures,
        summary.differing,
        summary.gained,
        summary.lost,
        summary.changed,
        summary.applied,
    );
    assert_eq!(shown, (2, 2, 1, 0, 2, 0), "{reported:?}");
    assert!(
        reported
            .iter()
            .any(|text| text.contains("targetUrl: 'https://misread.example/' becomes")),
        "{reported:?}"
    );
    assert_eq!(stack.fingerprint().await, wrong);
    assert_ne!(wrong, right);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_applied_is_what_the_present_reader_reads() {
    let (stack, right) = read_by_an_older_reader().await;
    let actions: String = stack.postgres.fetch(SEEN).await;
    assert_ne!(actions, "");
    stack.postgres.execute("delete from action; delete from dealer").await;
    let (summary, _) = run(&stack, true).await;
    assert_eq!(summary.applied, 2);
    assert_eq!(stack.fingerprint().await, right);
    assert_eq!(
        stack.postgres.fetch::<String>(SEEN).await,
        actions,
        "an ad that was missed opens its action"
    );
    stack.assert_sound().await;
    let journal = "select concat_ws(' ', count(*), sum(jsonb_array_length(gained)), sum(jsonb_array_length(changed)),
        bool_and(applied_at is not null), min(old_reader_version)) from reread_journal";
    assert_eq!(stack.postgres.fetch::<String>(journal).await, "2 1 2 t 0");
    assert_eq!(
        stack
            .postgres
            .fetch::<i64>("select count(*) from capture where reader_version = '0'")
            .await,
        0
    );

    let (again, _) = run(&stack, true).await;
    assert_eq!((again.differing, again.applied), (0, 0));
    evidence::seal(&stack.postgres.pool).await.unwrap();
    let report = evidence::verify(&stack.postgres.pool, &stack.blobs, None)
        .await
        .unwrap();
    assert_eq!(report.findings, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_wanted_captures_are_read() {
    let (stack, _) = read_by_an_older_reader().await;
    let boots = stack
        .postgres
        .fetch::<i32>("select id from term where term = 'winter boots'")
        .await;
    let query = RereadQuery {
        term: Some(vocabulary::TermId(boots)),
        ..ALL
    };
    let summary = reread::run(&stack.stores(), &query, true, |_| {}).await.unwrap();
    assert_eq!((summary.captures, summary.applied), (1, 1));
    let other_engine = RereadQuery {
        engine: Some(vocabulary::Engine::Bing),
        ..ALL
    };
    let summary = reread::run(&stack.stores(), &other_engine, true, |_| {}).await.unwrap();
    assert_eq!(summary.captures, 0);
    stack.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_after_the_store_was_changed_is_brought_to_its_end() {
    let (stack, right) = read_by_an_older_reader().await;
    stack
        .postgres
        .execute(
            "create table crash ();
             create function crash() returns trigger language plpgsql as
                 'begin if exists (select from crash) then raise ''crash''; end if; return new; end';
             create trigger crash before update on reread_journal for each row execute function crash();
             insert into crash default values",
        )
        .await;
    let wrong = stack.fingerprint().await;
    assert!(reread::run(&stack.stores(), &ALL, true, |_| {}).await.is_err());
    let begun = stack.fingerprint().await;
    assert_ne!(begun, wrong, "every query sees the new rows of a month");
    stack.postgres.execute("delete from crash").await;
    assert!(reread::recover(&stack.stores()).await.unwrap() > 0);
    assert_eq!(reread::recover(&stack.stores()).await.unwrap(), 0);
    assert_eq!(stack.fingerprint().await, begun, "the ledger follows the store");
    stack.assert_sound().await;

    // The captures may be in two months.
    run(&stack, true).await;
    assert_eq!(stack.fingerprint().await, right);
    stack.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_before_the_store_was_changed_is_taken_back() {
    let (stack, right) = read_by_an_older_reader().await;
    let wrong = stack.fingerprint().await;
    // A dictionary has the name of the staging table and cannot be dropped as a table, so replacing rows fails.
    let view = "CREATE VIEW in_the_way AS SELECT 1";
    stack.ads.plain().query(view).execute().await.unwrap();
    let rename = "CREATE DICTIONARY ad_results_beside (id UInt64) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'in_the_way')) LAYOUT(FLAT()) LIFETIME(0)";
    stack.ads.plain().query(rename).execute().await.unwrap();
    assert!(reread::run(&stack.stores(), &ALL, true, |_| {}).await.is_err());
    assert!(stack.postgres.fetch::<i64>("select count(*) from reread_journal").await > 0);
    assert!(reread::recover(&stack.stores()).await.unwrap() > 0);
    assert_eq!(
        stack.postgres.fetch::<i64>("select count(*) from reread_journal").await,
        0
    );
    assert_eq!(stack.fingerprint().await, wrong);
    stack.assert_sound().await;
    stack
        .ads
        .plain()
        .query("DROP DICTIONARY ad_results_beside")
        .execute()
        .await
        .unwrap();
    run(&stack, true).await;
    assert_eq!(stack.fingerprint().await, right);
}
