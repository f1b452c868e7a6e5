//! Signing in with a provider of OpenID Connect, and what a provider, a browser or somebody between them can get wrong.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::routing::{get, post};
use axum::{Form, Json, Router};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use chrono::TimeDelta;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use runtime::Secret;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use url::Url;

use crate::app::App;

const START: &str = "/api/sign-in/provider/start";
const CLIENT: &str = "vigie";
const SECRET: &str = "client:secret";
const CODE: &str = "code-1";
const KEY: &str = "key-1";
const ME: &str = "/api/UserAccounts/me";

/// The header that proves the client, and a form.
type Redemption = (String, BTreeMap<String, String>);

/// A provider whose tokens say what a test wants.
#[derive(Clone)]
struct Provider {
    issuer: String,
    key: Arc<EcdsaKeyPair>,
    /// The ID token for [`CODE`].
    token: Arc<Mutex<String>>,
    /// What it was asked.
    asked: Arc<Mutex<Vec<Redemption>>>,
    /// What it says of a person beside the token, if anything.
    person: Arc<Mutex<Option<Value>>>,
}

fn fresh_key() -> EcdsaKeyPair {
    let random = SystemRandom::new();
    let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
    EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8.as_ref(), &random).unwrap()
}

impl Provider {
    async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let provider = Self {
            issuer: format!("http://{}", listener.local_addr().unwrap()),
            key: Arc::new(fresh_key()),
            token: Arc::default(),
            asked: Arc::default(),
            person: Arc::default(),
        };
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(Self::metadata))
            .route("/keys", get(Self::keys))
            .route("/token", post(Self::redeem))
            .route("/person", get(Self::person))
            .with_state(provider.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        provider
    }

    fn say(&self, token: String) {
        *self.token.lock().unwrap() = token;
    }
}

#[expect(clippy::unused_async, reason = "the router takes no other handlers")]
impl Provider {
    async fn metadata(State(provider): State<Self>) -> Json<Value> {
        let issuer = &provider.issuer;
        Json(json!({
            "issuer": issuer,
            "authorization_endpoint": format!("{issuer}/authorize?tenant=1"),
            "token_endpoint": format!("{issuer}/token"),
            "jwks_uri": format!("{issuer}/keys"),
            "userinfo_endpoint": provider.person.lock().unwrap().is_some().then(|| format!("{issuer}/person")),
        }))
    }

    async fn keys(State(provider): State<Self>) -> Json<Value> {
        let point = provider.key.public_key().as_ref();
        let (x, y) = point[1..].split_at(32);
        // A kind of key that nobody here knows stands beside it.
        Json(
            json!({"keys": [{"kty": "AKP", "kid": "key-0", "alg": "ML-DSA-44", "pub": "AA"}, {
                "kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": KEY,
                "x": URL_SAFE_NO_PAD.encode(x), "y": URL_SAFE_NO_PAD.encode(y),
            }]}),
        )
    }

    async fn redeem(
        State(provider): State<Self>,
        headers: HeaderMap,
        Form(form): Form<BTreeMap<String, String>>,
    ) -> (StatusCode, Json<Value>) {
        let proof = headers[header::AUTHORIZATION].to_str().unwrap().to_owned();
        let is_right = form["code"] == CODE;
        provider.asked.lock().unwrap().push((proof, form));
        if !is_right {
            return (StatusCode::BAD_REQUEST, Json(json!({"error": "invalid_grant"})));
        }
        let token = provider.token.lock().unwrap().clone();
        (
            StatusCode::OK,
            Json(json!({"id_token": token, "token_type": "Bearer", "access_token": "access-1"})),
        )
    }

    async fn person(State(provider): State<Self>, headers: HeaderMap) -> Json<Value> {
        assert_eq!(headers[header::AUTHORIZATION], "Bearer access-1");
        Json(provider.person.lock().unwrap().clone().unwrap_or_default())
    }
}

/// A token with these header and claims, signed by a key.
fn signed(header: &Value, claims: &Value, key: &EcdsaKeyPair) -> String {
    let text = format!(
        "{}.{}",
        URL_SAFE_NO_PAD.encode(header.to_string()),
        URL_SAFE_NO_PAD.encode(claims.to_string())
    );
    let signature = key.sign(&SystemRandom::new(), text.as_bytes()).unwrap();
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
}

fn es256() -> Value {
    json!({"alg": "ES256", "typ": "JWT", "kid": KEY})
}

/// An app that knows the provider.
async fn app_with(provider: &Provider) -> App {
    let mut app = App::start().await;
    let mut settings = crate::app::settings();
    settings.openid.issuer = Some(provider.issuer.parse().unwrap());
    settings.openid.client_id = CLIENT.into();
    settings.openid.client_secret = Secret::new(SECRET.to_owned());
    app.set(settings);
    app
}

/// A browser that was led to the provider: what it was given on the way, and the cookie it keeps.
struct Attempt {
    given: BTreeMap<String, String>,
    cookie: String,
}

impl Attempt {
    async fn begin(app: &App, redirect: &str) -> Self {
        let response = app.open(&format!("{START}?redirect={redirect}"), &[]).await;
        assert_eq!(response.status(), StatusCode::SEE_OTHER);
        let there: Url = response.headers()[header::LOCATION].to_str().unwrap().parse().unwrap();
        let cookie = response.headers()[header::SET_COOKIE].to_str().unwrap();
        assert!(
            cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"),
            "{cookie}"
        );
        Self {
            given: there.query_pairs().into_owned().collect(),
            cookie: cookie.split(';').next().unwrap().to_owned(),
        }
    }

    /// The claims that a right token has.
    fn claims(&self, app: &App, provider: &Provider) -> Value {
        let now = app.state.clock.now().timestamp();
        json!({
            "iss": provider.issuer, "aud": CLIENT, "sub": "person-1", "nonce": self.given["nonce"],
            "iat": now, "exp": now + 300, "email": "User@Acme.example", "email_verified": true,
        })
    }

    /// Comes back with a code; returns where it is led and the cookies it is given.
    async fn come_back(&self, app: &App, code: &str) -> (String, Vec<String>) {
        come_back(app, &format!("code={code}&state={}", self.given["state"]), &self.cookie).await
    }
}

async fn come_back(app: &App, query: &str, cookie: &str) -> (String, Vec<String>) {
    let path = format!("/api/sign-in/provider/callback?{query}");
    let response = app.open(&path, &[("cookie", cookie)]).await;
    assert_eq!(response.status(), StatusCode::SEE_OTHER);
    let target = response.headers()[header::LOCATION].to_str().unwrap().to_owned();
    let cookies = response.headers().get_all(header::SET_COOKIE).iter();
    (
        target,
        cookies.map(|value| value.to_str().unwrap().to_owned()).collect(),
    )
}

/// What becomes of a whole attempt, in which the provider says these claims: where the browser is led, and the token of its session.
async fn attempt_with(app: &App, provider: &Provider, change: impl FnOnce(&mut Value)) -> (String, Option<String>) {
    let attempt = Attempt::begin(app, "/").await;
    let mut claims = attempt.claims(app, provider);
    change(&mut claims);
    provider.say(signed(&es256(), &claims, &provider.key));
    let (target, cookies) = attempt.come_back(app, CODE).await;
    (target, session(&cookies))
}

/// The token of the session among cookies.
fn session(cookies: &[String]) -> Option<String> {
    let cookie = cookies.iter().find_map(|cookie| cookie.strip_prefix("access_token="))?;
    Some(cookie.split(';').next().unwrap().to_owned())
}

#[tokio::test]
async fn a_person_is_led_there_and_back_and_keeps_the_account() {
    let provider = Provider::start().await;
    let app = app_with(&provider).await;
    let user = app.company_user("acme").await;
    app.company_user("bolt").await;
    let shown = app.get("/api/sign-in/provider", &[]).await.body;
    assert_eq!(shown["label"], "127.0.0.1");

    let attempt = Attempt::begin(&app, "/domains").await;
    let given = &attempt.given;
    for (name, value) in [
        ("tenant", "1"),
        ("response_type", "code"),
        ("client_id", CLIENT),
        ("redirect_uri", "http://localhost:8080/api/sign-in/provider/callback"),
        ("scope", "openid email"),
        ("code_challenge_method", "S256"),
    ] {
        assert_eq!(given[name], value, "{name}");
    }
    provider.say(signed(&es256(), &attempt.claims(&app, &provider), &provider.key));
    let (target, cookies) = attempt.come_back(&app, CODE).await;
    assert_eq!(target, "/domains");
    let token = session(&cookies).unwrap();
    assert_eq!(app.get(ME, &[("token", &token)]).await.body["id"], user.0);
    let (proof, form) = provider.asked.lock().unwrap()[0].clone();
    assert_eq!(proof, format!("Basic {}", STANDARD.encode("vigie:client%3Asecret")));
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&form["code_verifier"]));
    assert_eq!(challenge, given["code_challenge"]);

    // The address has passed to somebody else, and this person has another one: neither changes whose account it is.
    let moved = attempt_with(&app, &provider, |claims| claims["email"] = json!("user@bolt.example")).await;
    let token = moved.1.unwrap();
    assert_eq!(app.get(ME, &[("token", &token)]).await.body["id"], user.0);
    let other = attempt_with(&app, &provider, |claims| claims["sub"] = json!("person-2")).await;
    assert_eq!(other, ("/login#unknown".to_owned(), None));
}

#[tokio::test]
async fn a_token_that_is_not_for_this_attempt_signs_nobody_in() {
    let provider = Provider::start().await;
    let app = app_with(&provider).await;
    app.company_user("acme").await;
    let now = app.state.clock.now().timestamp();
    let replaced: [(&str, Value); 8] = [
        ("nonce", json!("another")),
        ("nonce", Value::Null),
        ("aud", json!("another-client")),
        ("azp", json!("another-client")),
        ("iss", json!("https://evil.example")),
        ("exp", json!(now - 61)),
        ("iat", json!(now + 3_600)),
        ("sub", json!("")),
    ];
    for (claim, value) in replaced {
        let ended = attempt_with(&app, &provider, |claims| claims[claim] = value.clone()).await;
        assert_eq!(ended, ("/login#failed".to_owned(), None), "{claim}: {value}");
    }
    let attempt = Attempt::begin(&app, "/").await;
    let claims = attempt.claims(&app, &provider);
    let right = signed(&es256(), &claims, &provider.key);
    let unsigned = |algorithm: &str| {
        let header = json!({"alg": algorithm, "kid": KEY});
        let text = format!(
            "{}.{}.",
            URL_SAFE_NO_PAD.encode(header.to_string()),
            URL_SAFE_NO_PAD.encode(claims.to_string())
        );
        text
    };
    let other_key = json!({"alg": "ES256", "kid": "key-2"});
    for token in [
        signed(&es256(), &claims, &fresh_key()),
        signed(&other_key, &claims, &provider.key),
        signed(&json!({"alg": "HS256", "kid": KEY}), &claims, &provider.key),
        signed(&json!({"alg": "RS256", "kid": KEY}), &claims, &provider.key),
        unsigned("none"),
        unsigned("ES256"),
        right[..right.len() - 4].to_owned(),
        "no token".to_owned(),
        String::new(),
    ] {
        provider.say(token.clone());
        let (target, cookies) = attempt.come_back(&app, CODE).await;
        assert_eq!((target.as_str(), session(&cookies)), ("/login#failed", None), "{token}");
    }
    provider.say(right);
    let (target, cookies) = attempt.come_back(&app, "code-of-somebody-else").await;
    assert_eq!((target.as_str(), session(&cookies)), ("/login#failed", None));
    assert!(session(&attempt.come_back(&app, CODE).await.1).is_some());
}

#[tokio::test]
async fn an_address_that_the_provider_has_not_verified_opens_no_account() {
    let provider = Provider::start().await;
    let app = app_with(&provider).await;
    app.company_user("acme").await;
    for (claim, value) in [
        ("email_verified", json!(false)),
        ("email_verified", json!("false")),
        ("email_verified", Value::Null),
        ("email", Value::Null),
        ("email", json!("nobody@acme.example")),
    ] {
        let ended = attempt_with(&app, &provider, |claims| claims[claim] = value.clone()).await;
        assert_eq!(ended, ("/login#unknown".to_owned(), None), "{claim}: {value}");
    }
}

#[tokio::test]
async fn an_address_that_the_token_leaves_out_is_asked_for() {
    let provider = Provider::start().await;
    let app = app_with(&provider).await;
    app.company_user("acme").await;
    let email = "user@acme.example";
    for (person, ended) in [
        (
            json!({"sub": "person-1", "email": email, "email_verified": false}),
            "/login#unknown",
        ),
        (
            json!({"sub": "person-2", "email": email, "email_verified": true}),
            "/login#failed",
        ),
        (json!({"email": email, "email_verified": true}), "/login#failed"),
        (json!({"sub": "person-1", "email": email, "email_verified": true}), "/"),
    ] {
        *provider.person.lock().unwrap() = Some(person.clone());
        let (target, _) = attempt_with(&app, &provider, |claims| claims["email"] = Value::Null).await;
        assert_eq!(target, ended, "{person}");
    }
}

#[tokio::test]
async fn an_answer_belongs_to_the_browser_that_asked() {
    let provider = Provider::start().await;
    let app = app_with(&provider).await;
    app.company_user("acme").await;
    let (mine, other) = (Attempt::begin(&app, "/").await, Attempt::begin(&app, "/").await);
    provider.say(signed(&es256(), &mine.claims(&app, &provider), &provider.key));
    let query = format!("code={CODE}&state={}", mine.given["state"]);
    let stale = |answer: (String, Vec<String>)| {
        assert_eq!((answer.0.as_str(), session(&answer.1)), ("/login#stale", None));
    };
    // The answer in another browser, in none, with a cookie that was not sealed here, or without its state.
    stale(come_back(&app, &query, &other.cookie).await);
    stale(come_back(&app, &query, "").await);
    stale(come_back(&app, &query, "provider_sign_in=forged").await);
    stale(come_back(&app, &format!("code={CODE}"), &mine.cookie).await);
    stale(come_back(&app, &format!("code={CODE}&state="), &mine.cookie).await);
    let denied = format!("error=access_denied&state={}", mine.given["state"]);
    assert_eq!(come_back(&app, &denied, &mine.cookie).await.0, "/login#denied");
    assert!(provider.asked.lock().unwrap().is_empty());
    app.state.clock.advance(TimeDelta::minutes(10));
    stale(mine.come_back(&app, CODE).await);
}

#[tokio::test]
async fn nobody_is_led_to_another_site() {
    let provider = Provider::start().await;
    let app = app_with(&provider).await;
    app.company_user("acme").await;
    for redirect in ["https://evil.example", "//evil.example", "/%5Cevil.example", ""] {
        let attempt = Attempt::begin(&app, redirect).await;
        provider.say(signed(&es256(), &attempt.claims(&app, &provider), &provider.key));
        assert_eq!(attempt.come_back(&app, CODE).await.0, "/", "{redirect}");
    }
}

#[tokio::test]
async fn a_provider_that_is_silent_or_poses_as_another_is_not_believed() {
    let provider = Provider::start().await;
    let mut app = app_with(&provider).await;
    assert_eq!(App::start().await.get(START, &[]).await.status, StatusCode::NOT_FOUND);
    // The settings name an issuer that the provider does not call itself.
    let mut settings = crate::app::settings();
    settings.openid.issuer = Some(provider.issuer.replace("127.0.0.1", "localhost").parse().unwrap());
    app.set(settings.clone());
    let response = app.open(START, &[]).await;
    assert_eq!(response.headers()[header::LOCATION], "/login#failed");
    settings.openid.issuer = Some("http://127.0.0.1:9".parse().unwrap());
    app.set(settings.clone());
    assert_eq!(app.open(START, &[]).await.headers()[header::LOCATION], "/login#failed");
    // A provider beyond this machine needs TLS.
    settings.openid.issuer = Some("http://login.example".parse().unwrap());
    app.set(settings);
    assert_eq!(app.open(START, &[]).await.headers()[header::LOCATION], "/login#failed");
}

#[tokio::test]
async fn an_administrator_whom_the_provider_vouches_for_needs_no_second_factor_here() {
    let provider = Provider::start().await;
    let mut app = app_with(&provider).await;
    app.admin().await;
    let mut settings = (*app.state.settings).clone();
    settings.api.second_factor_of_administrators = true;
    app.set(settings);
    let admin = json!("admin@vigie.example");
    let (_, token) = attempt_with(&app, &provider, |claims| claims["email"] = admin).await;
    let token = token.unwrap();
    assert_eq!(app.get(ME, &[("token", &token)]).await.status, StatusCode::OK);
    // So does what is made in the session.
    let link = "/api/Sems/findAdvertisers/export?lng=en";
    let ticket = app
        .post("/api/exportTickets", &json!({"link": link}), &[("token", &token)])
        .await;
    let ticket = ticket.body["access_token"].as_str().unwrap();
    let file = app.get(&format!("{link}&access_token={ticket}"), &[]).await;
    assert_eq!(file.status, StatusCode::OK, "{}", file.body);
}

#[tokio::test]
async fn too_many_attempts_of_an_address_are_led_back() {
    let provider = Provider::start().await;
    let app = app_with(&provider).await;
    let mut tried = 0;
    while app.open(START, &[]).await.headers()[header::LOCATION] != "/login#busy" {
        tried += 1;
        assert!(tried <= 100, "{tried}");
    }
    assert_eq!(tried, 100);
}
