//! Codes, refresh tokens and access tokens.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Form, Json};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use chrono::TimeDelta;
use rand::Rng;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::faults::Fault;
use crate::shared::Shared;
use crate::world::{CLIENT_ID, CLIENT_SECRET, Grant, Person, World};

const ACCESS_LIVES: TimeDelta = TimeDelta::hours(1);
const CODE_LIVES: TimeDelta = TimeDelta::minutes(10);

/// A request for a token.
#[derive(Deserialize)]
pub struct TokenForm {
    grant_type: String,
    code: Option<String>,
    code_verifier: Option<String>,
    redirect_uri: Option<String>,
    refresh_token: Option<String>,
    client_id: Option<String>,
    client_secret: Option<String>,
}

/// Answers `POST /token`, for codes and refresh tokens.
pub async fn token(State(shared): State<Shared>, headers: HeaderMap, Form(form): Form<TokenForm>) -> Response {
    if !is_our_client(&headers, &form) {
        return refused(
            StatusCode::UNAUTHORIZED,
            "invalid_client",
            "The OAuth client was not found.",
        );
    }
    let mut world = shared.world();
    let now = shared.clock.now();
    match form.grant_type.as_str() {
        "authorization_code" => {
            let code = form.code.as_deref().and_then(|code| world.codes.remove(code));
            let Some(code) = code.filter(|code| code.made + CODE_LIVES > now) else {
                return refused(StatusCode::BAD_REQUEST, "invalid_grant", "Malformed auth code.");
            };
            let verifier = form.code_verifier.unwrap_or_default();
            if URL_SAFE_NO_PAD.encode(Sha256::digest(verifier)) != code.challenge {
                return refused(StatusCode::BAD_REQUEST, "invalid_grant", "Invalid code verifier.");
            }
            if form.redirect_uri.as_deref() != Some(&code.redirect) {
                return refused(StatusCode::BAD_REQUEST, "redirect_uri_mismatch", "Bad Request");
            }
            let refresh = format!("1//{}", random());
            let grant = Grant {
                person: code.person,
                scopes: code.scopes.clone(),
            };
            world.grants.insert(refresh.clone(), grant);
            let mut answer = access(&mut world, &refresh, now);
            answer["refresh_token"] = refresh.into();
            answer["scope"] = code.scopes.join(" ").into();
            answer["id_token"] = identity(&code.person).into();
            Json(answer).into_response()
        }
        "refresh_token" => {
            if world.faults.takes_place(Fault::GrantRevoked) {
                world.grants.clear();
            }
            let refresh = form.refresh_token.unwrap_or_default();
            if !world.grants.contains_key(&refresh) {
                let text = "Token has been expired or revoked.";
                return refused(StatusCode::BAD_REQUEST, "invalid_grant", text);
            }
            Json(access(&mut world, &refresh, now)).into_response()
        }
        _ => refused(StatusCode::BAD_REQUEST, "unsupported_grant_type", "Invalid grant_type"),
    }
}

/// A token to be taken back.
#[derive(Deserialize)]
pub struct RevokeForm {
    token: String,
}

/// Answers `POST /revoke`, as Google does.
pub async fn revoke(State(shared): State<Shared>, Form(form): Form<RevokeForm>) -> Response {
    let mut world = shared.world();
    if world.grants.remove(&form.token).is_none() {
        return refused(StatusCode::BAD_REQUEST, "invalid_token", "Token expired or revoked");
    }
    world.access.retain(|_, (refresh, _)| *refresh != form.token);
    Json(json!({})).into_response()
}

/// A new access token of a grant.
fn access(world: &mut World, refresh: &str, now: chrono::DateTime<chrono::Utc>) -> Value {
    let token = format!("ya29.{}", random());
    world
        .access
        .insert(token.clone(), (refresh.to_owned(), now + ACCESS_LIVES));
    json!({"access_token": token, "expires_in": ACCESS_LIVES.num_seconds(), "token_type": "Bearer"})
}

/// Whether the request has the credentials of our client, in its header or its form.
fn is_our_client(headers: &HeaderMap, form: &TokenForm) -> bool {
    let basic = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok()?.strip_prefix("Basic "))
        .and_then(|text| STANDARD.decode(text).ok())
        .and_then(|bytes| String::from_utf8(bytes).ok());
    match basic {
        Some(pair) => pair == format!("{CLIENT_ID}:{CLIENT_SECRET}"),
        None => form.client_id.as_deref() == Some(CLIENT_ID) && form.client_secret.as_deref() == Some(CLIENT_SECRET),
    }
}

/// A token of identity, unsigned: nobody here checks it.
fn identity(person: &Person) -> String {
    let part = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let claims = json!({"email": person.email, "email_verified": true, "name": person.name});
    format!("{}.{}.", part(json!({"alg": "none"})), part(claims))
}

/// 128 random bits in hexadecimal digits.
pub fn random() -> String {
    let mut bytes = [0_u8; 16];
    rand::rng().fill_bytes(&mut bytes);
    hex::encode(bytes)
}

fn refused(status: StatusCode, error: &str, description: &str) -> Response {
    (status, Json(json!({"error": error, "error_description": description}))).into_response()
}
