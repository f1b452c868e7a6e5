//! One capture in one tab.

use std::time::Duration;

use headless_chrome::protocol::cdp::Network::CookieParam;
use tokio::time::{Instant, timeout};
use url::Url;

use super::clearing::clear;
use super::consent::{self, ConsentStore};
use super::device::DeviceProfile;
use super::emulation::emulate;
use super::failure::CaptureError;
use super::loading::{load, read, settle};
use super::page::{CapturedPage, Timings};
use super::profile::Profile;
use super::resources::resources;
use super::screenshot::screenshot;
use super::settings::{EngineAddress, Limits};
use super::tab::Tab;
use super::watch::Response;

/// An accepted dialog navigates within this, or only closes itself.
const CONSENT_ANSWER_LIMIT: Duration = Duration::from_secs(3);

/// Lowest status that is an HTTP error.
const FIRST_ERROR_STATUS: u16 = 400;
/// How Chromium serialises a response without a body.
const EMPTY_PAGE: &str = "<html><head></head><body></body></html>";

/// One capture in one tab, with its settings.
pub(super) struct Job<'a> {
    pub profile: &'a Profile,
    pub engine: &'a EngineAddress,
    pub address: &'a Url,
    pub limits: &'a Limits,
    pub screenshot: bool,
    pub resources: bool,
    pub consent: &'a ConsentStore,
    /// As in `Chrome/156.0.8078.79`.
    pub browser_version: &'a str,
    pub asked_at: Instant,
}

impl Job<'_> {
    /// Clears the tab, emulates the profile, loads the address, answers a consent dialog and reads the page. Enforces no deadline. A page that
    /// strayed to another host, else broke off, else asks for consent again is returned within the error, with its picture. An HTTP error with an
    /// empty page is [`CaptureError::HttpError`]; any other page is returned whatever its status.
    pub async fn run(&self, tab: &Tab) -> Result<CapturedPage, CaptureError> {
        let cookies = self.consent.cookies(&self.profile.consent_key());
        self.prepare(tab, cookies).await?;
        let ready_at = Instant::now();
        load(tab, self.address, self.limits).await?;
        let consent = self.answer_consent(tab).await?;
        let loaded_at = Instant::now();
        let (html, final_url) = read(tab, self.limits).await?;
        let response = tab.state().borrow().response().cloned();
        let (status, headers) = response.as_ref().map_or((0, Vec::new()), status_and_headers);
        if status >= FIRST_ERROR_STATUS && html == EMPTY_PAGE {
            return Err(CaptureError::HttpError(status));
        }
        let strayed = !self.is_of_the_engine(&final_url);
        let incomplete = tab.state().borrow().incomplete.clone();
        if let Some(error) = &incomplete {
            tracing::warn!(error, url = %final_url, "a page broke off");
        }
        let resources = if self.resources {
            resources(tab).await?
        } else {
            Vec::new()
        };
        let screenshot = if self.screenshot || strayed || incomplete.is_some() || consent == Consent::AskedAgain {
            Some(screenshot(tab, DeviceProfile::for_device(self.profile.device)).await?)
        } else {
            None
        };
        let page = CapturedPage {
            html,
            final_url,
            status,
            headers,
            resources,
            screenshot,
            timings: Timings {
                ready: ready_at - self.asked_at,
                load: loaded_at - ready_at,
                read: loaded_at.elapsed(),
            },
            consent_answered: consent == Consent::Answered,
            browser_version: self.browser_version.to_owned(),
        };
        if strayed {
            Err(CaptureError::Strayed(Box::new(page)))
        } else if incomplete.is_some() {
            Err(CaptureError::Cut(Box::new(page)))
        } else if consent == Consent::AskedAgain {
            Err(CaptureError::Consent(Box::new(page)))
        } else {
            Ok(page)
        }
    }

    /// Clears the last job's state, sets the consent cookies and emulates this job's profile.
    async fn prepare(&self, tab: &Tab, cookies: Vec<CookieParam>) -> Result<(), CaptureError> {
        let version = self.browser_version.split_once('/').map_or("", |(_, number)| number);
        tokio::try_join!(clear(tab, cookies), emulate(tab, self.profile, version))?;
        Ok(())
    }

    /// Accepts when the engine asks for consent, then loads the search again and stores the answer for the profile; an engine that still asks is
    /// [`Consent::AskedAgain`], and nothing is stored.
    async fn answer_consent(&self, tab: &Tab) -> Result<Consent, CaptureError> {
        let asked_on = tab.state().borrow().navigations();
        if !consent::accept_if_asked(tab, self.profile.engine).await? {
            return Ok(Consent::NotAsked);
        }
        let mut state = tab.state();
        let sent_on = state.wait_for(|state| state.navigations() > asked_on);
        if timeout(CONSENT_ANSWER_LIMIT, sent_on).await.is_ok() {
            settle(tab, self.limits).await?;
        }
        let cookies = consent::answer_cookies(tab, self.profile.engine).await?;
        load(tab, self.address, self.limits).await?;
        if consent::is_asked(tab, self.profile.engine).await? {
            return Ok(Consent::AskedAgain);
        }
        self.consent.store(self.profile.consent_key(), cookies);
        Ok(Consent::Answered)
    }

    /// Returns whether an address is on one of the engine's hosts, over http or https.
    fn is_of_the_engine(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        matches!(url.scheme(), "http" | "https") && self.engine.hosts.iter().any(|pattern| pattern.matches(host))
    }
}

/// How the engine's consent dialog ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Consent {
    NotAsked,
    Answered,
    AskedAgain,
}

/// Returns the status and the sorted headers of a response: names in lower case, one entry for each repetition, without `set-cookie`.
fn status_and_headers(response: &Response) -> (u16, Vec<(String, String)>) {
    let lines = response.headers.iter().flat_map(|(name, value)| {
        let name = name.to_ascii_lowercase();
        value.split('\n').map(move |line| (name.clone(), line.to_owned()))
    });
    let mut headers: Vec<_> = lines.filter(|(name, _)| name != "set-cookie").collect();
    headers.sort_unstable();
    (response.status, headers)
}
