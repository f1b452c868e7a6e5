//! Products that others offer below the brands' own prices.

use analytics::ingest::{self, AdRow, BatchToken};
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use uuid::Uuid;
use vocabulary::BrandId;

use crate::monitoring::World;

const COMPARATOR: &str = "/api/comparator";
const DAYS: &str =
    "filters[date][between][start]=2026-02-01T00:00:00Z&filters[date][between][end]=2026-02-20T23:59:59Z&timeZone=UTC";
const ACME: &str = "user@acme.example";
const BOLT: &str = "user@bolt.example";

/// A price on a page of February.
struct Shown<'a> {
    brand: BrandId,
    day: u32,
    title: &'a str,
    price: &'a str,
    domain: &'a str,
    service: &'a str,
}

fn row(number: u16, shown: &Shown<'_>) -> AdRow {
    let at: DateTime<Utc> = format!("2026-02-{:02}T09:00:00Z", shown.day).parse().unwrap();
    let seconds = u32::try_from(at.timestamp()).unwrap();
    let text = str::to_owned;
    AdRow {
        batch: 9,
        row: number,
        capture_id: Uuid::from_u128(u128::from(number) + 1),
        slot_time: seconds,
        seen_at: seconds,
        brand_id: shown.brand.0.unsigned_abs(),
        term_id: 1,
        keyword: text("cabas"),
        keyword_type: text("GENERIC"),
        localization_id: 1,
        country: text("FR"),
        language: text("fr"),
        city: text("Paris"),
        region: text("Bretagne"),
        engine: text("google"),
        device: text("mobile"),
        kind: text("shopping"),
        position: 1,
        real_position: 1,
        mark: 1,
        block: text("top"),
        domain: text(shown.domain),
        domain_learnt: false,
        master: text(shown.domain),
        title: text(shown.title),
        description: text(""),
        display_url: text(shown.domain),
        target_url: format!("https://{}/", shown.domain),
        aclk_urls: Vec::new(),
        image: text(""),
        price: text(shown.price),
        merchant: text("A merchant"),
        merchant_id: String::new(),
        comparator_name: text(shown.service),
        comparator_url: text(""),
    }
}

/// Two companies: both track the same product, and each has a domain of its own.
async fn world() -> World {
    let world = World::new().await;
    world
        .app
        .postgres
        .execute(
            "with owned as (
                 insert into category (name, label, scope, brand_owner_id)
                 select 'official', 'Official', 'tag', id from brand where name in ('acme', 'bolt') returning id, brand_owner_id
             ), dealt as (
                 insert into dealer (domain) values ('acme-shop.example'), ('bolt-shop.example') returning id, domain
             )
             insert into category_dealer (category_id, dealer_id)
             select owned.id, dealt.id from owned join brand b on b.id = owned.brand_owner_id
                 join dealt on dealt.domain = b.name || '-shop.example'",
        )
        .await;
    let shown = |brand, day, price, domain| Shown {
        brand,
        day,
        title: "Cabas de cuir",
        price,
        domain,
        service: "",
    };
    let (acme, bolt) = (world.acme, world.bolt);
    let rows = [
        shown(acme, 2, "100,00 €", "acme-shop.example"),
        shown(acme, 3, "80,00 €", "cheap.example"),
        Shown {
            title: "Cuir, cabas",
            service: "Comparia",
            ..shown(acme, 4, "75,00 €", "cheap.example")
        },
        shown(acme, 4, "120,00 €", "dear.example"),
        shown(acme, 5, "£10.00", "abroad.example"),
        shown(acme, 5, "dès 10,00 €", "from.example"),
        shown(bolt, 2, "50,00 €", "bolt-shop.example"),
        shown(bolt, 3, "40,00 €", "secret.example"),
    ];
    let rows: Vec<AdRow> = (0..).zip(&rows).map(|(number, shown)| row(number, shown)).collect();
    let token = BatchToken { batch: 9, epoch: 0 };
    ingest::insert(&world.app.state.analytics, token, &rows).await.unwrap();
    world
}

#[tokio::test]
async fn products_are_shown_with_those_who_offer_them_below_the_own_price() {
    let world = world().await;
    let found = world.found(ACME, &format!("{COMPARATOR}?{DAYS}")).await;
    assert_eq!(
        found["meta"],
        json!({"total": 1, "compared": 1, "withoutOwnPrice": 1, "unreadable": 1})
    );
    let product = &found["data"][0];
    assert_eq!(product["title"], "Cabas de cuir");
    assert_eq!(
        (&product["currency"], &product["ownPrice"]),
        (&json!("EUR"), &json!(100.0))
    );
    assert_eq!(product["ownDays"], json!([{"date": "2026-02-02", "price": 100.0}]));
    let offers: Vec<Value> = product["offers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|offer| {
            json!([
                offer["domain"],
                offer["comparator"],
                offer["price"],
                offer["gap"],
                offer["date"],
                offer["capture"]
            ])
        })
        .collect();
    let capture = |number: u128| Uuid::from_u128(number).to_string();
    assert_eq!(
        offers,
        [
            json!(["cheap.example", "Comparia", 75.0, 0.25, "2026-02-04", capture(3)]),
            json!(["cheap.example", "", 80.0, 0.2, "2026-02-03", capture(2)]),
        ]
    );
    let file = world.ask(ACME, &format!("{COMPARATOR}/export?{DAYS}")).await;
    assert_eq!(file.status, StatusCode::OK, "{}", file.body);
}

#[tokio::test]
async fn nobody_sees_the_prices_of_another_company() {
    let world = world().await;
    for (reader, others) in [(ACME, "secret.example"), (BOLT, "cheap.example")] {
        for filter in ["", "&filters[brandID][inq][]=1&filters[brandID][inq][]=2"] {
            let found = world.found(reader, &format!("{COMPARATOR}?{DAYS}{filter}")).await;
            assert_eq!(found["data"].as_array().unwrap().len(), 1);
            assert!(!found.to_string().contains(others), "{reader}: {found}");
        }
    }
    let both = world
        .found("admin@vigie.example", &format!("{COMPARATOR}?{DAYS}"))
        .await;
    assert_eq!(both["meta"]["total"], 2);
}

#[tokio::test]
async fn a_period_is_asked_for_and_bounded() {
    let world = world().await;
    for wrong in [
        "",
        "filters[date][between][start]=2026-02-01T00:00:00Z",
        "filters[date][between][start]=2024-02-01T00:00:00Z&filters[date][between][end]=2026-02-01T00:00:00Z",
        "filters[date][between][start]=2026-02-05T00:00:00Z&filters[date][between][end]=2026-02-01T00:00:00Z",
    ] {
        let answer = world.ask(ACME, &format!("{COMPARATOR}?{wrong}")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{wrong}: {}", answer.body);
        assert!(answer.body.to_string().contains("date"), "{}", answer.body);
    }
    let unknown = world
        .ask(ACME, &format!("{COMPARATOR}?{}", DAYS.replace("UTC", "Nowhere")))
        .await;
    assert_eq!(unknown.status, StatusCode::BAD_REQUEST);
    // Beyond the last page nothing is shown, and nothing fails.
    let beyond = world
        .found(
            ACME,
            &format!("{COMPARATOR}?{DAYS}&page[number]=4294967295&page[size]=20"),
        )
        .await;
    assert_eq!(beyond["data"], json!([]));
}
