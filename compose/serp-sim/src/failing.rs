//! Responses with a fault.

use std::convert::Infallible;

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use axum::response::Response;
use futures::stream::{self, StreamExt as _};
use minijinja::context;
use minijinja::value::Serde;
use percent_encoding::utf8_percent_encode;

use crate::consent;
use crate::engine::Engine;
use crate::faults::Fault;
use crate::labels;
use crate::links::COMPONENT;
use crate::response::{html_response, page, redirect};
use crate::results::ResultPage;
use crate::search::{Parameters, Search};
use crate::world::World;

/// Parts and size of the page that is too large: 30 MB.
const HUGE_PARTS: usize = 30;
const HUGE_PART: usize = 1_000_000;
/// Opens one dialog of each kind, and another when the page is left.
const DIALOGS: &str = "<script>addEventListener('beforeunload',function(e){e.preventDefault();e.returnValue='stay'});\
    alert('alert');confirm('confirm');prompt('prompt');</script>";
/// Keeps the page busy forever once it has loaded.
const ENDLESS_LOOP: &str = "<script>for(;;){}</script>";

/// Builds the response to a search with a fault, in the engine's form; 500 when a template fails. `origin` is the scheme and host the browser used,
/// `url` the address of the search; of `parameters`, `hop` counts the redirects so far.
pub(crate) fn answer(
    world: &World,
    fault: Fault,
    search: &Search,
    results: &ResultPage,
    parameters: &Parameters,
    origin: &str,
    url: &str,
) -> Response {
    let render = || world.renderer.results(results, origin);
    let with_script = |script: &str| render().map(|html| html.replacen("</body>", &format!("{script}</body>"), 1));
    let status = match (fault, search.engine) {
        (Fault::UnusualTraffic, Engine::Google) => StatusCode::SERVICE_UNAVAILABLE,
        (Fault::Forbidden, _) => StatusCode::FORBIDDEN,
        (Fault::BadGateway, _) => StatusCode::BAD_GATEWAY,
        _ => StatusCode::OK,
    };
    match (fault, search.engine) {
        (Fault::Consent, Engine::Google) => consent::to_wall(origin, url, search.language),
        (Fault::Captcha, Engine::Google) => {
            let back = utf8_percent_encode(url, COMPONENT);
            redirect(&format!("{origin}/google/sorry/index?continue={back}&q=simulated"))
        }
        (Fault::Forbidden | Fault::BadGateway, _) => {
            let name = status.canonical_reason().unwrap_or_default();
            let code = status.as_u16();
            page(
                status,
                Ok(format!(
                    "<!DOCTYPE html><html lang=en><title>Error {code} ({name})!!1</title><p><b>{code}.</b> <ins>That’s an error.</ins><p>{name}. <ins>That’s all we know.</ins>"
                )),
            )
        }
        (Fault::Redirects, _) => {
            let hop: u32 = parameters.get("hop").and_then(|hop| hop.parse().ok()).unwrap_or(0);
            let stem = url.split("&fault=redirects").next().unwrap_or(url);
            redirect(&format!("{stem}&fault=redirects&hop={}", hop.wrapping_add(1)))
        }
        (Fault::Hang, _) => send_unfinished(world, render()),
        (Fault::Huge, _) => send_huge(render()),
        (Fault::Dialogs, _) => page(status, with_script(DIALOGS)),
        (Fault::Loop, _) => page(status, with_script(ENDLESS_LOOP)),
        (Fault::Slow(_), _) => page(status, render()),
        (Fault::NoResults, _) => {
            let nothing = ResultPage::without_results(search, results.generation);
            page(status, world.renderer.results(&nothing, origin))
        }
        (_, engine) => {
            let template = match engine {
                Engine::Google => format!("google-{fault}.html"),
                Engine::Bing => "bing-faults.html".to_owned(),
            };
            let values = context! {
                t => Serde(labels::labels(search.language)),
                lang => search.language.code(),
                base => World::base(origin, engine),
                query => search.query.as_str(),
                fault => fault.to_string(),
            };
            page(status, world.renderer.other(&template, values))
        }
    }
}

/// Sends the first half of a page, then nothing until the server ends, while the connection stays open; 500 for a page that failed to render.
fn send_unfinished(world: &World, html: Result<String, minijinja::Error>) -> Response {
    let html = match html {
        Ok(html) => Bytes::from(html),
        Err(error) => return page(StatusCode::OK, Err(error)),
    };
    let stop = world.stop.clone();
    let half = stream::iter([Ok::<_, Infallible>(html.slice(..html.len() / 2))]);
    let silence = stream::once(async move { stop.cancelled().await }).map(|()| Ok(Bytes::new()));
    html_response(StatusCode::OK, Body::from_stream(half.chain(silence)))
}

/// Sends a result page with 30 MB of hidden text at its end; 500 for a page that failed to render.
fn send_huge(html: Result<String, minijinja::Error>) -> Response {
    let html = match html {
        Ok(html) => html,
        Err(error) => return page(StatusCode::OK, Err(error)),
    };
    let (head, tail) = html.split_at(html.rfind("</body>").unwrap_or(html.len()));
    let part = Bytes::from("0123456789".repeat(HUGE_PART / 10));
    let parts = std::iter::once(Bytes::from(format!("{head}<div hidden>")))
        .chain(std::iter::repeat_n(part, HUGE_PARTS))
        .chain([Bytes::from(format!("</div>{tail}"))]);
    html_response(
        StatusCode::OK,
        Body::from_stream(stream::iter(parts.map(Ok::<_, Infallible>).collect::<Vec<_>>())),
    )
}
