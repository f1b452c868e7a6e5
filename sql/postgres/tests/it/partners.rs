//! What the partners of a brand change in the detection of cases.

use chrono::{DateTime, TimeDelta, Utc};
use postgres::actions::detection::{SightedAd, Sighting, detect};
use testkit::Postgres;
use uuid::Uuid;
use vocabulary::{AdKind, BrandId, CaptureId, Engine, SystemScope, TermId};

const SYSTEM: SystemScope = SystemScope::new("test");

fn noon(day: i64) -> DateTime<Utc> {
    "2026-01-01T12:00:00Z".parse::<DateTime<Utc>>().unwrap() + TimeDelta::days(day - 1)
}

/// An ad on a host, in the capture of that number, at noon of that day.
fn ad(domain: &str, capture: u128, day: i64, rank: u16, words: &str) -> Sighting {
    let at = noon(day);
    Sighting {
        brand: BrandId(1),
        domain: domain.to_owned(),
        master: domain.to_owned(),
        country: "FR".to_owned(),
        engine: Engine::Google,
        languages: vec!["fr".to_owned()],
        terms: vec![TermId(1)],
        first: at,
        text: Some(at),
        shopping: None,
        ads: vec![SightedAd {
            capture: CaptureId(Uuid::from_u128(capture)),
            kind: AdKind::Text,
            at,
            words: words.to_owned(),
            rank,
        }],
    }
}

/// A validated brand with an official domain and these partners (rows of `brand_partner` after the brand's id).
async fn brand_with(partners: &'static str) -> Postgres {
    let store = Postgres::new().await;
    store.brand("acme").await;
    store
        .execute(
            "update brand set validated = true, create_notification = true;
             insert into term (term, brand_id) values ('shoes', 1);
             insert into category (name, label, scope, brand_owner_id) values ('official', 'Official', 'tag', 1);
             insert into dealer (domain) values ('acme.com');
             insert into category_dealer (category_id, dealer_id) select max(c.id), max(d.id) from category c, dealer d",
        )
        .await;
    store
        .execute(
            format!("insert into brand_partner (brand_id, domain, kind, forbidden_words, below_own, ends_on) values {partners}")
                .leak(),
        )
        .await;
    store
}

/// The domains with a case after these sightings, with the time of the first ad that counted.
async fn cases(store: &Postgres, sightings: Vec<Sighting>) -> Vec<(String, DateTime<Utc>)> {
    let mut tx = postgres::begin(&store.pool).await.unwrap();
    detect(&mut tx, &SYSTEM, sightings, TimeDelta::days(7)).await.unwrap();
    tx.commit().await.unwrap();
    sqlx::query_as("select domain, created_date from action order by domain")
        .fetch_all(&store.pool)
        .await
        .unwrap()
}

#[tokio::test]
async fn ads_of_a_partner_open_no_case_while_it_lasts() {
    let store = brand_with("(1, 'partner.com', 'partner', '{}', false, '2026-01-02')").await;
    let seen = |day| {
        vec![
            ad("partner.com", 1, day, 1, "acme"),
            ad("m.partner.com", 1, day, 2, "acme"),
        ]
    };
    let beside = ad("notpartner.com", 1, 1, 3, "acme");
    assert_eq!(
        cases(&store, [seen(1), vec![beside]].concat()).await,
        [("notpartner.com".to_owned(), noon(1))]
    );
    assert_eq!(cases(&store, seen(2)).await.len(), 1);
    // Its last day is over: it is an advertiser as others are.
    let after = cases(&store, seen(3)).await;
    assert_eq!(
        after.iter().map(|(domain, _)| domain.as_str()).collect::<Vec<_>>(),
        ["m.partner.com", "notpartner.com", "partner.com"]
    );
}

#[tokio::test]
async fn an_ad_that_breaks_a_condition_opens_a_case_by_itself() {
    let store = brand_with(
        "(1, 'words.com', 'reseller', '{Acme outlet}', false, null),
         (1, 'place.com', 'partner', '{}', true, null)",
    )
    .await;
    let own = |capture, rank| ad("www2.acme.com", capture, 1, rank, "Acme official");
    let kept = vec![
        own(1, 2),
        ad("words.com", 1, 1, 1, "Acme shoes"),
        ad("place.com", 1, 1, 3, ""),
        // Without an ad of the brand's own there is nothing to be above of.
        ad("place.com", 2, 1, 1, ""),
    ];
    assert!(cases(&store, kept).await.is_empty());

    let mut words = ad("words.com", 3, 1, 1, "fine");
    words.ads.extend(ad("words.com", 3, 2, 2, "ACME Outlet!").ads);
    words.text = Some(noon(2));
    let broken = vec![own(4, 2), ad("place.com", 4, 1, 1, ""), words];
    assert_eq!(
        cases(&store, broken).await,
        [("place.com".to_owned(), noon(1)), ("words.com".to_owned(), noon(2))]
    );
}
