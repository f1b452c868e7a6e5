//! Answers an engine's question for consent, once per profile.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use headless_chrome::protocol::cdp::Network::CookieParam;
use headless_chrome::protocol::cdp::Storage::GetCookies;
use serde::Deserialize;
use vocabulary::Engine;

use super::failure::CaptureError;
use super::loading::evaluate;
use super::profile::ConsentKey;
use super::tab::Tab;

/// What an engine's question for consent is known by.
struct Question {
    /// Buttons that accept, the first that is there is pressed.
    accept: &'static [&'static str],
    /// Cookies that keep the answer. Nothing else outlives a job.
    cookies: &'static [&'static str],
}

const GOOGLE: Question = Question {
    accept: &[
        "button#L2AGLb",
        "form[action$='/save']:has(input[name=set_eom][value=false]) :is(button, input[type=submit])",
    ],
    cookies: &["SOCS", "CONSENT"],
};

const BING: Question = Question {
    accept: &["#bnp_btn_accept:is(button, a)", "#bnp_btn_accept a"],
    cookies: &["BCP"],
};

/// Says whether one of the buttons is there and seen, and presses it if told to.
const PRESS: &str = "((selectors, press) => {
    for (const selector of selectors) {
        const button = document.querySelector(selector);
        if (button && button.getClientRects().length > 0) {
            if (press) button.click();
            return true;
        }
    }
    return false;
})";

fn question(engine: Engine) -> &'static Question {
    match engine {
        Engine::Google => &GOOGLE,
        Engine::Bing => &BING,
    }
}

/// Whether the page asks for consent.
pub(super) async fn is_asked(tab: &Tab, engine: Engine) -> Result<bool, CaptureError> {
    find(tab, engine, false).await
}

/// Accepts when the page asks for consent; says whether it did.
pub(super) async fn answer(tab: &Tab, engine: Engine) -> Result<bool, CaptureError> {
    find(tab, engine, true).await
}

async fn find(tab: &Tab, engine: Engine, press: bool) -> Result<bool, CaptureError> {
    let selectors = serde_json::Value::from(question(engine).accept);
    let found = evaluate(tab, format!("{PRESS}({selectors}, {press})")).await?;
    Ok(found.unwrap_or(false))
}

#[derive(Deserialize)]
struct Cookies {
    cookies: Vec<Cookie>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cookie {
    name: String,
    value: String,
    domain: String,
    path: String,
    secure: bool,
    http_only: bool,
}

/// The cookies that keep the answer just given.
pub(super) async fn given_cookies(tab: &Tab, engine: Engine) -> Result<Vec<CookieParam>, CaptureError> {
    let all: Cookies = tab
        .browser_call_for(GetCookies {
            browser_context_id: Some(tab.context().to_owned()),
        })
        .await?;
    let kept = all
        .cookies
        .into_iter()
        .filter(|cookie| question(engine).cookies.contains(&cookie.name.as_str()));
    Ok(kept.map(to_be_set).collect())
}

fn to_be_set(cookie: Cookie) -> CookieParam {
    CookieParam {
        name: cookie.name,
        value: cookie.value,
        url: None,
        domain: Some(cookie.domain),
        path: Some(cookie.path),
        secure: Some(cookie.secure),
        http_only: Some(cookie.http_only),
        same_site: None,
        expires: None,
        priority: None,
        same_party: None,
        source_scheme: None,
        source_port: None,
        partition_key: None,
    }
}

/// The answers given, by profile, for as long as the pool lives.
#[derive(Default)]
pub(super) struct GivenConsent {
    cookies: Mutex<HashMap<ConsentKey, Vec<CookieParam>>>,
}

impl GivenConsent {
    /// The cookies of a profile; none when it was never asked.
    pub fn of(&self, key: &ConsentKey) -> Vec<CookieParam> {
        self.cookies
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(key)
            .cloned()
            .unwrap_or_default()
    }

    /// Keeps the cookies of a profile.
    pub fn keep(&self, key: ConsentKey, cookies: Vec<CookieParam>) {
        self.cookies
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(key, cookies);
    }
}
