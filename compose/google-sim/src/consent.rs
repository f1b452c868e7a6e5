//! The page on which people consent.

use std::fmt::Write as _;

use axum::Form;
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use serde::Deserialize;
use url::Url;

use crate::shared::Shared;
use crate::tokens::random;
use crate::world::{CLIENT_ID, Code, PEOPLE};

/// What is asked of a person.
#[derive(Deserialize)]
pub struct ConsentRequest {
    client_id: String,
    redirect_uri: String,
    response_type: String,
    scope: String,
    state: String,
    code_challenge: String,
    code_challenge_method: String,
    access_type: Option<String>,
}

/// `GET /o/oauth2/v2/auth`: the page, for a request that Google would take.
pub async fn page(Query(asked): Query<ConsentRequest>) -> Response {
    let wrong = if asked.client_id != CLIENT_ID {
        Some("invalid_client")
    } else if asked.response_type != "code" || asked.access_type.as_deref() != Some("offline") {
        Some("invalid_request")
    } else if asked.code_challenge_method != "S256" || asked.code_challenge.len() != 43 {
        Some("invalid_request: code_challenge")
    } else {
        None
    };
    if let Some(wrong) = wrong {
        let text = format!("<h1>Access blocked: authorization error</h1><p>Error 400: {wrong}</p>");
        return (StatusCode::BAD_REQUEST, Html(text)).into_response();
    }
    let mut scopes = String::new();
    for scope in asked.scope.split(' ').filter(|scope| scope.starts_with("https://")) {
        let scope = escape(scope);
        let _ = write!(
            scopes,
            "<label><input type=checkbox name=scopes value=\"{scope}\" checked> {scope}</label>"
        );
    }
    let mut people = String::new();
    for person in PEOPLE {
        let _ = write!(
            people,
            "<button name=person value={}><b>{}</b><span>{}</span></button>",
            person.key, person.name, person.email
        );
    }
    let hidden = |name: &str, value: &str| format!("<input type=hidden name={name} value=\"{}\">", escape(value));
    let fields = [
        hidden("redirect_uri", &asked.redirect_uri),
        hidden("state", &asked.state),
        hidden("code_challenge", &asked.code_challenge),
    ];
    Html(format!(
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\
         <title>Sign in - sandbox</title><style>body{{font:16px system-ui;margin:10vh auto;max-width:26rem;padding:0 1rem}}\
         label,button{{display:block;width:100%;margin:.5rem 0;overflow-wrap:anywhere}}button{{padding:.8rem;text-align:left;border:1px solid #ccc;border-radius:8px;background:#fff}}\
         button span{{display:block;color:#555}}</style><h1>Choose an account</h1><p>This is a sandbox of Google. It asks for:</p>\
         <form method=post>{}{scopes}{people}<button name=person value=nobody>Cancel</button></form></html>",
        fields.concat()
    ))
    .into_response()
}

/// `POST /o/oauth2/v2/auth`: sends the person back, with a code or a refusal. The form repeats its field for each scope.
pub async fn answer(State(shared): State<Shared>, Form(form): Form<Vec<(String, String)>>) -> Response {
    let field = |name: &str| {
        form.iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    };
    let Some(mut back) = field("redirect_uri").and_then(|address| Url::parse(address).ok()) else {
        return (StatusCode::BAD_REQUEST, "redirect_uri_mismatch").into_response();
    };
    let state = field("state").unwrap_or_default().to_owned();
    match PEOPLE.iter().find(|person| Some(person.key) == field("person")) {
        Some(person) => {
            let scopes = form
                .iter()
                .filter(|(key, _)| key == "scopes")
                .map(|(_, value)| value.clone());
            let code = Code {
                person: *person,
                scopes: ["openid", "email"]
                    .map(str::to_owned)
                    .into_iter()
                    .chain(scopes)
                    .collect(),
                challenge: field("code_challenge").unwrap_or_default().to_owned(),
                redirect: back.to_string(),
                made: shared.clock.now(),
            };
            let name = format!("4/{}", random());
            shared.world().codes.insert(name.clone(), code);
            back.query_pairs_mut()
                .append_pair("state", &state)
                .append_pair("code", &name);
        }
        None => {
            back.query_pairs_mut()
                .append_pair("state", &state)
                .append_pair("error", "access_denied");
        }
    }
    (StatusCode::SEE_OTHER, [(header::LOCATION, back.to_string())]).into_response()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
