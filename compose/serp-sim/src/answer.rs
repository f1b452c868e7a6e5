//! Handlers of searches, clicks and the truth.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use minijinja::context;
use percent_encoding::utf8_percent_encode;

use crate::auction::result_page;
use crate::device::Device;
use crate::engine::Engine;
use crate::faults::Fault;
use crate::ledger::ServedPage;
use crate::links::{self, COMPONENT};
use crate::response::{origin_of, page, redirect};
use crate::search::{Parameters, Search, accepted_language};
use crate::truth::Truth;
use crate::world::World;
use crate::{consent, failing};

/// Value of `fault` for a page without a fault.
const NO_FAULT: &str = "none";

/// `GET /google/search`: a result page.
pub(crate) async fn google(state: State<Arc<World>>, query: RawQuery, headers: HeaderMap) -> Response {
    answer_search(state, Engine::Google, query, headers).await
}

/// `GET /bing/search`: a result page.
pub(crate) async fn bing(state: State<Arc<World>>, query: RawQuery, headers: HeaderMap) -> Response {
    answer_search(state, Engine::Bing, query, headers).await
}

/// Answers a search with its page at this instant, or with the fault that the address, else the words of the search, else an order asks for (an order
/// also where the address asks for none); 400 for an unknown one. Consent is not asked for once it is answered. Records the page as served, unless it
/// is a further hop of a redirect.
async fn answer_search(
    State(world): State<Arc<World>>,
    engine: Engine,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let query = query.unwrap_or_default();
    let parameters = Parameters::from_query(&query);
    let accepted = accepted_language(&headers);
    let search = Search::new(engine, Device::from_headers(&headers), &parameters, accepted.as_deref());
    let origin = origin_of(&headers);
    let url = format!("{}/search?{query}", World::base(&origin, engine));
    let fault = match requested_fault(&parameters, &search) {
        Ok(requested) => {
            let applies = |fault: Fault| fault != Fault::Consent || !consent::is_answered(engine, &headers);
            requested
                .filter(|fault| applies(*fault))
                .or_else(|| world.orders.take_fault(engine, &search.query, applies))
        }
        Err(message) => return (StatusCode::BAD_REQUEST, message).into_response(),
    };
    let at = world.clock.now();
    let results = result_page(world.seed, world.rotation_millis, &search, at);
    let is_search = parameters.get("hop").is_none();
    if is_search {
        world.ledger.note_served(ServedPage {
            truth: truth_address(&query, &search, &origin, accepted.as_deref(), at, fault),
            url: url.clone(),
            engine,
            query: search.query.clone(),
            device: search.device,
            at,
            generation: results.generation.to_string(),
            fault,
        });
    }
    if let Some(Fault::Slow(millis)) = fault {
        tokio::time::sleep(Duration::from_millis(millis.into())).await;
    }
    match fault {
        None | Some(Fault::Slow(_)) => page(StatusCode::OK, world.renderer.results(&results, &origin)),
        Some(fault) => failing::answer(&world, fault, &search, &results, &parameters, &origin, &url),
    }
}

/// The fault that the URL parameter `fault` asks for or, without one, the words of the search; `None` for none. `fault=none` overrides the words. An
/// unknown `fault` is an error that names it.
fn requested_fault(parameters: &Parameters, search: &Search) -> Result<Option<Fault>, String> {
    match parameters.get("fault") {
        Some(NO_FAULT) => Ok(None),
        Some(name) => name
            .parse()
            .map(Some)
            .map_err(|unknown: crate::faults::UnknownFaultError| unknown.to_string()),
        None => Ok(Fault::in_query(&search.query)),
    }
}

/// `GET /google/sorry/index`: the captcha page, with status 429; `continue` is the search it interrupts.
pub(crate) async fn sorry(State(world): State<Arc<World>>, RawQuery(query): RawQuery) -> Response {
    let parameters = Parameters::from_query(query.as_deref().unwrap_or_default());
    let values = context! { continue => parameters.get("continue").unwrap_or_default() };
    page(
        StatusCode::TOO_MANY_REQUESTS,
        world.renderer.other("google-captcha.html", values),
    )
}

/// `GET /google/`: the home page.
pub(crate) async fn google_home(state: State<Arc<World>>, headers: HeaderMap) -> Response {
    answer_home(&state, Engine::Google, &headers)
}

/// `GET /bing/`: the home page.
pub(crate) async fn bing_home(state: State<Arc<World>>, headers: HeaderMap) -> Response {
    answer_home(&state, Engine::Bing, &headers)
}

/// Answers with an engine's home page, in the browser's language.
fn answer_home(world: &World, engine: Engine, headers: &HeaderMap) -> Response {
    let accepted = accepted_language(headers);
    let search = Search::new(engine, Device::Desktop, &Parameters::default(), accepted.as_deref());
    page(
        StatusCode::OK,
        world.renderer.home(engine, &origin_of(headers), search.language.code()),
    )
}

/// `GET /google/aclk`, `/google/pagead/aclk` and `/google/url`
pub(crate) async fn google_redirect(state: State<Arc<World>>, uri: axum::http::Uri, headers: HeaderMap) -> Response {
    follow_link(&state, Engine::Google, &uri, &headers)
}

/// `GET /bing/aclk` and `/bing/aclick`
pub(crate) async fn bing_redirect(state: State<Arc<World>>, uri: axum::http::Uri, headers: HeaderMap) -> Response {
    follow_link(&state, Engine::Bing, &uri, &headers)
}

/// Redirects to the target of a link, or to the home page where it names no web address; all but organic links (`/url`) are recorded as clicks on
/// ads.
fn follow_link(world: &World, engine: Engine, uri: &axum::http::Uri, headers: &HeaderMap) -> Response {
    if !uri.path().ends_with("/url") {
        world.ledger.note_click(engine, uri.to_string());
    }
    let parameters: Vec<(String, String)> = url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes())
        .into_owned()
        .collect();
    let target = links::target_of(engine, &parameters);
    redirect(&target.unwrap_or_else(|| World::base(&origin_of(headers), engine)))
}

/// `GET /truth`: the truth of a page as JSON. Takes the parameters of a search, plus `engine`, `device` and `at` (now by default); where they differ
/// from a plain request, also the `host` the page was requested from and the `accept`ed language. 400 for a wrong parameter.
pub(crate) async fn truth(State(world): State<Arc<World>>, RawQuery(query): RawQuery, headers: HeaderMap) -> Response {
    let parameters = Parameters::from_query(query.as_deref().unwrap_or_default());
    let request = || -> Result<(Search, Option<Fault>, chrono::DateTime<chrono::Utc>), String> {
        let engine = match parameters.get("engine") {
            Some("google") => Engine::Google,
            Some("bing") => Engine::Bing,
            _ => return Err("engine is missing; it is google or bing".to_owned()),
        };
        let device = match parameters.get("device").unwrap_or("desktop") {
            "desktop" => Device::Desktop,
            "mobile" => Device::Mobile,
            "tablet" => Device::Tablet,
            other => return Err(format!("'{other}' is no device; it is desktop, mobile or tablet")),
        };
        let at = parameters.instant("at")?.unwrap_or_else(|| world.clock.now());
        let search = Search::new(engine, device, &parameters, parameters.get("accept"));
        let fault = requested_fault(&parameters, &search)?;
        Ok((search, fault, at))
    };
    match request() {
        Ok((search, fault, at)) => {
            let origin = parameters
                .get("host")
                .map_or_else(|| origin_of(&headers), |host| format!("http://{host}"));
            let results = result_page(world.seed, world.rotation_millis, &search, at);
            Json(Truth::from_page(&results, fault, &origin)).into_response()
        }
        Err(message) => (StatusCode::BAD_REQUEST, message).into_response(),
    }
}

/// Builds the path at which the truth of a served page can be requested, now or later: its query with all that the truth depends on made explicit.
fn truth_address(
    query: &str,
    search: &Search,
    origin: &str,
    accepted: Option<&str>,
    at: chrono::DateTime<chrono::Utc>,
    fault: Option<Fault>,
) -> String {
    let encoded = |text: &str| utf8_percent_encode(text, COMPONENT).to_string();
    let accept = accepted
        .map(|tag| format!("&accept={}", encoded(tag)))
        .unwrap_or_default();
    // Explicit even without a fault: the address may ask for a consent wall that was already answered.
    let fault = fault.map_or_else(|| NO_FAULT.to_owned(), |fault| fault.to_string());
    format!(
        "/truth?{query}&engine={}&device={}&at={}&host={}{accept}&fault={fault}",
        search.engine,
        search.device,
        at.timestamp_millis(),
        encoded(origin.trim_start_matches("http://")),
    )
}
