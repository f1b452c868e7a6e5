//! Answers an engine's consent dialog, once per profile.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use headless_chrome::protocol::cdp::Network::CookieParam;
use headless_chrome::protocol::cdp::Storage::GetCookies;
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use vocabulary::{Device, Engine, Locale};

use super::failure::CaptureError;
use super::loading::evaluate;
use super::profile::ConsentKey;
use super::tab::Tab;

/// What identifies an engine's consent dialog.
struct ConsentDialog {
    /// Selectors of accept buttons; the first one on the page is pressed.
    accept: &'static [&'static str],
    /// Cookies that store the answer. Nothing else outlives a job.
    cookies: &'static [&'static str],
}

const GOOGLE: ConsentDialog = ConsentDialog {
    accept: &[
        "button#L2AGLb",
        "form[action$='/save']:has(input[name=set_eom][value=false]) :is(button, input[type=submit])",
    ],
    cookies: &["SOCS", "CONSENT"],
};

const BING: ConsentDialog = ConsentDialog {
    accept: &["#bnp_btn_accept:is(button, a)", "#bnp_btn_accept a"],
    cookies: &["BCP"],
};

/// Returns whether one of the buttons is visible, and presses it when `press` is set.
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

/// Returns the selectors and cookie names of an engine's consent dialog.
fn dialog_of(engine: Engine) -> &'static ConsentDialog {
    match engine {
        Engine::Google => &GOOGLE,
        Engine::Bing => &BING,
    }
}

/// Returns whether an accept button of the engine's consent dialog is visible on the page; presses nothing.
pub(super) async fn is_asked(tab: &Tab, engine: Engine) -> Result<bool, CaptureError> {
    find_button(tab, engine, false).await
}

/// Presses the accept button if the page shows the engine's consent dialog; returns whether it did. Does not wait for what the page does then.
pub(super) async fn accept_if_asked(tab: &Tab, engine: Engine) -> Result<bool, CaptureError> {
    find_button(tab, engine, true).await
}

/// Returns whether one of the engine's accept buttons is visible, and presses the first when `press` is set; false where the page returns nothing.
async fn find_button(tab: &Tab, engine: Engine, press: bool) -> Result<bool, CaptureError> {
    let selectors = serde_json::Value::from(dialog_of(engine).accept);
    let found = evaluate(tab, format!("{PRESS}({selectors}, {press})")).await?;
    Ok(found.unwrap_or(false))
}

#[derive(Deserialize)]
struct Cookies {
    cookies: Vec<Cookie>,
}

/// A cookie in the form the browser reports it, as far as it is needed to set it elsewhere.
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

/// Reads from the tab's context the cookies in which the engine stores its consent answer; empty when it has set none.
pub(super) async fn answer_cookies(tab: &Tab, engine: Engine) -> Result<Vec<CookieParam>, CaptureError> {
    let all: Cookies = tab
        .browser_call_for(GetCookies {
            browser_context_id: Some(tab.context().to_owned()),
        })
        .await?;
    let cookies = all
        .cookies
        .into_iter()
        .filter(|cookie| dialog_of(engine).cookies.contains(&cookie.name.as_str()));
    Ok(cookies.map(settable).collect())
}

/// Converts a cookie read from a browser to one that can be set in another context, where it lasts for that context's session, whenever it was to
/// expire.
fn settable(cookie: Cookie) -> CookieParam {
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

/// Consent cookies by engine, device and locale, kept in a file so that engines do not ask again after a restart. Several worker processes may share
/// the file.
pub(super) struct ConsentStore {
    file: PathBuf,
    cookies: Mutex<HashMap<ConsentKey, Vec<CookieParam>>>,
}

/// One entry of the file.
#[derive(Serialize, Deserialize)]
struct StoredConsent {
    engine: Engine,
    device: Device,
    locale: Locale,
    cookies: Vec<CookieParam>,
}

impl ConsentStore {
    /// Reads the answers from the file; starts empty when the file is missing or unreadable.
    pub fn read(file: PathBuf) -> Self {
        let cookies = Mutex::new(read_stored(&file));
        Self { file, cookies }
    }

    /// Returns the consent cookies of a profile; empty when the engine has never asked it.
    pub fn cookies(&self, key: &ConsentKey) -> Vec<CookieParam> {
        let cookies = self.cookies.lock().unwrap_or_else(PoisonError::into_inner);
        cookies.get(key).cloned().unwrap_or_default()
    }

    /// Replaces a profile's cookies in memory and rewrites the file, with the profiles that other workers have added meanwhile; of a profile in both,
    /// memory counts. A file that cannot be written is logged only.
    pub fn store(&self, key: ConsentKey, cookies: Vec<CookieParam>) {
        let mut by_profile = self.cookies.lock().unwrap_or_else(PoisonError::into_inner);
        // Keep what other workers have added meanwhile.
        for (other, stored) in read_stored(&self.file) {
            by_profile.entry(other).or_insert(stored);
        }
        by_profile.insert(key, cookies);
        let lines = by_profile
            .iter()
            .map(|((engine, device, locale), cookies)| StoredConsent {
                engine: *engine,
                device: *device,
                locale: locale.clone(),
                cookies: cookies.clone(),
            });
        if let Err(error) = write_stored(&self.file, &lines.collect::<Vec<_>>()) {
            tracing::warn!(file = %self.file.display(), %error, "consent is kept until this process ends only");
        }
    }
}

/// Reads the stored cookies by engine, device and locale; empty when the file is missing, cannot be read or does not parse.
fn read_stored(file: &Path) -> HashMap<ConsentKey, Vec<CookieParam>> {
    let text = std::fs::read(file).unwrap_or_default();
    let stored: Vec<StoredConsent> = serde_json::from_slice(&text).unwrap_or_default();
    stored
        .into_iter()
        .map(|one| ((one.engine, one.device, one.locale), one.cookies))
        .collect()
}

/// Replaces the file atomically: whoever reads it gets the old content or the new one, never half of one.
fn write_stored(file: &Path, stored: &[StoredConsent]) -> std::io::Result<()> {
    let new = file.with_extension(format!("{}.new", Uuid::new_v4().simple()));
    std::fs::write(&new, serde_json::to_vec(stored)?)?;
    std::fs::rename(&new, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cookie(value: &str) -> Vec<CookieParam> {
        let cookie = Cookie {
            name: "SOCS".into(),
            value: value.into(),
            domain: "engine.example".into(),
            path: "/".into(),
            secure: false,
            http_only: false,
        };
        vec![settable(cookie)]
    }

    fn key(locale: &str) -> ConsentKey {
        (Engine::Google, Device::Desktop, locale.parse().unwrap())
    }

    #[test]
    fn workers_that_share_a_file_add_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("consent.json");
        let (one, other) = (ConsentStore::read(file.clone()), ConsentStore::read(file.clone()));
        one.store(key("fr_FR"), cookie("one"));
        other.store(key("de_DE"), cookie("other"));
        let third = ConsentStore::read(file);
        assert_eq!(third.cookies(&key("fr_FR")), cookie("one"));
        assert_eq!(third.cookies(&key("de_DE")), cookie("other"));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_is_none_is_the_same_as_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("consent.json");
        std::fs::write(&file, "[{").unwrap();
        let consent = ConsentStore::read(file);
        assert!(consent.cookies(&key("fr_FR")).is_empty());
        consent.store(key("fr_FR"), cookie("new"));
        assert_eq!(consent.cookies(&key("fr_FR")), cookie("new"));
    }
}
