//! What keeps mails to advertisers back (decisions D175, D215), and which templates are taken.

use chrono::{DateTime, TimeDelta, Utc};
use postgres::case_mails::brakes::{BrakedMail, HoldReason, SendingLimits, hold_of};
use postgres::case_mails::stops::{self, NewStop, StopScope};
use postgres::case_mails::templates::{self, TemplateQuery};
use postgres::invariants;
use testkit::Postgres;
use vocabulary::{BrandId, CaseMailKind, Language, SystemScope};

const SYSTEM: SystemScope = SystemScope::new("test");
const LIMITS: SendingLimits = SendingLimits { daily_most: 1_000 };
/// A Tuesday; ten o'clock in France.
const NOW: &str = "2026-11-24T09:00:00Z";
const CASES: &str = "insert into brand (id, label, name) values (1, 'Acme', 'acme'), (2, 'Bolt', 'bolt');
    insert into user_account (id, email) values (1, 'operator@vigie.example');
    insert into action (id, domain, country, engine, brand_id, status) values
        (1, 'shoes.example', 'FR', 'google', 1, 'inprogress'), (2, 'shoes.example', 'FR', 'google', 2, 'inprogress');";

struct Mails(Postgres);

impl Mails {
    async fn new() -> Self {
        let store = Postgres::new().await;
        store.execute(CASES).await;
        Self(store)
    }

    /// Stores mails of a case that left, one to each of `count` addresses, the last of them `minutes` before [`NOW`].
    async fn sent(&self, action: i32, address: &str, count: i32, minutes: i64) {
        let at = now() - TimeDelta::minutes(minutes);
        let sql = format!(
            "with mail as (
                insert into email (action_id, direction, kind, cycle, reminder_number, status, left_at)
                values ({action}, 'out', 'reminder', 0, 1, 'sent', '{at}') returning id
            )
            insert into mail_delivery (email_id, address, business_key, reply_token, bounce_token, state, body_at, not_before, created_at, settled_at)
            select mail.id, replace('{address}', '*', n::text), gen_random_uuid(), left(md5(random()::text), 26), left(md5(random()::text), 26),
                'sent', '{at}', '{at}', '{at}', '{at}'
            from mail, generate_series(1, {count}) n"
        );
        self.0.execute(sql.leak()).await;
    }

    async fn held(&self, mail: &BrakedMail, at: DateTime<Utc>) -> Option<(HoldReason, String)> {
        let mut connection = self.0.pool.acquire().await.unwrap();
        let hold = hold_of(&mut connection, &SYSTEM, mail, LIMITS, at).await.unwrap();
        hold.map(|hold| (hold.reason, hold.until.to_rfc3339()))
    }
}

fn now() -> DateTime<Utc> {
    NOW.parse().unwrap()
}

fn mail(kind: CaseMailKind) -> BrakedMail {
    BrakedMail {
        kind,
        brand: Some(BrandId(1)),
        address: "Legal@shoes.example".to_owned(),
        country: "FR".to_owned(),
        is_automatic: true,
    }
}

#[tokio::test]
async fn an_address_gets_one_first_or_reminder_mail_of_a_brand_a_day() {
    let mails = Mails::new().await;
    let reminder = mail(CaseMailKind::Reminder);
    assert_eq!(mails.held(&reminder, now()).await, None);
    mails.sent(1, "legal@shoes.example", 1, 60).await;
    let tomorrow = "2026-11-25T08:00:00+00:00".to_owned();
    assert_eq!(
        mails.held(&reminder, now()).await,
        Some((HoldReason::AddressLimit, tomorrow.clone()))
    );
    let by_person = BrakedMail {
        is_automatic: false,
        ..mail(CaseMailKind::Notification)
    };
    assert_eq!(
        mails.held(&by_person, now()).await,
        Some((HoldReason::AddressLimit, tomorrow))
    );
    assert_eq!(mails.held(&reminder, now() + TimeDelta::hours(23)).await, None);
    let of_bolt = BrakedMail {
        brand: Some(BrandId(2)),
        ..reminder.clone()
    };
    assert_eq!(mails.held(&of_bolt, now()).await, None);
    assert_eq!(
        mails.held(&mail(CaseMailKind::Answer), now()).await,
        None,
        "an answer has no limit"
    );
    let sound = async || {
        let deadline = std::time::Duration::from_hours(1);
        let found = invariants::violations(&mails.0.pool, now() - TimeDelta::days(7), deadline)
            .await
            .unwrap();
        found.iter().filter(|one| one.invariant == "O9").count()
    };
    assert_eq!(sound().await, 0);
    mails.sent(2, "legal@shoes.example", 1, 50).await;
    assert_eq!(sound().await, 0, "of another brand");
    mails.sent(1, "LEGAL@shoes.example", 1, 30).await;
    assert_eq!(sound().await, 1);
}

#[tokio::test]
async fn a_domain_gets_twenty_mails_an_hour_and_a_new_sender_fifty_on_its_first_day() {
    let mails = Mails::new().await;
    let reminder = mail(CaseMailKind::Reminder);
    mails.sent(1, "a*@shoes.example", 19, 30).await;
    assert_eq!(mails.held(&reminder, now()).await, None);
    mails.sent(1, "b@shoes.example", 1, 20).await;
    let next = Some((HoldReason::DomainLimit, "2026-11-24T09:30:00+00:00".to_owned()));
    assert_eq!(mails.held(&reminder, now()).await, next);
    assert_eq!(mails.held(&mail(CaseMailKind::Answer), now()).await, None);
    let elsewhere = BrakedMail {
        address: "legal@other.example".to_owned(),
        ..reminder
    };
    assert_eq!(mails.held(&elsewhere, now()).await, None);
    mails.sent(1, "c*@third.example", 30, 10).await;
    let tomorrow = Some((HoldReason::DailyLimit, "2026-11-25T08:00:00+00:00".to_owned()));
    assert_eq!(mails.held(&elsewhere, now()).await, tomorrow);
    assert_eq!(mails.held(&elsewhere, now() + TimeDelta::days(1)).await, None);
}

#[tokio::test]
async fn what_no_person_sends_leaves_in_working_hours_and_not_while_mails_bounce() {
    let mails = Mails::new().await;
    let reminder = mail(CaseMailKind::Reminder);
    let saturday = "2026-11-28T09:00:00Z".parse().unwrap();
    let monday = Some((HoldReason::WorkingHours, "2026-11-30T08:00:00+00:00".to_owned()));
    assert_eq!(mails.held(&reminder, saturday).await, monday);
    let by_person = BrakedMail {
        is_automatic: false,
        ..reminder.clone()
    };
    assert_eq!(mails.held(&by_person, saturday).await, None);
    mails.sent(2, "a*@a*.example", 9, 200).await;
    mails
        .0
        .execute("update mail_delivery set bounced_at = settled_at")
        .await;
    assert_eq!(mails.held(&reminder, now()).await, None);
    mails.sent(2, "b*@b*.example", 1, 190).await;
    mails
        .0
        .execute("update mail_delivery set bounced_at = settled_at")
        .await;
    let bounces = Some((HoldReason::Bounces, "2026-11-24T10:00:00+00:00".to_owned()));
    assert_eq!(mails.held(&reminder, now()).await, bounces);
    assert_eq!(mails.held(&by_person, now()).await, None);
    assert_eq!(mails.held(&reminder, now() + TimeDelta::days(8)).await, None);
}

#[tokio::test]
async fn stops_hold_all_mails_those_of_a_brand_of_a_kind_or_to_a_domain() {
    let mails = Mails::new().await;
    let scope = &SYSTEM;
    let answer = mail(CaseMailKind::Answer);
    let until = Some(now() + TimeDelta::days(3));
    for (what, subject, until) in [
        (StopScope::Kind, "answer", None),
        (StopScope::Brand, "1", until),
        (StopScope::Domain, "shoes.example", None),
        (StopScope::All, "", None),
    ] {
        let stop = NewStop {
            scope: what,
            subject,
            reason: "Why not",
            author: vocabulary::UserId(1),
            until,
        };
        let id = stops::add(&mails.0.pool, scope, &stop, now()).await.unwrap();
        let end = until.unwrap_or_else(|| now() + TimeDelta::hours(1));
        assert_eq!(
            mails.held(&answer, now()).await,
            Some((HoldReason::Stopped, end.to_rfc3339())),
            "{what}"
        );
        let other = BrakedMail {
            kind: CaseMailKind::Reminder,
            brand: Some(BrandId(2)),
            address: "legal@boots.example".to_owned(),
            ..answer.clone()
        };
        assert_eq!(
            mails.held(&other, now()).await.is_some(),
            what == StopScope::All,
            "{what}"
        );
        let mut connection = mails.0.pool.acquire().await.unwrap();
        assert!(stops::lift(&mut connection, scope, id, now()).await.unwrap());
        assert!(!stops::lift(&mut connection, scope, id, now()).await.unwrap());
        assert_eq!(mails.held(&answer, now()).await, None);
    }
}

#[tokio::test]
async fn the_template_of_a_brand_comes_before_one_for_all_and_the_nearest_reminder_before_any() {
    let mails = Mails::new().await;
    let all = templates::list(&mails.0.pool, &SYSTEM, TemplateQuery::default(), 100)
        .await
        .unwrap();
    assert_eq!(all.len(), 12);
    let chosen = |number, language| {
        let found = templates::choose(&all, (CaseMailKind::Reminder, Some(number)), language, Some(BrandId(1)));
        found.map(|template| template.facts.label.clone())
    };
    assert_eq!(chosen(1, Language::En).as_deref(), Some("Reminder 1"));
    assert_eq!(chosen(2, Language::Fr).as_deref(), Some("Relance 2"));
    assert_eq!(chosen(9, Language::En).as_deref(), Some("Reminder 3, last letter"));
    let own = "insert into email_template (id, first_version_id, type, language, label, brand_id, subject, body)
        values (1000, 1000, 'reminder', 'en', 'Own', 1, 'Ours', 'Text')";
    mails
        .0
        .execute("update email_template set is_active = false where label = 'Brand in your ads'")
        .await;
    mails.0.execute(own).await;
    let all = templates::list(&mails.0.pool, &SYSTEM, TemplateQuery::default(), 100)
        .await
        .unwrap();
    let chosen = |brand| {
        let found = templates::choose(
            &all,
            (CaseMailKind::Reminder, Some(2)),
            Language::En,
            Some(BrandId(brand)),
        );
        found.map(|template| template.facts.label.clone())
    };
    assert_eq!(chosen(1).as_deref(), Some("Own"));
    assert_eq!(chosen(2).as_deref(), Some("Reminder 2"));
    let first = templates::choose(&all, (CaseMailKind::Notification, None), Language::En, None);
    assert!(first.is_none(), "it was put away");
}
