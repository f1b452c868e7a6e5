//! Webhooks: what is sent to a real receiver, how it is signed, and what happens with receivers that refuse, hang, redirect or lie within this network.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, TimeDelta, Utc};
use hmac::{Hmac, KeyInit, Mac};
use postgres::webhooks::{self, SEALED_AS, WebhookEvent, WebhookId, WebhookTarget};
use public_hosts::PublicHosts;
use runtime::sealing::Keys;
use runtime::{Clock, Secret};
use serde_json::Value;
use sha2::Sha256;
use testkit::Postgres;
use vocabulary::{BrandId, UserId};
use workers::webhooks::WebhookSender;

const WORLD: &str = "
    insert into brand (id, name, label, validated) values (201, 'acme', 'Acme', true), (202, 'bolt', 'Bolt', true);
    insert into company_account (id, name, label) values (501, 'acme', 'Acme'), (502, 'bolt', 'Bolt');
    insert into brand_company_account (company_account_id, brand_id) values (501, 201), (502, 202);
    insert into user_account (id, email, language, company_account_id) values (301, 'ann@acme.example', 'en', 501), (302, 'bea@bolt.example', 'fr', 502);
    insert into action (id, brand_id, domain, country, engine, status, created_date) values
        (401, 201, 'shop.example', 'FR', 'google', 'new', now()), (402, 202, 'store.example', 'BE', 'bing', 'new', now())";
const NEW_CASES: &str = "insert into action_history (action_id, status, at, is_automatic) values (401, 'new', now(), true), (402, 'new', now(), true)";
/// After all that was sent so far, whatever the clock says.
const ACCEPTED: &str = "insert into action_history (action_id, status, at)
    select 401, 'accepted', greatest(now(), (select max(settled_at) + interval '1 microsecond' from webhook_delivery))";
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const NEXT_SECRET: &str = "whsec_c2VjcmV0IG51bWJlciB0d28gb2YgdGhlIGhvb2s=";

/// A message as the receiver has it.
#[derive(Clone, Debug)]
struct Received {
    path: String,
    id: String,
    timestamp: String,
    signatures: Vec<String>,
    body: String,
}

impl Received {
    /// What `secret` signs of it.
    fn signed_by(&self, secret: &str) -> String {
        let key = STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
        mac.update(format!("{}.{}.{}", self.id, self.timestamp, self.body).as_bytes());
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// A receiver that answers as is set, else with 200, and keeps what it got.
#[derive(Clone, Default)]
struct Receiver {
    answers: Arc<Mutex<VecDeque<u16>>>,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Receiver {
    fn answer(&self, statuses: impl IntoIterator<Item = u16>) {
        self.answers.lock().unwrap().extend(statuses);
    }

    fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

async fn receive(State(receiver): State<Receiver>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let header = |name: &str| {
        let value = headers.get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default().to_owned()
    };
    receiver.received.lock().unwrap().push(Received {
        path: uri.path().to_owned(),
        id: header("webhook-id"),
        timestamp: header("webhook-timestamp"),
        signatures: header("webhook-signature").split(' ').map(str::to_owned).collect(),
        body: String::from_utf8(body.to_vec()).unwrap(),
    });
    if uri.path() == "/slow" {
        std::future::pending::<()>().await;
    }
    let status = receiver.answers.lock().unwrap().pop_front().unwrap_or(200);
    let status = StatusCode::from_u16(status).unwrap();
    if status.is_redirection() {
        return (status, [("location", "/elsewhere")]).into_response();
    }
    // More than is read of an answer.
    (status, "full ".repeat(1_000)).into_response()
}

struct World {
    store: Postgres,
    sender: WebhookSender,
    receiver: Receiver,
    address: String,
}

impl World {
    async fn new(allow_private: bool) -> Self {
        let store = Postgres::new().await;
        store.execute(WORLD).await;
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/hook", listener.local_addr().unwrap());
        let receiver = Receiver::default();
        let router = Router::new().fallback(receive).with_state(receiver.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        let sender = WebhookSender {
            postgres: store.pool.clone(),
            clock: Clock::by_hand(Clock::system().now()),
            keys: Keys::read(Some(&Secret::new("11".repeat(32)))).unwrap(),
            client: PublicHosts { allow_private }.client().unwrap(),
            public_url: "https://vigie.example/".parse().unwrap(),
        };
        Self {
            store,
            sender,
            receiver,
            address,
        }
    }

    /// A webhook of a user for all events of a brand, or of all brands.
    async fn webhook(&self, user: i32, brand: Option<i32>) -> WebhookId {
        self.webhook_at(&self.address, user, brand).await
    }

    async fn webhook_at(&self, address: &str, user: i32, brand: Option<i32>) -> WebhookId {
        let target = WebhookTarget {
            url: address.to_owned(),
            brand: brand.map(BrandId),
            events: vec![
                WebhookEvent::NewAdvertiser,
                WebhookEvent::Relapse,
                WebhookEvent::CaseChanged,
            ],
        };
        let sealed = self.sender.keys.seal(SEALED_AS, SECRET).unwrap();
        let made = webhooks::create(&self.store.pool, UserId(user), &target, &sealed, self.now()).await;
        made.unwrap()
    }

    /// The case of the first brand is accepted.
    async fn accept(&self) {
        self.store.execute(ACCEPTED).await;
    }

    fn now(&self) -> DateTime<Utc> {
        self.sender.clock.now()
    }

    /// Sends what is due at a later time.
    async fn pass_after(&self, span: TimeDelta) -> usize {
        self.sender.clock.advance(span);
        self.sender.pass().await.unwrap()
    }

    async fn stopped(&self) -> Option<String> {
        self.store.fetch("select max(stop_reason) from webhook").await
    }
}

#[tokio::test]
async fn each_is_told_of_the_cases_it_sees_signed_and_once() {
    let world = World::new(true).await;
    world.webhook(301, None).await;
    world.store.execute(NEW_CASES).await;
    assert_eq!(world.pass_after(TimeDelta::seconds(1)).await, 2);
    assert_eq!(
        world.pass_after(TimeDelta::days(1)).await,
        0,
        "what was taken is not sent again"
    );
    let received = world.receiver.received();
    let kinds: Vec<Value> = received.iter().map(|message| message.json()["type"].clone()).collect();
    assert!(
        kinds.contains(&"advertiser.new".into()) && kinds.contains(&"case.changed".into()),
        "{kinds:?}"
    );
    for message in &received {
        assert_eq!(message.signatures, [message.signed_by(SECRET)]);
        assert!(message.id.starts_with("msg_"), "{}", message.id);
        let told = message.json();
        let case = &told["data"]["case"];
        assert_eq!(case["id"], 401, "{told}");
        assert_eq!(case["brand"]["name"], "Acme");
        assert_eq!(case["domain"], "shop.example");
        assert_eq!(case["url"], "https://vigie.example/action/401");
        assert_eq!(case["status"], "new");
    }
    assert_ne!(received[0].id, received[1].id);
}

#[tokio::test]
async fn who_lost_a_brand_is_told_nothing_more_of_it() {
    let world = World::new(true).await;
    world.webhook(301, None).await;
    world.webhook(302, Some(201)).await;
    world.store.execute(NEW_CASES).await;
    let waiting = "select count(*) from webhook_delivery where due_at is not null";
    assert_eq!(world.store.fetch::<i64>(waiting).await, 2, "a brand out of sight");
    world
        .store
        .execute("delete from brand_company_account where company_account_id = 501")
        .await;
    world.pass_after(TimeDelta::seconds(1)).await;
    assert!(world.receiver.received().is_empty());
    assert_eq!(
        world.store.fetch::<i64>("select count(*) from webhook_delivery").await,
        0
    );
    world.store.execute("delete from user_account where id = 301").await;
    assert_eq!(world.store.fetch::<i64>("select count(*) from webhook").await, 1);
}

#[tokio::test]
async fn what_is_refused_comes_again_later_the_same_and_is_given_up_after_a_day() {
    let world = World::new(true).await;
    world.webhook(301, Some(201)).await;
    world.accept().await;
    world.receiver.answer([500, 302]);
    assert_eq!(world.pass_after(TimeDelta::seconds(1)).await, 1);
    assert_eq!(world.pass_after(TimeDelta::seconds(4)).await, 0, "too early");
    assert_eq!(world.pass_after(TimeDelta::seconds(2)).await, 1);
    assert_eq!(world.pass_after(TimeDelta::minutes(2)).await, 1);
    let received = world.receiver.received();
    assert_eq!(received.len(), 3, "a redirect is not followed");
    assert!(received.iter().all(|message| message.path == "/hook"));
    assert!(
        received
            .iter()
            .all(|message| (&message.id, &message.body) == (&received[0].id, &received[0].body))
    );
    assert_ne!(received[0].timestamp, received[2].timestamp);
    assert_eq!(received[2].signatures, [received[2].signed_by(SECRET)]);

    world.accept().await;
    world.receiver.answer([503; 9]);
    let mut attempts = 0;
    for _ in 0..12 {
        attempts += world.pass_after(TimeDelta::hours(11)).await;
    }
    assert_eq!(attempts, 9);
    assert_eq!(world.stopped().await.as_deref(), Some("failing"));
    let reason: String = world
        .store
        .fetch("select reason from webhook_delivery order by id desc limit 1")
        .await;
    assert!(reason.starts_with("full") && reason.len() <= 300, "{reason}");
    world.accept().await;
    assert_eq!(
        world.pass_after(TimeDelta::seconds(1)).await,
        0,
        "a stopped one is told nothing"
    );
}

#[tokio::test]
async fn a_receiver_that_is_gone_stops_its_webhook_and_a_test_never_does() {
    let world = World::new(true).await;
    let webhook = world.webhook(301, Some(201)).await;
    let now = world.now();
    assert!(
        webhooks::test(&world.store.pool, UserId(301), webhook, now)
            .await
            .unwrap()
    );
    assert!(
        !webhooks::test(&world.store.pool, UserId(302), webhook, now)
            .await
            .unwrap(),
        "another user's"
    );
    world.receiver.answer([500, 410]);
    assert_eq!(world.pass_after(TimeDelta::seconds(1)).await, 1);
    assert_eq!(world.stopped().await, None);
    assert_eq!(world.receiver.received()[0].json()["type"], "webhook.test");
    world.accept().await;
    assert_eq!(world.pass_after(TimeDelta::seconds(1)).await, 1);
    assert_eq!(world.stopped().await.as_deref(), Some("gone"));
}

#[tokio::test]
async fn a_message_is_sent_again_by_hand_and_both_secrets_sign_for_a_day() {
    let world = World::new(true).await;
    let webhook = world.webhook(301, Some(201)).await;
    world.accept().await;
    world.pass_after(TimeDelta::seconds(1)).await;
    let pool = &world.store.pool;
    let sealed = world.sender.keys.seal(SEALED_AS, NEXT_SECRET).unwrap();
    assert!(
        !webhooks::change_secret(pool, UserId(302), webhook, &sealed, world.now())
            .await
            .unwrap()
    );
    assert!(
        webhooks::change_secret(pool, UserId(301), webhook, &sealed, world.now())
            .await
            .unwrap()
    );
    let mut connection = pool.acquire().await.unwrap();
    let log = webhooks::log(&mut connection, UserId(301), webhook, 10)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        webhooks::log(&mut connection, UserId(302), webhook, 10).await.unwrap(),
        None
    );
    drop(connection);
    for user in [302, 301] {
        let again = webhooks::replay(pool, UserId(user), webhook, log[0].id, world.now()).await;
        assert_eq!(again.unwrap(), user == 301);
    }
    world.pass_after(TimeDelta::seconds(1)).await;
    let received = world.receiver.received();
    assert_eq!(
        (&received[0].id, &received[0].body),
        (&received[1].id, &received[1].body)
    );
    let by_both = [received[1].signed_by(NEXT_SECRET), received[1].signed_by(SECRET)];
    assert_eq!(received[1].signatures, by_both);

    world.sender.clock.advance(TimeDelta::hours(25));
    webhooks::replay(pool, UserId(301), webhook, log[0].id, world.now())
        .await
        .unwrap();
    world.pass_after(TimeDelta::seconds(1)).await;
    let last = world.receiver.received().pop().unwrap();
    assert_eq!(last.signatures, [last.signed_by(NEXT_SECRET)]);
}

#[tokio::test]
async fn nothing_within_this_network_is_told_by_name_or_by_figures() {
    let world = World::new(false).await;
    for (number, address) in (1..).zip([
        world.address.clone(),
        world
            .address
            .replace("127.0.0.1", "localhost")
            .replace("http:", "https:"),
        world
            .address
            .replace("127.0.0.1", "[::ffff:127.0.0.1]")
            .replace("http:", "https:"),
        "https://169.254.169.254/latest/meta-data".to_owned(),
    ]) {
        world.webhook_at(&address, 301, Some(201)).await;
        world.accept().await;
        world.pass_after(TimeDelta::seconds(1)).await;
        let refused =
            "select count(distinct webhook_id) from webhook_delivery where answer is null and reason is not null";
        assert_eq!(world.store.fetch::<i64>(refused).await, number, "{address}");
    }
    assert!(world.receiver.received().is_empty());
}

#[tokio::test]
async fn a_receiver_that_hangs_holds_up_no_other() {
    let world = World::new(true).await;
    world
        .webhook_at(&world.address.replace("/hook", "/slow"), 301, Some(201))
        .await;
    for _ in 0..80 {
        world.accept().await;
    }
    let slow = tokio::spawn({
        let mut sender = world.sender.clone();
        sender.clock = Clock::system();
        async move { sender.pass().await }
    });
    let until = async |messages: usize| {
        let arrived = async {
            while world.receiver.received().len() < messages {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), arrived).await.unwrap();
    };
    until(4).await;
    world.webhook(301, Some(201)).await;
    world.accept().await;
    until(5).await;
    let received = world.receiver.received();
    assert_eq!(
        received.iter().filter(|message| message.path == "/slow").count(),
        4,
        "no more than four at once"
    );
    assert_eq!(received.iter().filter(|message| message.path == "/hook").count(), 1);
    slow.abort();
}

#[tokio::test]
async fn two_workers_tell_once_and_take_over_from_a_dead_one() {
    let world = World::new(true).await;
    world.webhook(301, Some(201)).await;
    for _ in 0..20 {
        world.accept().await;
    }
    world.sender.clock.advance(TimeDelta::seconds(1));
    let (one, other) = tokio::join!(world.sender.pass(), world.sender.pass());
    assert_eq!(one.unwrap() + other.unwrap(), 20);
    assert_eq!(world.receiver.received().len(), 20);

    world.accept().await;
    let died =
        "update webhook_delivery set tries = 1, leased_until = at + interval '1 minute' where due_at is not null";
    world.store.execute(died).await;
    assert_eq!(world.pass_after(TimeDelta::seconds(1)).await, 0);
    assert_eq!(world.pass_after(TimeDelta::minutes(2)).await, 1);
}

#[tokio::test]
async fn a_webhook_that_falls_behind_is_stopped_and_the_log_ends_after_a_month() {
    let world = World::new(true).await;
    world.webhook(301, Some(201)).await;
    world.accept().await;
    world.pass_after(TimeDelta::seconds(1)).await;
    assert_eq!(world.sender.tidy().await.unwrap(), 0);
    world.sender.clock.advance(TimeDelta::days(31));
    assert_eq!(world.sender.tidy().await.unwrap(), 1);
    assert_eq!(world.stopped().await, None);
    let many = "insert into webhook_delivery (webhook_id, event, action_id, at, due_at)
        select id, 'case.changed', 401, now() + interval '40 days', now() + interval '40 days' from webhook, generate_series(1, 10001)";
    world.store.execute(many).await;
    world.sender.tidy().await.unwrap();
    assert_eq!(world.stopped().await.as_deref(), Some("behind"));
}
