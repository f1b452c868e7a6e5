//! Filters by their plain names, the counts of the lists, and names that are no filters.

use std::collections::BTreeSet;

use axum::http::StatusCode;
use serde_json::json;

use crate::monitoring::{LIST, TERMS, World};

const READER: &str = "user@acme.example";
const ADMIN: &str = "admin@vigie.example";
const GROUPED: &str = "/api/Sems/groupAds";

#[tokio::test]
async fn a_plain_name_asks_for_equality_in_every_list_and_count() {
    let world = World::new().await;
    let brand = world.acme.0;
    for path in [
        LIST,
        TERMS,
        GROUPED,
        "/api/Sems/countAds",
        "/api/Sems/countAdvertisers",
        "/api/Sems/countTerms",
    ] {
        let all = world.found(ADMIN, path).await;
        let spelled = world
            .found(ADMIN, &format!("{path}?filters[brandID][inq][]={brand}"))
            .await;
        // Links name the question, which is another.
        let without_links = |mut answer: serde_json::Value| {
            answer.as_object_mut().map(|object| object.remove("links"));
            answer
        };
        let spelled = without_links(spelled);
        assert_ne!(without_links(all), spelled, "{path}");
        for plain in [
            format!("brandID={brand}"),
            format!("filter[brandID]={brand}"),
            format!("brandID={brand}&_t=1700000000000&lng=fr"),
        ] {
            let answer = world.found(ADMIN, &format!("{path}?{plain}")).await;
            assert_eq!(without_links(answer), spelled, "{path}?{plain}");
        }
        let some = "date[start]=2020-02-27T00:00:00Z&date[end]=2020-02-27T23:59:59Z";
        let plain = without_links(world.found(ADMIN, &format!("{path}?{some}")).await);
        let between = some.replace("date[", "filters[date][between][");
        assert_eq!(
            plain,
            without_links(world.found(ADMIN, &format!("{path}?{between}")).await),
            "{path}"
        );
        assert_ne!(plain, without_links(world.found(ADMIN, path).await), "{path}");
        let unknown = world.ask(ADMIN, &format!("{path}?brand_id={brand}")).await;
        assert_eq!(unknown.status, StatusCode::BAD_REQUEST, "{path}");
        let message = unknown.body["error"]["message"].as_str().unwrap();
        assert!(message.contains("'brand_id'"), "{message}");
    }
}

/// Parameters of lists that are no filters.
const OTHERS: [&str; 14] = [
    "access_token",
    "figures",
    "filter",
    "filters",
    "format",
    "hour",
    "limit",
    "lng",
    "page",
    "rows",
    "sort",
    "sortBy",
    "timeZone",
    "weekday",
];
/// Filters that have a second name, which a refusal leaves out.
const SECOND_NAMES: [&str; 4] = ["brandID", "brandId", "engine", "id"];

/// A value that every filter of this name reads.
fn value_of(parameter: &str) -> &'static str {
    let name = parameter.split('[').next().unwrap_or_default();
    match name {
        _ if parameter.ends_with("[regexp]") => "/a/i",
        "ID" | "id" | "advertiserID" | "brandID" | "brandId" | "termId" | "advertiserTag" | "keywordTag"
        | "position" => "1",
        "date" | "fromDate" | "endDate" => "2020-02-27T00:00:00Z",
        name if name.ends_with("Date") || name == "lastView" => "2020-02-27T00:00:00Z",
        "owner" => "me",
        "reappearance" | "unread" => "only",
        "waiting" => "true",
        "appearance" | "status" => "new",
        "type" => "ads",
        "engine" | "provider" => "google",
        "device" => "mobile",
        "keywordType" => "generic",
        _ => "fr",
    }
}

#[tokio::test]
async fn the_document_names_the_filters_that_are_accepted_and_no_others() {
    let world = World::new().await;
    let document = world.app.get("/api/openapi.json", &[]).await.body;
    let token = world.app.login(ADMIN).await;
    let ask = async |question: String| world.app.get(&question, &[("authorization", &token)]).await;
    let of_domain = "domain=shop.example";
    for (path, needs) in [
        (LIST, ""),
        (TERMS, ""),
        (GROUPED, ""),
        ("/api/Sems/countAds", ""),
        ("/api/Sems/countAdvertisers", ""),
        ("/api/Sems/countTerms", ""),
        ("/api/Sems/findAdvertisers/export", ""),
        ("/api/Sems/groupTerms/export", ""),
        ("/api/Sems/findAdvertisers/figures", "rows[]=shop.example"),
        ("/api/Sems/groupTerms/figures", "rows[]=1"),
        ("/api/coverage", ""),
        ("/api/advertisement", of_domain),
        ("/api/advertisement/count", of_domain),
        ("/api/advertisement/export", of_domain),
        ("/api/advertisement/hours", of_domain),
        ("/api/actions", ""),
        ("/api/actions/todo", ""),
        ("/api/actions/searchAll", ""),
    ] {
        let refused = ask(format!("{path}?{needs}&colour=red")).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{path}");
        let message = refused.body["error"]["message"].as_str().unwrap();
        let (_, named) = message.split_once("the filters are ").expect(message);
        let named = named.replace(" and ", ", ");
        let named: BTreeSet<&str> = named.split(", ").collect();

        let parameters = document["paths"][path]["get"]["parameters"].as_array().unwrap();
        let filters: Vec<&str> = parameters
            .iter()
            .map(|parameter| parameter["name"].as_str().unwrap())
            .filter(|name| !OTHERS.contains(&name.split('[').next().unwrap()))
            .collect();
        let documented: BTreeSet<&str> = filters.iter().map(|name| name.split('[').next().unwrap()).collect();
        assert!(named.is_subset(&documented), "{path}: {message}");
        let mut others = documented.difference(&named);
        assert!(others.all(|name| SECOND_NAMES.contains(name)), "{path}: {message}");
        assert!(named.contains("language"), "{path}: {message}");

        for filter in filters {
            let question = format!("{path}?{filter}={}&{needs}", value_of(filter));
            let answer = ask(question.clone()).await;
            assert_eq!(answer.status, StatusCode::OK, "{question}: {}", answer.body);
        }
    }
}

#[tokio::test]
async fn counts_are_those_of_their_lists() {
    let world = World::new().await;
    let domains = world.found(READER, &format!("{LIST}?page[size]=0")).await;
    let terms = world.found(READER, &format!("{TERMS}?page[size]=0")).await;
    for (path, count) in [
        ("countAdvertisers", domains["data"].as_array().unwrap().len()),
        ("countTerms", terms["data"].as_array().unwrap().len()),
    ] {
        let answer = world.found(READER, &format!("/api/Sems/{path}")).await;
        assert_eq!(answer, json!({ "count": count }), "{path}");
    }
    let ads = world.found(READER, "/api/Sems/countads").await;
    assert_eq!(ads["count"], domains["meta"]["page"]["totalAds"]);
    let grouped = world.found(READER, &format!("{GROUPED}?limit=7")).await;
    let rows = grouped.as_array().unwrap();
    assert_eq!(rows.len(), 7);
    assert!(rows.iter().all(|row| row["views"].as_u64().unwrap() > 0), "{grouped}");
    let views: Vec<u64> = rows.iter().map(|row| row["views"].as_u64().unwrap()).collect();
    assert!(views.is_sorted_by(|one, next| one >= next), "{views:?}");
}

#[tokio::test]
async fn resources_ignore_what_defeats_caches() {
    let world = World::new().await;
    let brands = world.found(ADMIN, "/api/Brands").await;
    assert_eq!(world.found(ADMIN, "/api/Brands?_t=1700000000000").await, brands);
}
