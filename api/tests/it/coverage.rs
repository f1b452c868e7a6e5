//! How many of the planned captures were valid, beside lists and at the end of their files.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::monitoring::{LIST, World};

const READER: &str = "user@acme.example";
const ADMIN: &str = "admin@vigie.example";
const DAYS: &str =
    "filters[date][between][start]=2026-02-20T00:00:00Z&filters[date][between][end]=2026-02-21T23:59:59.999Z";

/// A day of 24 captures of a term of each company, and one of another day. Of acme's, three failed, two were missed and one is doubtful.
async fn world() -> World {
    let world = World::new().await;
    world
        .app
        .postgres
        .execute(
            "insert into term (term, brand_id, engine, localization_id)
             select w.term, b.id, w.engine, (select min(id) from localization where locale = 'fr_FR')
             from (values ('red shoes', 'acme', 'GOOGLE'), ('boots', 'bolt', 'BING')) as w (term, brand, engine) join brand b on b.name = w.brand;
             insert into slot (term_id, device, slot_ts, state, reason, settled_at)
             select t.id, 'desktop', timestamptz '2026-02-21T00:30:00Z' + n * interval '1 hour',
                 case when n < 3 then 'failed' when n < 5 then 'missed' else 'verified' end,
                 case when n < 3 then 'timeout' when n < 5 then 'downtime' end, now()
             from term t, generate_series(0, 23) n;
             insert into slot (term_id, device, slot_ts) select id, 'desktop', '2026-02-25T00:00:00Z' from term;
             insert into capture (id, slot_id, attempt, term_id, term, keyword_type, engine, device, locale, slot_ts, taken_at,
                 final_url, verdict, page_sha256, view_sha256, reader_version, text_ads, shopping_ads, saves_text_ads,
                 saves_shopping_ads, n_rows)
             select capture_id, id, 1, term_id, 'red shoes', 'GENERIC', 'google', device, 'fr_FR', slot_ts, slot_ts, 'http://serp.example',
                 case when slot_ts = '2026-02-21T10:30:00Z' then 'doubtful' else 'results' end, sha256('a'), sha256('b'), '1', 0, 0,
                 true, true, 0
             from slot where state = 'verified'",
        )
        .await;
    world
}

#[tokio::test]
async fn planned_and_valid_captures_of_own_terms_are_told_with_where_they_are_few() {
    let world = world().await;
    let told = world.found(READER, &format!("/api/coverage?{DAYS}")).await;
    assert_eq!(
        told["data"],
        json!({"planned": 24, "valid": 18, "doubtful": 1, "failed": 3, "missed": 2, "pending": 0})
    );
    let few = json!({"engine": "google", "country": "FR", "planned": 24, "valid": 18});
    assert_eq!(told["meta"]["places"], json!([few]));
    let terms = told["meta"]["terms"].as_array().unwrap();
    assert_eq!(terms.len(), 1);
    assert_eq!(
        (&terms[0]["content"], &terms[0]["valid"]),
        (&json!("red shoes"), &json!(18))
    );
    let all = world.found(ADMIN, &format!("/api/coverage?{DAYS}")).await;
    assert_eq!(all["data"]["planned"], 48);
    let later = world.found(READER, "/api/coverage").await;
    assert_eq!(
        (&later["data"]["planned"], &later["data"]["pending"]),
        (&json!(25), &json!(1))
    );
}

#[tokio::test]
async fn it_follows_the_filters_on_what_was_searched_alone() {
    let world = world().await;
    let planned = async |filter: &str| {
        let told = world.found(ADMIN, &format!("/api/coverage?{DAYS}&{filter}")).await;
        told["data"]["planned"].as_u64().unwrap()
    };
    for (filter, expected) in [
        ("filters[engine][inq][]=bing", 24),
        ("filters[engine][nin][]=google", 24),
        ("filters[country][inq][]=FR", 48),
        ("filters[country][inq][]=BE", 0),
        ("filters[language][inq][]=fr", 48),
        ("filters[device][inq][]=mobile", 0),
        ("filters[keywordContent][contain]=SHOES", 24),
        ("filters[type][inq][]=shopping&filters[domain][inq][]=shop.example", 48),
    ] {
        assert_eq!(planned(filter).await, expected, "{filter}");
    }
    let bad = world.ask(READER, "/api/coverage?filters[colour][inq][]=red").await;
    assert_eq!(bad.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_file_ends_with_them() {
    let world = world().await;
    for (language, valid, of) in [
        ("en", "Valid captures", "of planned"),
        ("fr", "Captures valides", "sur prévues"),
    ] {
        let token = world.app.login(READER).await;
        let link = format!("{LIST}/export?lng={language}&{DAYS}");
        let file = world.app.get(&link, &[("token", &token)]).await;
        assert_eq!(file.status, StatusCode::OK, "{}", file.body);
        let text = String::from_utf8(file.bytes.clone()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines.contains(&format!("{valid},,18,{of},24,,,").as_str()),
            "{language}: {lines:?}"
        );
        assert!(lines[lines.len() - 1].contains("red shoes (google FR),18"), "{lines:?}");
    }
}

#[tokio::test]
async fn a_list_answers_its_rows_totals_and_links_by_their_names() {
    let world = world().await;
    let page = world
        .found(READER, &format!("{LIST}?page[size]=2&page[number]=2"))
        .await;
    let keys = |value: &Value| {
        let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys
    };
    assert_eq!(keys(&page), ["data", "links", "meta"]);
    assert_eq!(keys(&page["links"]), ["exportCSV", "next", "prev"]);
    assert_eq!(
        keys(&page["meta"]["page"]),
        ["number", "size", "total", "totalAds", "totalViews"]
    );
    let all = world.found(READER, &format!("{LIST}?page[size]=0")).await;
    let rows = all["data"].as_array().unwrap();
    let sum = |key: &str| rows.iter().map(|row| row[key].as_u64().unwrap()).sum::<u64>();
    assert_eq!(page["meta"]["page"]["total"], rows.len());
    assert_eq!(page["meta"]["page"]["totalViews"], sum("nbViews"));
    assert_eq!(page["meta"]["page"]["totalAds"], sum("nbAds"));
}

#[tokio::test]
async fn the_home_page_is_compared_with_as_much_of_the_time_before_and_names_the_day_that_is_not_over() {
    let world = World::new().await;
    // It is 8:00 on 2 March.
    let days = "startDate=2026-03-01T00:00:00Z&endDate=2026-03-02T23:59:59.999Z&timeZone=UTC";
    let of = async |more: &str| {
        world
            .found(READER, &format!("/api/advertisers/stats?{days}{more}"))
            .await
    };
    let now = of("").await;
    assert_eq!(
        now["meta"]["compared"],
        json!({
            "start": "2026-03-01T00:00:00Z", "end": "2026-03-02T08:00:00Z",
            "previousStart": "2026-02-27T00:00:00Z", "previousEnd": "2026-02-28T08:00:00Z",
            "unfinishedDay": "2026-03-02",
        })
    );
    let before = of("&previous=true").await;
    let alone = world
        .found(
            READER,
            "/api/advertisers/stats?startDate=2026-02-27T00:00:00Z&endDate=2026-02-28T08:00:00Z&timeZone=UTC",
        )
        .await;
    assert!(alone["meta"]["totalViews"].as_u64().unwrap() > 0);
    assert_eq!(before["meta"]["totalViews"], alone["meta"]["totalViews"]);
    assert_eq!(before["data"], alone["data"]);
    let bad = world
        .ask(
            READER,
            "/api/advertisers/stats?startDate=2027-01-01T00:00:00Z&endDate=2027-01-02T00:00:00Z&previous=true",
        )
        .await;
    assert_eq!(bad.status, StatusCode::BAD_REQUEST);
}
