//! Search Console: sites and figures.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use chrono::{NaiveDate, TimeDelta};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::faults::Fault;
use crate::figures;
use crate::refusals::console as refusal;
use crate::shared::Shared;
use crate::world::World;

/// What gives access to Search Console.
const SCOPE: &str = "/auth/webmasters";
/// Days after which figures are final.
const FINAL_AFTER: TimeDelta = TimeDelta::days(3);
/// Figures are kept so long.
const KEPT: TimeDelta = TimeDelta::days(486);
const MOST_ROWS: usize = 25_000;
/// Texts that every site is found by, beside the one that is asked for.
const COMMON: [&str; 6] = ["delivery", "opening hours", "returns", "gift card", "sale", "contact"];

/// Answers `GET /webmasters/v3/sites`, as Google does.
pub async fn sites(State(shared): State<Shared>, headers: HeaderMap) -> Response {
    let mut world = shared.world();
    let entries = match reached(&mut world, &shared, &headers) {
        Ok(sites) => sites,
        Err(refused) => return *refused,
    };
    let mut entries: Vec<Value> = entries
        .iter()
        .map(|site| json!({"siteUrl": site, "permissionLevel": "siteFullUser"}))
        .collect();
    entries.push(json!({"siteUrl": "https://unverified.example/", "permissionLevel": "siteUnverifiedUser"}));
    Json(json!({ "siteEntry": entries })).into_response()
}

/// The question of a site.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Question {
    start_date: NaiveDate,
    end_date: NaiveDate,
    dimensions: Vec<String>,
    #[serde(rename = "type")]
    _kind: Option<String>,
    #[serde(rename = "dataState")]
    _state: Option<String>,
    #[serde(default)]
    dimension_filter_groups: Vec<Group>,
    row_limit: usize,
    #[serde(default)]
    start_row: usize,
}

#[derive(Deserialize)]
struct Group {
    filters: Vec<Filter>,
}

#[derive(Deserialize)]
struct Filter {
    dimension: String,
    operator: String,
    expression: String,
}

/// Answers `POST /webmasters/v3/sites/{site}/searchAnalytics/query`, as Google does.
pub async fn query(
    State(shared): State<Shared>,
    Path(site): Path<String>,
    headers: HeaderMap,
    body: Result<Json<Question>, axum::extract::rejection::JsonRejection>,
) -> Response {
    let mut world = shared.world();
    let sites = match reached(&mut world, &shared, &headers) {
        Ok(sites) => sites,
        Err(refused) => return *refused,
    };
    if !sites.contains(&site) {
        let message = format!("User does not have sufficient permission for site '{site}'.");
        return refusal(403, "forbidden", &message);
    }
    if world.faults.takes_place(Fault::ConsoleQuota) {
        return refusal(403, "quotaExceeded", "Quota exceeded.");
    }
    let Ok(Json(question)) = body else {
        return refusal(400, "invalidParameter", "The question cannot be read.");
    };
    let wrong = question.dimensions != ["date", "query"]
        || question.row_limit == 0
        || question.row_limit > MOST_ROWS
        || question.start_date > question.end_date;
    if wrong {
        return refusal(400, "invalidParameter", "A value is wrong.");
    }
    let filters: Vec<&Filter> = question
        .dimension_filter_groups
        .iter()
        .flat_map(|group| &group.filters)
        .collect();
    let of = |dimension: &str| {
        let found = filters
            .iter()
            .find(|filter| filter.dimension == dimension && filter.operator == "equals");
        found.map(|filter| filter.expression.as_str())
    };
    let Some(country) = of("country").filter(|country| country.len() == 3) else {
        return refusal(400, "invalidParameter", "The country has three letters.");
    };
    let texts: Vec<String> = match of("query") {
        Some(text) => vec![text.to_lowercase()],
        None => COMMON
            .iter()
            .map(|text| (*text).to_owned())
            .chain(world_texts())
            .collect(),
    };
    let today = shared.clock.now().date_naive();
    let (first, last) = (
        question.start_date.max(today - KEPT),
        question.end_date.min(today - FINAL_AFTER),
    );
    let salt = format!("{site}{country}");
    let rows = first.iter_days().take_while(|day| *day <= last).flat_map(|day| {
        let salt = &salt;
        texts.iter().filter_map(move |text| {
            let figures = figures::on_day(salt, text, day)?;
            Some(json!({
                "keys": [day.to_string(), text], "clicks": figures.clicks, "impressions": figures.impressions * 2,
                "ctr": 0.1, "position": 2.4,
            }))
        })
    });
    let page: Vec<Value> = rows.skip(question.start_row).take(question.row_limit).collect();
    Json(json!({"rows": page, "responseAggregationType": "byPage"})).into_response()
}

/// The texts that the terms of the demonstration search.
fn world_texts() -> impl Iterator<Item = String> {
    const WORDS: [&str; 22] = [
        "brivault",
        "leather bag",
        "travel bag",
        "wallet",
        "belt",
        "brivault outlet",
        "handbag sale",
        "suitcase",
        "corvane",
        "silk scarf",
        "wool coat",
        "kestrel outlet",
        "running shoes",
        "trail shoes",
        "rain jacket",
        "tent",
        "okimarket",
        "coffee machine",
        "acme",
        "acme shoes",
        "bolt",
        "bolt boots",
    ];
    WORDS.into_iter().map(str::to_owned)
}

/// The sites that the person behind a call reaches.
fn reached(world: &mut World, shared: &Shared, headers: &HeaderMap) -> Result<Vec<String>, Box<Response>> {
    if world.faults.takes_place(Fault::GrantRevoked) {
        world.grants.clear();
    }
    let header = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let Some(grant) = world.grant(header, shared.clock.now()) else {
        return Err(Box::new(refusal(401, "authError", "Invalid Credentials")));
    };
    if !grant.scopes.iter().any(|scope| scope.contains(SCOPE)) {
        let text = "Request had insufficient authentication scopes.";
        return Err(Box::new(refusal(403, "insufficientPermissions", text)));
    }
    Ok(if grant.person.has_rights {
        world.sites.clone()
    } else {
        vec!["sc-domain:elsewhere.example".to_owned()]
    })
}
