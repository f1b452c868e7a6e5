//! Lanes of Stop and Go: from captures to the negative list, and back.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures::FutureExt;
use futures::future::BoxFuture;
use stop_go::live::{self, PersonalAct, ProductSwitches};
use stop_go::{Coverage, NegativeList, NegativeListError, NegativeLists, TextOutcome, Urgency};
use testkit::Postgres;
use vocabulary::UserId;
use workers::stop_go::{StopGo, apply, pass, read_after_goes, upkeep};

use crate::stack::Stack;

/// A brand that stops by itself, with one keyword on two devices, seven days of clean hourly captures until noon, and an account whose list fits.
pub(crate) const WORLD: &str = "insert into brand (id, name, label) values (201, 'acme', 'Acme');
    insert into user_account (id, email) values (301, 'ann@acme.example');
    insert into category (id, name, label, scope, brand_owner_id) values (501, 'official', 'Official', 'tag', 201);
    insert into dealer (id, domain) values (601, 'acme.example');
    insert into category_dealer (category_id, dealer_id) values (501, 601);
    insert into localization (id, locale, language, country) values (9001, 'fr_FR', 'fr', '{\"en\": \"France\"}');
    insert into term (id, term, engine, state, localization_id, brand_id) values (401, 'acme shoes', 'GOOGLE', 'enabled', 9001, 201);
    insert into term_due (term_id, device, every_ms, first_slot, next_slot)
        select 401, device::device, 3600000, '2026-01-01', '2026-01-01' from unnest(array['desktop', 'mobile']) device;
    insert into google_grant (kind, scopes, refresh_token, checked_at, created_date)
        values ('manager', '{}', 'sealed', '2026-06-01', '2026-06-01');
    insert into google_connect (id, customer_id, brand_id, ads_grant_id) select 701, '1234567890', 201, id from google_grant;
    insert into stop_go_brand (brand_id, mode, owner_user_id) values (201, 'automatic', 301);
    insert into stop_go_lane (account, google_connect_id, country, text_folded, since, dry_run_seen_at, next_event_at)
        values ('customer:1234567890', 701, 'FR', 'acme shoes', '2026-06-01', '2026-06-07', '2026-06-08');
    insert into stop_go_keyword (id, brand_id, term_id, lane_id) select 801, 201, 401, id from stop_go_lane;
    insert into stop_go_reading (lane_id, capture_id, term_id, device, at, verdict, organic_first, own_ad)
        select id, gen_random_uuid(), 401, device::device, at, 'clean', true, true
        from stop_go_lane, unnest(array['desktop', 'mobile']) device,
            generate_series('2026-06-01 11:50Z'::timestamptz, '2026-06-08 11:50Z', '1 hour') at";

/// A list as the service would keep it, with faults on demand.
#[derive(Default)]
struct List {
    texts: BTreeSet<String>,
    attached: bool,
    refuses: Option<&'static str>,
    /// Changes are made, and their answers lost.
    loses_answers: bool,
    is_away: bool,
    detached: u32,
}

#[derive(Clone, Default)]
struct FakeLists(Arc<Mutex<List>>);

impl FakeLists {
    fn has(&self, text: &str) -> bool {
        self.0.lock().unwrap().texts.contains(text)
    }

    fn change(&self, texts: &[String], adds: bool) -> Result<Vec<TextOutcome>, NegativeListError> {
        let mut list = self.0.lock().unwrap();
        if list.is_away {
            return Err(NegativeListError::Unavailable {
                retry_after: Duration::from_secs(1),
            });
        }
        if let Some(reason) = list.refuses {
            let refused = NegativeListError::Refused {
                reason: reason.to_owned(),
            };
            return Ok(texts.iter().map(|text| (text.clone(), Err(refused.clone()))).collect());
        }
        for text in texts {
            if adds {
                list.texts.insert(text.clone())
            } else {
                list.texts.remove(text)
            };
        }
        if list.loses_answers {
            return Err(NegativeListError::Unknown);
        }
        Ok(texts.iter().map(|text| (text.clone(), Ok(()))).collect())
    }
}

impl NegativeLists for FakeLists {
    fn mutates(&self) -> bool {
        true
    }

    fn list(&self, _item: i32, _country: &str, _urgency: Urgency) -> Arc<dyn NegativeList> {
        Arc::new(self.clone())
    }
}

impl NegativeList for FakeLists {
    fn texts(&self) -> BoxFuture<'_, Result<BTreeSet<String>, NegativeListError>> {
        let list = self.0.lock().unwrap();
        let found = if list.is_away {
            Err(NegativeListError::Unavailable {
                retry_after: Duration::from_secs(1),
            })
        } else {
            Ok(list.texts.clone())
        };
        async { found }.boxed()
    }

    fn add<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<TextOutcome>, NegativeListError>> {
        async { self.change(texts, true) }.boxed()
    }

    fn remove<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<TextOutcome>, NegativeListError>> {
        async { self.change(texts, false) }.boxed()
    }

    fn attach(&self) -> BoxFuture<'_, Result<Coverage, NegativeListError>> {
        self.0.lock().unwrap().attached = true;
        async {
            Ok(Coverage {
                campaigns: 2,
                pmax_percent: 10.0,
            })
        }
        .boxed()
    }

    fn attached(&self) -> BoxFuture<'_, Result<(u32, bool), NegativeListError>> {
        let attached = self.0.lock().unwrap().attached;
        async move { Ok(if attached { (2, true) } else { (0, false) }) }.boxed()
    }

    fn detach(&self) -> BoxFuture<'_, Result<(), NegativeListError>> {
        let mut list = self.0.lock().unwrap();
        list.attached = false;
        list.detached += 1;
        async { Ok(()) }.boxed()
    }
}

struct World {
    store: Postgres,
    lists: FakeLists,
    stop_go: StopGo,
}

fn noon() -> DateTime<Utc> {
    "2026-06-08T12:00:00Z".parse().unwrap()
}

const ON: ProductSwitches = ProductSwitches {
    automation: true,
    mutations: true,
};

impl World {
    async fn new() -> Self {
        let store = Postgres::new().await;
        store.execute(WORLD).await;
        let lists = FakeLists::default();
        let stop_go = StopGo {
            automation: true,
            lists: Some(Arc::new(lists.clone())),
        };
        Self { store, lists, stop_go }
    }

    /// What a worker does in a round at a time.
    async fn round(&self, now: DateTime<Utc>) {
        pass(&self.store.pool, &self.stop_go, now).await.unwrap();
        apply(&self.store.pool, &self.stop_go, now).await.unwrap();
    }

    async fn stopped() -> Self {
        let world = Self::new().await;
        world.round(noon()).await;
        world.decide(noon()).await;
        world.round(noon()).await;
        assert_eq!(world.state().await, "stopped true true clean");
        assert!(world.lists.has("acme shoes"));
        world
    }

    async fn decide(&self, now: DateTime<Utc>) {
        let mut tx = postgres::begin(&self.store.pool).await.unwrap();
        let lane: i32 = self.store.fetch("select id from stop_go_lane").await;
        live::decide_stored(&mut tx, lane, ON, now).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// State, what is wanted, what was observed, and the rule of the last change.
    async fn state(&self) -> String {
        self.store
            .fetch(
                "select concat_ws(' ', state, desired::text, coalesce(observed::text, '?'),
                     (select rule from stop_go_decision where action in ('stop', 'go') order by id desc limit 1)) from stop_go_lane",
            )
            .await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clean_lane_stops_and_goes_with_the_first_rival() {
    let world = World::stopped().await;
    world
        .store
        .execute(
            "insert into stop_go_reading (lane_id, capture_id, term_id, device, at, verdict, rivals, own_ad)
             select id, gen_random_uuid(), 401, 'mobile', '2026-06-08 12:50Z', 'rival', '{rival.example}', false from stop_go_lane",
        )
        .await;
    let seen = noon() + TimeDelta::minutes(50);
    world.decide(seen).await;
    world.round(seen).await;
    assert_eq!(world.state().await, "cooling false false rival");
    assert!(!world.lists.has("acme shoes"));
    let behind: String = world
        .store
        .fetch("select readings::text from stop_go_decision where action = 'go'")
        .await;
    assert!(
        behind.contains("rival.example") && behind.contains("desktop"),
        "{behind}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn those_who_decide_on_lanes_of_one_account_wait_for_each_other() {
    let world = World::new().await;
    world.round(noon()).await;
    let clean: i32 = world.store.fetch("select id from stop_go_lane").await;
    let other: i32 = world
        .store
        .fetch(
            "insert into stop_go_lane (account, google_connect_id, country, text_folded, since)
             select account, google_connect_id, country, 'acme boots', since from stop_go_lane returning id",
        )
        .await;
    let mut first = postgres::begin(&world.store.pool).await.unwrap();
    live::decide_stored(&mut first, clean, ON, noon()).await.unwrap();
    let pool = world.store.pool.clone();
    let second = tokio::spawn(async move {
        let mut second = postgres::begin(&pool).await.unwrap();
        live::decide_stored(&mut second, other, ON, noon()).await.unwrap();
        live::decide_stored(&mut second, clean, ON, noon()).await.unwrap();
        second.commit().await.unwrap();
    });
    let waiting =
        "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    while world.store.fetch::<i64>(waiting).await == 0 {
        tokio::task::yield_now().await;
    }
    live::decide_stored(&mut first, other, ON, noon()).await.unwrap();
    first.commit().await.unwrap();
    second.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn without_captures_the_clock_lets_a_lane_go() {
    let world = World::stopped().await;
    let fresh = noon() + TimeDelta::minutes(110);
    world.round(fresh).await;
    assert!(world.lists.has("acme shoes"));
    let stale = noon() + TimeDelta::minutes(111);
    world.round(stale).await;
    world.round(stale).await;
    assert!(!world.lists.has("acme shoes"));
    assert!(
        world.state().await.ends_with("false false stale"),
        "{}",
        world.state().await
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_answers_and_absences_are_found_out_by_reading() {
    let world = World::new().await;
    world.round(noon()).await;
    world.lists.0.lock().unwrap().loses_answers = true;
    world.decide(noon()).await;
    world.round(noon()).await;
    assert!(
        world.state().await.starts_with("stopped true true"),
        "{}",
        world.state().await
    );

    world.lists.0.lock().unwrap().loses_answers = false;
    world.lists.0.lock().unwrap().is_away = true;
    world.store.execute("update stop_go_brand set state = 'disable'").await;
    world.decide(noon()).await;
    world.round(noon()).await;
    assert!(
        world.state().await.starts_with("resuming false ?"),
        "{}",
        world.state().await
    );
    world.lists.0.lock().unwrap().is_away = false;
    world.round(noon() + TimeDelta::minutes(2)).await;
    assert!(
        world.state().await.starts_with("off false false"),
        "{}",
        world.state().await
    );
    assert!(!world.lists.has("acme shoes"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_is_refused_goes_back() {
    let world = World::new().await;
    world.round(noon()).await;
    world.lists.0.lock().unwrap().refuses = Some("the list is full");
    let mut tx = postgres::begin(&world.store.pool).await.unwrap();
    let lane: i32 = world.store.fetch("select id from stop_go_lane").await;
    live::act(&mut tx, lane, PersonalAct::Exclude, (UserId(301), ON), noon())
        .await
        .unwrap();
    tx.commit().await.unwrap();
    world.round(noon()).await;
    assert!(
        world.state().await.starts_with("manual false"),
        "{}",
        world.state().await
    );
    let refused: String = world.store.fetch("select refused from stop_go_lane").await;
    assert_eq!(refused, "the list is full");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_changes_in_google_wins() {
    let world = World::stopped().await;
    world.lists.0.lock().unwrap().texts.clear();
    // Something else has to be changed in the list, so it is read.
    world
        .store
        .execute(
            "insert into stop_go_lane (account, google_connect_id, country, text_folded, since, state, desired)
             values ('customer:1234567890', 701, 'FR', 'acme boots', '2026-06-01', 'manual', true)",
        )
        .await;
    world.round(noon() + TimeDelta::minutes(1)).await;
    let state: String = world
        .store
        .fetch("select concat_ws(' ', state, desired::text, observed::text, reason) from stop_go_lane where text_folded = 'acme shoes'")
        .await;
    assert!(state.starts_with("manual false false"), "{state}");
    assert!(!world.lists.has("acme shoes"), "it is not put back");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_keyword_that_is_removed_while_stopped_goes_first() {
    let world = World::stopped().await;
    world
        .store
        .execute("update stop_go_keyword set removed_at = '2026-06-08 12:00Z'")
        .await;
    upkeep(&world.store.pool, &world.stop_go, noon()).await.unwrap();
    let left: i64 = world.store.fetch("select count(*) from stop_go_keyword").await;
    assert_eq!(left, 1, "it is still in the list");
    world.decide(noon()).await;
    world.round(noon()).await;
    upkeep(&world.store.pool, &world.stop_go, noon()).await.unwrap();
    let left: i64 = world.store.fetch("select count(*) from stop_go_keyword").await;
    assert_eq!(left, 0);
    assert!(!world.lists.has("acme shoes"));
    let log: i64 = world.store.fetch("select count(*) from stop_go_decision").await;
    assert!(log >= 3, "the log stays: {log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_emergency_detaches_the_list_in_one_call() {
    let world = World::stopped().await;
    world
        .store
        .execute("update stop_go_list set emergency_at = '2026-06-08 12:00Z'")
        .await;
    world.decide(noon()).await;
    world.round(noon()).await;
    assert_eq!(world.lists.0.lock().unwrap().detached, 1);
    assert!(!world.lists.0.lock().unwrap().attached && !world.lists.has("acme shoes"));
    assert!(
        world.state().await.starts_with("off false false"),
        "{}",
        world.state().await
    );
    world.round(noon() + TimeDelta::minutes(1)).await;
    assert_eq!(world.lists.0.lock().unwrap().detached, 1, "once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_comes_late_is_taken_out_again_and_not_taken_for_a_persons() {
    let world = World::stopped().await;
    world.store.execute("update stop_go_brand set state = 'disable'").await;
    world.decide(noon()).await;
    world.round(noon()).await;
    world.store.execute("update stop_go_brand set state = 'enable'").await;
    let next = noon() + TimeDelta::minutes(1);
    world.decide(next).await;
    assert!(
        world.state().await.starts_with("cooling false false"),
        "{}",
        world.state().await
    );
    // An adding of before, whose answer was lost.
    world.lists.0.lock().unwrap().texts.insert("acme shoes".to_owned());
    let pool = &world.store.pool;
    assert_eq!(
        read_after_goes(pool, &world.stop_go, next + TimeDelta::minutes(4))
            .await
            .unwrap(),
        0,
        "it may still come"
    );
    let later = next + TimeDelta::minutes(6);
    assert_eq!(read_after_goes(pool, &world.stop_go, later).await.unwrap(), 1);
    let noted: i64 = world
        .store
        .fetch("select count(*) from stop_go_decision where rule = 'came-back'")
        .await;
    assert_eq!(noted, 1);
    world.round(later).await;
    assert!(!world.lists.has("acme shoes"));
    assert!(
        world.state().await.starts_with("cooling false false"),
        "{}",
        world.state().await
    );
    assert_eq!(
        read_after_goes(pool, &world.stop_go, later).await.unwrap(),
        0,
        "read just now"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_control_is_clean_and_never_stops() {
    let world = World::new().await;
    world.store.execute("update stop_go_lane set holdout = true").await;
    world.round(noon()).await;
    world.decide(noon()).await;
    let state: String = world
        .store
        .fetch("select concat_ws(' ', state, desired, reason) from stop_go_lane")
        .await;
    assert_eq!(state, "candidate f holdout");
    world.store.execute("update stop_go_lane set holdout = false").await;
    world.decide(noon()).await;
    assert!(
        world.state().await.starts_with("stopping true"),
        "{}",
        world.state().await
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lane_waits_while_too_much_of_the_cost_is_stopped() {
    let world = World::stopped().await;
    world
        .store
        .execute(
            "update stop_go_brand set settings = '{\"maxStoppedPercent\": 100, \"maxStoppedCostPercent\": 60}';
             update stop_go_lane set month_cost_micros = 50000000;
             insert into term (id, term, engine, state, localization_id, brand_id) values (402, 'acme boots', 'GOOGLE', 'enabled', 9001, 201);
             insert into term_due (term_id, device, every_ms, first_slot, next_slot)
                 select 402, device, every_ms, first_slot, next_slot from term_due where term_id = 401;
             insert into stop_go_lane (account, google_connect_id, country, text_folded, since, dry_run_seen_at, next_event_at, month_cost_micros)
                 select account, google_connect_id, country, 'acme boots', '2026-06-01', '2026-06-07', '2026-06-08', 50000000 from stop_go_lane;
             insert into stop_go_keyword (brand_id, term_id, lane_id) select 201, 402, id from stop_go_lane where text_folded = 'acme boots';
             insert into stop_go_reading (lane_id, capture_id, term_id, device, at, verdict, organic_first, own_ad)
                 select n.id, gen_random_uuid(), 402, r.device, r.at, r.verdict, true, true
                 from stop_go_reading r, stop_go_lane n where n.text_folded = 'acme boots'",
        )
        .await;
    let of_boots = "select concat_ws(' ', state, desired, reason) from stop_go_lane where text_folded = 'acme boots'";
    world.round(noon()).await;
    assert_eq!(world.store.fetch::<String>(of_boots).await, "candidate f stopped-cap");
    // Beside a third lane that costs as much as both, they are half of the cost.
    world
        .store
        .execute(
            "insert into stop_go_lane (account, google_connect_id, country, text_folded, since, month_cost_micros)
                 select account, google_connect_id, country, 'acme hats', '2026-06-01', 100000000 from stop_go_lane where text_folded = 'acme boots';
             update stop_go_lane set next_event_at = '2026-06-08' where text_folded = 'acme boots'",
        )
        .await;
    world.round(noon()).await;
    let state = world.store.fetch::<String>(of_boots).await;
    assert!(state.starts_with("stopp") && state.contains(" t "), "{state}");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_answers_for_a_budget_hears_of_the_first_stop_of_a_day_once() {
    let world = World::stopped().await;
    let mails = "select coalesce(string_agg(concat_ws(' ', kind, user_id, context ->> 'subject', context ->> 'body'), '|' order by id), '')
                 from mail_outbox";
    upkeep(&world.store.pool, &world.stop_go, noon()).await.unwrap();
    upkeep(&world.store.pool, &world.stop_go, noon() + TimeDelta::hours(1))
        .await
        .unwrap();
    let queued: String = world.store.fetch(mails).await;
    assert_eq!(queued, "stopped 301 Acme - acme shoes (08/06/2026 12:00 UTC)");
    // The day after there was no stop.
    upkeep(&world.store.pool, &world.stop_go, noon() + TimeDelta::days(1))
        .await
        .unwrap();
    assert_eq!(world.store.fetch::<String>(mails).await, queued);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_capture_of_a_keyword_is_read_in_the_transaction_that_settles_it() {
    let stack = Stack::new().await;
    let brand = stack.postgres.brand("acme").await;
    stack.postgres.term("running shoes", Some(brand), 732 * 3_600_000).await;
    stack
        .postgres
        .execute(
            "insert into stop_go_brand (brand_id) select id from brand;
             insert into stop_go_lane (account, country, text_folded, since) select 'brand:' || id, 'FR', 'running shoes', now() from brand;
             insert into stop_go_keyword (brand_id, term_id, lane_id) select brand_id, id, (select id from stop_go_lane) from term",
        )
        .await;
    stack.run_until_settled().await;
    let read: String = stack
        .postgres
        .fetch(
            "select concat_ws(' ', count(*), count(*) filter (where r.verdict = 'rival'), bool_and(array_length(r.rivals, 1) > 0))
             from stop_go_reading r join capture c on c.id = r.capture_id",
        )
        .await;
    assert_eq!(read, "1 1 t");
    let rule: String = stack
        .postgres
        .fetch("select rule from stop_go_decision order by id desc limit 1")
        .await;
    assert_eq!(rule, "rival");
}
