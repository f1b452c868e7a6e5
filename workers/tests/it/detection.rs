//! From captures to actions.

use chrono::TimeDelta;
use vocabulary::Job;
use workers::detect::{self, DetectionPeriod};

use crate::stack::Stack;

/// The sightings, independent of when and in which order they were folded in.
pub const SEEN: &str = "select coalesce(string_agg(concat_ws(' ', domain, country, engine, status, languages, text_days > 0, shopping_days > 0,
        last_view, d.domain_of_master, (select string_agg(term_id::text, ',' order by term_id) from action_term where action_id = a.id)),
        e'\n' order by domain, country, engine), '')
    from action a left join lateral (select domain as domain_of_master from dealer where id = a.advertiser_id) d on true";

/// A stack with two terms of a brand that creates actions.
pub async fn watched() -> Stack {
    let stack = Stack::new().await;
    let brand = stack.postgres.brand("acme").await;
    stack
        .postgres
        .execute("update brand set create_notification = true, create_shopping_notification = true, validated = true")
        .await;
    for words in ["running shoes", "winter boots"] {
        stack.postgres.term(words, Some(brand), 732 * 3_600_000).await;
    }
    stack
}

#[tokio::test(flavor = "multi_thread")]
async fn captures_open_the_actions_that_their_stored_ads_would_give() {
    let stack = watched().await;
    stack.run_until_settled().await;
    let live: String = stack.postgres.fetch(SEEN).await;
    let domains: i64 = stack
        .postgres
        .fetch("select count(*) from action where status = 'new'")
        .await;
    let of_results = "SELECT uniqExact(domain, country, engine) FROM ad_results WHERE domain != ''";
    let of_results: u64 = stack.ads.plain().query(of_results).fetch_one().await.unwrap();
    assert_eq!(u64::try_from(domains).unwrap(), of_results);
    assert!(of_results > 0, "{live}");

    // Folding everything once more changes nothing; folding it from scratch gives the same.
    let today = runtime::Clock::system().now().date_naive();
    let period = DetectionPeriod {
        first: today - TimeDelta::days(40),
        last: today,
        brand: None,
    };
    let stores = stack.stores();
    let again = detect::run(
        &stores.postgres,
        &stores.analytics,
        &period,
        TimeDelta::days(7),
        |_, _| {},
    )
    .await
    .unwrap();
    assert_eq!((again.opened, again.reappeared), (0, 0));
    assert_eq!(stack.postgres.fetch::<String>(SEEN).await, live);
    stack.postgres.execute("delete from action; delete from dealer").await;
    let again = detect::run(
        &stores.postgres,
        &stores.analytics,
        &period,
        TimeDelta::days(7),
        |_, _| {},
    )
    .await
    .unwrap();
    assert_eq!(again.opened, of_results);
    assert_eq!(stack.postgres.fetch::<String>(SEEN).await, live);
    stack.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slot_is_not_verified_without_its_actions() {
    let stack = watched().await;
    // The last step of settling fails: neither the slot nor an action is written.
    stack
        .postgres
        .execute("alter table action add constraint no_actions check (domain is null)")
        .await;
    stack
        .run_until("select count(*) = 2 from slot where state = 'storing' and exists (select from manifest where state = 'verified')")
        .await;
    assert_eq!(stack.postgres.fetch::<i64>("select count(*) from action").await, 0);
    stack
        .postgres
        .execute(
            "alter table action drop constraint no_actions; update slot set lease_until = now() - interval '1 second' where lease_until is not null",
        )
        .await;
    stack.run_until_settled().await;
    let opened = "select count(*) > 0 and bool_and(status = 'new') from action";
    assert!(stack.postgres.fetch::<bool>(opened).await);
    assert_eq!(
        stack
            .postgres
            .fetch::<i64>("select count(*) - (select count(*) from action) from action_history")
            .await,
        0
    );
    stack.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn views_of_actions_are_counted_at_night_and_nothing_goes_that_was_just_seen() {
    let stack = watched().await;
    stack.run_until_settled().await;
    assert_eq!(stack.job(Job::Disappear).await, "0 actions disappeared");
    let counted = stack.job(Job::Prioritize).await;
    assert!(!counted.starts_with("0 "), "{counted}");
    assert_eq!(stack.job(Job::Prioritize).await, "0 priorities changed");
    let views: i64 = stack.postgres.fetch("select sum(views)::bigint from action").await;
    let rows = "SELECT count() FROM ad_results WHERE domain != ''";
    let rows: u64 = stack.ads.plain().query(rows).fetch_one().await.unwrap();
    assert_eq!(u64::try_from(views).unwrap(), rows);
    assert!(
        stack
            .postgres
            .fetch::<bool>("select bool_and(priority = views and ads > 0) from action")
            .await
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn stored_ads_of_partners_open_only_the_cases_that_their_words_do() {
    let stack = watched().await;
    stack.run_until_settled().await;
    // Two advertisers with text ads: one may write what it likes, the other nothing that it wrote.
    let seen = "SELECT domain, any(title) FROM ad_results WHERE kind = 'ads' AND domain != '' GROUP BY domain ORDER BY domain LIMIT 2";
    let seen: Vec<(String, String)> = stack.ads.plain().query(seen).fetch_all().await.unwrap();
    let (kept, broken) = (&seen[0], &seen[1]);
    for (domain, words) in [(&kept.0, "no ad says this"), (&broken.0, broken.1.as_str())] {
        let words = words.replace('\'', "''");
        let partner = format!(
            "insert into brand_partner (brand_id, domain, kind, forbidden_words)
             select id, '{domain}', 'reseller', array['{words}'] from brand"
        );
        stack.postgres.execute(partner.leak()).await;
    }
    stack.postgres.execute("delete from action").await;
    let today = runtime::Clock::system().now().date_naive();
    let period = DetectionPeriod {
        first: today - TimeDelta::days(40),
        last: today,
        brand: None,
    };
    let stores = stack.stores();
    let grace = TimeDelta::days(7);
    detect::run(&stores.postgres, &stores.analytics, &period, grace, |_, _| {})
        .await
        .unwrap();
    let opened: String = stack
        .postgres
        .fetch("select coalesce(string_agg(distinct domain, ' '), '') from action")
        .await;
    let opened: Vec<&str> = opened.split(' ').collect();
    assert!(!opened.contains(&kept.0.as_str()), "{opened:?}");
    assert!(opened.contains(&broken.0.as_str()), "{opened:?}");
    assert!(opened.len() > 1, "{opened:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn cases_that_stored_ads_begin_again_show_an_ad_of_a_kept_page() {
    let stack = watched().await;
    stack.run_until_settled().await;
    let gone = "update action set status = 'disappeared', disappeared_date = now() - interval '2 days', last_status_date = now() - interval '2 days',
        last_capture_at = now() - interval '3 days', last_view = now() - interval '3 days'";
    stack.postgres.execute(gone).await;
    let today = runtime::Clock::system().now().date_naive();
    let period = DetectionPeriod {
        first: today - TimeDelta::days(1),
        last: today,
        brand: None,
    };
    let stores = stack.stores();
    let grace = TimeDelta::days(7);
    let found = detect::run(&stores.postgres, &stores.analytics, &period, grace, |_, _| {})
        .await
        .unwrap();
    assert!(found.reappeared > 0);
    let shown: i64 = stack
        .postgres
        .fetch(
            "select count(*) from relapse r join action_history h on h.id = r.history_id join capture c on c.id = r.capture_id
             where h.status = 'reappearance' and r.words <> '' and r.term <> ''",
        )
        .await;
    assert_eq!(u64::try_from(shown).unwrap(), found.reappeared);
}
