//! Locks of jobs, and the rows that retention finds.

use chrono::{DateTime, TimeDelta, Utc};
use postgres::view_totals::{self, Views};
use postgres::{expired_files, job_runs, manifests};
use testkit::{Postgres, SETUP};
use vocabulary::{Job, JobOutcome, TermId};

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

#[tokio::test]
async fn one_process_at_a_time_runs_a_job() {
    let store = Postgres::new().await;
    let first = job_runs::lock(&store.direct(), Job::Retention).await.unwrap().unwrap();
    assert!(job_runs::lock(&store.direct(), Job::Retention).await.unwrap().is_none());
    assert!(job_runs::lock(&store.direct(), Job::Reconcile).await.unwrap().is_some());
    first.release().await.unwrap();
    assert!(job_runs::lock(&store.direct(), Job::Retention).await.unwrap().is_some());
}

#[tokio::test]
async fn a_run_without_an_end_was_interrupted_and_counts_as_a_failure() {
    let store = Postgres::new().await;
    let due = at("2026-07-01T02:00:00Z");
    let mut died = job_runs::lock(&store.direct(), Job::Retention).await.unwrap().unwrap();
    died.begin(Job::Retention, due).await.unwrap();
    died.release().await.unwrap();

    let mut next = job_runs::lock(&store.direct(), Job::Retention).await.unwrap().unwrap();
    let run = next.begin(Job::Retention, due + TimeDelta::days(1)).await.unwrap();
    let under_way = job_runs::last(&store.pool).await.unwrap();
    assert_eq!((under_way[0].outcome, under_way[0].failures), (None, 1));
    next.end(run, JobOutcome::Done, "nothing to do").await.unwrap();
    let last = job_runs::last(&store.pool).await.unwrap();
    assert_eq!(last.len(), 1);
    assert_eq!(last[0].due_at, due + TimeDelta::days(1));
    assert_eq!(
        (last[0].outcome, last[0].detail.as_deref()),
        (Some(JobOutcome::Done), Some("nothing to do"))
    );
}

/// A capture of slot `n` with page `page` and view `view` (one byte each, repeated).
async fn captures(store: &Postgres) {
    store.term("shoes", None, 3_600_000).await;
    store
        .execute(
            "insert into slot (term_id, device, slot_ts) select 1, 'desktop', timestamptz '2026-01-01' + n * interval '1 day'
                 from generate_series(1, 3) n;
             insert into capture (id, slot_id, attempt, term_id, term, keyword_type, engine, device, locale, slot_ts, taken_at,
                 final_url, verdict, page_sha256, view_sha256, reader_version, text_ads, shopping_ads, saves_text_ads,
                 saves_shopping_ads, n_rows)
             select capture_id, id, 1, 1, 'shoes', 'GENERIC', 'google', 'desktop', 'fr_FR', slot_ts, slot_ts, 'http://serp.example',
                 'results', decode(repeat('0' || id % 10, 32), 'hex'), decode(repeat('aa', 32), 'hex'), '1', 2, 0, true, true, 2
             from slot",
        )
        .await;
}

#[tokio::test]
async fn a_file_that_a_younger_capture_names_is_not_to_go() {
    let store = Postgres::new().await;
    captures(&store).await;
    let mut connection = store.pool.acquire().await.unwrap();
    let outdated = async |connection: &mut _, before: &str| {
        expired_files::outdated(connection, &SETUP, at(before), 10)
            .await
            .unwrap()
    };
    let found = outdated(&mut connection, "2026-01-03T12:00:00Z").await;
    assert_eq!(found.captures.len(), 2);
    let mut files = found.files.clone();
    files.sort_unstable();
    assert_eq!(files, [[1; 32], [2; 32]], "the view of all three stays");
    expired_files::mark_gone(&store.pool, &SETUP, &found).await.unwrap();
    assert!(outdated(&mut connection, "2026-01-03T12:00:00Z").await.is_empty());

    let rest = outdated(&mut connection, "2026-02-01T00:00:00Z").await;
    assert_eq!((rest.captures.len(), rest.files.len()), (1, 2));
}

#[tokio::test]
async fn rows_of_a_dropped_month_are_not_missed() {
    let store = Postgres::new().await;
    captures(&store).await;
    store
        .execute(
            "insert into manifest (month, n_rows, state, settled_at) values ('2026-01-01', 6, 'verified', now());
             insert into manifest_capture (capture_id, manifest_id, first_row, n_rows)
                 select id, 1, 2 * (row_number() over (order by slot_id) - 1), 2 from capture",
        )
        .await;
    assert_eq!(manifests::verified_rows(&store.pool).await.unwrap().len(), 3);
    let months = ["2026-01-01", "2026-02-01"].map(|month| month.parse().unwrap());
    assert_eq!(manifests::mark_rows_gone(&store.pool, months[0], 10).await.unwrap(), 0);
    assert_eq!(manifests::mark_rows_gone(&store.pool, months[1], 10).await.unwrap(), 1);
    assert_eq!(manifests::mark_rows_gone(&store.pool, months[1], 10).await.unwrap(), 0);
    assert_eq!(manifests::verified_rows(&store.pool).await.unwrap(), []);
    let first = manifests::ManifestId(1);
    assert_eq!(
        manifests::verified_between(&store.pool, first, first).await.unwrap(),
        []
    );
    assert_eq!(manifests::reopen(&store.pool, &[first]).await.unwrap(), 0);
}

#[tokio::test]
async fn manifests_are_forgotten_with_their_months_unless_their_rows_are_kept() {
    let store = Postgres::new().await;
    captures(&store).await;
    store
        .execute(
            "insert into manifest (month, n_rows, state, settled_at, rows_gone_at) values
                 ('2026-01-01', 2, 'verified', now(), now()), ('2026-01-01', 2, 'verified', now(), null),
                 ('2026-01-01', 2, 'abandoned', now(), null), ('2026-01-01', 2, 'storing', null, null),
                 ('2026-02-01', 2, 'verified', now(), now());
             insert into manifest_capture (capture_id, manifest_id, first_row, n_rows)
                 select id, row_number() over (order by slot_id), 0, 2 from capture limit 2;
             insert into ad_correction (manifest_id, row_number, capture_id, slot_ts, gone, applied_at)
                 select 1, 0, capture_id, now(), true, now() from manifest_capture where manifest_id = 1",
        )
        .await;
    let remaining = async || {
        let found: String = store
            .fetch("select string_agg(id::text, ' ' order by id) || ', ' || (select count(*) from manifest_capture) || ', ' || (select count(*) from ad_correction) from manifest")
            .await;
        found
    };
    let months = ["2026-01-01", "2026-02-01"].map(|month| month.parse().unwrap());
    assert_eq!(manifests::forget_before(&store.pool, months[0], 10).await.unwrap(), 0);
    assert_eq!(
        manifests::forget_before(&store.pool, months[1], 1).await.unwrap(),
        1,
        "as many as the limit"
    );
    assert_eq!(manifests::forget_before(&store.pool, months[1], 10).await.unwrap(), 1);
    assert_eq!(manifests::forget_before(&store.pool, months[1], 10).await.unwrap(), 0);
    assert_eq!(remaining().await, "2 4 5, 1, 0");
}

#[tokio::test]
async fn totals_are_those_of_brands_companies_and_tags_and_fall_to_zero() {
    let store = Postgres::new().await;
    let (one, two) = (store.brand("one").await, store.brand("two").await);
    let shoes = store.term("shoes", Some(one), 3_600_000).await;
    let boots = store.term("boots", Some(two), 3_600_000).await;
    store
        .execute(
            "insert into company_account (name) values ('of one'), ('given boots'), ('empty');
             insert into brand_company_account (brand_id, company_account_id) values (1, 1);
             insert into term_company_account (term_id, company_account_id) values (2, 2);
             insert into dealer (domain) values ('shop.example');
             delete from category where scope = 'tag';
             insert into category (label, scope, brand_owner_id, visibility) values ('everywhere', 'tag', null, 'owner'), ('of two', 'tag', 2, 'owner'),
                 ('shared', 'tag', null, 'all'), ('shared of two', 'tag', 2, 'all'), ('shared words', 'term', null, 'all'), ('words', 'term', null, 'owner');
             insert into category_dealer (category_id, dealer_id) select id, 1 from category where scope = 'tag';
             insert into term_category (category_id, term_id) select id, 1 from category where scope = 'term'",
        )
        .await;
    let domain = |brand, views| (brand, "shop.example".to_owned(), views);
    let views = Views {
        of_terms: vec![(one, shoes, 5), (two, boots, 7), (two, TermId(99), 1)],
        of_domains: vec![domain(one, 3), domain(two, 4)],
    };
    let totals = "select concat_ws(' ', (select string_agg(total_views::text, ',' order by id) from brand),
        (select string_agg(total_views::text, ',' order by id) from company_account),
        (select string_agg(total_views::text, ',' order by label) from category))";
    let mut connection = store.pool.acquire().await.unwrap();
    assert_eq!(view_totals::set(&mut connection, &SETUP, &views).await.unwrap(), 7);
    assert_eq!(store.fetch::<String>(totals).await, "5,8 5,7,0 7,4,0,0,0,5");
    assert_eq!(view_totals::set(&mut connection, &SETUP, &views).await.unwrap(), 0);
    assert_eq!(
        view_totals::tagged_domains(&store.pool, &SETUP).await.unwrap(),
        ["shop.example"]
    );
    let none = Views::default();
    assert_eq!(view_totals::set(&mut connection, &SETUP, &none).await.unwrap(), 7);
    assert_eq!(store.fetch::<String>(totals).await, "0,0 0,0,0 0,0,0,0,0,0");
}

#[tokio::test]
async fn a_lock_on_stored_rows_is_not_lost_to_the_limit_on_idle_transactions() {
    let store = Postgres::new().await;
    let limit = async |mut held: postgres::Tx| -> String {
        let timeout = sqlx::query_scalar("show idle_in_transaction_session_timeout");
        timeout.fetch_one(&mut *held).await.unwrap()
    };
    let shared = postgres::rereading::keep_rows_in_place(&store.pool).await.unwrap();
    assert_eq!(limit(shared).await, "0");
    let alone = postgres::rereading::stop_storing(&store.pool).await.unwrap();
    assert_eq!(limit(alone).await, "0");
}
