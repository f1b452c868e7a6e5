//! Google Ads: queries, lists and their refusals.

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use futures::stream;
use serde_json::{Value, json};
use std::time::Duration;

use crate::faults::Fault;
use crate::gaql::Query;
use crate::refusals::AdsRefusal;
use crate::shared::Shared;
use crate::world::{CUSTOMERS, Customer, Grant, ROOT, VERSION, World};
use crate::{figures, lists};

/// What gives access to Google Ads.
const SCOPE: &str = "https://www.googleapis.com/auth/adwords";
/// Longer than any client waits.
const SLOW: Duration = Duration::from_secs(70);
/// Rows of one batch of a stream.
const ROWS_A_BATCH: usize = 500;
/// What the limit of the day asks to wait.
const DAY_WAIT_SECONDS: u32 = 40_591;
/// The share of a text's cost that Performance Max has, in percent.
const PMAX_PERCENT: i64 = 12;
/// The campaigns of every customer.
const CAMPAIGNS: [(u64, &str, &str); 3] = [
    (71, "Brand search", "SEARCH"),
    (72, "Brand shopping", "SHOPPING"),
    (73, "Everything else", "PERFORMANCE_MAX"),
];

/// What a call of Google Ads asks for.
struct AdsCall<'a> {
    version: &'a str,
    customer: Option<&'a str>,
    what: &'a str,
}

/// Every path that is none of the others: a call of Google Ads, or nothing.
pub async fn call(State(shared): State<Shared>, method: Method, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let path = uri.path().trim_start_matches('/');
    let Some(asked) = read_path(path) else {
        return (StatusCode::NOT_FOUND, "<html><title>Error 404 (Not Found)</title>").into_response();
    };
    let slow = shared.world().faults.takes_place(Fault::Slow);
    if slow {
        tokio::time::sleep(SLOW).await;
    }
    let streams = asked.what == "googleAds:searchStream";
    let mut world = shared.world();
    let request = world.next_request();
    match answer(&mut world, &shared, &asked, (&method, &headers, &body)) {
        Ok(found) => sent(&mut world, &found, (&asked, &request)),
        Err(refusal) => refusal.answer(asked.version, &request, streams),
    }
}

/// The answer of a call that was made, unless a failure spoils it.
fn sent(world: &mut World, found: &Value, (asked, request): (&AdsCall<'_>, &str)) -> Response {
    let streams = asked.what == "googleAds:searchStream";
    let text = found.to_string();
    let cut = streams && world.faults.takes_place(Fault::CutStream);
    let lost = asked.what.ends_with(":mutate") && world.faults.takes_place(Fault::LostAnswer);
    let headers = [
        ("request-id", request.to_owned()),
        ("content-type", "application/json".to_owned()),
    ];
    if cut || lost {
        let half = if lost {
            String::new()
        } else {
            text[..text.len() / 2].to_owned()
        };
        let pieces = [Ok(half), Err(std::io::Error::other("the connection breaks off"))];
        return (headers, Body::from_stream(stream::iter(pieces))).into_response();
    }
    (headers, text).into_response()
}

/// `v25/customers/1234567890/googleAds:search` and `v25/customers:listAccessibleCustomers`.
fn read_path(path: &str) -> Option<AdsCall<'_>> {
    let (version, rest) = path.split_once('/')?;
    if !version.starts_with('v') {
        return None;
    }
    if let Some(what) = rest.strip_prefix("customers:") {
        return Some(AdsCall {
            version,
            customer: None,
            what,
        });
    }
    let (customer, what) = rest.strip_prefix("customers/")?.split_once('/')?;
    Some(AdsCall {
        version,
        customer: Some(customer),
        what,
    })
}

/// Checks a call as Google does, in its order, and answers it.
fn answer(
    world: &mut World,
    shared: &Shared,
    asked: &AdsCall<'_>,
    (method, headers, body): (&Method, &HeaderMap, &Bytes),
) -> Result<Value, AdsRefusal> {
    if asked.version != VERSION || world.faults.takes_place(Fault::VersionEnded) {
        let message = format!(
            "Version {} is deprecated. Requests to this version will be blocked.",
            asked.version
        );
        return Err(AdsRefusal::bad("requestError", "UNSUPPORTED_VERSION", message));
    }
    if world.faults.takes_place(Fault::GrantRevoked) {
        world.grants.clear();
    }
    let header = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let grant = world.grant(header(header::AUTHORIZATION), shared.clock.now()).cloned();
    let grant = grant.ok_or_else(|| {
        AdsRefusal::new(
            (401, "UNAUTHENTICATED"),
            ("authenticationError", "OAUTH_TOKEN_INVALID"),
            "Request had invalid authentication credentials.",
        )
    })?;
    if !grant.scopes.iter().any(|scope| scope == SCOPE) {
        return Err(denied(
            "ACTION_NOT_PERMITTED",
            "Request had insufficient authentication scopes.",
        ));
    }
    disturb(world)?;
    let Some(id) = asked.customer else {
        if asked.what != "listAccessibleCustomers" || method != Method::GET {
            return Err(AdsRefusal::bad("requestError", "UNKNOWN", "no such method"));
        }
        let names: Vec<String> = roots(&grant).map(|id| format!("customers/{id}")).collect();
        return Ok(json!({ "resourceNames": names }));
    };
    let login = headers.get("login-customer-id").and_then(|value| value.to_str().ok());
    let customer = reached(&grant, id, login)?;
    let body: Value = serde_json::from_slice(body)
        .map_err(|_| AdsRefusal::bad("requestError", "UNEXPECTED_END", "The body is no JSON."))?;
    match asked.what {
        "googleAds:search" | "googleAds:searchStream" => {
            let query = Query::read(body["query"].as_str().unwrap_or_default())?;
            let rows = rows(world, shared, &customer, &query)?;
            Ok(if asked.what == "googleAds:search" {
                json!({ "results": rows })
            } else {
                let batches: Vec<Value> = rows
                    .chunks(ROWS_A_BATCH)
                    .map(|rows| json!({ "results": rows }))
                    .collect();
                Value::Array(batches)
            })
        }
        what => {
            let service = what
                .strip_suffix(":mutate")
                .ok_or_else(|| AdsRefusal::bad("requestError", "UNKNOWN", "no such method"))?;
            Ok(lists::mutate(world, id, service, &body)?.body)
        }
    }
}

/// The failures that were asked for.
fn disturb(world: &mut World) -> Result<(), AdsRefusal> {
    let exhausted = (429, "RESOURCE_EXHAUSTED");
    if world.faults.takes_place(Fault::DailyLimit) {
        let message = format!("Too many requests. Retry in {DAY_WAIT_SECONDS} seconds.");
        return Err(AdsRefusal {
            details: Some(Box::new(json!({"quotaErrorDetails": {
                "rateScope": "DEVELOPER", "rateName": "Number of operations for explorer access",
                "retryDelay": format!("{DAY_WAIT_SECONDS}s"),
            }}))),
            ..AdsRefusal::new(exhausted, ("quotaError", "RESOURCE_EXHAUSTED"), message)
        });
    }
    if world.faults.takes_place(Fault::ShortLimit) {
        let code = ("quotaError", "RESOURCE_TEMPORARILY_EXHAUSTED");
        return Err(AdsRefusal::new(exhausted, code, "Too many requests."));
    }
    if world.faults.takes_place(Fault::ServerError) {
        let code = ("internalError", "INTERNAL_ERROR");
        return Err(AdsRefusal::new(
            (500, "INTERNAL"),
            code,
            "An internal error has occurred.",
        ));
    }
    if world.faults.takes_place(Fault::NotApproved) {
        return Err(denied(
            "CLOUD_PROJECT_NOT_APPROVED_FOR_PRODUCTION",
            "The cloud project is not approved.",
        ));
    }
    Ok(())
}

/// The customers that a person reaches without a manager.
fn roots(grant: &Grant) -> impl Iterator<Item = &'static str> {
    grant.person.has_rights.then_some(ROOT).into_iter()
}

/// The customer of this id, if the grant reaches it in this way.
fn reached(grant: &Grant, id: &str, login: Option<&str>) -> Result<Customer, AdsRefusal> {
    let is_id = |id: &str| id.len() == 10 && id.bytes().all(|byte| byte.is_ascii_digit());
    if !is_id(id) || login.is_some_and(|login| !is_id(login)) {
        let message = format!("Invalid customer ID '{id}'.");
        return Err(AdsRefusal::bad("requestError", "INVALID_CUSTOMER_ID", message));
    }
    let refused = || {
        denied(
            "USER_PERMISSION_DENIED",
            "User doesn't have permission to access customer. Note: If you're accessing a client customer, the manager's \
             customer id must be set in the 'login-customer-id' header.",
        )
    };
    let customer = CUSTOMERS
        .iter()
        .find(|customer| customer.id == id)
        .ok_or_else(refused)?;
    if !grant.person.has_rights || (id != ROOT && login.is_none()) {
        return Err(refused());
    }
    if login.is_some_and(|login| {
        !CUSTOMERS
            .iter()
            .any(|customer| customer.manager && customer.id == login)
    }) {
        return Err(refused());
    }
    if customer.status != "ENABLED" {
        return Err(denied(
            "CUSTOMER_NOT_ENABLED",
            "The customer account can't be accessed because it is not yet enabled or has been deactivated.",
        ));
    }
    Ok(*customer)
}

/// The rows of a query.
fn rows(world: &World, shared: &Shared, customer: &Customer, query: &Query) -> Result<Vec<Value>, AdsRefusal> {
    let id = customer.id;
    Ok(match query.resource.as_str() {
        "customer_client" => CUSTOMERS
            .iter()
            .map(|one| {
                json!({"customerClient": {
                    "resourceName": format!("customers/{id}/customerClients/{}", one.id),
                    "clientCustomer": format!("customers/{}", one.id), "descriptiveName": one.name, "manager": one.manager,
                    "status": one.status, "level": one.level.to_string(), "currencyCode": one.currency, "timeZone": one.time_zone,
                }})
            })
            .collect(),
        "campaign" => CAMPAIGNS
            .iter()
            .map(|(campaign, name, channel)| {
                json!({"campaign": {
                    "resourceName": format!("customers/{id}/campaigns/{campaign}"), "id": campaign.to_string(),
                    "name": name, "status": "ENABLED", "advertisingChannelType": channel,
                }})
            })
            .collect(),
        "campaign_criterion" => CAMPAIGNS
            .iter()
            .flat_map(|(campaign, ..)| customer.countries.iter().map(move |(place, _)| (campaign, place)))
            .map(|(campaign, place)| {
                json!({
                    "campaign": {"resourceName": format!("customers/{id}/campaigns/{campaign}"), "id": campaign.to_string()},
                    "campaignCriterion": {"location": {"geoTargetConstant": format!("geoTargetConstants/{place}")}, "negative": false},
                })
            })
            .collect(),
        "geo_target_constant" => places(query),
        "campaign_search_term_view" => search_terms(shared, id, query)?,
        resource => of_lists(world, id, resource, query),
    })
}

/// The places that were asked for by their names, with their countries.
fn places(query: &Query) -> Vec<Value> {
    let asked = query.texts.iter().flatten();
    let found = asked.filter_map(|name| {
        let place: u32 = name.strip_prefix("geoTargetConstants/")?.parse().ok()?;
        let known = CUSTOMERS.iter().flat_map(|customer| customer.countries);
        let (_, country) = known.into_iter().find(|(id, _)| *id == place)?;
        Some(json!({"geoTargetConstant": {"resourceName": name, "countryCode": country}}))
    });
    found.collect()
}

/// The figures of texts by day, or by day and campaign; a manager has none.
fn search_terms(shared: &Shared, customer: &str, query: &Query) -> Result<Vec<Value>, AdsRefusal> {
    let (Some((first, last)), Some(texts)) = (query.days, &query.texts) else {
        return Err(AdsRefusal::bad(
            "queryError",
            "REQUIRED_FIELD_MISSING",
            "this sandbox wants days and texts",
        ));
    };
    let today = shared.clock.now().date_naive();
    let by_campaign = query
        .fields
        .iter()
        .any(|field| field == "campaign.advertising_channel_type");
    let mut found = Vec::new();
    for day in first.iter_days().take_while(|day| *day <= last && *day <= today) {
        for text in texts {
            let folded = text.to_lowercase();
            let Some(figures) = figures::on_day(customer, &folded, day) else {
                continue;
            };
            if by_campaign {
                let uncovered = figures.cost_micros * PMAX_PERCENT / 100;
                for (channel, cost) in [
                    ("SEARCH", figures.cost_micros - uncovered),
                    ("PERFORMANCE_MAX", uncovered),
                ] {
                    found.push(json!({
                        "segments": {"date": day}, "campaign": {"advertisingChannelType": channel},
                        "campaignSearchTermView": {"searchTerm": folded}, "metrics": {"costMicros": cost.to_string()},
                    }));
                }
                continue;
            }
            // Google leaves out zeros, and writes int64 as strings.
            let mut metrics = json!({"impressions": figures.impressions.to_string()});
            if figures.clicks > 0 {
                metrics["clicks"] = figures.clicks.to_string().into();
                metrics["costMicros"] = figures.cost_micros.to_string().into();
            }
            found.push(json!({
                "segments": {"date": day}, "campaignSearchTermView": {"searchTerm": folded}, "metrics": metrics,
            }));
        }
    }
    Ok(found)
}

/// Rows of lists, of their keywords or of their campaigns.
fn of_lists(world: &World, customer: &str, resource: &str, query: &Query) -> Vec<Value> {
    let own = format!("customers/{customer}");
    let lists = world
        .lists
        .iter()
        .filter(|((of, id), _)| of == customer && query.list.is_none_or(|wanted| wanted == *id));
    let rows = lists.flat_map(|((_, id), list)| match resource {
        "shared_set" => vec![json!({"sharedSet": {
            "resourceName": format!("{own}/sharedSets/{id}"), "id": id.to_string(), "name": list.name,
            "type": "NEGATIVE_KEYWORDS", "status": "ENABLED",
        }})],
        "shared_criterion" => list
            .keywords
            .iter()
            .map(|(criterion, (text, kind))| {
                json!({
                    "sharedCriterion": {
                        "resourceName": format!("{own}/sharedCriteria/{id}~{criterion}"),
                        "keyword": {"text": text, "matchType": kind},
                    },
                    "sharedSet": {"resourceName": format!("{own}/sharedSets/{id}"), "id": id.to_string()},
                })
            })
            .collect(),
        _ => list
            .campaigns
            .iter()
            .map(|campaign| {
                json!({
                    "campaignSharedSet": {"resourceName": format!("{own}/campaignSharedSets/{campaign}~{id}")},
                    "campaign": {"id": campaign.to_string()},
                    "sharedSet": {"id": id.to_string()},
                })
            })
            .collect(),
    });
    rows.collect()
}

fn denied(code: &'static str, message: &str) -> AdsRefusal {
    AdsRefusal::new((403, "PERMISSION_DENIED"), ("authorizationError", code), message)
}
