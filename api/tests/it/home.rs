//! The figures of the home page: each is what the list behind it says.

use analytics::ingest::{self, AdRow, BatchToken};
use axum::http::StatusCode;
use chrono::{DateTime, NaiveDate, SecondsFormat, TimeDelta, Utc};
use serde_json::Value;

use crate::monitoring::{LIST, TERMS};
use crate::seen::{DAY, Market, START};

const ACME: &str = "user@acme.example";
const BOLT: &str = "user@bolt.example";
const ADMIN: &str = "admin@vigie.example";
const PLACES: [&str; 5] = [
    "",
    "&filters[country][inq][]=FR",
    "&filters[engine][inq][]=google",
    "&filters[device][inq][]=mobile",
    "&filters[brandID][inq][]=1&filters[device][inq][]=desktop",
];
/// Figures that are compared at least.
const FIGURES: usize = 100;

/// The market, and beside it an advertiser that appears in the last week, one that is back after a month, and a domain of the first brand's own.
struct World {
    market: Market,
    tokens: Vec<(&'static str, String)>,
}

impl World {
    async fn new() -> Self {
        let market = Market::new().await;
        let late = |day: u32, domain: &str, row: u16| AdRow {
            batch: 2,
            row,
            capture_id: uuid::Uuid::from_u128(10_000 + u128::from(row)),
            seen_at: START + day * DAY + 3_600,
            domain: domain.to_owned(),
            master: domain.to_owned(),
            ..market.rows[usize::from(row)].clone()
        };
        let rows: Vec<_> = (0..40)
            .map(|row| late(56 + u32::from(row) % 4, "late.example", row))
            .chain((40..48).map(|row| late(2, "back.example", row)))
            .chain((48..80).map(|row| late(54 + u32::from(row) % 6, "back.example", row)))
            .collect();
        let token = BatchToken { batch: 2, epoch: 0 };
        ingest::insert(&market.app.state.analytics, token, &rows).await.unwrap();
        market.detect().await;
        market
            .app
            .postgres
            .execute(
                "with owned as (
                     insert into category (name, label, scope, brand_owner_id) values ('official', 'Official', 'tag', 1) returning id
                 )
                 insert into category_dealer (category_id, dealer_id) select owned.id, d.id from owned, dealer d where d.domain = 'one.example'",
            )
            .await;
        market
            .app
            .postgres
            .execute(
                "update action set status = 'requested', requested_date = created_date where id % 3 = 0;
                 update action set status = 'disappeared', requested_date = '2026-02-10', disappeared_date = '2026-02-26'
                 where id % 5 = 0",
            )
            .await;
        let mut tokens = Vec::new();
        for email in [ACME, BOLT, ADMIN] {
            tokens.push((email, market.app.login(email).await));
        }
        Self { market, tokens }
    }

    async fn found(&self, email: &str, path: &str) -> Value {
        let (_, token) = self.tokens.iter().find(|(user, _)| *user == email).unwrap();
        let answer = self.market.app.get(path, &[("token", token)]).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
        answer.body
    }

    /// What a list says of all its pages.
    async fn total(&self, email: &str, path: &str, what: &str) -> u64 {
        self.found(email, path).await["meta"]["page"][what].as_u64().unwrap()
    }
}

/// The filter of days of Paris, in winter.
fn days(first: &str, last: &str) -> String {
    let day = |text: &str| {
        text.parse::<NaiveDate>()
            .unwrap()
            .and_hms_opt(0, 0, 0)
            .unwrap()
            .and_utc()
    };
    let hour = TimeDelta::hours(1);
    between(
        day(first) - hour,
        day(last) + TimeDelta::days(1) - hour - TimeDelta::seconds(1),
    )
}

fn between(from: DateTime<Utc>, until: DateTime<Utc>) -> String {
    let text = |at: DateTime<Utc>| at.to_rfc3339_opts(SecondsFormat::Secs, true);
    format!(
        "filters[date][between][start]={}&filters[date][between][end]={}",
        text(from),
        text(until)
    )
}

/// A figure, and how many were compared.
struct Compared(usize);

impl Compared {
    fn equal(&mut self, figure: &Value, list: u64, what: &str) {
        assert_eq!(figure.as_u64(), Some(list), "{what}");
        self.0 += 1;
    }
}

#[tokio::test]
async fn each_figure_is_what_the_list_behind_it_says() {
    let mut world = World::new().await;
    let mut compared = Compared(0);
    compare_all(&world, &mut compared).await;
    let of_results = compared.0;
    assert!(of_results > FIGURES, "{of_results}");
    // The same of roll-ups.
    world.market.app.roll_up().await;
    compare_all(&world, &mut compared).await;
    assert_eq!(compared.0, 2 * of_results);
}

async fn compare_all(world: &World, compared: &mut Compared) {
    for (email, span) in [
        (ACME, days("2026-02-24", "2026-03-02")),
        (ADMIN, days("2026-02-01", "2026-03-02")),
    ] {
        for place in PLACES {
            let filters = format!("{span}{place}");
            compare_voices(world, compared, email, &filters, place).await;
            compare_newcomers(world, compared, email, &filters).await;
            compare_creatives(world, compared, email, &filters).await;
        }
        compare_cases(world, compared, email, &span).await;
    }
}

async fn compare_voices(world: &World, compared: &mut Compared, email: &str, filters: &str, place: &str) {
    let list = format!("{LIST}?page[size]=1&{filters}");
    let voice = world
        .found(
            email,
            &format!("/api/home/shareOfVoice?timeZone=Europe/Paris&{filters}"),
        )
        .await;
    let earlier = voice["meta"]["compared"].clone();
    let instant = |name: &str| earlier[name].as_str().unwrap().parse().unwrap();
    let before = format!(
        "{LIST}?page[size]=1&{}{place}",
        between(instant("previousStart"), instant("previousEnd"))
    );
    for (figure, total) in [("domains", "total"), ("ads", "totalAds"), ("views", "totalViews")] {
        let found = world.total(email, &list, total).await;
        compared.equal(&voice["meta"]["total"][figure], found, figure);
        let found = world.total(email, &before, total).await;
        compared.equal(&voice["meta"]["previous"][figure], found, figure);
    }
    let voices = voice["data"].as_array().unwrap();
    assert!(voices.len() > 1, "{voices:?}");
    assert_eq!(voices[0]["own"], true);
    for one in voices {
        let names = one["domains"].as_array().unwrap().iter();
        let names: Vec<String> = names
            .map(|name| format!("&filters[domain][inq][]={}", name.as_str().unwrap()))
            .collect();
        let names = names.concat();
        for (list, figure) in [(&list, "views"), (&before, "previousViews")] {
            let found = world.total(email, &format!("{list}{names}"), "totalViews").await;
            compared.equal(&one[figure], found, &names);
        }
    }
    for day in voice["meta"]["days"].as_array().unwrap() {
        let date = day["date"].as_str().unwrap();
        let of_day = format!("{LIST}?page[size]=1&{}{place}", days(date, date));
        compared.equal(&day["views"], world.total(email, &of_day, "totalViews").await, date);
    }
}

async fn compare_newcomers(world: &World, compared: &mut Compared, email: &str, filters: &str) {
    let found = world
        .found(email, &format!("/api/home/newcomers?timeZone=Europe/Paris&{filters}"))
        .await;
    for way in ["new", "returning"] {
        let list = format!("{LIST}?page[size]=1&{filters}&filters[appearance][inq][]={way}");
        compared.equal(
            &found["meta"]["total"][way],
            world.total(email, &list, "total").await,
            &list,
        );
    }
    for newcomer in found["data"].as_array().unwrap() {
        let list = format!(
            "{TERMS}?page[size]=1&{filters}&filters[domain][inq][]={}",
            newcomer["domain"].as_str().unwrap()
        );
        compared.equal(&newcomer["terms"], world.total(email, &list, "total").await, &list);
    }
    let by_week: u64 = found["meta"]["weeks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|week| week["new"].as_u64().unwrap() + week["returning"].as_u64().unwrap())
        .sum();
    let total = &found["meta"]["total"];
    assert_eq!(
        by_week,
        total["new"].as_u64().unwrap() + total["returning"].as_u64().unwrap()
    );
}

async fn compare_creatives(world: &World, compared: &mut Compared, email: &str, filters: &str) {
    let found = world.found(email, &format!("/api/home/creatives?{filters}")).await;
    let creatives = found["data"].as_array().unwrap();
    assert!(!creatives.is_empty());
    for creative in creatives {
        let text = |name: &str| creative[name].as_str().unwrap().replace(' ', "%20");
        let list = format!(
            "{LIST}?page[size]=1&{filters}&filters[domain][inq][]={}&filters[type][inq][]={}&filters[adTitle][inq][]={}",
            text("domain"),
            text("type"),
            text("title")
        );
        compared.equal(&creative["views"], world.total(email, &list, "totalViews").await, &list);
    }
}

async fn compare_cases(world: &World, compared: &mut Compared, email: &str, span: &str) {
    let ends = span
        .replace("filters[date][between]", "disappearedDate")
        .replace("filters[date]", "");
    for (of_home, of_list) in [
        ("", ""),
        ("&filters[country][inq][]=FR", "&country[]=FR"),
        ("&filters[engine][inq][]=bing", "&provider[]=bing"),
        ("&filters[brandID][inq][]=1", "&brandId[]=1"),
    ] {
        let found = world.found(email, &format!("/api/home/cases?{span}{of_home}")).await;
        for status in found["data"].as_array().unwrap() {
            let name = status["status"].as_str().unwrap();
            let list = format!("/api/actions?figures=false&status[]={name}{of_list}");
            compared.equal(&status["cases"], world.total(email, &list, "total").await, &list);
        }
        let gone = format!("/api/actions?figures=false&status[]=disappeared&{ends}{of_list}");
        compared.equal(&found["meta"]["gone"], world.total(email, &gone, "total").await, &gone);
        let opened = format!(
            "/api/actions?figures=false&{}{of_list}",
            ends.replace("disappearedDate", "createdDate")
        );
        compared.equal(
            &found["meta"]["opened"],
            world.total(email, &opened, "total").await,
            &opened,
        );
    }
}

#[tokio::test]
async fn advertisers_are_new_or_return_once() {
    let world = World::new().await;
    let week = days("2026-02-24", "2026-03-02");
    let found = world.found(ADMIN, &format!("/api/home/newcomers?{week}")).await;
    assert_eq!(found["meta"]["total"]["new"], 1);
    assert_eq!(found["meta"]["total"]["returning"], 1);
    let of = |domain: &str| {
        let rows = found["data"].as_array().unwrap();
        rows.iter().find(|row| row["domain"] == domain).unwrap().clone()
    };
    assert_eq!(of("late.example")["awayDays"], Value::Null);
    assert_eq!(of("late.example")["since"], "2026-02-26T01:00:00Z");
    assert_eq!(of("back.example")["awayDays"], 52);
    let changes = world.found(ADMIN, &format!("/api/home/changes?{week}")).await;
    assert_eq!(changes["data"]["appeared"]["domain"], "late.example");
    assert!(changes["data"]["gained"]["domain"].is_string());
    // What appeared before the week is not new in it.
    let later = days("2026-03-01", "2026-03-02");
    let found = world.found(ADMIN, &format!("/api/home/newcomers?{later}")).await;
    assert_eq!(found["meta"]["total"]["new"], 0);
    // What the time before is said to have is what it has when it is asked for.
    let last_days = days("2026-02-28", "2026-03-02");
    let last_days = world.found(ADMIN, &format!("/api/home/newcomers?{last_days}")).await;
    let before = days("2026-02-25", "2026-02-27");
    let before = world.found(ADMIN, &format!("/api/home/newcomers?{before}")).await;
    assert_eq!(last_days["meta"]["previous"], before["meta"]["total"]);
    assert_eq!(before["meta"]["total"]["new"], 1);
}

#[tokio::test]
async fn another_companys_figures_are_out_of_reach() {
    let world = World::new().await;
    let of_acme = format!("{}&filters[brandID][inq][]=1", days("2026-02-01", "2026-03-02"));
    let voice = world.found(BOLT, &format!("/api/home/shareOfVoice?{of_acme}")).await;
    assert_eq!(voice["data"], Value::Array(Vec::new()));
    assert_eq!(voice["meta"]["total"]["views"], 0);
    for path in ["newcomers", "creatives", "presence"] {
        let found = world.found(BOLT, &format!("/api/home/{path}?{of_acme}")).await;
        assert_eq!(found["data"], Value::Array(Vec::new()), "{path}");
    }
    let changes = world.found(BOLT, &format!("/api/home/changes?{of_acme}")).await;
    assert_eq!(changes["data"]["gained"], Value::Null);
    assert_eq!(changes["data"]["appeared"], Value::Null);
    let cases = world.found(BOLT, &format!("/api/home/cases?{of_acme}")).await;
    let rows = cases["data"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["cases"] == 0), "{rows:?}");
    assert_eq!(cases["meta"]["gone"], 0);
}

#[tokio::test]
async fn a_period_is_needed() {
    let world = World::new().await;
    for path in ["shareOfVoice", "newcomers", "creatives", "presence", "changes", "cases"] {
        let (_, token) = &world.tokens[0];
        let answer = world
            .market
            .app
            .get(&format!("/api/home/{path}"), &[("token", token)])
            .await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{path}");
    }
}

#[tokio::test]
async fn others_are_present_in_captures_that_show_them() {
    let world = World::new().await;
    let span = days("2026-02-01", "2026-03-02");
    let found = world
        .found(
            ADMIN,
            &format!("/api/home/presence?timeZone=UTC&{span}&filters[brandID][inq][]=1"),
        )
        .await;
    let sum = |name: &str| -> u64 {
        let hours = found["data"].as_array().unwrap();
        hours.iter().map(|hour| hour[name].as_u64().unwrap()).sum()
    };
    // A capture of these rows has one ad; those of the brand's own domain show nobody else.
    let own = format!("{LIST}?{span}&filters[brandID][inq][]=1&filters[domain][contain]=one.example");
    let own = world.total(ADMIN, &own, "totalViews").await;
    assert!(own > 0);
    assert_eq!(sum("captures") - sum("capturesWith"), own);
}
