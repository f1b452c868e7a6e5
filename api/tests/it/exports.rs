//! Lists as files, and the tickets of their links.

use std::io::Cursor;

use axum::http::{StatusCode, header};
use calamine::{Data, Reader, Xlsx};
use chrono::TimeDelta;
use serde_json::json;

use crate::app::TestResponse;
use crate::monitoring::{LIST, World, domains};
use crate::resources::argument;

const TICKETS: &str = "/api/exportTickets";
const READER: &str = "user@acme.example";

async fn ticket(world: &World, link: &str) -> String {
    let token = world.app.login(READER).await;
    let answer = world
        .app
        .post(TICKETS, &json!({"link": link}), &[("token", &token)])
        .await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    answer.body["access_token"].as_str().unwrap().to_owned()
}

async fn download(world: &World, link: &str) -> TestResponse {
    let ticket = ticket(world, link).await;
    world.app.get(&format!("{link}&access_token={ticket}"), &[]).await
}

/// Rows of a file, its titles first. No cell of these tests holds a comma but the tags and words of an ad.
fn rows(file: &TestResponse) -> Vec<Vec<String>> {
    assert_eq!(file.status, StatusCode::OK, "{}", file.body);
    let text = String::from_utf8(file.bytes.clone()).unwrap();
    let text = text.strip_prefix('\u{feff}').unwrap();
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(text.as_bytes());
    reader
        .records()
        .map(|row| row.unwrap().iter().map(str::to_owned).collect())
        .collect()
}

#[tokio::test]
async fn a_file_has_the_rows_of_every_page_in_their_order() {
    let world = World::new().await;
    let path = format!("{LIST}?page[size]=7&filters[engine][inq][]=google&sort[by]=domain&sort[direction]=ASC");
    let page = world.found(READER, &path).await;
    let link = page["links"]["exportCSV"].as_str().unwrap();
    let file = download(&world, link).await;
    assert_eq!(file.headers[header::CONTENT_TYPE], "text/csv; charset=utf-8");
    let name = "attachment; filename=\"domains-2026-03-02.csv\"";
    assert_eq!(file.headers[header::CONTENT_DISPOSITION], name);
    let rows = rows(&file);
    assert_eq!(
        rows[0],
        [
            "Countries",
            "Visibility (%)",
            "Domain",
            "Average position",
            "Ads",
            "Views",
            "Tags",
            "Partner or reseller"
        ]
    );
    let whole = world.found(READER, &path.replace("page[size]=7", "page[size]=0")).await;
    let (last, rows) = rows.split_last().unwrap();
    assert_eq!(last, &["Valid captures", "", "0", "of planned", "0", "", "", ""]);
    let named: Vec<String> = rows[1..].iter().map(|row| row[2].clone()).collect();
    assert_eq!(named, domains(&whole));
    let first = &whole["data"][0];
    assert_eq!(rows[1][1], first["visibility"].to_string());
    assert_eq!(rows[1][5], first["nbViews"].to_string());
}

#[tokio::test]
async fn titles_are_in_the_language_of_the_reader() {
    let world = World::new().await;
    let link = world.found(READER, &format!("{LIST}?lng=fr")).await["links"]["exportCSV"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(rows(&download(&world, &link).await)[0][2], "Domaine");
}

#[tokio::test]
async fn lists_and_files_mark_the_partners_of_the_readers_brands_as_long_as_they_last() {
    let world = World::new().await;
    let admin = world.app.login("admin@vigie.example").await;
    let all = domains(&world.found(READER, LIST).await);
    let (partner, over, others) = (&all[0], &all[1], &all[2]);
    for (brand, domain, kind, last) in [
        (world.acme.0, partner, "reseller", "2026-03-02"),
        (world.acme.0, over, "partner", "2026-03-01"),
        (world.bolt.0, others, "partner", "2026-12-31"),
    ] {
        let body = json!({"domain": domain, "kind": kind, "endsOn": last});
        let path = format!("/api/Brands/{brand}/partners");
        let made = world.app.post(&path, &body, &[("token", &admin)]).await;
        assert_eq!(made.status, StatusCode::OK, "{}", made.body);
    }
    let list = world.found(READER, LIST).await;
    let marks: Vec<_> = list["data"].as_array().unwrap()[..3]
        .iter()
        .map(|row| &row["partner"])
        .collect();
    assert_eq!(marks, [&json!("reseller"), &json!(null), &json!(null)]);
    let file = rows(&download(&world, &format!("{LIST}/export?lng=fr")).await);
    let column = file[0]
        .iter()
        .position(|title| title == "Partenaire ou revendeur")
        .unwrap();
    let marked: Vec<_> = file
        .iter()
        .filter(|row| row[column] == "Revendeur")
        .map(|row| &row[2])
        .collect();
    assert_eq!(marked, [partner]);
    let words: Vec<_> = file[1..].iter().filter(|row| !row[column].is_empty()).collect();
    assert_eq!(words.len(), 1, "neither one that is over nor another company's");
}

#[tokio::test]
async fn the_ads_of_a_domain_are_a_file_too() {
    let world = World::new().await;
    let domain = domains(&world.found(READER, LIST).await)[0].clone();
    let count = world
        .found(READER, &format!("/api/advertisement/count?domain={domain}&limit=50"))
        .await;
    let file = download(&world, count["exportCSV"].as_str().unwrap()).await;
    assert_eq!(
        file.headers[header::CONTENT_DISPOSITION],
        "attachment; filename=\"ads-2026-03-02.csv\""
    );
    let rows = rows(&file);
    let counted = count["countAdvertisement"].as_u64().unwrap() + count["countShopping"].as_u64().unwrap();
    // Below the ads come the captures that could have seen them.
    let rows = &rows[..rows.len() - 1];
    assert_eq!(rows.len() as u64, counted + 1);
    assert!(rows[1..].iter().all(|row| row[0] == domain));
    let at = rows[1].last().unwrap();
    assert!(at.parse::<chrono::DateTime<chrono::Utc>>().is_ok(), "{at}");
}

/// Cells of the only sheet of a workbook, its titles first.
fn sheet(file: &TestResponse) -> Vec<Vec<Data>> {
    assert_eq!(file.status, StatusCode::OK, "{}", file.body);
    let mut book: Xlsx<_> = calamine::open_workbook_from_rs(Cursor::new(file.bytes.clone())).unwrap();
    let sheets = book.worksheets();
    assert_eq!(sheets.len(), 1);
    sheets[0].1.rows().map(<[Data]>::to_vec).collect()
}

#[tokio::test]
async fn a_workbook_holds_the_same_as_the_csv_with_figures_as_numbers() {
    let world = World::new().await;
    let link = format!("{LIST}/export?sort[by]=domain&sort[direction]=ASC&lng=fr");
    let csv = rows(&download(&world, &link).await);
    let file = download(&world, &format!("{link}&format=xlsx")).await;
    assert_eq!(
        file.headers[header::CONTENT_DISPOSITION],
        "attachment; filename=\"domains-2026-03-02.xlsx\""
    );
    let sheet = sheet(&file);
    assert_eq!(sheet.len(), csv.len());
    for (row, expected) in sheet.iter().zip(&csv) {
        let written: Vec<String> = row.iter().map(ToString::to_string).collect();
        assert_eq!(&written, expected);
    }
    for figure in [1, 3, 4, 5] {
        assert!(
            matches!(sheet[1][figure], Data::Float(_) | Data::Int(_)),
            "{:?}",
            sheet[1]
        );
    }
    assert!(matches!(sheet[1][2], Data::String(_)));
    let unknown = world.ask(READER, &format!("{link}&format=pdf")).await;
    assert_eq!(unknown.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn times_of_a_workbook_are_dates_on_the_clock_of_the_settings() {
    let world = World::new().await;
    let domain = domains(&world.found(READER, LIST).await)[0].clone();
    let link = format!("/api/advertisement/export?domain={domain}");
    let csv = rows(&download(&world, &link).await);
    let sheet = sheet(&download(&world, &format!("{link}&format=xlsx")).await);
    let (Data::DateTime(seen), instant) = (sheet[1].last().unwrap(), csv[1].last().unwrap()) else {
        panic!("{:?}", sheet[1]);
    };
    let instant: chrono::DateTime<chrono::Utc> = instant.parse().unwrap();
    let zone = runtime::Settings::default().time_zone;
    let here = instant.with_timezone(&zone);
    let (year, month, day, hour, minute, second, _) = seen.to_ymd_hms_milli();
    assert_eq!(
        format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"),
        here.format("%F %T").to_string()
    );
}

#[tokio::test]
async fn a_ticket_opens_its_own_link_once_and_not_for_long() {
    let world = World::new().await;
    let link = world.found(READER, LIST).await["links"]["exportCSV"]
        .as_str()
        .unwrap()
        .to_owned();
    let get = async |world: &World, link: &str, ticket: &str| {
        let link = format!("{link}&access_token={ticket}");
        world.app.get(&link, &[]).await.status
    };
    let once = ticket(&world, &link).await;
    assert_eq!(
        get(&world, &format!("{link}&filters[country]=BE"), &once).await,
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(
        get(&world, "/api/advertisement/export?domain=a.example", &once).await,
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(
        world.app.get(LIST, &[("token", &once)]).await.status,
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(get(&world, &link, &once).await, StatusCode::OK);
    assert_eq!(get(&world, &link, &once).await, StatusCode::UNAUTHORIZED);

    let late = ticket(&world, &link).await;
    world.app.state.clock.advance(TimeDelta::seconds(121));
    assert_eq!(get(&world, &link, &late).await, StatusCode::UNAUTHORIZED);
    // The token of a session is no ticket.
    let session = world.app.login(READER).await;
    assert_eq!(get(&world, &link, &session).await, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn only_links_to_files_have_tickets() {
    let world = World::new().await;
    let token = world.app.login(READER).await;
    for link in ["/api/Sems/findAdvertisers", "https://evil.example/api/x/export", ""] {
        let answer = world
            .app
            .post(TICKETS, &json!({"link": link}), &[("token", &token)])
            .await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{link}");
    }
}

#[tokio::test]
async fn a_file_over_the_limit_is_never_taken_for_the_whole() {
    let mut world = World::new().await;
    let link = format!("{LIST}/export?lng=en");
    // A failure is answered within two seconds, and later breaks the file off: what is slow the first time is done before.
    assert_eq!(download(&world, &link).await.status, StatusCode::OK);
    let mut settings = runtime::Settings::default();
    settings.monitoring.most_exported_rows = 0;
    world.app.set(settings);
    let answer = download(&world, &link).await;
    assert_eq!(answer.status, StatusCode::REQUEST_TIMEOUT);
    assert_eq!(answer.body["error"]["code"], "TOO_MANY_RESULTS");
    let workbook = download(&world, &format!("{link}&format=xlsx")).await;
    assert_eq!(workbook.status, StatusCode::REQUEST_TIMEOUT);
}

#[tokio::test]
async fn a_file_holds_only_what_its_reader_sees() {
    let world = World::new().await;
    let own = domains(&world.found(READER, &format!("{LIST}?page[size]=0")).await);
    let file = download(&world, &format!("{LIST}/export?filters[brandID][inq][]={}", world.bolt)).await;
    // The titles, and the captures that the rows come from.
    assert_eq!(rows(&file).len(), 2);
    assert_eq!(
        rows(&download(&world, &format!("{LIST}/export?lng=en")).await).len(),
        own.len() + 2
    );
}

#[tokio::test]
async fn the_titles_of_a_file_are_those_of_the_screen_in_the_language_asked_for() {
    let world = World::new().await;
    let titles = async |link: &str| rows(&download(&world, link).await).remove(0);
    assert_eq!(
        titles("/api/Sems/groupTerms/export?lng=fr").await,
        [
            "Localisation",
            "Ville",
            "Région",
            "Moteur",
            "Mot-clé",
            "Marque",
            "Concurrents",
            "Annonces",
            "Vues",
            "Tags"
        ]
    );
    assert_eq!(
        titles(&format!("{LIST}/export?lng=en-GB")).await,
        [
            "Countries",
            "Visibility (%)",
            "Domain",
            "Average position",
            "Ads",
            "Views",
            "Tags",
            "Partner or reseller"
        ]
    );
}

#[tokio::test]
async fn the_list_of_tags_is_a_file_in_the_words_of_the_reader() {
    let world = World::new().await;
    let admin = world.app.login("admin@vigie.example").await;
    let headers = [("token", admin.as_str())];
    let id = async |body: serde_json::Value| {
        let answer = world.app.post("/api/Categories", &body, &headers).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        answer.body["id"].as_i64().unwrap()
    };
    let parent = id(json!({"label": "Season", "scope": "term", "visibility": "all"})).await;
    id(json!({"label": "=Winter", "scope": "term", "parentId": parent, "brandOwnerId": world.acme.0})).await;
    id(json!({"label": "Theirs", "scope": "term", "brandOwnerId": world.bolt.0})).await;
    let filter = argument("filter", &json!({"where": {"scope": "term"}, "order": "label ASC"}));
    let file = download(&world, &format!("/api/Categories/export?{filter}&lng=fr")).await;
    let named = "attachment; filename=\"tags-2026-03-02.csv\"";
    assert_eq!(file.headers[header::CONTENT_DISPOSITION], named);
    assert_eq!(
        rows(&file),
        [
            [
                "Type de tag",
                "Tag",
                "Parent",
                "Marque",
                "Visibilité",
                "Vues (30 jours)"
            ],
            ["mot-clé", "'=Winter", "Season", "acme", "mon équipe", "0"],
            ["mot-clé", "Season", "", "", "tous", "0"],
        ]
    );
}

#[tokio::test]
async fn actions_are_downloaded_flat_with_their_dealers_and_tags() {
    let world = World::new().await;
    let admin = world.app.login("admin@vigie.example").await;
    let headers = [("token", admin.as_str())];
    let id = async |path: &str, body: serde_json::Value| {
        let answer = world.app.post(path, &body, &headers).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        answer.body["id"].as_i64().unwrap()
    };
    let dealer = id("/api/Dealers", json!({"domain": "shop.example", "note": "=cmd"})).await;
    let tag = id("/api/Categories", json!({"label": "Marketplace", "visibility": "all"})).await;
    let link = format!("/api/Dealers/{dealer}/categories/rel/{tag}");
    world.app.text("PUT", &link, "", &headers).await;
    for (domain, brand) in [
        ("b.example", world.acme),
        ("a.example", world.acme),
        ("c.example", world.bolt),
    ] {
        let body = json!({"domain": domain, "brandId": brand.0, "advertiserID": dealer});
        id("/api/Actions", body).await;
    }
    let file = download(&world, "/api/Actions?filter[order]=domain&csv=flatten").await;
    assert_eq!(file.headers[header::CONTENT_TYPE], "text/csv; charset=utf-8");
    let rows = rows(&file);
    let column = |name: &str| rows[0].iter().position(|title| title == name).unwrap();
    let cells = |name: &str| {
        let at = column(name);
        rows[1..].iter().map(|row| row[at].clone()).collect::<Vec<_>>()
    };
    assert_eq!(cells("domain"), ["a.example", "b.example"]);
    assert_eq!(cells("dealer.domain"), ["shop.example", "shop.example"]);
    // Notes of advertisers are for staff.
    assert_eq!(cells("dealer.note"), ["", ""]);
    assert_eq!(cells("dealer.categories"), ["Marketplace", "Marketplace"]);
    assert!(cells("createdDate")[0].starts_with("2026-03-02T08:00:00"));
    let other = "/api/Actions?csv=flat";
    let token = world.app.login(READER).await;
    let refused = world
        .app
        .post(TICKETS, &json!({"link": other}), &[("token", &token)])
        .await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
}
