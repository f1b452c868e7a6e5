//! Loads a page and reads it.

use std::time::Duration;

use headless_chrome::protocol::cdp::Page::CreateIsolatedWorld;
use headless_chrome::protocol::cdp::Runtime::Evaluate;
use serde::Deserialize;
use tokio::time::{Instant, timeout, timeout_at};
use url::Url;

use super::failure::CaptureError;
use super::settings::Limits;
use super::tab::{Tab, navigation};
use super::watch::PageState;

/// A page that never becomes quiet is read this long after its load.
const LONGEST_SETTLE: Duration = Duration::from_secs(3);

/// Returns the document and its address; no document when it is over the limit. Runs in an isolated world, where the page's scripts cannot
/// have replaced what it calls.
const SERIALISE: &str = "(limit => {
    const root = document.documentElement;
    const html = root ? root.outerHTML : '';
    const doctype = document.doctype ? new XMLSerializer().serializeToString(document.doctype) + '\\n' : '';
    return { url: document.URL, html: html.length > limit ? null : doctype + html };
})";

/// A serialised document.
#[derive(Deserialize)]
pub(super) struct LoadedDocument {
    /// Address of the document.
    pub url: Url,
    /// `None` when it is over the limit.
    pub html: Option<String>,
}

#[derive(Deserialize)]
struct Navigated {
    #[serde(rename = "errorText")]
    error: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Evaluated<T> {
    result: Value<T>,
}

#[derive(Deserialize)]
struct Value<T> {
    value: Option<T>,
}

/// Loads an address in the main frame and waits until the page is complete: loaded, then quiet for [`Limits::settle`], or [`LONGEST_SETTLE`] after
/// its load. Enforces no deadline; fails when the load breaks off.
pub(super) async fn load(tab: &Tab, address: &Url, limits: &Limits) -> Result<(), CaptureError> {
    navigate(tab, address, limits).await?;
    settle(tab, limits).await
}

/// Begins to load an address in the main frame. Enforces no deadline; fails when the load breaks off.
pub(super) async fn navigate(tab: &Tab, address: &Url, limits: &Limits) -> Result<(), CaptureError> {
    let mut state = tab.state();
    let navigated = tokio::select! {
        biased;
        broken = broken_off(tab, limits) => return Err(broken),
        navigated = tab.call_for::<_, Navigated>(navigation(address.as_str())) => navigated?,
    };
    match navigated.error {
        Some(error) => Err(network_error(&error, &state.borrow_and_update(), limits)),
        None => Ok(()),
    }
}

/// Waits until the page is loaded and then quiet for [`Limits::settle`]. A page that stays busy counts as complete [`LONGEST_SETTLE`] after its load;
/// when it navigates just then, waits on until that page is loaded. There is no limit to that here: the caller sets the deadline.
pub(super) async fn settle(tab: &Tab, limits: &Limits) -> Result<(), CaptureError> {
    wait(tab, limits, PageState::is_loaded).await?;
    let latest = Instant::now() + LONGEST_SETTLE;
    while Instant::now() < latest {
        if let Ok(quiet) = timeout_at(latest, wait(tab, limits, PageState::is_quiet)).await {
            quiet?;
        }
        match timeout(limits.settle, wait(tab, limits, |state| !state.is_quiet())).await {
            Ok(stirred) => stirred?,
            Err(_) => break,
        }
    }
    wait(tab, limits, PageState::is_loaded).await
}

/// Waits without a limit until `reached` holds for the page's state; fails when the load breaks off first or the tab is gone.
pub(super) async fn wait(tab: &Tab, limits: &Limits, reached: fn(&PageState) -> bool) -> Result<(), CaptureError> {
    let mut state = tab.state();
    let reached = state
        .wait_for(|state| reached(state) || load_failure(state, limits).is_some())
        .await;
    let Ok(reached) = reached else { return Err(tab_gone()) };
    load_failure(&reached, limits).map_or(Ok(()), Err)
}

/// Waits until something ends the load; returns it as an error.
async fn broken_off(tab: &Tab, limits: &Limits) -> CaptureError {
    let mut state = tab.state();
    match state.wait_for(|state| fatal_error(state, limits).is_some()).await {
        Ok(state) => fatal_error(&state, limits).unwrap_or_else(tab_gone),
        Err(_) => tab_gone(),
    }
}

fn tab_gone() -> CaptureError {
    CaptureError::Browser("the tab is gone".to_owned())
}

/// Returns what ends the load whatever the navigation itself returns: a crash, too many bytes or too many redirects.
fn fatal_error(state: &PageState, limits: &Limits) -> Option<CaptureError> {
    if state.crashed {
        Some(CaptureError::Browser("the page's process has crashed".to_owned()))
    } else if state.bytes.max(state.announced_bytes) > limits.page_bytes {
        Some(CaptureError::TooLarge {
            limit: limits.page_bytes,
        })
    } else if state.redirects > limits.redirects {
        Some(CaptureError::Redirects {
            limit: limits.redirects,
        })
    } else {
        None
    }
}

/// Returns why the page cannot be loaded: what is fatal, else the network error of its main document; `None` while nothing is wrong.
fn load_failure(state: &PageState, limits: &Limits) -> Option<CaptureError> {
    let broken = || state.broken.as_ref().map(|error| network_error(error, state, limits));
    fatal_error(state, limits).or_else(broken)
}

/// Maps Chromium's error text (`net::ERR_…`) to a capture error, [`CaptureError::Network`] unless it is a known one; a fatal state takes precedence.
fn network_error(error: &str, state: &PageState, limits: &Limits) -> CaptureError {
    if let Some(fatal) = fatal_error(state, limits) {
        return fatal;
    }
    match error {
        "net::ERR_TOO_MANY_REDIRECTS" => CaptureError::Redirects {
            limit: limits.redirects,
        },
        "net::ERR_HTTP_RESPONSE_CODE_FAILURE" => match state.response() {
            Some(response) => CaptureError::HttpError(response.status),
            None => CaptureError::Network(error.to_owned()),
        },
        "net::ERR_ABORTED" => CaptureError::Network("the answer is no page (a download, or nothing)".to_owned()),
        _ => CaptureError::Network(error.to_owned()),
    }
}

/// Serialises the page's document with its doctype; returns it with its final address. Fails when it is over [`Limits::page_bytes`].
pub(super) async fn read(tab: &Tab, limits: &Limits) -> Result<(String, Url), CaptureError> {
    let document: Option<LoadedDocument> = evaluate(tab, format!("{SERIALISE}({})", limits.page_bytes)).await?;
    let Some(document) = document else {
        return Err(CaptureError::Browser("the page could not be serialised".to_owned()));
    };
    match document.html.filter(|html| html.len() as u64 <= limits.page_bytes) {
        Some(html) => Ok((html, document.url)),
        None => Err(CaptureError::TooLarge {
            limit: limits.page_bytes,
        }),
    }
}

/// Evaluates a JavaScript expression in an isolated world: it sees the page's document but not its scripts. `None` when the expression throws or
/// returns nothing or null; an error when it returns no `T`. Promises are not awaited.
pub(super) async fn evaluate<T>(tab: &Tab, expression: String) -> Result<Option<T>, CaptureError>
where
    T: serde::de::DeserializeOwned,
{
    let world = tab.call(CreateIsolatedWorld {
        frame_id: tab.main_frame().to_owned(),
        world_name: None,
        grant_univeral_access: None,
    });
    let context_id = world.await?.execution_context_id;
    let evaluated: Evaluated<T> = tab
        .call_for(Evaluate {
            expression,
            object_group: None,
            include_command_line_api: None,
            silent: None,
            context_id: Some(context_id),
            return_by_value: Some(true),
            generate_preview: None,
            user_gesture: None,
            await_promise: None,
            throw_on_side_effect: None,
            timeout: None,
            disable_breaks: None,
            repl_mode: None,
            allow_unsafe_eval_blocked_by_csp: None,
            unique_context_id: None,
            serialization_options: None,
        })
        .await?;
    Ok(evaluated.result.value)
}
