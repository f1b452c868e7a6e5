//! Mails of cases, from the queue to a mail server that fails in every way (decision D170).

mod server;
mod store_way;

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};
use postgres::actions::events::{self, Applied};
use postgres::case_mails::brakes::SendingLimits;
use postgres::case_mails::{self, NewCaseMail, Queued};
use runtime::Clock;
use testkit::Postgres;
use vocabulary::{ActionEvent, ActionId, CaseMailKind, ContactId, Language, SystemScope};
use workers::case_mails::sending::CaseSender;

use server::{Fault, FaultyServer, SmtpStep};
use store_way::StoreWay;

const SYSTEM: SystemScope = SystemScope::new("test");
const LEASE: TimeDelta = TimeDelta::minutes(40);
/// None that these tests reach.
const LIMITS: SendingLimits = SendingLimits { daily_most: u32::MAX };
/// A requested case of an advertiser with two contacts.
const CASE: &str = "insert into dealer (id, domain) values (1, 'shop.example');
    insert into contact (id, email, name) values (1, 'ann@shop.example', 'Ann'), (2, 'bea@shop.example', null);
    insert into dealer_contact (dealer_id, contact_id) values (1, 1), (1, 2);
    insert into action (id, domain, country, engine, status, brand_id, advertiser_id, last_status_date, requested_date, updated_date)
    values (1, 'shop.example', 'FR', 'google', 'requested', 1, 1, '2026-01-01', '2026-01-01', '2026-01-01');
    insert into action_history (action_id, status, at, is_automatic) values (1, 'requested', '2026-01-01', true)";

/// A case with its mail server, and the worker between them.
struct Outreach {
    store: Postgres,
    server: FaultyServer,
    sender: CaseSender,
    clock: Clock,
    // Deleted with the test.
    _files: tempfile::TempDir,
}

impl Outreach {
    async fn new() -> Self {
        let store = Postgres::new().await;
        let pool = store.pool.clone();
        Self::on(store, pool).await
    }

    /// A case whose worker reaches the database by a way that can be cut.
    async fn by_way() -> (Self, StoreWay) {
        let store = Postgres::new().await;
        let (way, pool) = StoreWay::to(&store.url);
        (Self::on(store, pool).await, way)
    }

    async fn on(store: Postgres, pool: postgres::Pool) -> Self {
        store.brand("acme").await;
        store.execute(CASE).await;
        let (server, way) = FaultyServer::start().await;
        let clock = Clock::by_hand("2026-01-02T10:00:00Z".parse().unwrap());
        let files = tempfile::tempdir().unwrap();
        let blobs = blobs::Blobs::folder(&files.path().join("blobs")).unwrap();
        let sender = CaseSender::new(pool, blobs, clock.clone(), (way, LIMITS));
        Self {
            store,
            server,
            sender,
            clock,
            _files: files,
        }
    }

    fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    async fn queue(&self, kind: CaseMailKind, reminder: Option<u32>, to: &[i32]) -> Queued {
        self.queue_then(kind, reminder, to, None).await
    }

    async fn queue_then(
        &self,
        kind: CaseMailKind,
        reminder: Option<u32>,
        to: &[i32],
        then: Option<ActionEvent>,
    ) -> Queued {
        let recipients: Vec<ContactId> = to.iter().copied().map(ContactId).collect();
        let mail = NewCaseMail {
            action: ActionId(1),
            kind,
            reminder,
            template: None,
            language: Language::En,
            subject: "Your ads\r\nBcc: eve@evil.example",
            body: "Hello,\n\nplease stop <advertising> on our brand.",
            recipients: &recipients,
            author: None,
            not_before: self.now(),
            then,
        };
        let mut tx = postgres::begin(&self.store.pool).await.unwrap();
        let queued = case_mails::queue(&mut tx, &SYSTEM, &mail, self.now()).await.unwrap();
        tx.commit().await.unwrap();
        queued
    }

    async fn notify(&self, to: &[i32]) -> Queued {
        self.queue(CaseMailKind::Notification, None, to).await
    }

    /// Sends what is due now, to the end of each dialogue; returns how many there were.
    async fn pass(&self) -> usize {
        let mut count = 0;
        loop {
            let started = self.sender.start().await.unwrap();
            if started.is_empty() {
                return count;
            }
            count += started.len();
            for dialogue in started {
                dialogue.await.unwrap();
            }
        }
    }

    async fn event(&self, event: ActionEvent) {
        let mut tx = postgres::begin(&self.store.pool).await.unwrap();
        let applied = events::apply(&mut tx, &SYSTEM, event, &[ActionId(1)], self.now()).await;
        assert_eq!(applied.unwrap(), Applied::All, "{event}");
        tx.commit().await.unwrap();
    }

    /// State, fence, tries and reason of each delivery.
    async fn deliveries(&self) -> String {
        self.store
            .fetch(
                "select coalesce(string_agg(concat_ws(' ', state, case when body_at is not null then 'fenced' end, tries, reason), ', ' order by id), '')
                 from mail_delivery",
            )
            .await
    }

    /// Status, waiting and counts of the case, and the status of each mail.
    async fn case(&self) -> String {
        self.store
            .fetch(
                "select concat_ws(' ', status, case when waiting then 'waits' end, sended_count, reminded_count,
                     (select string_agg(status, '+' order by id) from email where action_id = a.id)) from action a",
            )
            .await
    }

    /// A case that was notified a while ago.
    async fn notified() -> Self {
        let outreach = Self::new().await;
        outreach.notify(&[1]).await;
        assert_eq!(outreach.pass().await, 1);
        // A Monday: no machine writes on a weekend.
        outreach.clock.advance(TimeDelta::days(17));
        outreach
    }
}

/// The value of a header, unfolded.
fn header(message: &str, name: &str) -> Option<String> {
    let head = message.split("\r\n\r\n").next()?.replace("\r\n ", " ");
    let found = head
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    found.map(str::to_owned)
}

#[tokio::test]
async fn a_notification_leaves_and_moves_its_case_when_the_server_has_taken_it() {
    let outreach = Outreach::new().await;
    assert!(matches!(outreach.notify(&[1, 2]).await, Queued::New(_)));
    assert_eq!(outreach.case().await, "requested 0 0 queued", "nothing has left yet");
    assert_eq!(outreach.pass().await, 2);
    assert_eq!(outreach.deliveries().await, "sent fenced 1, sent fenced 1");
    assert_eq!(outreach.case().await, "inprogress waits 1 0 sent");
    let taken = outreach.server.taken();
    let mut tos: Vec<&str> = taken.iter().map(|mail| mail.to.as_str()).collect();
    tos.sort_unstable();
    assert_eq!(
        tos,
        ["ann@shop.example", "bea@shop.example"],
        "one delivery a recipient"
    );
    let mail = taken.iter().find(|mail| mail.to.starts_with("ann")).unwrap();
    let tokens: String = outreach
        .store
        .fetch("select reply_token || ' ' || bounce_token from mail_delivery where contact_id = 1")
        .await;
    let (reply, bounce) = tokens.split_once(' ').unwrap();
    assert_eq!(mail.from, format!("bounce+{bounce}@mail.vigie.example"));
    assert_eq!(header(&mail.message, "From").unwrap(), "Acme <acme@vigie.example>");
    assert!(
        header(&mail.message, "Reply-To")
            .unwrap()
            .contains(&format!("reply+{reply}@mail.vigie.example"))
    );
    assert_eq!(header(&mail.message, "To").unwrap(), "Ann <ann@shop.example>");
    assert_eq!(header(&mail.message, "Auto-Submitted").unwrap(), "auto-generated");
    assert!(
        header(&mail.message, "List-Unsubscribe")
            .unwrap()
            .contains("<mailto:reply+")
    );
    assert_eq!(header(&mail.message, "Bcc"), None);
    assert!(mail.message.contains("&lt;advertising&gt;"), "{}", mail.message);
    let id = header(&mail.message, "Message-ID").unwrap();
    let aliases: String = outreach
        .store
        .fetch("select string_agg(source || ' ' || message_id, ', ' order by source, message_id) from email_alias")
        .await;
    assert!(aliases.contains(id.trim_matches(['<', '>'])), "{aliases}");
    assert!(aliases.contains("relay 0102018f2c7d9a11-4b2e-000000"), "{aliases}");
    assert_eq!(outreach.notify(&[1, 2]).await, Queued::Already);
    let events: String = outreach
        .store
        .fetch("select string_agg(concat_ws(' ', event ->> 'event', event ->> 'address'), ', ' order by event ->> 'address') from email, jsonb_array_elements(events) event")
        .await;
    assert_eq!(events, "sent ann@shop.example, sent bea@shop.example");
}

#[tokio::test]
async fn a_second_mail_refers_to_the_first_and_a_persons_mail_is_no_machines() {
    let outreach = Outreach::notified().await;
    outreach.queue(CaseMailKind::Reminder, Some(1), &[1]).await;
    assert_eq!(outreach.pass().await, 1);
    assert_eq!(outreach.case().await, "reminded waits 2 1 sent+sent");
    let taken = outreach.server.taken();
    let first = header(&taken[0].message, "Message-ID").unwrap();
    assert_eq!(header(&taken[1].message, "In-Reply-To"), Some(first.clone()));
    assert_eq!(header(&taken[1].message, "References"), Some(first));
    outreach.queue(CaseMailKind::Answer, None, &[1]).await;
    outreach
        .store
        .execute("insert into user_account (id, email) values (7, 'op@vigie.example'); update email set author_id = 7 where kind = 'answer'")
        .await;
    assert_eq!(outreach.pass().await, 1);
    let answer = &outreach.server.taken()[2].message;
    assert_eq!(header(answer, "Auto-Submitted"), None);
    assert_eq!(header(answer, "List-Unsubscribe"), None);
    assert_eq!(header(answer, "References").unwrap().split(' ').count(), 2);
}

#[tokio::test]
async fn a_mail_carries_a_picture_of_its_own_only_where_it_is_to_say_that_it_was_opened() {
    let outreach = Outreach::new().await;
    outreach.notify(&[1, 2]).await;
    assert_eq!(outreach.pass().await, 2);
    for mail in outreach.server.taken() {
        assert!(
            !mail.message.contains("<img") && !mail.message.contains("opened"),
            "{}",
            mail.message
        );
    }
    let tokens = "select count(distinct open_token) from mail_delivery";
    assert_eq!(outreach.store.fetch::<i64>(tokens).await, 0);
    let mut outreach = Outreach::new().await;
    outreach.sender = outreach
        .sender
        .with_pictures_of("https://vigie.example/".parse().unwrap());
    outreach.notify(&[1, 2]).await;
    assert_eq!(outreach.pass().await, 2);
    assert_eq!(outreach.store.fetch::<i64>(tokens).await, 2);
    for mail in outreach.server.taken() {
        let body = mail.message.replace("=\r\n", "").replace("=3D", "=");
        let (_, picture) = body
            .split_once("<img src=\"https://vigie.example/api/Emails/opened/")
            .unwrap();
        assert_eq!(picture.find('"'), Some(26), "{body}");
    }
}

/// The fields of a mail of a machine, besides those of its parts.
const FIELDS: [&str; 10] = [
    "auto-submitted",
    "content-type",
    "date",
    "from",
    "list-unsubscribe",
    "message-id",
    "mime-version",
    "reply-to",
    "subject",
    "to",
];
/// Texts that try to end a header, to begin another, to add a recipient, or to change what is read.
const HOSTILE: [&str; 7] = [
    "\r\nBcc: eve@evil.example",
    "\nX-Evil: 1\n\n<b>",
    "\r\n.\r\nMAIL FROM:<eve@evil.example>\r\nRCPT TO:<eve@evil.example>\r\nDATA\r\n",
    "\u{202e}\u{85}\u{2028}",
    "\" <eve@evil.example>, \"",
    "{% for x in ads %}{{ sender }}",
    "écrit à la main, et très long: mots mots mots mots mots mots mots mots mots mots mots mots mots",
];

#[tokio::test]
async fn whatever_is_written_a_mail_has_its_own_fields_and_the_recipient_of_its_delivery() {
    let outreach = Outreach::new().await;
    let texts = HOSTILE
        .iter()
        .flat_map(|one| HOSTILE.iter().map(move |other| format!("a{one}b{other}c")));
    let all: Vec<String> = texts.collect();
    outreach
        .store
        .execute("update action set status = 'inprogress', notified_manually = true")
        .await;
    for text in &all {
        let write = format!(
            "with mail as (
                insert into email (action_id, direction, kind, cycle, language, subject, body, status, created_date, open)
                select 1, 'out', 'answer', 0, 'en', $q${text}$q$, $q${text}$q$, 'queued', '{now}', true returning id
            ), name as (update contact set name = $q${text}$q$ where id = 1)
            insert into mail_delivery (email_id, contact_id, address, business_key, reply_token, bounce_token, not_before, created_at)
            select id, 1, 'ann@shop.example', 'answer:' || id, substr(md5('r' || id), 1, 26), substr(md5('b' || id), 1, 26), '{now}', '{now}' from mail",
            now = outreach.now()
        );
        outreach.store.execute(write.leak()).await;
        assert_eq!(outreach.pass().await, 1, "{text:?}");
        outreach
            .store
            .execute("delete from email where action_id = 1 and status = 'sent'")
            .await;
    }
    let taken = outreach.server.taken();
    assert_eq!(taken.len(), all.len());
    for (mail, text) in taken.iter().zip(&all) {
        assert_eq!(mail.to, "ann@shop.example", "{text:?}");
        let (head, _) = mail.message.split_once("\r\n\r\n").unwrap();
        let names: BTreeSet<String> = head
            .split("\r\n")
            .filter(|line| !line.starts_with([' ', '\t']))
            .map(|line| line.split(':').next().unwrap().to_ascii_lowercase())
            .collect();
        assert_eq!(names, FIELDS.map(str::to_owned).into(), "{text:?}");
        assert!(!head.replace("\r\n", "").contains(['\r', '\n', '\0']), "{text:?}");
        let to = header(&mail.message, "To").unwrap();
        assert!(to.ends_with("<ann@shop.example>"), "{to}");
    }
}

#[tokio::test]
async fn every_failure_of_the_server_has_its_outcome() {
    for (fault, deliveries, case) in [
        (Fault::Closes(SmtpStep::Greeting), "queued 0", "requested 0 0 queued"),
        (
            Fault::Says(SmtpStep::Greeting, "421 later"),
            "queued 0",
            "requested 0 0 queued",
        ),
        (
            Fault::Says(SmtpStep::Mail, "450 later"),
            "queued 1",
            "requested 0 0 queued",
        ),
        (
            Fault::Says(SmtpStep::Mail, "550 no"),
            "failed 1 refused",
            "requested 0 0 failed",
        ),
        (Fault::Closes(SmtpStep::Mail), "queued 1", "requested 0 0 queued"),
        (
            Fault::Says(SmtpStep::Rcpt, "450 later"),
            "queued 1",
            "requested 0 0 queued",
        ),
        (
            Fault::Says(SmtpStep::Rcpt, "550 5.1.1 nobody"),
            "failed 1 refused",
            "requested 0 0 failed",
        ),
        (
            Fault::Says(SmtpStep::Data, "451 later"),
            "queued 1",
            "requested 0 0 queued",
        ),
        (
            Fault::Says(SmtpStep::Data, "554 no"),
            "failed 1 refused",
            "requested 0 0 failed",
        ),
        (Fault::Closes(SmtpStep::Data), "queued 1", "requested 0 0 queued"),
        (
            Fault::Says(SmtpStep::Data, "250 what"),
            "queued 1",
            "requested 0 0 queued",
        ),
        (
            Fault::Says(SmtpStep::Dot, "451 later"),
            "queued 1",
            "requested 0 0 queued",
        ),
        (
            Fault::Says(SmtpStep::Dot, "554 no"),
            "failed fenced 1 refused",
            "requested 0 0 failed",
        ),
        (
            Fault::Closes(SmtpStep::Body),
            "unknown fenced 1 no_reply",
            "inprogress waits 1 0 unknown",
        ),
        (
            Fault::Closes(SmtpStep::Dot),
            "unknown fenced 1 no_reply",
            "inprogress waits 1 0 unknown",
        ),
        (
            Fault::Says(SmtpStep::Dot, "251 well"),
            "unknown fenced 1 no_reply",
            "inprogress waits 1 0 unknown",
        ),
        (
            Fault::Says(SmtpStep::Dot, "what"),
            "unknown fenced 1 no_reply",
            "inprogress waits 1 0 unknown",
        ),
    ] {
        let outreach = Outreach::new().await;
        outreach.server.next(fault.clone());
        outreach.notify(&[1]).await;
        assert_eq!(outreach.pass().await, 1, "{fault:?}");
        assert_eq!(outreach.deliveries().await, deliveries, "{fault:?}");
        assert_eq!(outreach.case().await, case, "{fault:?}");
        // What was queued leaves once the server is well; nothing else is ever sent again.
        let is_open = deliveries.starts_with("queued");
        outreach.clock.advance(TimeDelta::hours(1));
        outreach.sender.reap().await.unwrap();
        assert_eq!(outreach.pass().await, usize::from(is_open), "{fault:?}");
        if is_open {
            assert_eq!(outreach.case().await, "inprogress waits 1 0 sent", "{fault:?}");
        }
    }
}

#[tokio::test]
async fn a_refused_recipient_does_not_keep_the_mail_from_the_others() {
    let outreach = Outreach::new().await;
    outreach.server.refuses("ann@shop.example");
    outreach.notify(&[1, 2]).await;
    outreach.pass().await;
    assert_eq!(outreach.deliveries().await, "failed 1 refused, sent fenced 1");
    assert_eq!(outreach.case().await, "inprogress waits 1 0 sent");
    let words: String = outreach
        .store
        .fetch("select concat_ws(' ', smtp_code, smtp_text) from mail_delivery where state = 'failed'")
        .await;
    assert!(words.starts_with("550 ") && words.contains("5.1.1 nobody"), "{words}");
}

#[tokio::test]
async fn a_worker_that_dies_before_the_body_costs_nothing() {
    let outreach = Outreach::new().await;
    let gate = outreach.server.waits_at(SmtpStep::Data);
    outreach.notify(&[1]).await;
    let started = outreach.sender.start().await.unwrap();
    gate.reached().await;
    started[0].abort();
    assert_eq!(outreach.deliveries().await, "sending 0");
    outreach.clock.advance(LEASE - TimeDelta::seconds(1));
    outreach.sender.reap().await.unwrap();
    assert_eq!(outreach.deliveries().await, "sending 0", "it may still live");
    outreach.clock.advance(TimeDelta::seconds(1));
    outreach.sender.reap().await.unwrap();
    assert_eq!(outreach.deliveries().await, "queued 0");
    assert_eq!(outreach.pass().await, 1);
    assert_eq!(outreach.case().await, "inprogress waits 1 0 sent");
    assert_eq!(outreach.server.taken().len(), 1);
}

#[tokio::test]
async fn a_worker_that_dies_after_the_body_leaves_an_unknown_that_nobody_sends_again() {
    let outreach = Outreach::new().await;
    let gate = outreach.server.waits_at(SmtpStep::Dot);
    outreach.notify(&[1]).await;
    let started = outreach.sender.start().await.unwrap();
    gate.reached().await;
    started[0].abort();
    outreach.clock.advance(LEASE);
    outreach.sender.reap().await.unwrap();
    assert_eq!(outreach.deliveries().await, "unknown fenced 0 worker_lost");
    assert_eq!(outreach.case().await, "inprogress waits 1 0 unknown");
    outreach.clock.advance(TimeDelta::days(2));
    assert_eq!(outreach.pass().await, 0);
    assert_eq!(outreach.server.taken().len(), 1);
}

#[tokio::test]
async fn of_two_workers_the_stalled_one_fails_at_the_fence() {
    let outreach = Outreach::new().await;
    let gate = outreach.server.waits_at(SmtpStep::Data);
    outreach.notify(&[1]).await;
    let mut stalled = outreach.sender.start().await.unwrap();
    gate.reached().await;
    outreach.clock.advance(LEASE);
    outreach.sender.reap().await.unwrap();
    assert_eq!(outreach.pass().await, 1, "another one has it");
    assert_eq!(outreach.deliveries().await, "sent fenced 1");
    gate.open();
    stalled.remove(0).await.unwrap();
    assert_eq!(outreach.deliveries().await, "sent fenced 1");
    assert_eq!(outreach.server.taken().len(), 1, "one mail");
}

#[tokio::test]
async fn a_database_that_goes_away_at_the_fence_lets_nothing_leave() {
    let (outreach, way) = Outreach::by_way().await;
    let gate = outreach.server.waits_at(SmtpStep::Data);
    outreach.notify(&[1]).await;
    let mut started = outreach.sender.start().await.unwrap();
    gate.reached().await;
    way.cut();
    gate.open();
    outreach.server.ended(1).await;
    assert_eq!(outreach.server.taken().len(), 0, "without its fence no body leaves");
    assert_eq!(outreach.deliveries().await, "sending 0");
    way.mend();
    started.remove(0).await.unwrap();
    assert_eq!(outreach.deliveries().await, "queued 0");
    outreach.clock.advance(TimeDelta::minutes(1));
    assert_eq!(outreach.pass().await, 1);
    assert_eq!(outreach.case().await, "inprogress waits 1 0 sent");
    assert_eq!(outreach.server.taken().len(), 1);
}

#[tokio::test]
async fn what_the_server_said_is_kept_while_the_database_is_away() {
    let (outreach, way) = Outreach::by_way().await;
    let gate = outreach.server.waits_at(SmtpStep::Dot);
    outreach.notify(&[1]).await;
    let mut started = outreach.sender.start().await.unwrap();
    gate.reached().await;
    way.cut();
    gate.open();
    outreach.server.ended(1).await;
    assert_eq!(outreach.deliveries().await, "sending fenced 0");
    way.mend();
    started.remove(0).await.unwrap();
    assert_eq!(outreach.deliveries().await, "sent fenced 1");
    assert_eq!(outreach.case().await, "inprogress waits 1 0 sent");
    assert_eq!(outreach.server.taken().len(), 1);
}

#[tokio::test]
async fn a_worker_that_dies_with_the_word_of_the_server_leaves_an_unknown() {
    let (outreach, way) = Outreach::by_way().await;
    let gate = outreach.server.waits_at(SmtpStep::Dot);
    outreach.notify(&[1]).await;
    let started = outreach.sender.start().await.unwrap();
    gate.reached().await;
    way.cut();
    gate.open();
    outreach.server.ended(1).await;
    started[0].abort();
    way.mend();
    outreach.clock.advance(LEASE);
    outreach.sender.reap().await.unwrap();
    assert_eq!(outreach.deliveries().await, "unknown fenced 0 worker_lost");
    outreach.clock.advance(TimeDelta::days(2));
    assert_eq!(outreach.pass().await, 0);
    assert_eq!(outreach.server.taken().len(), 1);
}

#[tokio::test]
async fn the_night_is_no_time_in_which_a_mail_of_a_machine_is_given_up() {
    let outreach = Outreach::new().await;
    for _ in 0..100 {
        outreach.server.next(Fault::Says(SmtpStep::Rcpt, "451 greylisted"));
    }
    // A Friday: in France people are at work.
    outreach.notify(&[1]).await;
    let monday: DateTime<Utc> = "2026-01-05T08:00:00Z".parse().unwrap();
    let mut on_friday = 0;
    while outreach.now() < monday {
        on_friday += outreach.pass().await;
        outreach.clock.advance(TimeDelta::minutes(10));
    }
    assert!(on_friday > 3, "{on_friday}");
    assert_eq!(outreach.deliveries().await, format!("held {on_friday} working_hours"));
    assert_eq!(outreach.pass().await, 1, "people are back");
    assert!(
        outreach.deliveries().await.starts_with("queued "),
        "{}",
        outreach.deliveries().await
    );
    outreach.server.recovers();
    let mut sent = 0;
    while sent == 0 && outreach.now() < monday + TimeDelta::days(1) {
        outreach.clock.advance(TimeDelta::minutes(10));
        sent += outreach.pass().await;
    }
    assert_eq!(outreach.case().await, "inprogress waits 1 0 sent");
}

#[tokio::test]
async fn a_server_that_is_away_costs_no_attempt_and_is_left_alone() {
    let outreach = Outreach::new().await;
    for _ in 0..4 {
        outreach.server.next(Fault::Closes(SmtpStep::Greeting));
    }
    outreach.notify(&[1]).await;
    let mut tried = 0;
    // Six hours in steps of a minute.
    for _ in 0..360 {
        tried += outreach.pass().await;
        outreach.clock.advance(TimeDelta::minutes(1));
        if tried == 3 {
            let until: String = outreach
                .store
                .fetch("select to_char(not_before at time zone 'UTC', 'HH24:MI') from mail_delivery")
                .await;
            assert_eq!(until, "10:17", "three minutes, and a quarter of an hour of rest");
        }
        if outreach.deliveries().await.starts_with("sent") {
            break;
        }
    }
    assert_eq!(tried, 5, "four that failed, and one that did not");
    assert_eq!(outreach.deliveries().await, "sent fenced 1");
}

#[tokio::test]
async fn a_server_that_puts_a_mail_off_gets_it_for_a_day() {
    let outreach = Outreach::new().await;
    for _ in 0..20 {
        outreach.server.next(Fault::Says(SmtpStep::Rcpt, "451 greylisted"));
    }
    outreach.notify(&[1]).await;
    // Of a person, which leaves at any hour.
    let by_person =
        "insert into user_account (id, email) values (9, 'ann@vigie.example'); update email set author_id = 9";
    outreach.store.execute(by_person).await;
    let began = outreach.now();
    let mut tries = 0;
    while outreach.deliveries().await.starts_with("queued") {
        tries += outreach.pass().await;
        outreach.clock.advance(TimeDelta::minutes(10));
    }
    assert_eq!(outreach.deliveries().await, format!("failed {tries} given_up"));
    assert!(tries > 9, "{tries}");
    let took = outreach.now() - began;
    assert!(
        took > TimeDelta::hours(15) && took <= TimeDelta::hours(24) + TimeDelta::minutes(10),
        "{took}"
    );
}

#[tokio::test]
async fn a_reminder_is_not_sent_to_somebody_who_has_answered() {
    let outreach = Outreach::notified().await;
    outreach.queue(CaseMailKind::Reminder, Some(1), &[1]).await;
    outreach.event(ActionEvent::Reply).await;
    assert_eq!(outreach.pass().await, 0);
    assert_eq!(
        outreach.deliveries().await,
        "sent fenced 1, cancelled 0 no_longer_wanted"
    );
    assert_eq!(outreach.case().await, "inprogress 1 0 sent+failed");
}

#[tokio::test]
async fn an_answer_while_a_reminder_leaves_makes_it_our_turn() {
    let outreach = Outreach::notified().await;
    outreach.queue(CaseMailKind::Reminder, Some(1), &[1]).await;
    let gate = outreach.server.waits_at(SmtpStep::Dot);
    let mut started = outreach.sender.start().await.unwrap();
    gate.reached().await;
    outreach.clock.advance(TimeDelta::seconds(1));
    outreach.event(ActionEvent::Reply).await;
    outreach.clock.advance(TimeDelta::seconds(1));
    gate.open();
    started.remove(0).await.unwrap();
    assert_eq!(outreach.case().await, "reminded 2 1 sent+sent");
}

#[tokio::test]
async fn closing_a_case_cancels_its_reminders_even_one_that_is_at_the_fence() {
    let outreach = Outreach::notified().await;
    outreach.queue(CaseMailKind::Reminder, Some(1), &[1, 2]).await;
    let gate = outreach.server.waits_at(SmtpStep::Data);
    let mut started = outreach.sender.start().await.unwrap();
    gate.reached().await;
    outreach.event(ActionEvent::Accept).await;
    gate.open();
    for dialogue in started.drain(..) {
        dialogue.await.unwrap();
    }
    let sent: i64 = outreach
        .store
        .fetch("select count(*) from mail_delivery d join email e on e.id = d.email_id where e.kind = 'reminder' and d.contact_id = 1 and d.state = 'sent'")
        .await;
    let taken = outreach.server.taken();
    let reached = taken.iter().filter(|mail| mail.to.starts_with("ann")).count();
    assert_eq!(
        i64::try_from(reached).unwrap(),
        sent + 1,
        "what was cancelled did not leave"
    );
    assert_eq!(outreach.pass().await, 0);
}

#[tokio::test]
async fn a_mail_that_accepts_does_so_once_it_has_left() {
    let outreach = Outreach::notified().await;
    outreach
        .queue_then(CaseMailKind::Answer, None, &[1], Some(ActionEvent::Accept))
        .await;
    assert_eq!(outreach.case().await, "inprogress waits 1 0 sent+queued");
    outreach.pass().await;
    assert_eq!(outreach.case().await, "accepted 2 0 sent+sent");
}

#[tokio::test]
async fn a_stop_holds_what_it_covers_until_it_is_lifted() {
    for stop in [
        "insert into mail_stop (scope, reason, at) values ('all', 'test', '2026-01-01')",
        "insert into mail_stop (scope, subject, reason, at) values ('brand', '1', 'test', '2026-01-01')",
        "insert into mail_stop (scope, subject, reason, at) values ('kind', 'notification', 'test', '2026-01-01')",
        "insert into mail_stop (scope, subject, reason, at) values ('domain', 'shop.example', 'test', '2026-01-01')",
    ] {
        let outreach = Outreach::new().await;
        outreach
            .store
            .execute("insert into mail_stop (scope, subject, reason, at) values ('domain', 'other.example', 'test', '2026-01-01')")
            .await;
        outreach.store.execute(stop).await;
        outreach.notify(&[1]).await;
        assert_eq!(outreach.pass().await, 0);
        assert_eq!(outreach.deliveries().await, "held 0 stopped", "{stop}");
        assert_eq!(outreach.case().await, "requested 0 0 queued");
        outreach.store.execute("update mail_stop set lifted_at = at").await;
        outreach.clock.advance(TimeDelta::hours(1));
        assert_eq!(outreach.pass().await, 1);
        assert_eq!(outreach.deliveries().await, "sent fenced 1");
    }
}

#[tokio::test]
async fn nobody_who_cannot_be_written_to_is_written_to() {
    let outreach = Outreach::new().await;
    outreach
        .store
        .execute("insert into contact (id, email) values (3, 'eve@other.example')")
        .await;
    assert_eq!(
        outreach.notify(&[3]).await,
        Queued::Nobody,
        "no contact of this advertiser"
    );
    outreach.notify(&[1, 2]).await;
    outreach
        .store
        .execute(
            "update contact set state = 'bounced' where id = 1;
             insert into suppression (digest, reason, at) values (sha256('bea@shop.example'), 'asked', '2026-01-01')",
        )
        .await;
    assert_eq!(outreach.pass().await, 0);
    assert_eq!(
        outreach.deliveries().await,
        "cancelled 0 no_longer_wanted, cancelled 0 no_longer_wanted"
    );
    assert_eq!(outreach.case().await, "requested 0 0 failed");
}

#[tokio::test]
async fn a_recipient_who_is_put_off_gets_the_mail_after_its_case_has_moved() {
    let outreach = Outreach::new().await;
    outreach.server.next(Fault::Says(SmtpStep::Rcpt, "451 greylisted"));
    outreach.notify(&[1, 2]).await;
    outreach.pass().await;
    assert_eq!(outreach.case().await, "inprogress waits 1 0 queued");
    outreach.clock.advance(TimeDelta::minutes(1));
    assert_eq!(outreach.pass().await, 1);
    assert_eq!(outreach.case().await, "inprogress waits 1 0 sent");
    assert_eq!(outreach.server.taken().len(), 2);
}
