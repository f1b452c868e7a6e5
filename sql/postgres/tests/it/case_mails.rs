//! Mails of cases in the store: one for each place in a case, and the invariants of what leaves.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use postgres::actions::events;
use postgres::case_mails::brakes::SendingLimits;
use postgres::case_mails::{self, Claim, DeliveryEnd, NewCaseMail, Queued, Settled};
use postgres::{Error, invariants};
use testkit::Postgres;
use vocabulary::{ActionEvent, ActionId, BrandId, CaseMailKind, ContactId, Language, Scope, SystemScope, UserId};

const SYSTEM: SystemScope = SystemScope::new("test");
const LEASE: Duration = Duration::from_mins(40);
const LIMITS: SendingLimits = SendingLimits { daily_most: 1_000 };
const CASE: &str = "insert into dealer (id, domain) values (1, 'shop.example');
    insert into contact (id, email) values (1, 'ann@shop.example'), (2, 'ANN@shop.example'), (3, 'bea@shop.example');
    insert into dealer_contact (dealer_id, contact_id) values (1, 1), (1, 2), (1, 3);
    insert into user_account (id, email) values (7, 'operator@vigie.example');
    insert into action (id, domain, country, engine, status, brand_id, advertiser_id, last_status_date, requested_date, updated_date)
    values (1, 'shop.example', 'FR', 'google', 'requested', 1, 1, '2026-01-01', '2026-01-01', '2026-01-01');
    insert into action_history (action_id, status, at, is_automatic) values (1, 'requested', '2026-01-01', true)";

fn start() -> DateTime<Utc> {
    "2026-01-02T10:00:00Z".parse().unwrap()
}

async fn requested() -> Postgres {
    let store = Postgres::new().await;
    store.brand("acme").await;
    store.execute(CASE).await;
    store
}

async fn queue(store: &Postgres, scope: &Scope, author: Option<UserId>, at: DateTime<Utc>) -> Result<Queued, Error> {
    let mail = NewCaseMail {
        action: ActionId(1),
        kind: CaseMailKind::Notification,
        reminder: None,
        template: None,
        language: Language::Fr,
        subject: "Ads",
        body: "Please stop.",
        recipients: &[ContactId(1), ContactId(2), ContactId(3)],
        author,
        not_before: at,
        then: None,
    };
    let mut tx = postgres::begin(&store.pool).await?;
    let queued = case_mails::queue(&mut tx, scope, &mail, at).await?;
    tx.commit().await?;
    Ok(queued)
}

/// Settles everything that is due.
async fn settle(store: &Postgres, settled: &Settled, at: DateTime<Utc>) {
    for id in case_mails::due(&store.pool, 10, at).await.unwrap() {
        let mut tx = postgres::begin(&store.pool).await.unwrap();
        let claim = case_mails::claim(&mut tx, &SYSTEM, id, (LEASE, LIMITS), at)
            .await
            .unwrap();
        let Claim::Mine(mail) = claim else { panic!("{claim:?}") };
        let end = DeliveryEnd {
            settled: settled.clone(),
            code: None,
            text: "words\0".repeat(1_000),
        };
        if !matches!(settled, Settled::Failed(_)) {
            assert!(
                case_mails::begin_body(&mut *tx, &mail, "id@vigie.example", at)
                    .await
                    .unwrap()
            );
        }
        assert!(case_mails::settle(&mut tx, &SYSTEM, &mail, &end, at).await.unwrap());
        tx.commit().await.unwrap();
    }
}

async fn violations(connection: &mut postgres::Connection) -> Vec<String> {
    let found = invariants::violations(connection, DateTime::UNIX_EPOCH, Duration::from_hours(24)).await;
    found.unwrap().into_iter().map(|broken| broken.invariant).collect()
}

#[tokio::test]
async fn an_address_gets_one_delivery_and_a_notification_is_queued_once_in_a_round() {
    let store = requested().await;
    let twice = async || queue(&store, &SYSTEM, None, start()).await;
    let (one, other) = tokio::join!(twice(), twice());
    let mut queued = [one.unwrap(), other.unwrap()];
    queued.sort_by_key(|queued| matches!(queued, Queued::Already));
    assert!(matches!(queued, [Queued::New(_), Queued::Already]), "{queued:?}");
    let addresses: String = store
        .fetch("select string_agg(lower(address), ' ' order by lower(address)) from mail_delivery")
        .await;
    assert_eq!(addresses, "ann@shop.example bea@shop.example");
    settle(&store, &Settled::Failed("refused"), start()).await;
    assert_eq!(
        queue(&store, &SYSTEM, None, start()).await.unwrap(),
        Queued::Already,
        "no machine tries again"
    );
    let again = queue(&store, &SYSTEM, Some(UserId(7)), start()).await.unwrap();
    assert!(matches!(again, Queued::New(_)), "a person may: {again:?}");
    settle(&store, &Settled::Unknown, start()).await;
    // A block ends the round: the next notification is another one.
    let mut tx = postgres::begin(&store.pool).await.unwrap();
    events::apply(
        &mut tx,
        &SYSTEM,
        ActionEvent::StopWork,
        &[ActionId(1)],
        start() + TimeDelta::hours(1),
    )
    .await
    .unwrap();
    tx.commit().await.unwrap();
    let next = queue(&store, &SYSTEM, None, start() + TimeDelta::days(1))
        .await
        .unwrap();
    assert!(matches!(next, Queued::New(_)), "{next:?}");
}

#[tokio::test]
async fn nothing_is_queued_out_of_scope() {
    let store = requested().await;
    let stranger = Scope::within(UserId(7), vec![BrandId(99)], Vec::new());
    let refused = queue(&store, &stranger, None, start()).await;
    assert!(matches!(refused, Err(Error::OutOfReach)), "{refused:?}");
}

#[tokio::test]
async fn each_invariant_of_deliveries_finds_what_breaks_it() {
    let store = requested().await;
    queue(&store, &SYSTEM, None, start()).await.unwrap();
    settle(&store, &Settled::Unknown, start()).await;
    let mut connection = store.pool.acquire().await.unwrap();
    assert_eq!(violations(&mut connection).await, Vec::<String>::new());
    for (breaks, invariant) in [
        (
            "insert into mail_delivery (email_id, contact_id, address, business_key, reply_token, bounce_token, not_before, created_at)
             select email_id, contact_id, address, 'other', repeat('a', 26), repeat('b', 26), not_before, created_at from mail_delivery limit 1",
            "M1",
        ),
        ("update mail_delivery set body_at = null", "M2"),
        ("update mail_delivery set state = 'queued', settled_at = null", "M2"),
        ("update email set status = 'failed'", "M6"),
        ("update email set left_at = null", "M6"),
        ("update action set sended_count = 2", "M6"),
        (
            "insert into suppression (digest, reason, at) values (sha256('ann@shop.example'), 'asked', '2026-01-01')",
            "M8",
        ),
        ("update email set left_at = null, status = 'failed'", "M10"),
    ] {
        let mut tx = postgres::begin(&store.pool).await.unwrap();
        sqlx::raw_sql(breaks).execute(&mut *tx).await.unwrap();
        let found = violations(&mut tx).await;
        assert!(found.contains(&invariant.to_owned()), "{breaks}: {found:?}");
    }
}
