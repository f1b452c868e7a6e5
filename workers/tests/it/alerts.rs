//! Digest alerts, from what is due to the mail that leaves.

use analytics::Client;
use chrono::{DateTime, Utc};
use mail_catcher::Catcher;
use postgres::actions::list;
use postgres::actions::{Condition, DateField};
use runtime::Clock;
use runtime::settings::{Smtp, SmtpSecurity};
use serde::Deserialize;
use testkit::{ClickHouse, Postgres};
use uuid::Uuid;
use vocabulary::{BrandId, Scope, UserId};
use workers::alerts::pass;
use workers::mails::{DigestStores, Sender};
use workers::smtp::MailServer;

/// Two companies with a brand and a user each; Ann and Bea are of the first, which has two cases, one of them opened lately. The alert of Ann's company is
/// three weeks late.
const WORLD: &str = "insert into company_account (id, name, label) values (101, 'acme', 'Acme'), (102, 'bolt', 'Bolt');
    insert into brand (id, name, label, validated) values (201, 'acme', 'Acme', true), (202, 'bolt', 'Bolt', true);
    insert into brand_company_account (company_account_id, brand_id) values (101, 201), (102, 202);
    insert into user_account (id, email, first_name, company_account_id, language) values
        (301, 'ann@acme.example', 'Ann', 101, 'en'), (302, 'bea@acme.example', 'Bea', 101, 'fr'), (303, 'eve@bolt.example', 'Eve', 102, 'en');
    insert into action (id, brand_id, domain, country, engine, status, created_date) values
        (401, 201, 'old.example', 'FR', 'google', 'accepted', '2026-01-05T10:00:00Z'),
        (402, 201, 'new.example', 'FR', 'google', 'new', '2026-06-20T10:00:00Z'),
        (403, 202, 'bolts.example', 'FR', 'google', 'new', '2026-06-20T10:00:00Z');
    insert into alert (id, user_account_id, brand, enable, cron, next_send, last_send, recipient_ids, subject, from_name, from_address) values
        (501, 301, '{\"id\": 201}', true, '0 8 * * MON', '2026-06-08T06:00:00Z', '2026-06-01T06:00:00Z', '[301, 302, 303]', e'Weekly\r\nBcc: eve@bolt.example',
            e'Acme \u{202e}digest', 'ann@acme.example')";

#[derive(Deserialize)]
struct Caught {
    times: u32,
    to: Vec<String>,
    subject: String,
    headers: Vec<(String, String)>,
    text: String,
}

struct World {
    store: Postgres,
    sender: Sender,
    page: String,
    _ads: ClickHouse,
}

fn now() -> DateTime<Utc> {
    "2026-06-29T12:00:00Z".parse().unwrap()
}

impl World {
    async fn new() -> Self {
        let (store, ads) = (Postgres::new().await, ClickHouse::new().await);
        let analytics = Client::new(&ads.options()).unwrap();
        let free = "127.0.0.1:0".parse().unwrap();
        let catcher = Catcher::bind(mail_catcher::Settings { mail: free, page: free })
            .await
            .unwrap();
        let addresses = catcher.addresses();
        tokio::spawn(catcher.serve(std::future::pending()));
        let smtp = Smtp {
            host: Some("127.0.0.1".to_owned()),
            port: Some(addresses.mail.port()),
            security: SmtpSecurity::None,
            ..Smtp::default()
        };
        let sender = Sender {
            postgres: store.pool.clone(),
            clock: Clock::system(),
            server: MailServer::from_settings(&smtp).unwrap().unwrap(),
            public_url: "https://vigie.example/".parse().unwrap(),
            digests: DigestStores {
                postgres: store.pool.clone(),
                analytics,
                zone: chrono_tz::Europe::Paris,
            },
        };
        store.execute(WORLD).await;
        Self {
            store,
            sender,
            page: format!("http://{}/api/mails", addresses.page),
            _ads: ads,
        }
    }

    async fn pass(&self) -> u64 {
        pass(&self.store.pool, chrono_tz::Europe::Paris, now()).await.unwrap()
    }

    async fn send(&self) -> Vec<Caught> {
        while self.sender.pass().await.unwrap() > 0 {}
        let mut caught: Vec<Caught> = reqwest::get(&self.page).await.unwrap().json().await.unwrap();
        caught.sort_by(|a, b| a.to.cmp(&b.to));
        caught
    }
}

fn header<'a>(mail: &'a Caught, name: &str) -> &'a str {
    let found = mail.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
    found.map_or("", |(_, value)| value)
}

#[tokio::test]
async fn missed_runs_are_sent_once_to_those_who_still_see_the_brand() {
    let world = World::new().await;
    let (once, twice) = tokio::join!(world.pass(), world.pass());
    assert_eq!(once + twice, 3, "queued for each recipient, by one of the two");
    assert_eq!(
        world
            .store
            .fetch::<String>("select concat_ws(' ', to_char(next_send at time zone 'UTC', 'MM-DD HH24:MI'), last_send = '2026-06-29T12:00:00Z') from alert")
            .await,
        "07-06 06:00 t"
    );
    let caught = world.send().await;
    let to: Vec<&str> = caught.iter().map(|mail| mail.to[0].as_str()).collect();
    assert_eq!(
        to,
        ["ann@acme.example", "bea@acme.example"],
        "Eve is of another company"
    );
    assert!(caught.iter().all(|mail| mail.times == 1));
    let ann = &caught[0];
    assert_eq!(ann.subject, "Weekly Bcc: eve@bolt.example");
    assert!(header(ann, "From").contains("Acme digest"), "{}", header(ann, "From"));
    assert!(
        !header(ann, "From").contains("ann@acme.example"),
        "{}",
        header(ann, "From")
    );
    assert!(header(ann, "Reply-To").contains("ann@acme.example"));
    assert_eq!(header(ann, "Bcc"), "");
    assert!(ann.text.contains("New advertisers: 1"), "{}", ann.text);
    assert!(ann.text.contains("https://vigie.example/action/402"), "{}", ann.text);
    assert!(!ann.text.contains("bolts.example"), "{}", ann.text);
    assert!(caught[1].text.contains("Nouveaux annonceurs : 1"), "{}", caught[1].text);
    // The figures are those of the list under the same filters.
    let scope = Scope::within(UserId(301), vec![BrandId(201)], vec![]);
    let conditions = [
        Condition::Brands(true, vec![BrandId(201)]),
        Condition::Between(DateField::CreatedDate, "2026-06-01T06:00:00Z".parse().ok(), Some(now())),
    ];
    let counted = list::count(&world.store.pool, &scope, &conditions).await.unwrap();
    assert_eq!(counted.values().sum::<u64>(), 1);
    assert_eq!(world.pass().await, 0);
    assert_eq!(world.send().await.len(), 2);
}

#[tokio::test]
async fn a_digest_is_in_the_text_that_its_alert_chose_as_long_as_that_can_be_filled_in() {
    let world = World::new().await;
    world
        .store
        .execute(
            "insert into email_template (id, first_version_id, type, language, label, brand_id, subject, body, version, is_active) values
                 (900, 900, 'alert', 'fr', 'Bref', 201, 'Ancien', 'Ancien', 1, false),
                 (901, 900, 'alert', 'fr', 'Bref', 201, '{{ brand }}', e'Pour {{ name }} : {{ opened.count }}\n\n{{ link }}', 2, true);
             update alert set template_id = 900, template_type = 'alert', subject = null",
        )
        .await;
    world.pass().await;
    let caught = world.send().await;
    let subjects: Vec<&str> = caught.iter().map(|mail| mail.subject.as_str()).collect();
    assert_eq!(subjects, ["Acme", "Acme"], "the newest version");
    assert!(caught[0].text.contains("Pour Ann : 1"), "{}", caught[0].text);
    assert!(caught[1].text.contains("Pour Bea : 1"), "{}", caught[1].text);
    // A text that became wrong, of another brand or put away leaves that of the product.
    for (round, change) in [
        "update email_template set body = '{{ nothing }}' where id = 901",
        "update email_template set body = 'x', brand_id = 202 where id = 901",
        "update email_template set brand_id = null, is_active = false where id = 901",
    ]
    .into_iter()
    .enumerate()
    {
        world.store.execute(change).await;
        world
            .store
            .execute("delete from mail_outbox; update alert set next_send = '2026-06-08T06:00:00Z', last_send = '2026-06-01T06:00:00Z'")
            .await;
        assert_eq!(world.pass().await, 3);
        let caught = world.send().await;
        let is_of_product =
            |text: &str| text.contains("New advertisers: 1") || text.contains("Nouveaux annonceurs : 1");
        let of_product = caught.iter().filter(|mail| is_of_product(&mail.text));
        assert_eq!(of_product.count(), 2 * (round + 1), "{change}");
    }
}

#[tokio::test]
async fn what_changes_before_a_digest_leaves_counts() {
    let world = World::new().await;
    assert_eq!(world.pass().await, 3);
    world
        .store
        .execute("update user_account set company_account_id = 102 where id = 302; delete from brand_company_account where company_account_id = 101")
        .await;
    assert!(
        world.send().await.is_empty(),
        "Bea has left, and Ann has lost the brand"
    );
    assert_eq!(world.store.fetch::<i64>("select count(*) from mail_outbox").await, 0);
}

#[tokio::test]
async fn an_alert_that_is_off_is_never_sent() {
    let world = World::new().await;
    world.store.execute("update alert set enable = false").await;
    assert_eq!(world.pass().await, 0);
    world
        .store
        .execute("update alert set enable = true, next_send = '2026-06-29T11:00:00Z'")
        .await;
    assert_eq!(world.pass().await, 3);
    world.store.execute("update alert set enable = false").await;
    assert!(world.send().await.is_empty());
}

#[tokio::test]
async fn a_digest_whose_sender_died_is_not_sent_again() {
    let world = World::new().await;
    world.pass().await;
    world
        .store
        .execute("update mail_outbox set state = 'sending', tries = 1, leased_until = now() - interval '1 s', handed_at = case when user_id = 301 then now() end")
        .await;
    let caught = world.send().await;
    let to: Vec<&str> = caught.iter().map(|mail| mail.to[0].as_str()).collect();
    assert_eq!(to, ["bea@acme.example"], "the server may have Ann's");
    assert_eq!(
        world
            .store
            .fetch::<String>("select state from mail_outbox where user_id = 301")
            .await,
        "unknown"
    );
}

#[tokio::test]
async fn events_are_reported_in_one_digest_and_only_once_they_are_committed() {
    let world = World::new().await;
    world
        .store
        .execute("update alert set type = 'hook', hook_trigger = 'action.accepted', last_send = null")
        .await;
    let mut tx = postgres::begin(&world.store.pool).await.unwrap();
    let undone = [vocabulary::ActionId(402)];
    let scope = Scope::within(UserId(301), vec![BrandId(201)], vec![]);
    postgres::actions::events::apply(&mut tx, &scope, vocabulary::ActionEvent::Accept, &undone, now())
        .await
        .unwrap();
    drop(tx);
    assert_eq!(world.pass().await, 0, "it was rolled back");
    world
        .store
        .execute(
            "insert into action_history (action_id, status, at, is_automatic) values
                (401, 'accepted', '2026-06-29T11:00:00Z', false), (402, 'accepted', '2026-06-29T11:01:00Z', false),
                (402, 'refused', '2026-06-29T11:02:00Z', false), (403, 'accepted', '2026-06-29T11:03:00Z', false)",
        )
        .await;
    assert_eq!(world.pass().await, 3);
    let caught = world.send().await;
    assert!(caught[0].text.contains("Cases: 2"), "{}", caught[0].text);
    assert!(!caught[0].text.contains("bolts.example"), "{}", caught[0].text);
    assert_eq!(world.pass().await, 0);
}

/// Alerts on new cases and on those that began again, and a term of the brand.
const FOUND: &str = "update alert set type = 'hook', hook_trigger = 'action.new', last_send = null where id = 501;
    insert into alert (id, user_account_id, brand, enable, type, hook_trigger, recipient_ids) values
        (502, 301, '{\"id\": 201}', true, 'hook', 'action.reappearance', '[301]');
    insert into term (id, term, brand_id, engine, state) values (701, 'shoes', 201, 'GOOGLE', 'disabled');
    insert into action_term (action_id, term_id, last_seen) values (402, 701, '2026-06-29')";

#[tokio::test]
async fn a_new_advertiser_and_a_relapse_lead_to_the_page_they_were_found_on() {
    let world = World::new().await;
    world.store.execute(FOUND).await;
    // Captures are kept by month, and there are tables for the months around the present.
    let seconds = Clock::system().now().timestamp();
    let found = async |history: i32, case: i32, status: &str, seconds: i64| {
        let at = DateTime::from_timestamp(seconds, 0).unwrap();
        let id = uuid::Uuid::new_v7(uuid::Timestamp::from_unix(uuid::NoContext, seconds.unsigned_abs(), 0));
        let statement = format!(
            "insert into action_history (id, action_id, status, at, is_automatic) overriding system value values ({history}, {case}, '{status}', '{at}', true);
             insert into capture (id, attempt, term_id, brand_id, term, keyword_type, engine, device, locale, slot_ts, taken_at, final_url, verdict,
                 page_sha256, view_sha256, reader_version, text_ads, shopping_ads, saves_text_ads, saves_shopping_ads, n_rows)
             values ('{id}', 1, 701, 201, 'shoes', 'GENERIC', 'google', 'desktop', 'fr_FR', '{at}', '{at}', 'https://google.example/', 'results',
                 sha256('a'), sha256('b'), '1', 1, 0, true, false, 1)"
        );
        world.store.execute(statement.leak()).await;
        id
    };
    let first = found(601, 402, "new", seconds - 60).await;
    let second = found(602, 401, "reappearance", seconds).await;
    let relapse = format!(
        "insert into relapse (history_id, capture_id, seen_at, term, kind, words, rank) values (602, '{second}', now(), 'shoes', 'ads', 'Buy', 1)"
    );
    world.store.execute(relapse.leak()).await;
    assert_eq!(world.pass().await, 4);
    let caught = world.send().await;
    let ann: Vec<&Caught> = caught.iter().filter(|mail| mail.to[0] == "ann@acme.example").collect();
    for (case, page) in [(402, first), (401, second)] {
        let mail = ann
            .iter()
            .find(|mail| mail.text.contains(&format!("/action/{case}")))
            .unwrap();
        let link = format!("Seen on: https://vigie.example/terms/capture/{page}");
        assert!(mail.text.contains(&link), "{}", mail.text);
        let leave = header(mail, "List-Unsubscribe");
        let key = leave
            .strip_prefix("<https://vigie.example/api/alerts/unsubscribe/")
            .and_then(|rest| rest.strip_suffix('>'))
            .unwrap();
        assert!(Uuid::parse_str(key).is_ok(), "{leave}");
        let id = header(mail, "Message-ID");
        assert!(!id.contains(key), "answers name the Message-ID: {id}");
        assert_eq!(header(mail, "List-Unsubscribe-Post"), "List-Unsubscribe=One-Click");
    }
}

#[tokio::test]
async fn a_digest_brings_the_report_of_the_last_month_as_its_reader_sees_it_or_leaves_without() {
    let world = World::new().await;
    world.store.execute("update alert set with_report = true").await;
    world.pass().await;
    let due = "update mail_outbox set not_before = now() where state = 'queued'";
    assert_eq!(world.send().await.len(), 0, "it is put off until the report is there");
    let asked: String = world
        .store
        .fetch("select string_agg(concat_ws(' ', user_id, brand_id, month, language), ', ' order by user_id) from report_file")
        .await;
    assert_eq!(asked, "301 201 2026-05-01 en, 302 201 2026-05-01 fr");
    // Ann's is printed; Bea's cannot be.
    world
        .store
        .execute(
            "update report_file set settled_at = now(), pdf = '%PDF-1.7 figures' where user_id = 301;
                  update report_file set settled_at = now(), reason = 'none' where user_id = 302",
        )
        .await;
    world.store.execute(due).await;
    let caught = world.send().await;
    assert_eq!(caught.len(), 2);
    let (ann, bea) = (&caught[0], &caught[1]);
    assert!(
        header(ann, "Content-Type").starts_with("multipart/mixed"),
        "{:?}",
        ann.headers
    );
    assert!(
        ann.text
            .contains("Report of 05/2026: https://vigie.example/report?month=2026-05&brand=201"),
        "{}",
        ann.text
    );
    assert!(
        header(bea, "Content-Type").starts_with("multipart/alternative"),
        "{:?}",
        bea.headers
    );
    assert!(bea.text.contains("Rapport de 05/2026"), "{}", bea.text);
    assert!(caught.iter().all(|mail| mail.times == 1));
}

#[tokio::test]
async fn a_digest_waits_for_its_report_no_longer_than_three_attempts() {
    let world = World::new().await;
    world
        .store
        .execute("update alert set with_report = true, recipient_ids = '[301]'")
        .await;
    world.pass().await;
    for attempt in 1..=3 {
        assert_eq!(world.send().await.len(), 0, "attempt {attempt}");
        world
            .store
            .execute("update mail_outbox set not_before = now() where state = 'queued'")
            .await;
    }
    let caught = world.send().await;
    assert_eq!(caught.len(), 1);
    assert!(
        caught[0].text.contains("https://vigie.example/report?"),
        "{}",
        caught[0].text
    );
    assert_eq!(world.store.fetch::<i64>("select count(*) from report_file").await, 1);
}
