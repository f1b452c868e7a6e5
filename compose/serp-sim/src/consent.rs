//! Google's consent wall: a separate page with a form for each answer, which sets a cookie and leads back.

use std::sync::Arc;

use axum::extract::{Form, RawQuery, State};
use axum::http::header::{COOKIE, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use minijinja::context;
use minijinja::value::Serde;
use percent_encoding::utf8_percent_encode;

use crate::engine::Engine;
use crate::labels;
use crate::links::COMPONENT;
use crate::localization::Language;
use crate::response::{origin_of, page};
use crate::search::Parameters;
use crate::world::World;

/// Returns whether the browser has a cookie that answers the engine's wall, whatever the answer was.
pub(crate) fn is_answered(engine: Engine, headers: &HeaderMap) -> bool {
    let name = match engine {
        Engine::Google => "SOCS=",
        Engine::Bing => "BCP=",
    };
    let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    cookies
        .flat_map(|value| value.split(';'))
        .any(|cookie| cookie.trim_start().starts_with(name))
}

/// Redirects a search on Google to the wall in `language`, at `origin`, the scheme and host the browser used; the wall leads back to `search_url`.
pub(crate) fn to_wall(origin: &str, search_url: &str, language: Language) -> Response {
    let back = utf8_percent_encode(search_url, COMPONENT);
    let wall = format!(
        "{origin}/google/consent/ml?continue={back}&hl={}&m=0&pc=srp",
        language.code()
    );
    (StatusCode::FOUND, [(LOCATION, wall)]).into_response()
}

/// `GET /google/consent/ml`: the wall, in the language `hl` (English by default); its forms lead back to `continue`.
pub(crate) async fn wall(State(world): State<Arc<World>>, RawQuery(query): RawQuery, headers: HeaderMap) -> Response {
    let parameters = Parameters::from_query(query.as_deref().unwrap_or_default());
    let language = parameters
        .get("hl")
        .and_then(Language::from_tag)
        .unwrap_or(Language::English);
    let values = context! {
        t => Serde(labels::labels(language)),
        lang => language.code(),
        base => World::base(&origin_of(&headers), Engine::Google),
        continue => parameters.get("continue").unwrap_or_default(),
    };
    page(StatusCode::OK, world.renderer.other("google-consent.html", values))
}

/// `POST /google/consent/save`: stores the answer in a cookie and redirects (303) to `continue`, or to the home page where that is no address of this
/// Google.
pub(crate) async fn save(headers: HeaderMap, Form(form): Form<Vec<(String, String)>>) -> Response {
    let field = |name: &str| {
        form.iter()
            .find(|(key, _)| key == name)
            .map_or("", |(_, value)| value.as_str())
    };
    let origin = origin_of(&headers);
    let home = World::base(&origin, Engine::Google);
    let back = Some(field("continue"))
        .filter(|url| url.starts_with(&format!("{home}/")))
        .unwrap_or(&home)
        .to_owned();
    let answer = if field("set_eom") == "true" {
        "CAESHAgBEhIaAB"
    } else {
        "CAISHAgBEhIaAB"
    };
    let cookie = format!("SOCS={answer}; Path=/google; Max-Age=34128000; SameSite=Lax");
    (StatusCode::SEE_OTHER, [(LOCATION, back), (SET_COOKIE, cookie)]).into_response()
}
