//! What becomes of an advertiser's word: relapses with their evidence, checks after an acceptance, and the figures of templates.

use chrono::{DateTime, TimeDelta, Utc};
use postgres::actions::detection::{SightedAd, Sighting, detect};
use postgres::actions::events::{self, Applied};
use postgres::proof::checks::{self, DueCheck};
use postgres::proof::{relapses, results};
use testkit::Postgres;
use uuid::Uuid;
use vocabulary::{ActionEvent, ActionId, AdKind, BrandId, CaptureId, Device, Engine, SystemScope, TermId};

const SYSTEM: SystemScope = SystemScope::new("test");
const CASE: [ActionId; 1] = [ActionId(1)];
const MONTH: i64 = 732 * 3_600_000;

fn noon(day: i64) -> DateTime<Utc> {
    "2026-01-01T12:00:00Z".parse::<DateTime<Utc>>().unwrap() + TimeDelta::days(day - 1)
}

/// An ad on the advertiser's host in the capture of that number at noon of that day.
fn ad(capture: u128, day: i64, kind: AdKind, rank: u16, words: &str) -> SightedAd {
    SightedAd {
        capture: CaptureId(Uuid::from_u128(capture)),
        kind,
        at: noon(day),
        words: words.to_owned(),
        rank,
    }
}

/// What is seen of the advertiser on that day.
async fn see(store: &Postgres, day: i64, ads: Vec<SightedAd>) {
    let sighting = Sighting {
        brand: BrandId(1),
        domain: "shop.example".to_owned(),
        master: "shop.example".to_owned(),
        country: "FR".to_owned(),
        engine: Engine::Google,
        languages: vec!["fr".to_owned()],
        terms: vec![TermId(1)],
        first: noon(day),
        text: Some(noon(day)),
        shopping: ads.iter().any(|ad| ad.kind == AdKind::Shopping).then(|| noon(day)),
        ads,
    };
    let mut tx = postgres::begin(&store.pool).await.unwrap();
    detect(&mut tx, &SYSTEM, vec![sighting], TimeDelta::days(7))
        .await
        .unwrap();
    tx.commit().await.unwrap();
}

/// A validated brand with a term on one device, and a case against it.
async fn with_case() -> Postgres {
    let store = Postgres::new().await;
    store.brand("acme").await;
    store
        .execute("update brand set validated = true, create_notification = true")
        .await;
    store.term("acme shoes", Some(BrandId(1)), MONTH).await;
    see(&store, 1, vec![ad(1, 1, AdKind::Text, 1, "Acme")]).await;
    store
}

async fn happen(store: &Postgres, event: ActionEvent, now: DateTime<Utc>) {
    let mut tx = postgres::begin(&store.pool).await.unwrap();
    let applied = events::apply(&mut tx, &SYSTEM, event, &CASE, now).await.unwrap();
    assert_eq!(applied, Applied::All, "{event}");
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn a_relapse_after_the_grace_carries_the_ad_that_was_seen() {
    let store = with_case().await;
    happen(&store, ActionEvent::Manual, noon(2)).await;
    happen(&store, ActionEvent::Accept, noon(3)).await;
    // Within the grace nothing begins again.
    see(&store, 5, vec![ad(2, 5, AdKind::Text, 1, "Acme")]).await;
    assert_eq!(relapses::of_action(&store.pool, &SYSTEM, CASE[0]).await.unwrap(), []);
    let seen = vec![
        ad(3, 11, AdKind::Text, 1, "older"),
        ad(4, 12, AdKind::Shopping, 1, "no brand wants these"),
        ad(4, 12, AdKind::Text, 4, "lower"),
        ad(4, 12, AdKind::Text, 2, "Acme shoes Half price"),
    ];
    see(&store, 12, seen).await;
    let found = relapses::of_action(&store.pool, &SYSTEM, CASE[0]).await.unwrap();
    let [relapse] = &found[..] else { panic!("{found:?}") };
    assert_eq!(
        (
            relapse.capture,
            relapse.seen,
            relapse.accepted,
            relapse.kind,
            relapse.rank
        ),
        (CaptureId(Uuid::from_u128(4)), noon(12), Some(noon(3)), AdKind::Text, 2)
    );
    assert_eq!(
        (&*relapse.term, &*relapse.words),
        ("acme shoes", "Acme shoes Half price")
    );
    let entry: String = store
        .fetch("select id::text from action_history where status = 'reappearance'")
        .await;
    assert_eq!(relapse.entry, entry);
    // The same again is no other relapse.
    see(&store, 12, vec![ad(4, 12, AdKind::Text, 2, "Acme")]).await;
    assert_eq!(store.fetch::<i64>("select count(*) from relapse").await, 1);
}

/// The checks that are due, and made.
async fn make_due(store: &Postgres, now: DateTime<Utc>) -> Vec<DueCheck> {
    let due = checks::due(&store.pool, &SYSTEM, now, 100).await.unwrap();
    let mut tx = postgres::begin(&store.pool).await.unwrap();
    for check in &due {
        let queued = checks::make(&mut tx, &SYSTEM, check, now).await.unwrap();
        assert_eq!(queued.len(), check.missing.len());
        assert_eq!(
            checks::make(&mut tx, &SYSTEM, check, now).await.unwrap(),
            [],
            "made once"
        );
    }
    tx.commit().await.unwrap();
    due
}

#[tokio::test]
async fn an_accepted_case_is_checked_on_five_days_where_no_grid_captures_it() {
    let store = with_case().await;
    store
        .execute("insert into term_due (term_id, device, every_ms, first_slot, next_slot) select 1, 'desktop', 2635200000, '2026-01-01', '2026-02-28'
             on conflict (term_id, device) do update set next_slot = excluded.next_slot")
        .await;
    happen(&store, ActionEvent::Manual, noon(2)).await;
    happen(&store, ActionEvent::Accept, noon(3)).await;
    assert_eq!(make_due(&store, noon(4) - TimeDelta::minutes(1)).await, []);
    let first = make_due(&store, noon(4)).await;
    let missing = vec![(TermId(1), Device::Desktop)];
    assert_eq!(
        first,
        [DueCheck {
            action: CASE[0],
            accepted: noon(3),
            day: 1,
            captured: vec![],
            missing: missing.clone()
        }]
    );
    assert_eq!(make_due(&store, noon(5)).await, [], "nothing until the third day");
    // What nobody did on its day is not made up: the latest counts.
    store
        .execute("update slot set settled_at = slot_ts, state = 'failed', reason = 'poison'")
        .await;
    let later = make_due(&store, noon(11)).await;
    assert_eq!(later.iter().map(|check| check.day).collect::<Vec<_>>(), [7]);
    // A capture of the grid makes another one unnecessary.
    store
        .execute("insert into slot (term_id, device, slot_ts, state, settled_at) values (1, 'desktop', '2026-01-17T13:00:00Z', 'verified', now())")
        .await;
    let covered = make_due(&store, noon(18)).await;
    assert_eq!(
        covered
            .iter()
            .map(|check| (check.day, check.captured.len()))
            .collect::<Vec<_>>(),
        [(14, 1)]
    );
    assert_eq!(covered[0].missing, []);
    let made = checks::of_action(&store.pool, &SYSTEM, CASE[0]).await.unwrap();
    let counts = made
        .iter()
        .map(|check| (check.day, check.extra, check.valid, check.failed, check.waiting));
    assert_eq!(
        counts.collect::<Vec<_>>(),
        [(1, 1, 0, 1, 0), (7, 1, 0, 0, 1), (14, 0, 1, 0, 0)]
    );
    // A grid that captures soon is waited for, but not for ever.
    store
        .execute("update term_due set next_slot = '2026-02-02T18:00:00Z'")
        .await;
    assert_eq!(make_due(&store, noon(33)).await, []);
    assert_eq!(make_due(&store, noon(34)).await.len(), 1);
    assert_eq!(checks::planned_since(&store.pool, &SYSTEM, noon(30)).await.unwrap(), 1);
}

#[tokio::test]
async fn a_reply_and_an_acceptance_count_for_the_last_mail_before_them() {
    let store = with_case().await;
    store
        .execute("insert into email_template (id, first_version_id, type, language, label, subject, body, version, is_active) overriding system value
                 values (901, 901, 'answer', 'en', 'x', 's', 'b', 1, false), (902, 901, 'answer', 'en', 'x', 's', 'b', 2, true);
             insert into action (brand_id, domain, country, engine) values (1, 'two.example', 'FR', 'google'), (1, 'three.example', 'FR', 'google');
             insert into email (action_id, direction, status, template_id, left_at, received_date, automatic)
                 select x.action, x.direction, x.status, t.id, x.at::timestamptz, case x.direction when 'in' then x.at::timestamptz end, x.automatic
                 from (values
                     (1, 'out', 'sent', 1, '2026-01-02', 'no'), (1, 'out', 'sent', 2, '2026-01-09', 'no'),
                     (1, 'in', 'received', null, '2026-01-10', 'no'), (1, 'in', 'received', null, '2026-01-11', 'no'),
                     (2, 'out', 'unknown', 1, '2026-01-02', 'no'), (2, 'in', 'received', null, '2026-01-03', 'certain'),
                     (2, 'in', 'received', null, '2026-01-04', 'no'),
                     (3, 'out', 'sent', 1, '2026-01-02', 'no'), (3, 'out', 'failed', 1, '2026-01-03', 'no')
                 ) as x (action, direction, status, version, at, automatic)
                     left join email_template t on t.label = 'x' and t.version = x.version;
             insert into action_history (action_id, status, at) values
                 (1, 'accepted', '2026-01-12'), (1, 'reappearance', '2026-03-01'),
                 (2, 'accepted', '2026-01-31'), (2, 'reappearance', '2026-08-01'),
                 (3, 'accepted', '2026-02-02')")
        .await;
    let template: i32 = store
        .fetch("select id from email_template where label = 'x' and version = 1")
        .await;
    let figures = async |now| {
        let found = results::of_template(&store.pool, &SYSTEM, template, now).await.unwrap();
        let of = |found: &results::TemplateResults| {
            (
                found.version,
                found.sent,
                found.replied,
                found.accepted,
                found.reappeared,
            )
        };
        found.iter().map(of).collect::<Vec<_>>()
    };
    // The third was accepted too late, the second reappeared too late.
    assert_eq!(figures(noon(400)).await, [(2, 1, 1, 1, 1), (1, 3, 1, 1, 0)]);
    assert_eq!(figures(noon(5)).await, [(2, 0, 0, 0, 0), (1, 3, 1, 0, 0)]);
    assert_eq!(
        results::of_template(&store.pool, &SYSTEM, 999, noon(5)).await.unwrap(),
        []
    );
}
