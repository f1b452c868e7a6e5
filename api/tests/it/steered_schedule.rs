//! Random changes of terms, taken back and mixed with scheduling passes: never does a slot wait of a term that is not captured, and every captured term
//! has its next slot.

use std::time::Duration;

use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use postgres::slots::{self, HeldSlot};
use postgres::terms;
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::test_runner::{Config, TestRunner};
use schedules::{pass, sweep};
use serde_json::{Value, json};
use testkit::SETUP;
use uuid::Uuid;
use vocabulary::{CaptureFailure, MissedReason, SlotId, TermState};

use crate::resources::{Admin, argument};

const CASES: u32 = 32;
const MOST_STEPS: usize = 40;
/// Steps by which a failing case is made smaller.
const MOST_SHRINKS: u32 = 200;
/// Terms of a case at its beginning.
const TERMS: i64 = 4;
/// Weeks of a case at most: the ledger of a new database begins some months ago.
const MOST_WEEKS: usize = 6;
const LEASE: Duration = Duration::from_hours(1);
const AGES: Duration = Duration::from_hours(24 * 365);

/// What breaks the rule after a pass: one line for each, none when it holds. A slot that a worker gave back may wait until one takes it again, who finds
/// that its term is not captured; all others wait only for a grid.
const BROKEN: &str = "
    with captured as (
        select distinct t.id, lower(device) as device, t.every
        from term t join localization l on l.id = t.localization_id
            cross join unnest(case when cardinality(t.devices) > 0 then t.devices else '{DESKTOP}' end) device
        where t.state = 'enabled' and btrim(t.term) <> '' and l.locale ~ '^[a-z]{2}_[A-Z]{2}$'
    ), broken as (
        select 'term ' || id || ' is still to be planned' as what from term where schedule_stale
        union all
        select 'term ' || d.term_id || ' is not captured on ' || d.device || ' and has a next slot' from term_due d
        where not exists (select from captured c where c.id = d.term_id and c.device = d.device::text)
        union all
        select 'slot ' || s.id || ' of term ' || s.term_id || ' waits on ' || s.device || ', where it is not captured' from slot s
        where s.state = 'queued' and s.attempt = 0
            and not exists (select from captured c where c.id = s.term_id and c.device = s.device::text)
        union all
        select 'term ' || c.id || ' has no next slot on ' || c.device from captured c
        where not exists (
            select from term_due d
            where d.term_id = c.id and d.device::text = c.device and d.next_slot > now() - interval '10 seconds'
        )
        union all
        select 'term ' || c.id || ' is captured every ' || d.every_ms || ', not every ' || c.every
        from captured c join term_due d on d.term_id = c.id and d.device::text = c.device
        where c.every > 0 and d.every_ms <> c.every
    )
    select coalesce(string_agg(what, e'\\n'), '') from broken";

/// What becomes of a slot that a worker takes.
#[derive(Clone, Copy, Debug)]
enum Work {
    Verified,
    Failed,
    GivenBack,
    /// The worker dies with it.
    Lost,
}

/// A field of terms and its new value.
#[derive(Clone, Debug)]
enum TermChange {
    Fields(Value),
    /// The brand of the case, or none.
    Brand(bool),
    /// A known localization, or none.
    Localization(bool),
}

#[derive(Clone, Debug)]
enum Step {
    Create(Value),
    /// Changes the terms whose bits are set.
    Change(u8, TermChange),
    /// The same while a pass runs.
    ChangeDuringPass(u8, TermChange),
    Delete(u8),
    DeleteDuringPass(u8),
    DeleteBrand,
    /// Takes back what the call so many calls ago changed.
    Undo(usize),
    RunNow(u8),
    /// Gives the localization of the terms its locale, or none.
    Locale(bool),
    Work(Work),
    WeekGoesBy,
    Pass,
}

fn fields() -> impl Strategy<Value = Value> {
    let state = prop_oneof![3 => Just("enabled"), 2 => Just("disabled"), 1 => Just("archived")];
    let devices = prop_oneof![
        Just(json!(["DESKTOP"])),
        Just(json!(["MOBILE"])),
        Just(json!(["TABLET", "DESKTOP"])),
        Just(json!(["MOBILE", "DESKTOP", "TABLET"])),
    ];
    // What a week is a multiple of, so that a grid stays where it is when one goes by.
    let every = prop_oneof![Just(0), Just(3_600_000), Just(86_400_000), Just(604_800_000)];
    prop_oneof![
        3 => state.prop_map(|state| json!({ "state": state })),
        2 => devices.prop_map(|devices| json!({ "devices": devices })),
        2 => every.prop_map(|every| json!({ "every": every })),
        1 => prop_oneof![Just(0.01), Just(0.5)].prop_map(|rate| json!({ "searchConvertRate": rate })),
        1 => any::<bool>().prop_map(|saves| json!({"options": {"saveShoppingAds": saves}})),
        1 => prop_oneof![Just("GOOGLE"), Just("BING")].prop_map(|engine| json!({ "engine": engine })),
    ]
}

fn change() -> impl Strategy<Value = TermChange> {
    prop_oneof![
        8 => fields().prop_map(TermChange::Fields),
        1 => any::<bool>().prop_map(TermChange::Brand),
        2 => any::<bool>().prop_map(TermChange::Localization),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let work = prop_oneof![
        Just(Work::Verified),
        Just(Work::Failed),
        Just(Work::GivenBack),
        Just(Work::Lost)
    ];
    prop_oneof![
        2 => fields().prop_map(Step::Create),
        8 => (1..16_u8, change()).prop_map(|(terms, change)| Step::Change(terms, change)),
        3 => (1..16_u8, change()).prop_map(|(terms, change)| Step::ChangeDuringPass(terms, change)),
        1 => (1..16_u8).prop_map(Step::Delete),
        1 => (1..16_u8).prop_map(Step::DeleteDuringPass),
        1 => Just(Step::DeleteBrand),
        4 => (1..4_usize).prop_map(Step::Undo),
        1 => (1..16_u8).prop_map(Step::RunNow),
        1 => any::<bool>().prop_map(Step::Locale),
        4 => work.prop_map(Step::Work),
        1 => Just(Step::WeekGoesBy),
        6 => Just(Step::Pass),
    ]
}

/// The terms of one case, and what was done to them.
struct Case<'a> {
    admin: &'a Admin,
    place: i64,
    brand: i64,
    terms: Vec<i64>,
    /// The calls that can be taken back.
    operations: Vec<Uuid>,
    weeks: usize,
}

impl<'a> Case<'a> {
    /// New terms, half of them enabled, where nothing was searched yet.
    async fn new(admin: &'a Admin) -> Self {
        let store = &admin.app.postgres;
        store
            .execute("delete from apalis.jobs; delete from slot; delete from term; delete from brand; update localization set locale = 'fr_FR' where city = 'Paris'")
            .await;
        let place = store
            .fetch::<i32>("select id from localization where locale = 'fr_FR' and city = 'Paris'")
            .await;
        let brand = admin.id("/api/Brands", &json!({"label": "Kestrel"})).await;
        let mut case = Self {
            admin,
            place: place.into(),
            brand,
            terms: Vec::new(),
            operations: Vec::new(),
            weeks: 0,
        };
        for number in 0..TERMS {
            let state = if number % 2 == 0 { "enabled" } else { "disabled" };
            case.create(&json!({"state": state, "every": 3_600_000})).await;
        }
        case
    }

    async fn create(&mut self, fields: &Value) {
        let mut body =
            json!({"term": format!("term {}", self.terms.len()), "localizationId": self.place, "brandId": self.brand});
        body.as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        let headers = [("token", self.admin.token.as_str())];
        let made = self.admin.app.post("/api/Terms", &body, &headers).await;
        // Its brand may be deleted.
        if made.status == StatusCode::OK {
            self.terms.push(made.body["id"].as_i64().unwrap());
        } else {
            assert!(made.status.is_client_error(), "{}", made.body);
        }
    }

    /// The ids of the terms whose bits are set.
    fn chosen(&self, bits: u8) -> Vec<i64> {
        let chosen = self
            .terms
            .iter()
            .enumerate()
            .filter(|(place, _)| (bits >> (place % 4)) & 1 == 1);
        chosen.map(|(_, id)| *id).collect()
    }

    /// Sends a call that can be taken back, unless it is refused; a refusal changes nothing.
    async fn call(&mut self, method: &str, path: &str, body: &Value) {
        let operation = Uuid::new_v4();
        let name = operation.to_string();
        let headers = [
            ("token", self.admin.token.as_str()),
            ("content-type", "application/json"),
            ("x-operation", name.as_str()),
        ];
        let (status, answer) = self.admin.app.text(method, path, &body.to_string(), &headers).await;
        assert!(!status.is_server_error(), "{method} {path} {body}: {answer}");
        if status.is_success() {
            self.operations.push(operation);
        }
    }

    async fn change(&mut self, terms: u8, change: &TermChange) {
        let body = match change {
            TermChange::Fields(fields) => fields.clone(),
            TermChange::Brand(has) => json!({"brandId": has.then_some(self.brand)}),
            TermChange::Localization(has) => json!({"localizationId": has.then_some(self.place)}),
        };
        let path = self.path_of(terms);
        self.call("PATCH", &path, &body).await;
    }

    async fn delete(&mut self, terms: u8) {
        let path = self.path_of(terms);
        self.call("DELETE", &path, &Value::Null).await;
    }

    /// The path of calls for the terms whose bits are set.
    fn path_of(&self, terms: u8) -> String {
        let condition = argument("where", &json!({"id": {"inq": self.chosen(terms)}}));
        format!("/api/Terms?confirm=all&{condition}")
    }

    async fn undo(&self, back: usize) {
        let Some(place) = self.operations.len().checked_sub(back) else {
            return;
        };
        let path = format!("/api/Undo/{}", self.operations[place]);
        let headers = [("token", self.admin.token.as_str())];
        let undone = self.admin.app.post(&path, &json!({}), &headers).await;
        assert!(!undone.status.is_server_error(), "{}", undone.body);
    }

    /// A worker takes the slot that waits the longest, if one does, and does with it what becomes of it. Returns whether one waited.
    async fn work(&self, work: Work) -> bool {
        let pool = &self.admin.app.postgres.pool;
        let next =
            "select id, attempt from slot where lease_until is null and settled_at is null order by run_at, id limit 1";
        let next: Option<(i64, i32)> = sqlx::query_as(next).fetch_optional(pool).await.unwrap();
        let Some((id, attempt)) = next else { return false };
        let slot = HeldSlot {
            id: SlotId(id),
            attempt,
        };
        let claim = slots::claim(pool, slot, "worker", LEASE).await.unwrap().unwrap();
        let term = terms::to_capture(pool, &SETUP, claim.term).await.unwrap();
        if claim.is_superseded {
            slots::miss(pool, claim.held, MissedReason::Superseded).await.unwrap();
        } else if term.is_none_or(|term| term.state != TermState::Enabled) {
            slots::miss(pool, claim.held, MissedReason::Disabled).await.unwrap();
        } else {
            match work {
                Work::Verified => {
                    slots::mark_captured(pool, claim.held).await.unwrap();
                    assert!(slots::verify(pool, claim.held).await.unwrap());
                }
                Work::Failed => {
                    slots::fail(pool, claim.held, CaptureFailure::Timeout).await.unwrap();
                }
                Work::GivenBack => {
                    let now = slots::now(pool).await.unwrap();
                    slots::release(pool, claim.held, now).await.unwrap();
                }
                Work::Lost => {}
            }
        }
        true
    }

    /// Moves the ledger a week into the past.
    async fn let_a_week_go_by(&mut self) {
        if self.weeks == MOST_WEEKS {
            return;
        }
        self.weeks += 1;
        self.admin
            .app
            .postgres
            .execute(
                "create temp table past on commit drop as select * from slot;
                 delete from slot;
                 update past set slot_ts = slot_ts - interval '7 days', lease_until = lease_until - interval '7 days';
                 update past set id = slot_id_at(slot_ts), capture_id = capture_id_at(slot_ts);
                 insert into slot select * from past;
                 update term_due set first_slot = first_slot - interval '7 days', next_slot = next_slot - interval '7 days'",
            )
            .await;
    }

    /// Waits for the transactions of the calls so far: one that was refused is rolled back after its response, and a pass skips the rows that it locked.
    async fn calls_have_ended(&self) {
        const OPEN: &str = "select exists (select from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null and backend_type = 'client backend')";
        let ended = async {
            while self.admin.app.postgres.fetch::<bool>(OPEN).await {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), ended).await.unwrap();
    }

    /// Does what a worker process does with every tick, and checks the rule.
    async fn tick(&self) {
        self.calls_have_ended().await;
        let pool = &self.admin.app.postgres.pool;
        pass(pool).await.unwrap();
        sweep(pool).await.unwrap();
        assert_eq!(self.admin.app.postgres.fetch::<String>(BROKEN).await, "");
        let broken = postgres::invariants::violations(pool, DateTime::<Utc>::UNIX_EPOCH, AGES).await;
        let skipped: Vec<_> = broken
            .unwrap()
            .into_iter()
            .filter(|broken| broken.invariant == "I2")
            .collect();
        assert_eq!(skipped, []);
    }

    async fn do_step(&mut self, step: &Step) {
        match step {
            Step::Create(fields) => self.create(fields).await,
            Step::Change(terms, change) => self.change(*terms, change).await,
            Step::ChangeDuringPass(terms, change) => {
                let pool = self.admin.app.postgres.pool.clone();
                let ((), passed) = tokio::join!(self.change(*terms, change), pass(&pool));
                passed.unwrap();
            }
            Step::Delete(terms) => self.delete(*terms).await,
            Step::DeleteDuringPass(terms) => {
                let pool = self.admin.app.postgres.pool.clone();
                let ((), passed) = tokio::join!(self.delete(*terms), pass(&pool));
                passed.unwrap();
            }
            Step::DeleteBrand => {
                let path = format!("/api/Brands/{}", self.brand);
                self.call("DELETE", &path, &Value::Null).await;
            }
            Step::Undo(back) => self.undo(*back).await,
            Step::RunNow(terms) => {
                let ids = self.chosen(*terms);
                self.call("POST", "/api/Terms/runNow", &json!({ "ids": ids })).await;
            }
            Step::Locale(is_there) => {
                let path = format!("/api/Localizations/{}", self.place);
                let locale = is_there.then_some("fr_FR");
                self.call("PATCH", &path, &json!({ "locale": locale })).await;
            }
            Step::Work(work) => {
                self.work(*work).await;
            }
            Step::WeekGoesBy => self.let_a_week_go_by().await,
            Step::Pass => self.tick().await,
        }
    }

    /// Workers take whatever waits: then the rule holds, and no slot is left.
    async fn finish(&self) {
        self.tick().await;
        let store = &self.admin.app.postgres;
        store
            .execute("update slot set lease_until = now() - interval '1 second' where lease_until is not null")
            .await;
        self.tick().await;
        while self.work(Work::Verified).await {}
        let unsettled: i64 = store.fetch("select count(*) from slot where settled_at is null").await;
        assert_eq!(unsettled, 0);
    }
}

#[test]
fn whatever_changes_no_slot_waits_of_a_term_that_is_not_captured_and_every_other_has_its_next() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    // Stores are dropped in the runtime.
    let _entered = runtime.enter();
    let admin = runtime.block_on(Admin::new());
    let config = Config {
        cases: CASES,
        max_shrink_iters: MOST_SHRINKS,
        failure_persistence: None,
        ..Config::default()
    };
    let outcome = TestRunner::new(config).run(&vec(step(), 1..MOST_STEPS), |steps| {
        runtime.block_on(async {
            let mut case = Case::new(&admin).await;
            for step in &steps {
                case.do_step(step).await;
            }
            case.finish().await;
        });
        Ok(())
    });
    outcome.unwrap();
}
