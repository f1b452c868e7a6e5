//! The life of cases: random events against a model of it, and what the store refuses.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{DateTime, NaiveDate, SecondsFormat, TimeDelta, Utc};
use postgres::actions::detection::{Sighting, detect};
use postgres::actions::events::{self, Applied};
use postgres::actions::{outreach, work};
use postgres::invariants;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, RngExt, SeedableRng};
use serde_json::{Value, json};
use strum::VariantArray;
use testkit::Postgres;
use vocabulary::ActionEvent::{
    Accept, Answer, AutomaticRequest, BlockCondition, CancelIgnore, CancelRequest, Detect, ForceReminders, Ignore,
    Manual, Notify, Refuse, Remind, Reply, Request, StopSeeing, StopWork, Undelivered,
};
use vocabulary::ActionStatus::{
    Accepted, Blocked, Disappeared, Ignored, Inprogress, New, Reappearance, Refused, Reminded, Requested,
};
use vocabulary::{
    ActionEvent, ActionId, ActionStatus, BlockReason, BrandId, Engine, Scope, SystemScope, TermId, UserId,
};

const SYSTEM: SystemScope = SystemScope::new("test");
const GRACE: TimeDelta = TimeDelta::days(7);
const CASES: usize = 120;
const LARGEST_GROUP: usize = 8;
/// Reminders of a cycle, where no brand says otherwise.
const QUOTA: u32 = 3;

/// What a case is expected to be: written from the table of decision D42, not from the statements.
#[derive(Clone)]
#[expect(clippy::struct_excessive_bools, reason = "they are columns of a case")]
struct Model {
    domain: String,
    has_contact: bool,
    status: ActionStatus,
    waiting: bool,
    manual: bool,
    forced: bool,
    /// Received, unread, sent, reminders.
    counts: [u32; 4],
    cycle: u32,
    cycle_reminders: u32,
    dates: BTreeMap<ActionStatus, DateTime<Utc>>,
    history: Vec<Entry>,
    blocks: Vec<(DateTime<Utc>, BlockReason)>,
    original: &'static str,
    contacted: Option<DateTime<Utc>>,
    replied: Option<DateTime<Utc>>,
    clock: Option<DateTime<Utc>>,
    paused: Option<NaiveDate>,
    last_view: DateTime<Utc>,
}

/// An entry of a history: status, time, author and the dates of the reminders before it.
#[derive(Clone)]
struct Entry {
    status: ActionStatus,
    at: DateTime<Utc>,
    actor: Option<i32>,
    previous: Vec<String>,
}

fn shown(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

impl Model {
    fn new(number: usize, at: DateTime<Utc>) -> Self {
        let mut model = Self {
            domain: domain(number),
            has_contact: number.is_multiple_of(2),
            status: New,
            waiting: false,
            manual: false,
            forced: false,
            counts: [0; 4],
            cycle: 0,
            cycle_reminders: 0,
            dates: BTreeMap::new(),
            history: Vec::new(),
            blocks: Vec::new(),
            original: "new",
            contacted: None,
            replied: None,
            clock: None,
            paused: None,
            last_view: at,
        };
        model.enter(New, at, None);
        model
    }

    fn is_open(&self) -> bool {
        [Inprogress, Reminded].contains(&self.status)
    }

    /// Whether the table allows the event, and its guard does.
    fn allows(&self, event: ActionEvent) -> bool {
        let guard = match event {
            // No cycle runs that would send a mail, and somebody can be written to. The brand sends nothing unasked.
            ForceReminders => {
                let runs = self.is_open() && self.waiting && self.forced;
                self.has_contact && !(runs && (self.manual || self.cycle_reminders < QUOTA))
            }
            _ => true,
        };
        guard && self.status.after(event).is_some()
    }

    fn enter(&mut self, status: ActionStatus, at: DateTime<Utc>, actor: Option<i32>) {
        self.status = status;
        // A new round of mails begins after a block, and where a case is new again.
        self.cycle += u32::from([Blocked, New].contains(&status) && !self.history.is_empty());
        self.dates.insert(status, at);
        let last = self
            .history
            .last()
            .filter(|last| last.status == Reminded && status == Reminded);
        let previous = last.map_or_else(Vec::new, |last| {
            let mut dates = last.previous.clone();
            dates.push(shown(last.at));
            dates
        });
        self.history.push(Entry {
            status,
            at,
            actor,
            previous,
        });
    }

    fn write_to(&mut self, at: DateTime<Utc>) {
        self.contacted = Some(at);
        if self.is_open() {
            (self.waiting, self.clock) = (true, Some(at));
        }
    }

    fn happen(&mut self, event: ActionEvent, reason: BlockReason, at: DateTime<Utc>, actor: Option<i32>) {
        match event {
            Request | AutomaticRequest => self.enter(Requested, at, actor),
            CancelRequest | CancelIgnore => {
                self.enter(New, at, actor);
                self.dates.remove(&Requested);
                self.dates.remove(&Ignored);
            }
            Ignore => self.enter(Ignored, at, actor),
            Accept => self.enter(Accepted, at, actor),
            Refuse => self.enter(Refused, at, actor),
            StopSeeing => self.enter(Disappeared, at, actor),
            StopWork | BlockCondition | Undelivered => {
                self.enter(Blocked, at, actor);
                self.blocks.push((at, reason));
            }
            Notify => {
                if self.status != Inprogress {
                    self.enter(Inprogress, at, actor);
                }
                self.manual = false;
                self.counts[2] += 1;
                self.write_to(at);
            }
            Manual => {
                self.enter(Inprogress, at, actor);
                self.manual = true;
                self.write_to(at);
            }
            Remind => {
                self.enter(Reminded, at, actor);
                self.counts[2] += 1;
                self.counts[3] += 1;
                self.cycle_reminders += 1;
                self.write_to(at);
            }
            Answer => {
                self.counts[2] += 1;
                self.write_to(at);
            }
            Reply => {
                self.counts[0] += 1;
                self.counts[1] += 1;
                self.replied = Some(at);
                self.waiting = false;
                let by_hand = self
                    .blocks
                    .last()
                    .is_some_and(|last| last.1 == BlockReason::ManuallyBlocked);
                if self.status == Blocked && !by_hand {
                    self.enter(Inprogress, at, actor);
                }
            }
            ForceReminders => {
                if self.status == Blocked {
                    self.enter(Inprogress, at, actor);
                    self.waiting = self.replied.is_none() || self.replied <= self.contacted;
                }
                self.forced = true;
                self.cycle += 1;
                self.cycle_reminders = 0;
                self.clock = Some(at);
            }
            Detect => {
                self.last_view = at;
                let over = match self.status {
                    Disappeared => true,
                    Accepted => self.dates[&Accepted] + GRACE <= at,
                    _ => false,
                };
                if over {
                    self.dates.retain(|status, _| *status == New);
                    self.enter(Reappearance, at, None);
                    self.original = "reappearance";
                    self.cycle += 1;
                    (self.cycle_reminders, self.manual) = (0, false);
                    (self.contacted, self.replied, self.clock) = (None, None, None);
                }
            }
        }
        if !self.is_open() {
            (self.forced, self.paused) = (false, None);
        }
        if [Ignored, Accepted, Refused, Disappeared, Reappearance].contains(&self.status) {
            self.waiting = false;
        }
    }

    fn json(&self) -> Value {
        let date = |status| self.dates.get(&status).copied().map(shown);
        let history = self.history.iter().map(|entry| {
            json!({
                "status": entry.status, "at": shown(entry.at), "actor": entry.actor, "automatic": entry.actor.is_none(),
                "previous": entry.previous,
            })
        });
        let blocks = self
            .blocks
            .iter()
            .map(|(at, reason)| json!({"date": shown(*at), "reason": reason}));
        json!({
            "domain": self.domain, "status": self.status, "waiting": self.waiting, "manual": self.manual, "forced": self.forced,
            "counts": self.counts, "cycle": self.cycle, "cycleReminders": self.cycle_reminders, "requested": date(Requested),
            "inprogress": date(Inprogress), "reminded": date(Reminded), "accepted": date(Accepted), "refused": date(Refused),
            "ignored": date(Ignored), "blocked": date(Blocked), "disappeared": date(Disappeared),
            "reappearance": date(Reappearance), "lastStatus": self.history.last().map(|last| shown(last.at)),
            "history": history.collect::<Vec<_>>(), "blocks": blocks.collect::<Vec<_>>(), "original": self.original,
            "contacted": self.contacted.map(shown), "replied": self.replied.map(shown), "clock": self.clock.map(shown),
            "paused": self.paused, "lastView": shown(self.last_view),
        })
    }
}

/// A case as the store has it, in the form of [`Model::json`].
const STORED: &str = "select jsonb_build_object('domain', domain, 'status', status, 'waiting', waiting, 'manual', notified_manually,
        'forced', cycle_forced, 'counts', jsonb_build_array(received_count, unread_count, sended_count, reminded_count), 'cycle', cycle,
        'cycleReminders', cycle_reminders, 'requested', shown_instant(requested_date), 'inprogress', shown_instant(inprogress_date),
        'reminded', shown_instant(reminded_date), 'accepted', shown_instant(accepted_date), 'refused', shown_instant(refused_date),
        'ignored', shown_instant(ignored_date), 'blocked', shown_instant(blocked_date), 'disappeared', shown_instant(disappeared_date),
        'reappearance', shown_instant(reappearance_date), 'lastStatus', shown_instant(last_status_date),
        'history', (select jsonb_agg(jsonb_build_object('status', status, 'at', shown_instant(at), 'actor', actor_id, 'automatic', is_automatic,
            'previous', previous_dates) order by id) from action_history where action_id = a.id),
        'blocks', coalesce(metas -> 'blockedReason', '[]'), 'original', metas -> 'originalStatus', 'contacted', shown_instant(contacted_at),
        'replied', shown_instant(replied_at), 'clock', shown_instant(clock_at), 'paused', paused_until, 'lastView', shown_instant(last_view))
    from action a where id = any($1) order by id";

fn domain(number: usize) -> String {
    format!("case{number:03}.example")
}

/// The id of the case of this number: ids begin at 1, in the order of the domains.
fn id(number: usize) -> i32 {
    i32::try_from(number).unwrap() + 1
}

async fn see(store: &Postgres, numbers: &[usize], at: DateTime<Utc>) {
    let sightings = numbers.iter().map(|number| Sighting {
        brand: BrandId(1),
        domain: domain(*number),
        master: domain(*number),
        country: "FR".to_owned(),
        engine: Engine::Google,
        languages: vec!["fr".to_owned()],
        terms: vec![TermId(1)],
        first: at,
        text: Some(at),
        shopping: None,
        ads: Vec::new(),
    });
    let mut tx = postgres::begin(&store.pool).await.unwrap();
    detect(&mut tx, &SYSTEM, sightings.collect(), GRACE).await.unwrap();
    tx.commit().await.unwrap();
}

/// A validated brand with a term, an operator, and cases of which every other has somebody to write to.
async fn store_with_cases(cases: usize, at: DateTime<Utc>) -> Postgres {
    let store = Postgres::new().await;
    store.brand("acme").await;
    store
        .execute(
            "update brand set validated = true, create_notification = true;
             insert into term (term, brand_id) values ('shoes', 1);
             insert into user_account (email) values ('ann@vigie.example');",
        )
        .await;
    see(&store, &(0..cases).collect::<Vec<_>>(), at).await;
    store
        .execute(
            "insert into contact (email) values ('legal@advertiser.example');
             insert into dealer_contact (dealer_id, contact_id) select advertiser_id, 1 from action where id % 2 = 1",
        )
        .await;
    store
}

async fn happen(
    store: &Postgres,
    scope: &Scope,
    (event, reason): (ActionEvent, BlockReason),
    numbers: &[usize],
    at: DateTime<Utc>,
) -> Applied {
    let ids: Vec<ActionId> = numbers.iter().map(|number| ActionId(id(*number))).collect();
    let mut tx = postgres::begin(&store.pool).await.unwrap();
    let applied = if event == BlockCondition {
        events::block(&mut tx, &SYSTEM, reason, &ids, at).await.unwrap()
    } else {
        events::apply(&mut tx, scope, event, &ids, at).await.unwrap()
    };
    if applied == Applied::All {
        tx.commit().await.unwrap();
    }
    applied
}

async fn stored(store: &Postgres, numbers: &[usize]) -> Vec<Value> {
    let ids: Vec<i32> = numbers.iter().map(|number| id(*number)).collect();
    sqlx::query_scalar(STORED)
        .bind(ids)
        .fetch_all(&store.pool)
        .await
        .unwrap()
}

async fn violations(store: &Postgres) -> Vec<String> {
    let found = invariants::violations(&store.pool, DateTime::UNIX_EPOCH, Duration::from_hours(24)).await;
    found
        .unwrap()
        .into_iter()
        .map(|broken| format!("{} {} {}", broken.invariant, broken.subject, broken.detail))
        .collect()
}

fn start() -> DateTime<Utc> {
    "2026-01-01T12:00:00.123Z".parse().unwrap()
}

/// The reason that an event gives a block.
fn reason_of(event: ActionEvent, random: &mut StdRng) -> BlockReason {
    match event {
        StopWork => BlockReason::ManuallyBlocked,
        Undelivered => BlockReason::NoActiveRecipients,
        _ => *BlockReason::VARIANTS.choose(random).unwrap(),
    }
}

#[tokio::test]
async fn random_events_leave_every_case_as_the_table_says() {
    let seed: u64 = rand::rng().next_u64();
    let mut random = StdRng::seed_from_u64(seed);
    let mut now = start();
    let store = store_with_cases(CASES, now).await;
    let mut models: Vec<Model> = (0..CASES).map(|number| Model::new(number, now)).collect();
    let operator = Scope::everything(UserId(1));
    let events = testkit::repeats(2_000, 10_000);
    let (mut happened, mut refused) = (0, 0);
    while happened < events {
        now += TimeDelta::milliseconds(random.random_range(1..40_000_000));
        let event = *ActionEvent::VARIANTS.choose(&mut random).unwrap();
        let reason = reason_of(event, &mut random);
        // Mostly a group that fits, else any.
        let mut group: Vec<usize> = (0..CASES).filter(|number| models[*number].allows(event)).collect();
        if group.is_empty() || random.random_ratio(1, 5) {
            group = (0..CASES).collect();
        }
        // Only the job keeps the quota: by the time that a reminder settles, it has left.
        group.retain(|number| event != Remind || models[*number].cycle_reminders < QUOTA);
        group.shuffle(&mut random);
        group.truncate(random.random_range(1..=LARGEST_GROUP));
        group.sort_unstable();
        if group.is_empty() {
            continue;
        }
        let context = format!("seed {seed}, event {happened}: {event} of {group:?}");

        let is_system = [
            Detect,
            Reply,
            Remind,
            BlockCondition,
            Undelivered,
            StopSeeing,
            AutomaticRequest,
        ]
        .contains(&event);
        let actor = (!is_system).then_some(1);
        let unfit: Vec<ActionId> = group
            .iter()
            .filter(|number| event != Detect && !models[**number].allows(event))
            .map(|number| ActionId(id(*number)))
            .collect();
        if event == Detect {
            see(&store, &group, now).await;
        } else {
            let scope: &Scope = if is_system { &SYSTEM } else { &operator };
            let applied = happen(&store, scope, (event, reason), &group, now).await;
            let expected = if unfit.is_empty() {
                Applied::All
            } else {
                Applied::Unfit(unfit.clone())
            };
            assert_eq!(applied, expected, "{context}");
        }
        if unfit.is_empty() {
            for number in &group {
                models[*number].happen(event, reason, now, actor);
            }
            happened += group.len();
        } else {
            refused += 1;
        }
        let expected: Vec<Value> = group.iter().map(|number| models[*number].json()).collect();
        assert_eq!(stored(&store, &group).await, expected, "{context}");
    }
    let all: Vec<usize> = (0..CASES).collect();
    let expected: Vec<Value> = models.iter().map(Model::json).collect();
    assert_eq!(stored(&store, &all).await, expected, "seed {seed}");
    assert_eq!(violations(&store).await, Vec::<String>::new(), "seed {seed}");
    assert!(refused > events / 200, "seed {seed}: {refused} groups were refused");
    for status in ActionStatus::VARIANTS {
        let was = models
            .iter()
            .any(|model| model.history.iter().any(|entry| entry.status == *status));
        assert!(was, "seed {seed}: no case was ever {status}");
    }
}

#[tokio::test]
async fn a_case_of_an_advertiser_who_alone_has_written_waits_for_nobody_when_it_is_taken_up_again() {
    let mut now = start();
    let store = store_with_cases(1, now).await;
    let operator = Scope::everything(UserId(1));
    for event in [Request, Reply, BlockCondition, ForceReminders] {
        now += TimeDelta::hours(1);
        let scope: &Scope = if event == ForceReminders || event == Request {
            &operator
        } else {
            &SYSTEM
        };
        let applied = happen(&store, scope, (event, BlockReason::Unknown), &[0], now).await;
        assert_eq!(applied, Applied::All, "{event}");
    }
    let case = &stored(&store, &[0]).await[0];
    assert_eq!(
        (&case["status"], &case["waiting"]),
        (&"inprogress".into(), &false.into())
    );
    assert_eq!(violations(&store).await, Vec::<String>::new());
}

#[tokio::test]
async fn of_two_that_move_a_case_at_once_exactly_one_wins() {
    let store = store_with_cases(1, start()).await;
    let operator = Scope::everything(UserId(1));
    for round in 0..10 {
        let at = start() + TimeDelta::hours(round * 2 + 1);
        let race = [Request, Ignore, Request, Ignore].map(|event| {
            let (store, operator) = (&store, &operator);
            async move { happen(store, operator, (event, BlockReason::Unknown), &[0], at).await }
        });
        let outcomes = futures_join(race).await;
        let won = outcomes.iter().filter(|outcome| **outcome == Applied::All).count();
        assert_eq!(won, 1, "{outcomes:?}");
        let back = if stored(&store, &[0]).await[0]["status"] == "requested" {
            CancelRequest
        } else {
            CancelIgnore
        };
        let back = happen(
            &store,
            &operator,
            (back, BlockReason::Unknown),
            &[0],
            at + TimeDelta::hours(1),
        )
        .await;
        assert_eq!(back, Applied::All);
    }
    assert_eq!(
        stored(&store, &[0]).await[0]["history"].as_array().unwrap().len(),
        1 + 10 * 2
    );
}

/// All four, at the same time.
async fn futures_join<T>([one, two, three, four]: [impl Future<Output = T>; 4]) -> [T; 4] {
    tokio::join!(one, two, three, four).into()
}

#[tokio::test]
async fn a_history_is_written_once_and_goes_with_its_case_alone() {
    let store = store_with_cases(2, start()).await;
    let operator = Scope::everything(UserId(1));
    happen(&store, &operator, (Request, BlockReason::Unknown), &[0, 1], start()).await;
    for statement in [
        "update action_history set status = 'accepted'",
        "update action_history set at = now()",
        "update action_history set actor_id = 1 where actor_id is null",
        "delete from action_history",
    ] {
        let refused = sqlx::raw_sql(statement).execute(&store.pool).await.unwrap_err();
        assert!(refused.to_string().contains("append only"), "{statement}: {refused}");
    }
    store.execute("delete from user_account where id = 1").await;
    store.execute("delete from action where id = 1").await;
    let left: String = store
        .fetch("select string_agg(concat_ws(' ', action_id, status, actor_id, is_automatic), ', ' order by id) from action_history")
        .await;
    assert_eq!(left, "2 new t, 2 requested f");
}

#[tokio::test]
async fn each_invariant_of_the_life_of_cases_finds_what_breaks_it() {
    let store = store_with_cases(1, start()).await;
    let operator = Scope::everything(UserId(1));
    happen(&store, &operator, (Notify, BlockReason::Unknown), &[0], start()).await;
    assert_eq!(violations(&store).await, Vec::<String>::new());
    for (breaks, invariant) in [
        (
            "update action set cycle_reminders = 2, cycle_quota = 1, reminded_count = 2",
            "O4",
        ),
        ("update action set unread_count = 1", "O6"),
        ("insert into email (action_id, status) values (1, 'received')", "O6"),
        (
            "update action set replied_at = contacted_at + interval '1 second'",
            "O7",
        ),
        ("update action set status = 'reminded'", "O13"),
        (
            "update action set last_status_date = last_status_date + interval '1 second'",
            "O13",
        ),
        ("update action set inprogress_date = null", "O14"),
        ("delete from case_count where cases > 0", "O15"),
        ("update action set keyword_types = '{BRAND}'", "O16"),
    ] {
        let mut tx = postgres::begin(&store.pool).await.unwrap();
        sqlx::raw_sql(breaks).execute(&mut *tx).await.unwrap();
        let found = invariants::violations(&mut *tx, DateTime::UNIX_EPOCH, Duration::from_hours(24)).await;
        let found: Vec<String> = found.unwrap().into_iter().map(|broken| broken.invariant).collect();
        assert!(found.contains(&invariant.to_owned()), "{breaks}: {found:?}");
    }
}

#[tokio::test]
async fn reminders_follow_the_brand_then_its_company_then_the_defaults() {
    let store = store_with_cases(2, start()).await;
    let of_first = async || {
        let found = outreach::of_actions(&store.pool, &SYSTEM, &[ActionId(1), ActionId(2)])
            .await
            .unwrap();
        let settings = found[&ActionId(1)].1;
        let contacts = [ActionId(1), ActionId(2)].map(|id| found[&id].0.has_active_contact);
        assert_eq!(contacts, [true, false]);
        (settings.is_automatic, settings.frequency, settings.quota)
    };
    assert_eq!(of_first().await, (false, 15, 3));
    store
        .execute(
            "insert into company_account (name, reminder) values ('acme', '{\"autoReminder\": true, \"frequency\": 10, \"quota\": 5}');
             insert into brand_company_account (brand_id, company_account_id) values (1, 1)",
        )
        .await;
    assert_eq!(of_first().await, (true, 10, 5));
    store
        .execute("update brand set reminder = '{\"autoReminder\": \"maybe\", \"frequency\": 20, \"quota\": null}'")
        .await;
    assert_eq!(of_first().await, (true, 20, 5));
    store.execute("update contact set state = 'bounced'").await;
    let found = outreach::of_actions(&store.pool, &SYSTEM, &[ActionId(1)])
        .await
        .unwrap();
    assert!(!found[&ActionId(1)].0.has_active_contact);
}

#[tokio::test]
async fn a_pause_ends_with_the_outreach_and_needs_it() {
    let store = store_with_cases(1, start()).await;
    let operator = Scope::everything(UserId(1));
    let until = NaiveDate::from_ymd_opt(2026, 3, 1);
    let pause = async |at| {
        let mut tx = postgres::begin(&store.pool).await.unwrap();
        let (applied, _) = work::pause(&mut tx, &operator, until, &[ActionId(1)], at)
            .await
            .unwrap();
        tx.commit().await.unwrap();
        applied
    };
    assert_eq!(pause(start()).await, Applied::Unfit(vec![ActionId(1)]));
    happen(&store, &operator, (Notify, BlockReason::Unknown), &[0], start()).await;
    assert_eq!(pause(start()).await, Applied::All);
    happen(&store, &SYSTEM, (Remind, BlockReason::Unknown), &[0], start()).await;
    assert_eq!(stored(&store, &[0]).await[0]["paused"], "2026-03-01");
    happen(&store, &operator, (Accept, BlockReason::Unknown), &[0], start()).await;
    assert_eq!(stored(&store, &[0]).await[0]["paused"], Value::Null);
}
