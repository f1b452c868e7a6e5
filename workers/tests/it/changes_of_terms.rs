//! A change of a term, its brand or the official domains of that is seen in the next slot that is due, and in the detection of what it finds.

use std::time::Duration;

use postgres::categories::{self, CategoryKind, NewCategory};
use postgres::terms;
use schedules::grid;
use testkit::SETUP;
use vocabulary::{BrandId, Device, Frequency, TermId, TermState};

use crate::detection::watched;
use crate::stack::Stack;

const WEEK: i64 = 168 * 3_600_000;
const HOUR: i64 = 3_600_000;
const A_MOMENT: Duration = Duration::from_secs(1);
const ALL_CAPTURED: &str = "select count(*) > 0 and coalesce(bool_and(state = 'verified'), false) from slot";
const ALL_PLANNED: &str = "select not exists (select from term where schedule_stale)";

impl Stack {
    /// A stack with a term that was captured once.
    async fn captured() -> (Self, TermId) {
        let stack = Self::new().await;
        let term = stack.term("running shoes").await;
        stack.run_until(ALL_CAPTURED).await;
        (stack, term)
    }

    /// Lets the next slot of each grid be due, and forgets the slots before it.
    async fn let_next_slots_be_due(&self) {
        self.postgres
            .execute(
                "delete from apalis.jobs;
                 delete from slot;
                 update term_due grid set first_slot = due.at, next_slot = due.at
                 from (
                     select term_id, device, next_slot
                         - ceil(extract(epoch from next_slot - now()) * 1000 / every_ms) * every_ms * interval '1 millisecond' as at
                     from term_due
                 ) due
                 where due.term_id = grid.term_id and due.device = grid.device",
            )
            .await;
    }

    /// Captures the next due slots.
    async fn capture_next(&self) {
        self.let_next_slots_be_due().await;
        self.run_until(ALL_CAPTURED).await;
    }

    /// The domains of the ads that the slots in the ledger found, in alphabetical order.
    async fn shown(&self) -> Vec<String> {
        let captures: Vec<String> = self
            .postgres
            .fetch("select array_agg(c.id::text) from capture c join slot s on s.id = c.slot_id")
            .await;
        let domains =
            "SELECT DISTINCT domain FROM ad_results WHERE domain != '' AND toString(capture_id) IN ? ORDER BY domain";
        let domains = self.ads.plain().query(domains).bind(captures);
        domains.fetch_all().await.unwrap()
    }

    async fn captures(&self) -> i64 {
        self.postgres.fetch("select count(*) from capture").await
    }
}

/// The domains of the cases of a brand, in alphabetical order.
const CASES_OF_ACME: &str = "select coalesce(array_agg(distinct domain order by domain), '{}')
    from action where brand_id = (select id from brand where name = 'acme')";
const CASES_OF_KESTREL: &str = "select coalesce(array_agg(distinct domain order by domain), '{}')
    from action where brand_id = (select id from brand where name = 'kestrel')";
/// What the last capture was made of.
const LAST: &str = "select concat_ws(' ', device, locale, city, saves_text_ads, saves_shopping_ads, coalesce(brand, 'none'), n_rows = 0)
    from capture order by taken_at desc limit 1";

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_frequency_is_seen_in_the_next_due_slot() {
    let (stack, term) = Stack::captured().await;
    let every = Frequency::from_millis(WEEK).unwrap();
    terms::set_frequency(&stack.postgres.pool, &SETUP, &[term], every)
        .await
        .unwrap();
    stack.run_until(ALL_PLANNED).await;
    let next: chrono::DateTime<chrono::Utc> = stack.postgres.fetch("select next_slot from term_due").await;
    assert_eq!(next, grid::next(term, Device::Desktop, WEEK, Stack::now()));

    let every = Frequency::from_millis(HOUR).unwrap();
    terms::set_frequency(&stack.postgres.pool, &SETUP, &[term], every)
        .await
        .unwrap();
    stack.run_until(ALL_PLANNED).await;
    stack.capture_next().await;
    let slot: chrono::DateTime<chrono::Utc> = stack.postgres.fetch("select slot_ts from slot").await;
    assert_eq!(slot, grid::current(term, Device::Desktop, HOUR, Stack::now()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_that_changes_terms_wakes_the_schedule() {
    let stack = Stack::new().await;
    let working = stack.run_with_rare_ticks_until("select count(*) = 2 and bool_and(state = 'verified') from slot");
    let change = async {
        // The first pass is over by then.
        tokio::time::sleep(A_MOMENT).await;
        stack.term("running shoes").await;
        while !stack.postgres.fetch::<bool>(ALL_CAPTURED).await {
            tokio::time::sleep(A_MOMENT / 10).await;
        }
        stack
            .postgres
            .execute("update term set devices = '{DESKTOP,MOBILE}'")
            .await;
    };
    tokio::join!(working, change);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_state_is_seen_in_the_next_due_slot() {
    let (stack, term) = Stack::captured().await;
    for state in [TermState::Disabled, TermState::Archived] {
        stack.let_next_slots_be_due().await;
        terms::set_state(&stack.postgres.pool, &SETUP, &[term], state)
            .await
            .unwrap();
        stack.run_until(ALL_PLANNED).await;
        let slots = "select (select count(*) from slot) + (select count(*) from term_due)";
        assert_eq!(stack.postgres.fetch::<i64>(slots).await, 0, "{state}");
    }
    terms::set_state(&stack.postgres.pool, &SETUP, &[term], TermState::Enabled)
        .await
        .unwrap();
    stack.run_until(ALL_CAPTURED).await;
    assert_eq!(stack.captures().await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_device_is_seen_in_the_next_due_slot() {
    let (stack, _) = Stack::captured().await;
    stack.postgres.execute("update term set devices = '{MOBILE}'").await;
    stack.capture_next().await;
    assert_eq!(stack.captures().await, 2, "the desktop's slot was due, too");
    let last: String = stack.postgres.fetch(LAST).await;
    assert!(last.starts_with("mobile "), "{last}");
    let agents = "SELECT uniqExact(device) FROM ad_results WHERE device = 'mobile'";
    let agents: u64 = stack.ads.plain().query(agents).fetch_one().await.unwrap();
    assert_eq!(agents, 1, "its ads say so");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_localization_is_seen_in_the_next_due_slot() {
    let (stack, _) = Stack::captured().await;
    stack
        .postgres
        .execute(
            "update term set localization_id = (select id from localization where locale = 'en_GB' and city = 'Leeds')",
        )
        .await;
    stack.capture_next().await;
    let last: String = stack.postgres.fetch(LAST).await;
    assert!(last.starts_with("desktop en_GB Leeds "), "{last}");
    let asked: String = stack
        .postgres
        .fetch("select final_url from capture order by taken_at desc limit 1")
        .await;
    assert!(
        asked.contains("gl=gb") && asked.contains("hl=en") && asked.contains("uule="),
        "{asked}"
    );
    let countries = "SELECT arrayStringConcat(groupUniqArray(concat(country, ' ', city)), ', ') FROM ad_results WHERE country != 'FR'";
    let countries: String = stack.ads.plain().query(countries).fetch_one().await.unwrap();
    assert_eq!(countries, "GB Leeds");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slot_whose_locale_no_longer_names_a_country_is_missed() {
    let (stack, _) = Stack::captured().await;
    stack.let_next_slots_be_due().await;
    // The slot is in the queue by the time its place changes.
    schedules::pass(&stack.postgres.pool).await.unwrap();
    stack
        .postgres
        .execute("update localization set locale = 'fr' where id = (select localization_id from term)")
        .await;
    stack
        .run_until("select bool_and(settled_at is not null) from slot")
        .await;
    let ended: String = stack
        .postgres
        .fetch("select string_agg(concat_ws(' ', state, reason), ', ') from slot")
        .await;
    assert_eq!(ended, "missed disabled");
    assert_eq!(stack.captures().await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_option_is_seen_in_the_next_due_slot() {
    let (stack, _) = Stack::captured().await;
    let stored = stack.stored_rows().await;
    stack
        .postgres
        .execute(r#"update term set options = '{"disableSaveAds": true, "saveShoppingAds": false, "saveOrganicResults": true}'"#)
        .await;
    stack.capture_next().await;
    let last: String = stack.postgres.fetch(LAST).await;
    assert_eq!(last, "desktop fr_FR Paris f f none t");
    assert_eq!(stack.stored_rows().await, stored, "no ad was added");
    let organic: i64 = stack
        .postgres
        .fetch("select count(distinct capture_id) from organic_result")
        .await;
    assert_eq!(organic, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_brand_is_seen_in_the_next_due_slot_and_the_next_detection() {
    let stack = watched().await;
    stack.run_until(ALL_CAPTURED).await;
    let cases: Vec<String> = stack.postgres.fetch(CASES_OF_ACME).await;
    assert_eq!((cases.is_empty(), &cases), (false, &stack.shown().await));
    let seen = "select string_agg(concat_ws(' ', id, last_view, status), ', ' order by id) from action
        where brand_id = (select id from brand where name = 'acme')";
    let seen_before: String = stack.postgres.fetch(seen).await;

    stack.postgres.brand("kestrel").await;
    stack
        .postgres
        .execute(
            "update brand set create_shopping_notification = true;
             update term set brand_id = (select id from brand where name = 'kestrel')",
        )
        .await;
    stack.capture_next().await;
    let last: String = stack.postgres.fetch(LAST).await;
    assert!(last.contains(" kestrel "), "{last}");
    assert_eq!(
        stack.postgres.fetch::<Vec<String>>(CASES_OF_KESTREL).await,
        stack.shown().await
    );
    assert_eq!(
        stack.postgres.fetch::<String>(seen).await,
        seen_before,
        "the cases of the former brand stay as they were"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_official_domain_is_seen_in_the_next_detection() {
    let stack = watched().await;
    stack.run_until(ALL_CAPTURED).await;
    let brand = BrandId(stack.postgres.fetch("select id from brand").await);
    let domains: Vec<String> = stack.postgres.fetch(CASES_OF_ACME).await;
    let new = NewCategory {
        kind: CategoryKind::Dealers,
        name: "official",
        label: "Official",
        owner: Some(brand),
        for_all: false,
    };
    let pool = &stack.postgres.pool;
    let official = categories::create(pool, &SETUP, &new).await.unwrap();
    for domain in &domains {
        categories::link_domain(pool, &SETUP, official, domain).await.unwrap();
    }
    stack.postgres.execute("delete from action").await;
    stack.capture_next().await;
    let mut shown = stack.shown().await;
    let again = shown.iter().filter(|domain| domains.contains(domain)).count();
    assert!(again > 0, "{shown:?} {domains:?}");
    shown.retain(|domain| !domains.contains(domain));
    let cases: Vec<String> = stack.postgres.fetch(CASES_OF_ACME).await;
    assert_eq!(cases, shown, "none of an official domain");

    // Taken away again, they are advertisers like others.
    stack
        .postgres
        .execute("delete from category_dealer; delete from action")
        .await;
    stack.capture_next().await;
    let cases: Vec<String> = stack.postgres.fetch(CASES_OF_ACME).await;
    assert_eq!(cases, stack.shown().await);
}
