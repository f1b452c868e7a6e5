//! Figures beside the rows of a page, and the hours of the week.

use axum::http::StatusCode;
use serde_json::Value;

use crate::monitoring::{LIST, TERMS, World, domains};

const READER: &str = "user@acme.example";
const STRANGER: &str = "user@bolt.example";

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn sum<'a>(values: impl IntoIterator<Item = &'a Value>, key: &str) -> u64 {
    values.into_iter().map(|value| number(&value[key])).sum()
}

async fn count_captures(world: &World) -> u64 {
    let brand = world.acme;
    let query = format!("SELECT uniqExact(capture_id) FROM ad_results WHERE brand_id = {brand}");
    world.app.clickhouse.plain().query(&query).fetch_one().await.unwrap()
}

#[tokio::test]
async fn the_days_of_a_row_add_up_to_its_views() {
    let world = World::new().await;
    let list = world.found(READER, LIST).await;
    let rows = list["data"].as_array().unwrap();
    let asked: Vec<String> = rows
        .iter()
        .map(|row| format!("rows[]={}", row["domain"].as_str().unwrap()))
        .collect();
    let path = format!("{LIST}/figures?timeZone=Europe/Paris&{}", asked.join("&"));
    let figures = world.found(READER, &path).await;
    let found = figures["data"].as_array().unwrap();
    assert_eq!(found.len(), rows.len());
    let captures = count_captures(&world).await;
    for (row, figures) in rows.iter().zip(found) {
        assert_eq!(figures["id"], row["id"]);
        assert_eq!(
            sum(figures["days"].as_array().unwrap(), "views"),
            number(&row["nbViews"])
        );
        assert_eq!(number(&figures["captures"]), captures);
        let seen = number(&figures["capturesWith"]);
        assert!(seen > 0 && seen <= number(&row["nbViews"]) && seen <= captures);
        assert_eq!(figures["previousViews"], Value::Null);
    }
}

#[tokio::test]
async fn a_period_is_compared_with_the_one_just_before_it() {
    let world = World::new().await;
    let of = |from: &str, to: &str| {
        format!("filters[date][between][start]={from}T00:00:00Z&filters[date][between][end]={to}T23:59:59.999Z")
    };
    let (now, before) = (of("2026-02-28", "2026-03-01"), of("2026-02-26", "2026-02-27"));
    let earlier = world.found(READER, &format!("{LIST}?page[size]=0&{before}")).await;
    let domain = domains(&earlier)[0].clone();
    let path = format!("{LIST}/figures?{now}&rows[]={domain}&rows[]=never.example");
    let figures = world.found(READER, &path).await;
    assert_eq!(
        figures["meta"]["previousTotalViews"],
        earlier["meta"]["page"]["totalViews"]
    );
    assert_eq!(figures["data"][0]["previousViews"], earlier["data"][0]["nbViews"]);
    assert_eq!(figures["data"][1]["previousViews"], 0);
    assert_eq!(figures["data"][1]["capturesWith"], 0);
}

#[tokio::test]
async fn a_capture_without_ads_counts_among_those_that_could_have_shown_one() {
    let world = World::new().await;
    let domain = domains(&world.found(READER, LIST).await)[0].clone();
    let path = format!("{LIST}/figures?rows[]={domain}");
    let captures = async |query: &str| {
        let figures = world.found(READER, &format!("{path}{query}")).await;
        number(&figures["data"][0]["captures"])
    };
    let before = captures("").await;
    let (app, brand) = (&world.app, Some(world.acme));
    app.captured_with("blue shoes", brand, "<p>", &[], |capture| {
        capture.saves_text_ads = true;
        capture.taken_at = capture.slot_time;
    })
    .await;
    // Neither what saves no ads, nor what was hardly a page of results, nor what others searched.
    app.captured("saves nothing", brand, "<p>", &[]).await;
    app.captured_with("doubtful", brand, "<p>", &[], |capture| {
        capture.saves_text_ads = true;
        capture.reading.verdict = vocabulary::Verdict::Doubtful;
    })
    .await;
    app.captured_with("theirs", Some(world.bolt), "<p>", &[], |capture| {
        capture.saves_text_ads = true;
    })
    .await;
    assert_eq!(captures("").await, before + 1);
    for (filter, silent) in [
        ("&filters[country][inq][]=FR", 1),
        ("&filters[country][inq][]=BE", 0),
        ("&filters[country][nin][]=BE", 1),
        ("&filters[engine][inq][]=google", 1),
        ("&filters[engine][nin][]=google", 0),
        ("&filters[device][inq][]=desktop", 1),
        ("&filters[keywordContent][contain]=BLUE", 1),
        ("&filters[keywordContent][exclude]=blue", 0),
        ("&filters[keywordType][inq][]=GENERIC", 1),
        ("&filters[region][inq][]=Bretagne", 0),
        (&format!("&filters[brandID][inq][]={}", world.acme), 1),
        (&format!("&filters[brandID][nin][]={}", world.acme), 0),
        (
            "&filters[date][between][start]=2020-01-01T00:00:00Z&filters[date][between][end]=2026-03-02T08:00:00Z",
            0,
        ),
        // What is said of ads says nothing of captures.
        (
            "&filters[type][inq][]=shopping&filters[adTitle][contain]=x&filters[position][start]=1",
            1,
        ),
    ] {
        let all = captures(filter).await;
        let with = world
            .found(
                READER,
                &format!("/api/advertisement/hours?domain=none.example{}", flat(filter)),
            )
            .await;
        assert_eq!(sum(with["data"].as_array().unwrap(), "captures"), all, "{filter}");
        world
            .app
            .postgres
            .execute("update capture set verdict = 'doubtful' where term = 'blue shoes'")
            .await;
        assert_eq!(captures(filter).await, all - silent, "{filter}");
        world
            .app
            .postgres
            .execute("update capture set verdict = 'results' where term = 'blue shoes'")
            .await;
    }
}

/// The filters of a list as the parameters of the search for ads.
fn flat(filters: &str) -> String {
    let named = [
        ("filters[brandID]", "brandId"),
        ("filters[date][between][start]", "fromDate"),
        ("filters[date][between][end]", "endDate"),
        ("filters[adTitle]", "title"),
        ("filters[keywordContent]", "keywordContent"),
        ("filters[keywordType]", "keywordType"),
        ("filters[position]", "position"),
        ("filters[country]", "country"),
        ("filters[engine]", "engine"),
        ("filters[device]", "device"),
        ("filters[region]", "region"),
        ("filters[type]", "type"),
    ];
    named.iter().fold(filters.to_owned(), |query, (of_list, name)| {
        query.replace(of_list, name)
    })
}

#[tokio::test]
async fn a_term_has_its_own_captures() {
    let world = World::new().await;
    let list = world.found(READER, TERMS).await;
    let rows = list["data"].as_array().unwrap();
    let asked: Vec<String> = rows.iter().map(|row| format!("rows[]={}", row["termId"])).collect();
    let figures = world
        .found(READER, &format!("{TERMS}/figures?{}", asked.join("&")))
        .await;
    let found = figures["data"].as_array().unwrap();
    assert_eq!(sum(found, "captures"), count_captures(&world).await);
    for (row, figures) in rows.iter().zip(found) {
        assert_eq!(figures["id"], row["id"]);
        assert_eq!(
            sum(figures["days"].as_array().unwrap(), "views"),
            number(&row["nbViews"])
        );
        // Every capture of the sample shows ads of its term.
        assert_eq!(figures["captures"], figures["capturesWith"]);
    }
}

#[tokio::test]
async fn the_hours_of_a_domain_add_up_and_open_their_ads() {
    let world = World::new().await;
    let row = &world.found(READER, LIST).await["data"][0];
    let domain = row["domain"].as_str().unwrap();
    let zone = "timeZone=Asia/Tokyo";
    let hours = world
        .found(READER, &format!("/api/advertisement/hours?domain={domain}&{zone}"))
        .await;
    let cells = hours["data"].as_array().unwrap();
    assert_eq!(sum(cells, "views"), number(&row["nbViews"]));
    assert_eq!(sum(cells, "captures"), count_captures(&world).await);
    for cell in cells {
        assert!(number(&cell["capturesWith"]) <= number(&cell["captures"]), "{cell}");
    }
    let seen = cells.iter().find(|cell| number(&cell["views"]) > 0).unwrap();
    let path = format!(
        "/api/advertisement?domain={domain}&weekday={}&hour={}&{zone}&limit=500",
        seen["weekday"], seen["hour"]
    );
    let ads = world.found(READER, &path).await;
    assert_eq!(sum(ads.as_array().unwrap(), "views"), number(&seen["views"]));
    assert_eq!(ads.as_array().unwrap().len() as u64, number(&seen["ads"]));
}

#[tokio::test]
async fn figures_of_another_company_are_none() {
    let world = World::new().await;
    let theirs = domains(&world.found(READER, &format!("{LIST}?page[size]=0")).await);
    let own = domains(&world.found(STRANGER, &format!("{LIST}?page[size]=0")).await);
    let only_theirs = theirs.iter().find(|domain| !own.contains(domain)).unwrap();
    let figures = world
        .found(STRANGER, &format!("{LIST}/figures?rows[]={only_theirs}"))
        .await;
    assert_eq!(figures["data"][0]["days"].as_array().unwrap().len(), 0);
    assert_eq!(figures["data"][0]["capturesWith"], 0);
    let terms = world.found(STRANGER, &format!("{TERMS}/figures?rows[]=1")).await;
    assert_eq!(
        (&terms["data"][0]["captures"], &terms["data"][0]["capturesWith"]),
        (&0.into(), &0.into())
    );
    let hours = world
        .found(STRANGER, &format!("/api/advertisement/hours?domain={only_theirs}"))
        .await;
    assert_eq!(sum(hours["data"].as_array().unwrap(), "views"), 0);
}

#[tokio::test]
async fn rows_that_are_none_or_too_many_are_refused() {
    let world = World::new().await;
    let many = (0..101).fold(String::new(), |rows, row| format!("{rows}&rows[]={row}"));
    for path in [
        format!("{LIST}/figures"),
        format!("{LIST}/figures?{}", &many[1..]),
        format!("{TERMS}/figures?rows[]=shoes"),
        format!("{LIST}/figures?rows[]=a&timeZone=Mars"),
    ] {
        assert_eq!(world.ask(READER, &path).await.status, StatusCode::BAD_REQUEST, "{path}");
    }
}
