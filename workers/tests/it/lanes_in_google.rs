//! Lanes of Stop and Go whose lists are those of Google Ads, against its sandbox.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use google::Client;
use google_sim::{Running, Simulator};
use postgres::google as stored;
use runtime::sealing::Keys;
use runtime::settings::Google;
use runtime::{Clock, Secret};
use serde_json::{Value, json};
use stop_go::live::{self, PersonalAct, ProductSwitches};
use testkit::Postgres;
use vocabulary::{SystemScope, UserId};
use workers::google_access::GoogleAccess;
use workers::stop_go::{GoogleLists, StopGo, apply, compare, pass, upkeep};

use crate::lanes::WORLD;
use crate::retrieving::consent;

const SYSTEM: SystemScope = SystemScope::new("test");
const ROOT: &str = "9001000001";
/// Its campaigns serve France alone.
const FRENCH: &str = "1000000101";
/// Its campaigns serve two countries.
const EUROPEAN: &str = "1000000103";
const TEXT: &str = "acme shoes";

/// The lane of [`WORLD`] in an account of the sandbox.
struct World {
    store: Postgres,
    sandbox: Running,
    stop_go: StopGo,
    mutations: bool,
}

fn noon() -> DateTime<Utc> {
    "2026-06-08T12:00:00Z".parse().unwrap()
}

impl World {
    async fn new() -> Self {
        Self::with(FRENCH, true, 2_880).await
    }

    async fn with(customer: &str, mutations: bool, daily_operations: u32) -> Self {
        let store = Postgres::new().await;
        store.execute(WORLD.replace("1234567890", customer).leak()).await;
        let clock = Clock::by_hand(noon());
        let sandbox = Simulator::start(&["acme.example"], clock.clone()).await.unwrap();
        let settings = Google {
            mutations,
            ..sandbox.settings()
        };
        let client = Client::new(&settings).unwrap();
        let token = consent(&client, &sandbox).await;
        let keys = Keys::read(Some(&Secret::new("0a".repeat(32)))).unwrap();
        let sealed = keys.seal("google_grant.refresh_token", &token).unwrap();
        store
            .execute(format!(
                "update google_grant set refresh_token = '{sealed}'; update google_connect set login_customer_id = '{ROOT}'"
            ).leak())
            .await;
        let access = GoogleAccess {
            postgres: store.pool.clone(),
            clock,
            client,
            keys,
            daily_operations,
        };
        let stop_go = StopGo {
            automation: true,
            lists: Some(Arc::new(GoogleLists { access, mutations })),
        };
        Self {
            store,
            sandbox,
            stop_go,
            mutations,
        }
    }

    /// A lane that is stopped by the rule, its text in the list.
    async fn stopped() -> Self {
        let world = Self::new().await;
        for _ in 0..3 {
            world.decide(noon()).await;
            world.round(noon()).await;
        }
        assert_eq!(world.state().await, "stopped true true");
        assert_eq!(world.texts().await, [TEXT]);
        world
    }

    async fn round(&self, now: DateTime<Utc>) {
        pass(&self.store.pool, &self.stop_go, now).await.unwrap();
        apply(&self.store.pool, &self.stop_go, now).await.unwrap();
    }

    const fn switches(&self) -> ProductSwitches {
        ProductSwitches {
            automation: true,
            mutations: self.mutations,
        }
    }

    async fn decide(&self, now: DateTime<Utc>) {
        let mut tx = postgres::begin(&self.store.pool).await.unwrap();
        let lane: i32 = self
            .store
            .fetch("select id from stop_go_lane order by id limit 1")
            .await;
        live::decide_stored(&mut tx, lane, self.switches(), now).await.unwrap();
        tx.commit().await.unwrap();
    }

    async fn act(&self, act: PersonalAct) {
        let mut tx = postgres::begin(&self.store.pool).await.unwrap();
        let lane: i32 = self.store.fetch("select id from stop_go_lane").await;
        live::act(&mut tx, lane, act, (UserId(301), self.switches()), noon())
            .await
            .unwrap();
        tx.commit().await.unwrap();
    }

    async fn rival(&self, at: DateTime<Utc>) {
        self.store
            .execute(format!(
                "insert into stop_go_reading (lane_id, capture_id, term_id, device, at, verdict, rivals, own_ad)
                 select id, gen_random_uuid(), 401, 'mobile', '{at}', 'rival', '{{rival.example}}', false from stop_go_lane"
            ).leak())
            .await;
        self.decide(at).await;
    }

    /// A time at which lists are compared again: that of the last reading is set back, so that captures are still recent.
    async fn night(&self) -> DateTime<Utc> {
        self.store
            .execute("update stop_go_lane set checked_at = '2026-06-07'")
            .await;
        noon() + TimeDelta::minutes(1)
    }

    async fn state(&self) -> String {
        let query = "select concat_ws(' ', state, desired::text, coalesce(observed::text, '?')) from stop_go_lane";
        self.store.fetch(query).await
    }

    async fn refused(&self) -> String {
        self.store.fetch("select coalesce(refused, '') from stop_go_lane").await
    }

    async fn control(&self, path: &str, body: &Value) -> Value {
        let url = self.sandbox.url().join(path).unwrap();
        let sent = reqwest::Client::new().post(url).json(body).send().await.unwrap();
        assert!(sent.status().is_success(), "{path} {body}");
        let text = sent.text().await.unwrap();
        serde_json::from_str(&text).unwrap_or_default()
    }

    async fn fault(&self, fault: &str) {
        self.control("/control/faults", &json!({ "fault": fault })).await;
    }

    /// What a person does in Google.
    async fn edit(&self, what: &str, operations: Value) -> Value {
        let body = json!({"customer": FRENCH, "what": what, "operations": operations});
        self.control("/control/lists", &body).await
    }

    async fn get(&self, path: &str) -> Value {
        let url = self.sandbox.url().join(path).unwrap();
        reqwest::get(url).await.unwrap().json().await.unwrap()
    }

    /// The only list; null without one.
    async fn list(&self) -> Value {
        let lists = self.get("/control/lists").await;
        assert!(lists.as_array().unwrap().len() <= 1, "{lists}");
        lists[0].clone()
    }

    async fn texts(&self) -> Vec<String> {
        let list = self.list().await;
        let texts = list["keywords"].as_array().cloned().unwrap_or_default();
        texts.iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    }

    /// Google's name of the only text of the list.
    async fn criterion(&self) -> String {
        let journal = self.get("/control/journal").await;
        let made = journal
            .as_array()
            .unwrap()
            .iter()
            .filter(|entry| entry["what"] == "sharedCriteria")
            .count();
        assert_eq!(made, 1, "{journal}");
        let list = self.list().await;
        let set = list["id"].as_str().unwrap();
        format!(
            "customers/{FRENCH}/sharedCriteria/{set}~{}",
            list["criteria"][0].as_str().unwrap()
        )
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lane_stops_in_google_and_goes_with_the_first_rival() {
    let world = World::stopped().await;
    let list = world.list().await;
    assert_eq!(
        (&list["name"], &list["campaigns"]),
        (&json!("Vigie stop FR"), &json!([71, 72]))
    );
    let known: String = world
        .store
        .fetch("select concat_ws(' ', campaigns, desired, observed, checked_at is not null) from google_negative")
        .await;
    assert_eq!(known, "{71,72} {\"acme shoes\"} {\"acme shoes\"} t");
    let covered: String = world
        .store
        .fetch("select concat_ws(' ', attached, campaigns_fit, campaigns, round(pmax_percent)) from stop_go_list")
        .await;
    assert!(["t t 2 12", "t t 2 0"].contains(&covered.as_str()), "{covered}");
    world.rival(noon() + TimeDelta::minutes(50)).await;
    world.round(noon() + TimeDelta::minutes(50)).await;
    world.round(noon() + TimeDelta::minutes(50)).await;
    assert_eq!(world.state().await, "cooling false false");
    assert!(world.texts().await.is_empty());
    let usage = stored::usage(&world.store.pool, noon()).await.unwrap();
    assert!((8..40).contains(&usage.operations), "{usage:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn off_nothing_is_changed_in_google_and_the_lane_says_so() {
    let world = World::with(FRENCH, false, 2_880).await;
    world.act(PersonalAct::Exclude).await;
    for _ in 0..3 {
        world.round(noon()).await;
    }
    assert_eq!(world.state().await, "manual false false");
    assert!(world.refused().await.contains("VIGIE__GOOGLE__MUTATIONS"));
    assert_eq!(world.get("/control/journal").await, json!([]));
    assert_eq!(world.list().await, Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_emergency_detaches_the_list_in_google() {
    let world = World::stopped().await;
    let mut tx = postgres::begin(&world.store.pool).await.unwrap();
    let account = format!("customer:{FRENCH}");
    let countries = postgres::stop_go::lists::begin_emergency(&mut tx, &SYSTEM, &account, noon())
        .await
        .unwrap();
    tx.commit().await.unwrap();
    assert_eq!(countries, ["FR"]);
    world.decide(noon()).await;
    world.round(noon()).await;
    assert_eq!(world.list().await["campaigns"], json!([]));
    assert!(world.texts().await.is_empty());
    world.round(noon()).await;
    assert_eq!(world.state().await, "off false false");
    // Ended, the same list is attached again.
    let mut tx = postgres::begin(&world.store.pool).await.unwrap();
    postgres::stop_go::lists::end_emergency(&mut tx, &SYSTEM, &account)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    world.round(noon()).await;
    assert_eq!(world.list().await["campaigns"], json!([71, 72]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_list_refuses_a_stop_and_is_left_as_it_is() {
    let world = World::new().await;
    world.round(noon()).await;
    let set = world.list().await["id"].as_str().unwrap().to_owned();
    let set = format!("customers/{FRENCH}/sharedSets/{set}");
    let operations: Vec<Value> = (0..5_000)
        .map(|number| {
            let keyword = json!({"text": format!("word {number}"), "matchType": "EXACT"});
            json!({"create": {"sharedSet": set, "keyword": keyword}})
        })
        .collect();
    world.edit("sharedCriteria", json!(operations)).await;
    world.decide(noon()).await;
    world.round(noon()).await;
    assert_eq!(world.state().await, "failing false false");
    assert!(
        world.refused().await.contains("The list is full."),
        "{}",
        world.refused().await
    );
    assert_eq!(world.texts().await.len(), 5_000);
    let reason: String = world
        .store
        .fetch("select detail from stop_go_decision where action = 'refused'")
        .await;
    assert!(reason.contains("SHARED_SET_LIMIT"), "{reason}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_whose_answer_is_lost_is_read_back_and_not_made_twice() {
    let world = World::new().await;
    world.round(noon()).await;
    world.fault("lost-answer").await;
    world.decide(noon()).await;
    world.round(noon()).await;
    world.round(noon()).await;
    assert_eq!(world.state().await, "stopped true true");
    assert_eq!(world.texts().await, [TEXT]);
    world.criterion().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn letting_ads_show_again_waits_for_no_budget() {
    let world = World::stopped().await;
    stored::count_operations(&world.store.pool, &SYSTEM, (2_800, 0), noon())
        .await
        .unwrap();
    let until = noon() + TimeDelta::hours(5);
    stored::pause(&world.store.pool, &SYSTEM, until, "the day is used up")
        .await
        .unwrap();
    world.rival(noon() + TimeDelta::minutes(50)).await;
    world.round(noon() + TimeDelta::minutes(50)).await;
    assert!(world.texts().await.is_empty());
    // A stop waits.
    world.act(PersonalAct::Exclude).await;
    let before = stored::usage(&world.store.pool, noon()).await.unwrap().operations;
    for minute in 51..56 {
        world.round(noon() + TimeDelta::minutes(minute)).await;
    }
    assert_eq!(world.state().await, "manual true ?");
    assert!(world.texts().await.is_empty());
    let after = stored::usage(&world.store.pool, noon()).await.unwrap().operations;
    assert_eq!(before, after, "nothing is spent on it");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_limit_of_the_day_pauses_google_and_a_go_is_tried_until_it_is_done() {
    let world = World::stopped().await;
    world.fault("daily-limit").await;
    world.rival(noon() + TimeDelta::minutes(50)).await;
    world.round(noon() + TimeDelta::minutes(50)).await;
    assert_eq!(world.texts().await, [TEXT]);
    assert!(
        world.state().await.starts_with("resuming false"),
        "{}",
        world.state().await
    );
    let usage = stored::usage(&world.store.pool, noon()).await.unwrap();
    assert!(usage.paused_until.is_some());
    world.round(noon() + TimeDelta::minutes(52)).await;
    assert!(world.texts().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_a_person_removes_in_google_is_not_put_back() {
    let world = World::stopped().await;
    let name = world.criterion().await;
    world.edit("sharedCriteria", json!([{ "remove": name }])).await;
    let night = world.night().await;
    assert_eq!(compare(&world.store.pool, &world.stop_go, night).await.unwrap(), 1);
    assert_eq!(world.state().await, "manual false false");
    world.round(night).await;
    assert!(world.texts().await.is_empty());
    assert_eq!(
        compare(&world.store.pool, &world.stop_go, night).await.unwrap(),
        0,
        "read just now"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_persons_own_negative_is_kept_and_said_while_a_rival_is_there() {
    let world = World::new().await;
    world.store.execute("update stop_go_brand set mode = 'propose'").await;
    world.round(noon()).await;
    let set = world.list().await["id"].as_str().unwrap().to_owned();
    let keyword = json!({"text": "Acme  Shoes", "matchType": "EXACT"});
    let create = json!({"sharedSet": format!("customers/{FRENCH}/sharedSets/{set}"), "keyword": keyword});
    world.edit("sharedCriteria", json!([{ "create": create }])).await;
    let night = noon() + TimeDelta::minutes(30);
    world
        .store
        .execute("update stop_go_lane set checked_at = '2026-06-07'")
        .await;
    compare(&world.store.pool, &world.stop_go, night).await.unwrap();
    assert_eq!(world.state().await, "manual true true");
    world.rival(noon() + TimeDelta::minutes(50)).await;
    let reason: String = world.store.fetch("select reason from stop_go_lane").await;
    assert_eq!(reason, "rival-while-manual");
    world.round(noon() + TimeDelta::minutes(51)).await;
    assert_eq!(world.texts().await, ["Acme  Shoes"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_is_removed_in_google_is_not_made_again() {
    let world = World::stopped().await;
    let set = world.list().await["id"].as_str().unwrap().to_owned();
    let name = format!("customers/{FRENCH}/sharedSets/{set}");
    world.edit("sharedSets", json!([{ "remove": name }])).await;
    let night = world.night().await;
    compare(&world.store.pool, &world.stop_go, night).await.unwrap();
    assert_eq!(world.state().await, "manual false false");
    world.act(PersonalAct::Exclude).await;
    for minute in 0..4 {
        world.round(night + TimeDelta::minutes(minute)).await;
    }
    assert_eq!(world.list().await, Value::Null);
    assert_eq!(world.state().await, "manual false false");
    assert!(!world.refused().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn campaigns_that_a_person_detaches_stay_so() {
    let world = World::stopped().await;
    let set = world.list().await["id"].as_str().unwrap().to_owned();
    let name = format!("customers/{FRENCH}/campaignSharedSets/72~{set}");
    world.edit("campaignSharedSets", json!([{ "remove": name }])).await;
    let night = noon() + TimeDelta::hours(13);
    compare(&world.store.pool, &world.stop_go, night).await.unwrap();
    world.round(night).await;
    assert_eq!(world.list().await["campaigns"], json!([71]));
    let found: String = world
        .store
        .fetch("select concat_ws(' ', campaigns, campaigns_fit, refused) from stop_go_list")
        .await;
    assert!(found.starts_with("1 f its campaigns were changed in Google"), "{found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_campaign_of_two_countries_is_refused_with_the_reason() {
    let world = World::with(EUROPEAN, true, 2_880).await;
    for _ in 0..2 {
        world.decide(noon()).await;
        world.round(noon()).await;
    }
    assert_eq!(world.state().await, "candidate false ?");
    let refused: String = world
        .store
        .fetch("select refused from stop_go_list where not campaigns_fit")
        .await;
    assert!(refused.contains("serves DE, FR, not FR alone"), "{refused}");
    world.act(PersonalAct::Exclude).await;
    world.round(noon()).await;
    assert!(world.refused().await.contains("not FR alone"));
    assert_eq!(world.list().await, Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_grant_names_the_text_that_has_to_be_removed_by_hand() {
    let world = World::stopped().await;
    world.fault("grant-revoked").await;
    world.rival(noon() + TimeDelta::minutes(50)).await;
    for minute in [50, 52, 54] {
        world.round(noon() + TimeDelta::minutes(minute)).await;
    }
    assert_eq!(world.texts().await, [TEXT]);
    let grant: String = world.store.fetch("select status from google_grant").await;
    assert_eq!(grant, "revoked");
    let stranded = stored::stranded(&world.store.pool, &SYSTEM, None).await.unwrap();
    assert_eq!(stranded.len(), 1);
    assert_eq!(
        (stranded[0].customer.as_str(), &stranded[0].texts[..]),
        (FRENCH, &[TEXT.to_owned()][..])
    );
    assert!(
        world.refused().await.contains("remove the text by hand"),
        "{}",
        world.refused().await
    );
    // The owner of the budget gets one mail a day.
    for hour in [1, 2, 25] {
        upkeep(&world.store.pool, &world.stop_go, noon() + TimeDelta::hours(hour))
            .await
            .unwrap();
    }
    let mails: String = world
        .store
        .fetch(
            "select string_agg(concat_ws(' ', user_id, context ->> 'subject', context ->> 'body'), '|' order by id) from mail_outbox
             where kind = 'stranded'",
        )
        .await;
    let once = format!("301 {FRENCH}, Vigie stop FR - {TEXT}");
    assert_eq!(mails, format!("{once}|{once}"));
    // With access again it goes by itself.
    let of_the_lane = "select (select count(*) from stop_go_decision where action = 'refused')";
    let refusals: i64 = world.store.fetch(of_the_lane).await;
    assert!(refusals <= 2, "said once, not each time: {refusals}");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_texts_the_one_that_google_takes_is_stopped() {
    let world = World::new().await;
    world.round(noon()).await;
    world
        .store
        .execute(
            format!(
                "insert into stop_go_lane (account, google_connect_id, country, text_folded, since, state, desired)
             values ('customer:{FRENCH}', 701, 'FR', 'acme boots', '2026-06-01', 'manual', true);
             update stop_go_lane set state = 'manual', desired = true where text_folded = 'acme shoes';
             insert into term (id, term, engine, state, localization_id, brand_id) values (402, 'acme boots', 'GOOGLE', 'enabled', 9001, 201);
             insert into stop_go_keyword (brand_id, term_id, lane_id) select 201, 402, id from stop_go_lane where text_folded = 'acme boots'"
            )
            .leak(),
        )
        .await;
    world.fault("partial-failure").await;
    world.round(noon()).await;
    assert_eq!(world.texts().await, ["acme boots"]);
    let states: String = world
        .store
        .fetch("select string_agg(concat_ws(' ', desired, observed), ', ' order by id) from stop_go_lane")
        .await;
    assert_eq!(states, "f f, t t");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lane_whose_term_is_deleted_while_stopped_goes() {
    let world = World::stopped().await;
    world.store.execute("delete from term").await;
    world.round(noon()).await;
    assert!(world.texts().await.is_empty());
    world.round(noon()).await;
    assert_eq!(world.state().await, "off false false");
}
