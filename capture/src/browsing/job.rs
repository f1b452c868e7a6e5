//! One capture in one tab.

use std::time::Duration;

use headless_chrome::protocol::cdp::Network::CookieParam;
use tokio::time::{Instant, timeout};
use url::Url;

use super::clearing::clear;
use super::consent::{self, GivenConsent};
use super::device::DeviceProfile;
use super::emulation::emulate;
use super::failure::CaptureError;
use super::loading::{load, read, settle};
use super::page::{CapturedPage, Timings};
use super::profile::Profile;
use super::screenshot::screenshot;
use super::settings::{EngineAddress, Limits};
use super::tab::Tab;
use super::watch::Response;

/// An accepted question sends its answer on within this, or only closes itself.
const CONSENT_ANSWER_LIMIT: Duration = Duration::from_secs(3);

/// HTTP errors begin here.
const FIRST_ERROR_STATUS: u16 = 400;
/// What an answer without a body is serialised as.
const EMPTY_PAGE: &str = "<html><head></head><body></body></html>";

/// One capture.
pub(super) struct Job<'a> {
    pub profile: &'a Profile,
    pub engine: &'a EngineAddress,
    pub address: &'a Url,
    pub limits: &'a Limits,
    pub screenshot: bool,
    pub consent: &'a GivenConsent,
    /// As in `Chrome/156.0.8078.79`.
    pub browser_version: &'a str,
    pub asked_at: Instant,
}

impl Job<'_> {
    /// Captures in this tab, whatever it was used for before.
    pub async fn run(&self, tab: &Tab) -> Result<CapturedPage, CaptureError> {
        let given = self.consent.of(&self.profile.consent_key());
        self.prepare(tab, given).await?;
        let ready_at = Instant::now();
        load(tab, self.address, self.limits).await?;
        let consent_answered = self.answer_consent(tab).await?;
        let loaded_at = Instant::now();
        let (html, final_url) = read(tab, self.limits).await?;
        self.refuse_strangers(&final_url)?;
        let response = tab.state().borrow().response().cloned();
        let (status, headers) = response.map_or((0, Vec::new()), split);
        if status >= FIRST_ERROR_STATUS && html == EMPTY_PAGE {
            return Err(CaptureError::HttpError(status));
        }
        let mut picture = None;
        if self.screenshot {
            picture = Some(screenshot(tab, DeviceProfile::of(self.profile.device)).await?);
        }
        Ok(CapturedPage {
            html,
            final_url,
            status,
            headers,
            screenshot: picture,
            timings: Timings {
                ready: ready_at - self.asked_at,
                load: loaded_at - ready_at,
                read: loaded_at.elapsed(),
            },
            consent_answered,
            browser_version: self.browser_version.to_owned(),
        })
    }

    /// Takes the last job's state off the tab and makes it look like this job's profile.
    async fn prepare(&self, tab: &Tab, given: Vec<CookieParam>) -> Result<(), CaptureError> {
        let version = self.browser_version.split_once('/').map_or("", |(_, number)| number);
        tokio::try_join!(clear(tab, given), emulate(tab, self.profile, version))?;
        Ok(())
    }

    /// Accepts when the engine asks for consent, keeps the answer for the profile, and searches again.
    async fn answer_consent(&self, tab: &Tab) -> Result<bool, CaptureError> {
        let asked_on = tab.state().borrow().navigations();
        if !consent::answer(tab, self.profile.engine).await? {
            return Ok(false);
        }
        let mut state = tab.state();
        let sent_on = state.wait_for(|state| state.navigations() > asked_on);
        if timeout(CONSENT_ANSWER_LIMIT, sent_on).await.is_ok() {
            settle(tab, self.limits).await?;
        }
        let cookies = consent::given_cookies(tab, self.profile.engine).await?;
        load(tab, self.address, self.limits).await?;
        if consent::answer(tab, self.profile.engine).await? {
            return Err(CaptureError::Consent);
        }
        self.consent.keep(self.profile.consent_key(), cookies);
        Ok(true)
    }

    fn refuse_strangers(&self, url: &Url) -> Result<(), CaptureError> {
        let host = url.host_str().unwrap_or_default();
        let web = matches!(url.scheme(), "http" | "https");
        if web && self.engine.hosts.iter().any(|pattern| pattern.matches(host)) {
            return Ok(());
        }
        Err(CaptureError::Strayed(if web {
            host.to_owned()
        } else {
            url.to_string()
        }))
    }
}

fn split(response: Response) -> (u16, Vec<(String, String)>) {
    let mut headers: Vec<_> = response
        .headers
        .into_iter()
        .map(|(name, value)| (name.to_ascii_lowercase(), value))
        .collect();
    headers.sort_unstable();
    (response.status, headers)
}
