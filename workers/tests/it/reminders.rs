//! What Vigie writes to advertisers by itself: reminders, blocks and first mails, as time goes by (decisions D45 to D47, D172, D183).

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use outreach::LetterStores;
use outreach::run::{self, LineEnd, RunRules};
use postgres::actions::events::{self, Applied};
use postgres::case_mails::brakes::SendingLimits;
use vocabulary::{ActionEvent, ActionId, Job, SystemScope};

use crate::stack::Stack;

const SYSTEM: SystemScope = SystemScope::new("test");
/// No slot of these tests is open so long.
const PATIENCE: Duration = Duration::from_hours(1);
/// A Monday, an hour after the run.
const BEGAN: &str = "2026-03-02T08:00:00Z";

/// A brand that reminds every 15 days, three times, and an advertiser with one contact; a case that was notified at [`BEGAN`].
const NOTIFIED: &str = "
    insert into brand (id, label, name, validated, reminder) values (1, 'Acme', 'acme', true, '{\"autoReminder\": true}');
    insert into dealer (id, domain) values (1, 'shoes.example');
    insert into contact (id, email) values (1, 'legal@shoes.example');
    insert into dealer_contact (dealer_id, contact_id) values (1, 1);
    insert into action (id, domain, country, engine, advertiser_id, brand_id, status, waiting, created_date, inprogress_date, clock_at,
        contacted_at, last_status_date, updated_date, last_view, languages)
    values (1, 'shoes.example', 'FR', 'google', 1, 1, 'inprogress', true, '2026-03-01T08:00:00Z', '2026-03-02T08:00:00Z', '2026-03-02T08:00:00Z',
        '2026-03-02T08:00:00Z', '2026-03-02T08:00:00Z', '2026-03-02T08:00:00Z', '2026-03-01T08:00:00Z', '{fr}');
    insert into action_history (action_id, status, at, is_automatic) values
        (1, 'new', '2026-03-01T08:00:00Z', true), (1, 'inprogress', '2026-03-02T08:00:00Z', true);";

fn day(number: i64, time: &str) -> DateTime<Utc> {
    let began: DateTime<Utc> = BEGAN.parse().unwrap();
    let day = began.date_naive() + TimeDelta::days(number);
    format!("{day}T{time}:00Z").parse().unwrap()
}

/// A stack with the case, and the mails that the test settles.
struct World(Stack);

impl World {
    async fn new(sql: &'static str) -> Self {
        let stack = Stack::new().await;
        stack.postgres.execute(NOTIFIED).await;
        stack.postgres.execute(sql).await;
        Self(stack)
    }

    /// Runs the job of reminders at seven on this day.
    async fn remind(&self, number: i64) -> String {
        self.0.at(day(number, "07:00")).job(Job::Remind).await
    }

    async fn notify(&self, at: DateTime<Utc>) -> String {
        self.0.at(at).job(Job::Notify).await
    }

    async fn text(&self, query: &'static str) -> String {
        self.0.postgres.fetch(query).await
    }

    /// Status, reminders of the cycle and reason of the block of the case.
    async fn case(&self) -> String {
        self.text(
            "select concat_ws(' ', status, cycle_reminders, reminded_count, sended_count,
                case when status = 'blocked' then metas #>> '{blockedReason,-1,reason}' end) from action where id = 1",
        )
        .await
    }

    /// The mails that wait, as what they are for and who gets them.
    async fn waiting(&self) -> String {
        self.text(
            "select coalesce(string_agg(concat_ws(' ', e.kind, e.reminder_number, d.address, d.not_before at time zone 'UTC'), '; ' order by e.id), '')
             from email e join mail_delivery d on d.email_id = e.id where d.state = 'queued'",
        )
        .await
    }

    /// Settles what waits as sent, at `at`, and does to the cases what sent mails do.
    async fn send(&self, at: DateTime<Utc>) {
        let waiting = "select coalesce(string_agg(distinct e.action_id || ' ' || e.kind, ','), '')
            from email e join mail_delivery d on d.email_id = e.id where d.state in ('queued', 'held')";
        let left = self.text(waiting).await;
        let settle = format!(
            "update email e set status = 'sent', left_at = '{at}', sended_date = '{at}' from mail_delivery d
                where d.email_id = e.id and d.state in ('queued', 'held');
             update mail_delivery set state = 'sent', body_at = '{at}', settled_at = '{at}' where state in ('queued', 'held')"
        );
        self.0.postgres.execute(settle.leak()).await;
        let mut connection = self.0.postgres.pool.acquire().await.unwrap();
        for mail in left.split(',').filter(|mail| !mail.is_empty()) {
            let (action, kind) = mail.split_once(' ').unwrap();
            let event = if kind == "reminder" {
                ActionEvent::Remind
            } else {
                ActionEvent::Notify
            };
            self.happen(&mut connection, event, action.parse().unwrap(), at).await;
        }
    }

    async fn happen(&self, connection: &mut postgres::Connection, event: ActionEvent, action: i32, at: DateTime<Utc>) {
        let applied = events::apply(connection, &SYSTEM, event, &[ActionId(action)], at).await;
        assert_eq!(applied.unwrap(), Applied::All, "{event}");
    }

    /// Begins a cycle of the case by hand.
    async fn force(&self, at: DateTime<Utc>) {
        let mut connection = self.0.postgres.pool.acquire().await.unwrap();
        self.happen(&mut connection, ActionEvent::ForceReminders, 1, at).await;
    }

    async fn assert_sound(&self) {
        let violations = postgres::invariants::violations(&self.0.postgres.pool, DateTime::UNIX_EPOCH, PATIENCE).await;
        assert_eq!(violations.unwrap(), []);
    }

    fn stores(&self) -> LetterStores<'_> {
        LetterStores {
            postgres: &self.0.postgres.pool,
            analytics: &self.0.analytics,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_advertiser_is_reminded_three_times_every_fifteen_days_and_then_its_case_is_blocked() {
    let world = World::new("").await;
    assert_eq!(world.remind(14).await, "0 mails, 0 cases blocked, 0 left as they are");
    for number in 1..=3 {
        let due = 15 * number;
        assert_eq!(world.remind(due).await, "1 mails, 0 cases blocked, 0 left as they are");
        // The seventeenth of March is a Tuesday, and people in France begin at nine on their clocks.
        let waiting = world.waiting().await;
        assert!(
            waiting.starts_with(&format!("reminder {number} legal@shoes.example 2026-")),
            "{waiting}"
        );
        assert!(
            waiting.ends_with(" 08:00:00") || waiting.ends_with(" 07:00:00"),
            "{waiting}"
        );
        assert_eq!(
            world.remind(due + 1).await,
            "0 mails, 0 cases blocked, 1 left as they are"
        );
        world.send(day(due, "09:00")).await;
        assert_eq!(world.case().await, format!("reminded {number} {number} {number}"));
        let dates =
            "select count(*) = 1 from action a join action_history h on h.action_id = a.id and h.at = a.reminded_date
            and h.status = 'reminded' and h.is_automatic";
        assert!(world.0.postgres.fetch::<bool>(dates).await);
        world.assert_sound().await;
    }
    assert_eq!(world.remind(59).await, "0 mails, 0 cases blocked, 0 left as they are");
    assert_eq!(world.remind(60).await, "0 mails, 1 cases blocked, 0 left as they are");
    assert_eq!(world.case().await, "blocked 3 3 3 reminder_quota_reached");
    let letters = "select string_agg(subject, '; ' order by id) from email";
    assert_eq!(
        world.text(letters).await,
        "Relance : Acme dans vos annonces (VG-1); Deuxième relance : Acme dans vos annonces (VG-1); \
         Dernière relance : Acme dans vos annonces (VG-1)"
    );
    // By hand the cycle begins again, with mails of its own.
    world.force(day(61, "12:00")).await;
    assert_eq!(world.case().await, "inprogress 0 3 3");
    assert_eq!(world.remind(75).await, "0 mails, 0 cases blocked, 0 left as they are");
    assert_eq!(world.remind(76).await, "1 mails, 0 cases blocked, 0 left as they are");
    assert!(world.waiting().await.starts_with("reminder 1 "));
    world.send(day(76, "09:00")).await;
    assert_eq!(world.case().await, "reminded 1 4 4");
    world.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_case_that_cannot_be_reminded_is_blocked_with_its_reason() {
    let world = World::new("update contact set state = 'bounced'").await;
    assert_eq!(world.remind(15).await, "0 mails, 1 cases blocked, 0 left as they are");
    assert_eq!(world.case().await, "blocked 0 0 0 no_active_recipients");
    let manual = World::new("update action set notified_manually = true").await;
    assert_eq!(manual.remind(14).await, "0 mails, 0 cases blocked, 0 left as they are");
    assert_eq!(manual.remind(15).await, "0 mails, 1 cases blocked, 0 left as they are");
    assert_eq!(manual.case().await, "blocked 0 0 0 manually_notified_delay_passed");
    // By hand, the advertiser gets the first mail it never had, and then reminders.
    manual.force(day(20, "12:00")).await;
    assert_eq!(manual.remind(35).await, "1 mails, 0 cases blocked, 0 left as they are");
    assert!(manual.waiting().await.starts_with("notification legal@shoes.example "));
    assert_eq!(manual.remind(36).await, "0 mails, 0 cases blocked, 1 left as they are");
    manual.send(day(36, "09:00")).await;
    assert_eq!(manual.case().await, "inprogress 0 0 1");
    assert_eq!(manual.remind(51).await, "1 mails, 0 cases blocked, 0 left as they are");
    assert!(manual.waiting().await.starts_with("reminder 1 "));
    manual.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_missed_is_made_up_for_once_and_a_pause_an_answer_or_a_strike_hold_it() {
    let world = World::new("update action set paused_until = '2026-04-30'").await;
    assert_eq!(world.remind(40).await, "0 mails, 0 cases blocked, 0 left as they are");
    world
        .0
        .postgres
        .execute("update action set paused_until = null, waiting = false")
        .await;
    assert_eq!(world.remind(41).await, "0 mails, 0 cases blocked, 0 left as they are");
    let strike = "update action set waiting = true; insert into outreach_strike (action_id, day, at) values (1, '2026-04-13', now())";
    world.0.postgres.execute(strike).await;
    assert_eq!(world.remind(42).await, "0 mails, 0 cases blocked, 1 left as they are");
    // The job missed its time on this day, and those of many days before.
    let late = world.0.at(day(43, "20:00")).job(Job::Remind).await;
    assert_eq!(late, "1 mails, 0 cases blocked, 0 left as they are");
    assert_eq!(
        world.waiting().await,
        "reminder 1 legal@shoes.example 2026-04-15 07:00:00"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn two_runs_at_once_or_one_that_was_killed_send_nothing_twice() {
    let world = World::new(
        "insert into action (id, domain, country, engine, advertiser_id, brand_id, status, waiting, inprogress_date, clock_at) values
            (2, 'shoes.example', 'FR', 'bing', 1, 1, 'inprogress', true, '2026-03-02T08:00:00Z', '2026-03-02T08:00:00Z'),
            (3, 'shoes.example', 'BE', 'bing', 1, 1, 'inprogress', true, '2026-03-02T08:00:00Z', '2026-03-02T08:00:00Z')",
    )
    .await;
    let at = day(15, "07:00");
    let rules = RunRules {
        zone: chrono_tz::UTC,
        limits: SendingLimits { daily_most: 1_000 },
        notified_daily_most: 50,
    };
    let plan = run::plan_reminders(world.stores(), rules, (at, at), usize::MAX)
        .await
        .unwrap();
    assert_eq!(plan.lines.len(), 3);
    // One address gets one mail of a brand a day.
    let holds = plan.lines.iter().map(|line| {
        line.holds
            .iter()
            .map(|hold| hold.reason.to_string())
            .collect::<Vec<_>>()
    });
    assert_eq!(
        holds.collect::<Vec<_>>(),
        [["working_hours"], ["address_limit"], ["address_limit"]]
    );
    // The process dies after the first case.
    let end = run::carry_out(world.stores(), rules, &plan.lines[0], (at, at))
        .await
        .unwrap();
    assert_eq!(end, LineEnd::Queued);
    let runs = plan.lines.iter().flat_map(|line| [line, line]);
    let ends = futures::future::join_all(runs.map(|line| run::carry_out(world.stores(), rules, line, (at, at)))).await;
    let queued = ends
        .into_iter()
        .filter(|end| *end.as_ref().unwrap() == LineEnd::Queued)
        .count();
    assert_eq!(queued, 2);
    let (one, other) = tokio::join!(world.remind(15), world.remind(15));
    assert_eq!(
        (one.as_str(), other.as_str()),
        (
            "0 mails, 0 cases blocked, 3 left as they are",
            "0 mails, 0 cases blocked, 3 left as they are"
        )
    );
    let mails = "select count(*) = 3 and count(distinct e.action_id) = 3 from email e join mail_delivery d on d.email_id = e.id";
    assert!(world.0.postgres.fetch::<bool>(mails).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_letter_with_a_hole_is_not_sent() {
    let world = World::new(
        "update email_template set body = body || ' {{ keywords }} {{ sender.firstName }}' where type = 'reminder'",
    )
    .await;
    assert_eq!(world.remind(15).await, "0 mails, 0 cases blocked, 1 left as they are");
    assert_eq!(world.waiting().await, "");
    world
        .0
        .postgres
        .execute("update email_template set is_active = false where type = 'reminder'")
        .await;
    assert_eq!(world.remind(16).await, "0 mails, 0 cases blocked, 1 left as they are");
    // A template of the brand is taken before one for all.
    let own = "insert into email_template (id, first_version_id, type, language, label, brand_id, subject, body)
        values (1000, 1000, 'reminder', 'fr', 'Own', 1, 'Ours', 'Text')";
    world.0.postgres.execute(own).await;
    assert_eq!(world.remind(17).await, "1 mails, 0 cases blocked, 0 left as they are");
    assert_eq!(world.text("select subject from email").await, "Ours");
}

#[tokio::test(flavor = "multi_thread")]
async fn brands_that_notify_all_do_so_up_to_a_limit_and_once_there_is_a_contact() {
    let world = World::new(
        "delete from dealer_contact; delete from action;
         update brand set notification_auto = true;
         insert into action (domain, country, engine, advertiser_id, brand_id, status, requested_date, languages)
         select 'shop' || n || '.example', 'FR', 'google', 1, 1, 'requested', '2026-03-02T08:00:00Z', '{fr}' from generate_series(1, 60) n",
    )
    .await;
    assert_eq!(
        world.notify(day(0, "10:00")).await,
        "0 notifications, 0 cases left as they are"
    );
    let marked = "select count(*)::text from action where status = 'requested'";
    assert_eq!(world.text(marked).await, "60");
    world
        .0
        .postgres
        .execute("insert into dealer_contact (dealer_id, contact_id) values (1, 1)")
        .await;
    assert_eq!(
        world.notify(day(0, "10:10")).await,
        "50 notifications, 10 cases left as they are"
    );
    assert_eq!(
        world.notify(day(0, "10:20")).await,
        "0 notifications, 10 cases left as they are"
    );
    assert_eq!(
        world.notify(day(1, "00:00")).await,
        "10 notifications, 0 cases left as they are"
    );
    assert_eq!(
        world.notify(day(1, "00:10")).await,
        "0 notifications, 0 cases left as they are"
    );
    world.send(day(1, "10:00")).await;
    assert_eq!(
        world
            .text("select string_agg(distinct status::text, '') from action")
            .await,
        "inprogress"
    );
}
