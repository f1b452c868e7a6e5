//! Mail that comes in, from the webhook's store or a real mailbox to its case.

use std::time::Duration;

use blobs::Blobs;
use chrono::{DateTime, TimeDelta, Utc};
use futures::StreamExt;
use postgres::case_mails::brakes;
use postgres::case_mails::inbound::{self, Arrival, Origin, Received};
use postgres::case_mails::received::{self, Marked};
use postgres::case_mails::unmatched;
use runtime::settings::{Imap, ImapSecurity};
use runtime::{Clock, Secret};
use testkit::{Dovecot, Postgres};
use vocabulary::{ActionId, EmailId, MailVerdict, Scope, UserId};
use workers::case_mails::receiving::Receiver;
use workers::case_mails::receiving::imap::Mailbox;

/// An inbox on stores of its own, with cases that were notified.
struct Inbox {
    store: Postgres,
    receiver: Receiver,
    _folder: tempfile::TempDir,
}

/// The token of a case's mail; `kind` is `r` for replies and `b` for reports.
fn token(kind: char, case: u32) -> String {
    let letter = |number: u32| char::from(b'a' + u8::try_from(number).unwrap());
    format!("{kind}{}{}{}", "a".repeat(23), letter(case / 10), letter(case % 10))
}

fn reply_to(case: u32) -> String {
    format!("reply+{}@mail.example", token('r', case))
}

fn bounce_to(case: u32) -> String {
    format!("bounce+{}@mail.example", token('b', case))
}

/// A mail of an advertiser with these fields in its header.
fn mail(fields: &str, text: &str) -> String {
    format!("From: Ann <ann@shop1.example>\r\nSubject: Re: Your ads\r\n{fields}\r\n{text}\r\n")
}

fn report(status: &str, address: &str) -> String {
    format!(
        "From: MAILER-DAEMON@mx.example\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=r\r\n\r\n--r\r\n\r\nfailed\r\n\
         --r\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx\r\n\r\nFinal-Recipient: rfc822; {address}\r\n\
         Action: failed\r\nStatus: {status}\r\nDiagnostic-Code: smtp; 550 {status} no\r\n\r\n--r--\r\n"
    )
}

impl Inbox {
    async fn new() -> Self {
        let store = Postgres::new().await;
        let folder = tempfile::tempdir().unwrap();
        let receiver = Receiver {
            postgres: store.pool.clone(),
            blobs: Blobs::folder(folder.path()).unwrap(),
            clock: Clock::by_hand("2026-03-02T08:00:00Z".parse().unwrap()),
        };
        Self {
            store,
            receiver,
            _folder: folder,
        }
    }

    async fn execute(&self, statement: String) {
        self.store.execute(Box::leak(statement.into_boxed_str())).await;
    }

    async fn fetch(&self, query: &str) -> String {
        let query = format!("select coalesce(({query})::text, 'none')");
        self.store.fetch(Box::leak(query.into_boxed_str())).await
    }

    /// A case in progress whose mail went to `ann@shopN.example`.
    async fn case(&self, number: u32) -> ActionId {
        self.case_of(number, &format!("ann@shop{number}.example")).await
    }

    async fn case_of(&self, number: u32, address: &str) -> ActionId {
        let (reply, bounce) = (token('r', number), token('b', number));
        self.execute(format!(
            "insert into brand (id, name, label) values ({number}, 'brand{number}', 'brand{number}') on conflict do nothing;
             insert into dealer (id, domain) values ({number}, 'shop{number}.example');
             insert into contact (id, email, state) values ({number}, '{address}', 'active');
             insert into dealer_contact (dealer_id, contact_id) values ({number}, {number});
             insert into action (id, domain, country, engine, status, waiting, advertiser_id, brand_id, updated_date, created_date, inprogress_date,
                 last_status_date, contacted_at, clock_at, sended_count)
             values ({number}, 'shop{number}.example', 'FR', 'google', 'inprogress', true, {number}, {number}, '2026-03-01Z', '2026-02-01Z', '2026-03-01Z',
                 '2026-03-01Z', '2026-03-01Z', '2026-03-01Z', 1);
             insert into action_history (action_id, status, at, is_automatic) values ({number}, 'inprogress', '2026-03-01Z', true);
             insert into email (id, action_id, direction, kind, status, subject, body, message_id, left_at, sended_date)
             values ({number}, {number}, 'out', 'notification', 'sent', 'Your ads', 'Hello', '<ours{number}@mail.example>', '2026-03-01Z', '2026-03-01Z');
             insert into email_alias (message_id, email_id, source) values ('relay{number}@ses.example', {number}, 'relay');
             insert into mail_delivery (id, email_id, contact_id, address, business_key, reply_token, bounce_token, state, not_before, created_at, settled_at, body_at)
             overriding system value values ({number}, {number}, {number}, '{address}', 'notification:{number}', '{reply}', '{bounce}', 'sent', '2026-03-01Z',
                 '2026-03-01Z', '2026-03-01Z', '2026-03-01Z');
             select setval('email_id_seq', 1000 + (select count(*) from email))"
        ))
        .await;
        ActionId(i32::try_from(number).unwrap())
    }

    async fn post(&self, raw: &str, to: &[&str], from: &str) -> Received {
        let to: Vec<String> = to.iter().map(|to| (*to).to_owned()).collect();
        let arrival = Arrival {
            raw: raw.as_bytes(),
            envelope_to: &to,
            envelope_from: Some(from),
            source: Origin::Webhook,
        };
        let mut tx = postgres::begin(&self.store.pool).await.unwrap();
        let received = inbound::receive(&mut tx, &arrival, self.now()).await.unwrap();
        tx.commit().await.unwrap();
        received
    }

    fn now(&self) -> DateTime<Utc> {
        self.receiver.clock.now()
    }

    async fn read_all(&self) {
        while self.receiver.pass().await.unwrap() {}
    }

    /// Posts a mail, reads it, and returns what it was found to be.
    async fn take(&self, raw: &str, to: &[&str], from: &str) -> Option<MailVerdict> {
        let (Received::New(id) | Received::AlsoTo(id) | Received::Already(id)) = self.post(raw, to, from).await;
        self.read_all().await;
        inbound::verdict(&self.store.pool, id).await.unwrap()
    }

    /// Status, waiting, and the counts of received, unread and sent mails of a case.
    async fn case_line(&self, case: ActionId) -> String {
        self.fetch(&format!(
            "select concat_ws(' ', status, waiting, received_count, unread_count, sended_count) from action where id = {case}"
        ))
        .await
    }

    async fn assert_sound(&self) {
        let day = Duration::from_hours(24);
        let found = postgres::invariants::violations(&self.store.pool, DateTime::UNIX_EPOCH, day).await;
        assert_eq!(found.unwrap(), []);
    }

    async fn operator(&self) -> (Scope, UserId) {
        self.execute(
            "insert into user_account (id, email, first_name) values (1, 'op@vigie.example', 'Olga')".to_owned(),
        )
        .await;
        (Scope::everything(UserId(1)), UserId(1))
    }
}

#[tokio::test]
async fn a_reply_is_in_its_case_with_all_it_brings() {
    let inbox = Inbox::new().await;
    let case = inbox.case(1).await;
    let raw = "From: Bob <bob@elsewhere.example>\r\nSubject: Re: Your ads\r\nMessage-ID: <theirs@shop1.example>\r\n\
        Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: text/html\r\n\r\n<p>We <b>stop</b><script>1</script></p>\r\n\
        --x\r\nContent-Type: application/pdf; name=\"../proof.pdf\"\r\n\r\n%PDF-1.7 x\r\n--x--\r\n";
    let to = reply_to(1);
    assert_eq!(
        inbox.take(raw, &[&to], "bob@elsewhere.example").await,
        Some(MailVerdict::Matched)
    );
    assert_eq!(inbox.case_line(case).await, "inprogress f 1 1 1");
    let stored = inbox
        .fetch("select concat_ws('|', direction, status, automatic, open, trim(body), trim(html), message_id, email #>> '{from,address}') from email where direction = 'in'")
        .await;
    assert_eq!(
        stored,
        "in|received|no|f|We stop|<p>We <b>stop</b></p>|theirs@shop1.example|bob@elsewhere.example"
    );
    let file = inbox
        .fetch("select concat_ws('|', name, mime_type, bytes) from attachment")
        .await;
    assert_eq!(file, "proof.pdf|application/pdf|10");
    let digest: Vec<u8> = inbox.store.fetch("select sha256 from attachment").await;
    let content = inbox.receiver.blobs.read(&digest.try_into().unwrap()).await.unwrap();
    assert_eq!(content.unwrap(), b"%PDF-1.7 x");
    inbox.assert_sound().await;
}

#[tokio::test]
async fn the_same_mail_is_one_however_often_and_by_whatever_way_it_comes() {
    let inbox = Inbox::new().await;
    let case = inbox.case(1).await;
    let (raw, to) = (mail("", "We stop."), reply_to(1));
    assert!(matches!(
        inbox.post(&raw, &[&to], "ann@shop1.example").await,
        Received::New(_)
    ));
    assert!(matches!(
        inbox.post(&raw, &[&to], "ann@shop1.example").await,
        Received::Already(_)
    ));
    inbox.read_all().await;
    let travelled =
        format!("Return-Path: <ann@shop1.example>\r\nDelivered-To: {to}\r\nReceived: from x\r\n\tby y\r\n{raw}");
    let arrival = Arrival {
        raw: travelled.as_bytes(),
        envelope_to: &[],
        envelope_from: None,
        source: Origin::Imap {
            mailbox: "box",
            uid_validity: 1,
            uid: 1,
        },
    };
    let mut tx = postgres::begin(&inbox.store.pool).await.unwrap();
    let again = inbound::receive(&mut tx, &arrival, inbox.now()).await.unwrap();
    tx.commit().await.unwrap();
    assert!(matches!(again, Received::Already(_)), "{again:?}");
    inbox.read_all().await;
    assert_eq!(inbox.case_line(case).await, "inprogress f 1 1 1");
    inbox.assert_sound().await;
}

#[tokio::test]
async fn who_sent_a_mail_does_not_put_it_into_a_case() {
    let inbox = Inbox::new().await;
    let case = inbox.case(1).await;
    let before = inbox.fetch("select md5(string_agg(a::text, '')) from action a").await;
    let verdict = inbox
        .take(&mail("", "We stop."), &["ads@mail.example"], "ann@shop1.example")
        .await;
    assert_eq!(verdict, Some(MailVerdict::Unmatched));
    assert_eq!(
        inbox.fetch("select md5(string_agg(a::text, '')) from action a").await,
        before
    );
    let (scope, user) = inbox.operator().await;
    let mut connection = inbox.store.pool.acquire().await.unwrap();
    let listed = unmatched::list(&mut connection, &scope, MailVerdict::Unmatched, 10)
        .await
        .unwrap();
    assert_eq!(
        (listed.len(), listed[0].subject.as_str(), listed[0].preview.as_str()),
        (1, "Re: Your ads", "We stop.")
    );
    let [suggested] = &listed[0].suggestions[..] else {
        panic!("{listed:?}")
    };
    assert_eq!((suggested.action, suggested.is_contact), (case, true));
    // Somebody says that it belongs there.
    let attached = unmatched::attach(&mut connection, &scope, (listed[0].id, case), user, inbox.now())
        .await
        .unwrap();
    assert_eq!(attached, unmatched::Attached::Yes);
    // For some seconds it can be taken back.
    inbox.read_all().await;
    assert_eq!(inbox.case_line(case).await, "inprogress t 0 0 1");
    assert!(
        unmatched::detach(&mut connection, &scope, listed[0].id, inbox.now())
            .await
            .unwrap()
    );
    assert!(
        !unmatched::detach(&mut connection, &scope, listed[0].id, inbox.now())
            .await
            .unwrap()
    );
    inbox.receiver.clock.advance(TimeDelta::seconds(20));
    inbox.read_all().await;
    assert_eq!(inbox.case_line(case).await, "inprogress t 0 0 1");
    unmatched::attach(&mut connection, &scope, (listed[0].id, case), user, inbox.now())
        .await
        .unwrap();
    inbox.receiver.clock.advance(TimeDelta::seconds(20));
    inbox.read_all().await;
    assert!(
        !unmatched::detach(&mut connection, &scope, listed[0].id, inbox.now())
            .await
            .unwrap()
    );
    assert_eq!(inbox.case_line(case).await, "inprogress f 1 1 1");
    let again = unmatched::attach(&mut connection, &scope, (listed[0].id, case), user, inbox.now())
        .await
        .unwrap();
    assert_eq!(again, unmatched::Attached::Already);
    inbox.read_all().await;
    assert_eq!(inbox.case_line(case).await, "inprogress f 1 1 1");
    inbox.assert_sound().await;
}

#[tokio::test]
async fn ids_lead_to_the_case_and_references_only_with_the_subject() {
    let inbox = Inbox::new().await;
    for number in 1..=5 {
        inbox.case(number).await;
    }
    let elsewhere = &["ads@mail.example"];
    let quoted = "From: x@y.example\r\nSubject: fwd\r\nContent-Type: multipart/mixed; boundary=q\r\n\r\n--q\r\n\r\nsee\r\n\
        --q\r\nContent-Type: message/rfc822\r\n\r\nMessage-ID: <ours4@mail.example>\r\nSubject: x\r\n\r\nHello\r\n--q--\r\n";
    for (raw, case) in [
        (mail("In-Reply-To: <ours1@mail.example>\r\n", "1"), 1),
        (mail("In-Reply-To: <relay2@ses.example>\r\n", "2"), 2),
        (mail("References: <x@y.example> <ours3@mail.example>\r\n", "3"), 3),
        (quoted.to_owned(), 4),
    ] {
        let verdict = inbox.take(&raw, elsewhere, "x@y.example").await;
        assert_eq!(verdict, Some(MailVerdict::Matched), "{case}");
        assert_eq!(inbox.case_line(ActionId(case)).await, "inprogress f 1 1 1", "{case}");
    }
    let other = mail("References: <ours5@mail.example>\r\n", "5").replace("Your ads", "Another thing");
    assert_eq!(
        inbox.take(&other, elsewhere, "x@y.example").await,
        Some(MailVerdict::Unmatched)
    );
    assert_eq!(inbox.case_line(ActionId(5)).await, "inprogress t 0 0 1");
    inbox.assert_sound().await;
}

#[tokio::test]
async fn a_mail_to_two_cases_is_in_both_and_a_second_recipient_adds_its_case() {
    let inbox = Inbox::new().await;
    let (one, two, three) = (inbox.case(1).await, inbox.case(2).await, inbox.case(3).await);
    let raw = mail(&format!("To: {}, {}\r\n", reply_to(1), reply_to(2)), "We stop.");
    assert_eq!(
        inbox.take(&raw, &[], "ann@shop1.example").await,
        Some(MailVerdict::Matched)
    );
    assert!(matches!(
        inbox.post(&raw, &[&reply_to(3)], "ann@shop1.example").await,
        Received::AlsoTo(_)
    ));
    inbox.read_all().await;
    for case in [one, two, three] {
        assert_eq!(inbox.case_line(case).await, "inprogress f 1 1 1", "{case}");
    }
    inbox.assert_sound().await;
}

#[tokio::test]
async fn a_token_of_a_deleted_case_matches_nothing() {
    let inbox = Inbox::new().await;
    inbox.case(1).await;
    inbox.execute("delete from action".to_owned()).await;
    assert_eq!(
        inbox.take(&mail("", "x"), &[&reply_to(1)], "a@b.example").await,
        Some(MailVerdict::Unmatched)
    );
}

#[tokio::test]
async fn absence_notes_count_for_nothing_however_many() {
    let inbox = Inbox::new().await;
    let case = inbox.case(1).await;
    for number in 0..50 {
        let note = mail("Auto-Submitted: auto-replied\r\n", &format!("I am away, {number}."));
        assert_eq!(
            inbox.take(&note, &[&bounce_to(1)], "").await,
            Some(MailVerdict::Matched)
        );
    }
    assert_eq!(inbox.case_line(case).await, "inprogress t 0 0 1");
    assert_eq!(
        inbox
            .fetch("select count(*) from email where automatic = 'certain' and open")
            .await,
        "50"
    );
    // Nothing was answered.
    assert_eq!(
        inbox.fetch("select count(*) from email where direction = 'out'").await,
        "1"
    );
    assert_eq!(inbox.fetch("select count(*) from mail_outbox").await, "0");
    inbox.assert_sound().await;
}

#[tokio::test]
async fn what_a_machine_may_have_written_waits_for_a_person_to_say() {
    let inbox = Inbox::new().await;
    let (one, two) = (inbox.case(1).await, inbox.case(2).await);
    let (scope, user) = inbox.operator().await;
    for number in [1, 2] {
        let note = mail("", &format!("Out of office until Monday, {number}."));
        assert_eq!(
            inbox.take(&note, &[&reply_to(number)], "a@b.example").await,
            Some(MailVerdict::Matched)
        );
    }
    for case in [one, two] {
        assert_eq!(inbox.case_line(case).await, "inprogress f 1 1 1");
    }
    inbox.assert_sound().await;
    let id = async |case: ActionId| {
        let id = inbox
            .fetch(&format!(
                "select id from email where direction = 'in' and action_id = {case}"
            ))
            .await;
        EmailId(id.parse().unwrap())
    };
    let rule = async |mail: EmailId, is_automatic: bool| {
        let mut tx = postgres::begin(&inbox.store.pool).await.unwrap();
        let marked = received::rule(&mut tx, &scope, (mail, user), is_automatic, inbox.now())
            .await
            .unwrap();
        tx.commit().await.unwrap();
        marked
    };
    let (first, second) = (id(one).await, id(two).await);
    assert_eq!(rule(first, true).await, Marked::Done(one));
    assert_eq!(rule(first, true).await, Marked::Done(one));
    assert_eq!(rule(first, false).await, Marked::Decided);
    assert_eq!(inbox.case_line(one).await, "inprogress t 0 0 1");
    assert_eq!(rule(second, false).await, Marked::Done(two));
    assert_eq!(rule(second, false).await, Marked::Done(two));
    assert_eq!(inbox.case_line(two).await, "inprogress f 1 1 1");
    assert_eq!(
        inbox
            .fetch("select count(*) from action where replied_at is not null")
            .await,
        "1"
    );
    inbox.assert_sound().await;
}

#[tokio::test]
async fn a_mail_is_read_once_however_many_say_so_at_once() {
    let inbox = Inbox::new().await;
    let case = inbox.case(1).await;
    let (scope, user) = inbox.operator().await;
    for text in ["one", "two"] {
        inbox.take(&mail("", text), &[&reply_to(1)], "a@b.example").await;
    }
    let id = EmailId(
        inbox
            .fetch("select min(id) from email where direction = 'in'")
            .await
            .parse()
            .unwrap(),
    );
    let mark = async |is_read: bool| {
        let mut tx = postgres::begin(&inbox.store.pool).await.unwrap();
        received::mark_read(&mut tx, &scope, (id, user), is_read, inbox.now())
            .await
            .unwrap();
        tx.commit().await.unwrap();
    };
    futures::future::join_all((0..6).map(|_| mark(true))).await;
    assert_eq!(inbox.case_line(case).await, "inprogress f 2 1 1");
    inbox.assert_sound().await;
    futures::future::join_all((0..6).map(|_| mark(false))).await;
    assert_eq!(inbox.case_line(case).await, "inprogress f 2 2 1");
    let nobody = Scope::within(UserId(1), vec![], vec![]);
    let mut connection = inbox.store.pool.acquire().await.unwrap();
    let marked = received::mark_read(&mut connection, &nobody, (id, user), true, inbox.now())
        .await
        .unwrap();
    assert_eq!(marked, Marked::Unknown);
    inbox.assert_sound().await;
}

#[tokio::test]
async fn an_address_that_is_gone_is_not_written_to_any_more_and_its_case_is_blocked() {
    let inbox = Inbox::new().await;
    let case = inbox.case(1).await;
    // Without our token it is a piece of paper.
    let forged = report("5.1.1", "ann@shop1.example");
    assert_eq!(
        inbox.take(&forged, &["ads@mail.example"], "").await,
        Some(MailVerdict::Report)
    );
    assert_eq!(inbox.fetch("select state from contact").await, "active");
    assert_eq!(
        inbox.take(&(forged + "\r\n."), &[&bounce_to(1)], "").await,
        Some(MailVerdict::Report)
    );
    assert_eq!(inbox.fetch("select state from contact").await, "bounced");
    assert_eq!(
        inbox.fetch("select address || ' ' || reason from suppression").await,
        "ann@shop1.example hard_bounce"
    );
    assert_eq!(inbox.case_line(case).await, "blocked t 0 0 1");
    assert_eq!(
        inbox
            .fetch("select metas #>> '{blockedReason,0,reason}' from action")
            .await,
        "no_active_recipients"
    );
    assert_eq!(
        inbox
            .fetch("select events #>> '{0,event}' from email where id = 1")
            .await,
        "bounced"
    );
    inbox.assert_sound().await;
}

#[tokio::test]
async fn a_policy_stops_the_domain_and_leaves_the_contact_alone() {
    let inbox = Inbox::new().await;
    let case = inbox.case(1).await;
    inbox
        .take(&report("5.7.1", "ann@shop1.example"), &[&bounce_to(1)], "")
        .await;
    assert_eq!(inbox.fetch("select state from contact").await, "active");
    assert_eq!(
        inbox
            .fetch("select scope || ' ' || subject from mail_stop where until > at")
            .await,
        "domain shop1.example"
    );
    assert_eq!(inbox.fetch("select count(*) from suppression").await, "0");
    assert_eq!(inbox.case_line(case).await, "inprogress t 0 0 1");
}

#[tokio::test]
async fn a_domain_that_refuses_everybody_does_not_lose_all_its_contacts() {
    let inbox = Inbox::new().await;
    for number in 1..=30 {
        inbox.case_of(number, &format!("ann{number}@big.example")).await;
    }
    for number in 1..=30 {
        let address = format!("ann{number}@big.example");
        inbox.post(&report("5.1.1", &address), &[&bounce_to(number)], "").await;
    }
    inbox.read_all().await;
    assert_eq!(
        inbox
            .fetch("select count(*) from contact where state = 'bounced'")
            .await,
        "2"
    );
    assert_eq!(inbox.fetch("select count(*) from suppression").await, "2");
    assert_eq!(inbox.fetch("select count(*) from mail_stop").await, "1");
    inbox.assert_sound().await;
}

/// Ten thousand cases that were notified, each of an advertiser with a contact and a domain of its own. Tokens are the numbers in letters.
const FLOODED: &str = "
    insert into brand (id, name, label) values (1, 'acme', 'Acme');
    insert into dealer (id, domain) select n, 'shop' || n || '.example' from generate_series(1, 10000) n;
    insert into contact (id, email, state) select n, 'ann@shop' || n || '.example', 'active' from generate_series(1, 10000) n;
    insert into dealer_contact (dealer_id, contact_id) select n, n from generate_series(1, 10000) n;
    insert into action (id, domain, country, engine, status, waiting, advertiser_id, brand_id, updated_date, created_date, inprogress_date,
        last_status_date, contacted_at, clock_at, sended_count)
    select n, 'shop' || n || '.example', 'FR', 'google', 'inprogress', true, n, 1, '2026-03-01Z', '2026-02-01Z', '2026-03-01Z', '2026-03-01Z', '2026-03-01Z',
        '2026-03-01Z', 1 from generate_series(1, 10000) n;
    insert into action_history (action_id, status, at, is_automatic) select n, 'inprogress', '2026-03-01Z', true from generate_series(1, 10000) n;
    insert into email (id, action_id, direction, kind, status, subject, body, left_at, sended_date)
    select n, n, 'out', 'notification', 'sent', 'Your ads', 'Hello', '2026-03-01Z', '2026-03-01Z' from generate_series(1, 10000) n;
    insert into mail_delivery (id, email_id, contact_id, address, business_key, reply_token, bounce_token, state, not_before, created_at, settled_at, body_at)
    overriding system value
    select n, n, n, 'ann@shop' || n || '.example', 'notification:' || n, 'r' || token, 'b' || token, 'sent', '2026-03-01Z', '2026-03-01Z', '2026-03-01Z',
        '2026-03-01Z' from generate_series(1, 10000) n, lateral (select translate(lpad(n::text, 25, '0'), '0123456789', 'abcdefghij') as token) numbers;
    analyze";

/// What this process holds in memory, in kilobytes.
fn resident_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn bounces_by_the_thousand_are_read_one_by_one_and_stop_what_machines_write() {
    let inbox = Inbox::new().await;
    inbox.store.execute(FLOODED).await;
    let bounces: usize = testkit::repeats(1_000, 10_000);
    let before = resident_kb();
    let token = |number: usize| {
        let digits = format!("{number:025}");
        digits
            .bytes()
            .map(|digit| char::from(digit - b'0' + b'a'))
            .collect::<String>()
    };
    let posts = futures::stream::iter(1..=bounces).map(|number| {
        let inbox = &inbox;
        async move {
            let raw = report("5.1.1", &format!("ann@shop{number}.example"));
            inbox
                .post(&raw, &[&format!("bounce+b{}@mail.example", token(number))], "")
                .await
        }
    });
    let stored = posts
        .buffer_unordered(8)
        .filter(|received| std::future::ready(matches!(received, Received::New(_))))
        .count()
        .await;
    assert_eq!(stored, bounces);
    inbox.read_all().await;
    let grown = resident_kb().saturating_sub(before);
    assert!(grown < 64 << 10, "{grown} kB more than before");
    for (counted, expected, query) in [
        ("waiting", 0, "select count(*) from inbound_mail where verdict is null"),
        (
            "contacts",
            bounces,
            "select count(*) from contact where state = 'bounced'",
        ),
        (
            "suppressed",
            bounces,
            "select count(*) from suppression where reason = 'hard_bounce'",
        ),
        (
            "blocked",
            bounces,
            "select count(*) from action where status = 'blocked'",
        ),
    ] {
        let found: i64 = inbox.store.fetch(query).await;
        assert_eq!(usize::try_from(found).unwrap(), expected, "{counted}");
    }
    // Nothing more is written by machines until somebody has looked.
    let now = inbox.now();
    let system = vocabulary::SystemScope::new("test");
    assert!(brakes::too_many_bounces(&inbox.store.pool, &system, now).await.unwrap());
    inbox.assert_sound().await;
}

#[tokio::test]
async fn five_mails_in_a_row_that_wait_make_a_contact_unreachable() {
    let inbox = Inbox::new().await;
    let case = inbox.case(1).await;
    for number in 2..=5 {
        inbox.case(number).await;
        inbox
            .execute(format!(
                "update mail_delivery set contact_id = 1, address = 'ann@shop1.example' where id = {number}"
            ))
            .await;
    }
    for number in 1..=5 {
        assert_eq!(
            inbox.fetch("select state from contact where id = 1").await,
            "active",
            "{number}"
        );
        let waits = report("4.2.2", "ann@shop1.example").replace("no\r\n", &format!("no {number}\r\n"));
        inbox.take(&waits, &[&bounce_to(number)], "").await;
    }
    assert_eq!(
        inbox.fetch("select state from contact where id = 1").await,
        "unreachable"
    );
    assert_eq!(inbox.case_line(case).await, "inprogress t 0 0 1");
}

#[tokio::test]
async fn a_complaint_counts_with_our_token_alone() {
    let inbox = Inbox::new().await;
    inbox.case(1).await;
    let complaint = |token: &str| {
        format!(
            "From: fbl@isp.example\r\nContent-Type: multipart/report; report-type=feedback-report; boundary=r\r\n\r\n--r\r\n\
             Content-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\n\r\n--r\r\nContent-Type: message/rfc822\r\n\r\n\
             Message-ID: <ours1@mail.example>\r\nReply-To: {token}\r\n\r\nHello\r\n--r--\r\n"
        )
    };
    let to = &["abuse@mail.example"];
    assert_eq!(
        inbox.take(&complaint("x@y.example"), to, "").await,
        Some(MailVerdict::Complaint)
    );
    assert_eq!(inbox.fetch("select count(*) from suppression").await, "0");
    assert_eq!(
        inbox.take(&complaint(&reply_to(1)), to, "").await,
        Some(MailVerdict::Complaint)
    );
    assert_eq!(inbox.fetch("select reason from suppression").await, "complaint");
}

#[tokio::test]
async fn our_own_mail_that_comes_back_is_dropped() {
    let inbox = Inbox::new().await;
    let case = inbox.case(1).await;
    let own = mail("Message-ID: <ours1@mail.example>\r\n", "Hello");
    assert_eq!(
        inbox.take(&own, &[&reply_to(1)], "ann@shop1.example").await,
        Some(MailVerdict::Own)
    );
    assert_eq!(
        inbox.take(&mail("", "loop"), &[&reply_to(1)], &bounce_to(1)).await,
        Some(MailVerdict::Own)
    );
    assert_eq!(inbox.case_line(case).await, "inprogress t 0 0 1");
}

#[tokio::test]
async fn what_cannot_be_read_three_times_is_unreadable_and_never_tried_again() {
    let inbox = Inbox::new().await;
    let case = inbox.case(1).await;
    assert!(matches!(
        inbox.post("\r\n\r\n", &[&reply_to(1)], "a@b.example").await,
        Received::New(_)
    ));
    let raw = mail("", "We stop.");
    let mut passes = 0;
    for _ in 0..6 {
        while inbox.receiver.pass().await.unwrap() {
            passes += 1;
        }
        inbox.receiver.clock.advance(TimeDelta::minutes(2));
    }
    assert_eq!(passes, 3);
    assert_eq!(
        inbox.fetch("select verdict || ': ' || failure from inbound_mail").await,
        "unreadable: it has no header"
    );
    assert_eq!(
        inbox.take(&raw, &[&reply_to(1)], "a@b.example").await,
        Some(MailVerdict::Matched)
    );
    assert_eq!(inbox.case_line(case).await, "inprogress f 1 1 1");
}

#[tokio::test]
async fn two_workers_read_a_mail_once() {
    let inbox = Inbox::new().await;
    let case = inbox.case(1).await;
    for number in 0..12 {
        inbox
            .post(&mail("", &format!("mail {number}")), &[&reply_to(1)], "a@b.example")
            .await;
    }
    let other = inbox.receiver.clone();
    let drain = async |receiver: &Receiver| while receiver.pass().await.unwrap() {};
    tokio::join!(drain(&inbox.receiver), drain(&other), drain(&inbox.receiver));
    assert_eq!(inbox.case_line(case).await, "inprogress f 12 12 1");
    inbox.assert_sound().await;
}

impl Inbox {
    fn mailbox(&self, server: &Dovecot) -> Mailbox {
        let settings = Imap {
            host: Some("127.0.0.1".to_owned()),
            port: Some(server.imap),
            security: ImapSecurity::None,
            user: Dovecot::USER.to_owned(),
            password: Secret::new(Dovecot::PASSWORD.to_owned()),
            ..Imap::default()
        };
        Mailbox::from_settings(&settings, self.store.pool.clone(), Clock::system())
            .unwrap()
            .unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mailbox_is_read_by_its_numbers_and_left_as_it_is() {
    let inbox = Inbox::new().await;
    let case = inbox.case(1).await;
    let server = Dovecot::start();
    let mailbox = inbox.mailbox(&server);
    assert_eq!(mailbox.look().await.unwrap(), 0);
    server.deliver("ann@shop1.example", &reply_to(1), mail("", "one").as_bytes());
    server.deliver("ann@shop1.example", &reply_to(1), mail("", "two").as_bytes());
    assert_eq!(mailbox.look().await.unwrap(), 2);
    // `n:*` names the last mail although it was read.
    assert_eq!(mailbox.look().await.unwrap(), 0);
    inbox.read_all().await;
    assert_eq!(inbox.case_line(case).await, "inprogress f 2 2 1");
    assert!(
        server.files().iter().all(|file| !file.to_string_lossy().ends_with('S')),
        "marks were set"
    );
    // The webhook brings one of them as well.
    assert!(matches!(
        inbox.post(&mail("", "one"), &[&reply_to(1)], "ann@shop1.example").await,
        Received::Already(_)
    ));
    // Numbered again, everything is read again and stored once.
    server.number_again();
    assert_eq!(mailbox.look().await.unwrap(), 2);
    assert_eq!(mailbox.look().await.unwrap(), 0);
    server.deliver("ann@shop1.example", &reply_to(1), mail("", "three").as_bytes());
    assert_eq!(mailbox.look().await.unwrap(), 1);
    inbox.read_all().await;
    assert_eq!(inbox.case_line(case).await, "inprogress f 3 3 1");
    inbox.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_and_the_place_in_the_mailbox_are_stored_together() {
    let inbox = Inbox::new().await;
    inbox.case(1).await;
    let server = Dovecot::start();
    let mailbox = inbox.mailbox(&server);
    server.deliver("ann@shop1.example", &reply_to(1), mail("", "one").as_bytes());
    inbox
        .execute(
            "create function refuse() returns trigger language plpgsql as $$ begin raise 'no disk'; end $$;
             create trigger refuse before insert or update on imap_cursor for each row execute function refuse()"
                .to_owned(),
        )
        .await;
    assert!(mailbox.look().await.is_err());
    assert_eq!(inbox.fetch("select count(*) from inbound_mail").await, "0");
    inbox.execute("drop trigger refuse on imap_cursor".to_owned()).await;
    assert_eq!(mailbox.look().await.unwrap(), 1);
    assert_eq!(inbox.fetch("select count(*) from inbound_mail").await, "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_that_is_too_large_is_refused_by_its_size_and_the_next_one_is_read() {
    let inbox = Inbox::new().await;
    let case = inbox.case(1).await;
    let server = Dovecot::start();
    let mailbox = inbox.mailbox(&server);
    let large = mail("", &format!("{}\r\n", "x".repeat(198)).repeat(60_000));
    assert!(large.len() > inbound::MAX_MAIL_BYTES);
    server.deliver("ann@shop1.example", &reply_to(1), large.as_bytes());
    server.deliver("ann@shop1.example", &reply_to(1), mail("", "small").as_bytes());
    assert_eq!(mailbox.look().await.unwrap(), 2);
    inbox.read_all().await;
    assert_eq!(
        inbox.fetch("select max(length(raw)) < 70000 from inbound_mail").await,
        "true"
    );
    assert_eq!(
        inbox
            .fetch("select count(*) from inbound_mail where verdict = 'unreadable'")
            .await,
        "1"
    );
    assert_eq!(inbox.case_line(case).await, "inprogress f 1 1 1");
}
