//! Follows a tab's events: what they say about the page it loads, and the responses they need at once.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use headless_chrome::protocol::cdp::Page::HandleJavaScriptDialog;
use serde::Deserialize;
use tokio::sync::{mpsc, watch};

use super::gate::Gate;
use super::wire::{Event, SessionId, Wire};

/// HTTP status of a complete response.
const OK: u16 = 200;

/// What a tab's events say about the page it loads.
#[derive(Clone, Debug, Default)]
pub(super) struct PageState {
    /// The main frame's requested documents by loader, with the response once there is one.
    documents: HashMap<String, Option<Response>>,
    /// Loader of the document in flight.
    pending: Option<String>,
    /// Loader of the document that is shown.
    committed: Option<String>,
    /// Loader of the document whose load event came last.
    loaded: Option<String>,
    /// Requests in flight that can still change the page.
    busy: HashSet<String>,
    /// Addresses of images, style sheets and fonts in flight, by request.
    requested: HashMap<String, String>,
    /// Images, style sheets and fonts that arrived.
    pub resources: Vec<Loaded>,
    /// Origins whose storage the page may have used.
    pub origins: HashSet<String>,
    /// Redirects and further navigations of the main frame.
    pub redirects: u32,
    /// Decoded bytes of the page with all it has loaded.
    pub bytes: u64,
    /// Length of the main document as the engine announced it, in bytes on the wire.
    pub announced_bytes: u64,
    /// Why the main document failed to load.
    pub broken: Option<String>,
    /// Why the shown document is incomplete.
    pub incomplete: Option<String>,
    /// Whether the page's process is gone.
    pub crashed: bool,
}

/// An image, style sheet or font that the browser still has.
#[derive(Clone, Debug)]
pub(super) struct Loaded {
    pub request: String,
    /// The address the page requested.
    pub url: String,
    pub mime: String,
    /// Bytes on the wire; 0 when the response does not say.
    pub announced_bytes: u64,
}

/// The engine's response to the main document's request.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Response {
    /// Its HTTP status.
    pub status: u16,
    /// Names and values; repeated headers are lines of one value.
    #[serde(default)]
    pub headers: HashMap<String, String>,
    #[serde(default)]
    mime_type: String,
}

impl Response {
    /// Returns the response's `content-length`; 0 when it is missing or no number.
    fn announced_bytes(&self) -> u64 {
        let length = self
            .headers
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        length.and_then(|(_, value)| value.parse().ok()).unwrap_or_default()
    }
}

impl PageState {
    /// Returns whether no navigation is in flight and the shown document is a requested one whose load event has come, or never will because the
    /// document broke off.
    pub fn is_loaded(&self) -> bool {
        self.pending.is_none()
            && self.committed.is_some()
            && (self.committed == self.loaded || self.incomplete.is_some())
            && self
                .committed
                .as_ref()
                .is_some_and(|loader| self.documents.contains_key(loader))
    }

    /// Whether the page is loaded and nothing that could change it is in flight.
    pub fn is_quiet(&self) -> bool {
        self.is_loaded() && self.busy.is_empty()
    }

    /// Returns the response of the shown document; else that of any document that was requested. `None` before the first arrives.
    pub fn response(&self) -> Option<&Response> {
        let shown = self
            .committed
            .as_ref()
            .and_then(|loader| self.documents.get(loader))
            .and_then(Option::as_ref);
        shown.or_else(|| self.documents.values().find_map(Option::as_ref))
    }

    /// How many documents the main frame has requested.
    pub fn navigations(&self) -> usize {
        self.documents.len()
    }
}

/// Parameters of `Network.requestWillBeSent`; the browser also sends it for each redirect of a request.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestWillBeSent {
    request_id: String,
    request: Request,
    loader_id: String,
    #[serde(rename = "type")]
    kind: Option<String>,
    frame_id: Option<String>,
    redirect_response: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct Request {
    url: String,
}

/// Parameters of `Network.responseReceived`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResponseReceived {
    request_id: String,
    loader_id: String,
    #[serde(rename = "type")]
    kind: String,
    frame_id: Option<String>,
    response: Response,
}

/// Parameters of `Network.loadingFinished` and `Network.loadingFailed`; only the second has an error.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Finished {
    request_id: String,
    error_text: Option<String>,
    /// The page or its driver cancelled the rest.
    #[serde(default)]
    canceled: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DataReceived {
    data_length: u64,
}

#[derive(Deserialize)]
struct FrameNavigated {
    frame: Frame,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Frame {
    id: String,
    loader_id: String,
    #[serde(default)]
    security_origin: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Lifecycle {
    frame_id: String,
    loader_id: String,
    name: String,
}

#[derive(Deserialize)]
struct DialogOpening {
    #[serde(rename = "type")]
    kind: String,
}

/// Keeps a tab's [`PageState`] up to date from its events, and answers those that wait for a response.
pub(super) struct Watcher {
    pub wire: Arc<Wire>,
    pub session: SessionId,
    pub main_frame: String,
    /// A page over this many bytes is reported at once.
    pub page_bytes: u64,
    /// Decides on requests when the tab uses a proxy.
    pub gate: Option<Arc<Gate>>,
    pub state: watch::Sender<PageState>,
}

impl Watcher {
    /// Applies events to the state until the tab is gone; the state's channel then closes.
    pub async fn run(self, mut events: mpsc::UnboundedReceiver<Event>) {
        while let Some(event) = events.recv().await {
            self.handle(&event);
        }
    }

    /// Applies one event to the state, or answers it (dialogs, and requests paused for the gate, if there is one); other events are ignored.
    fn handle(&self, event: &Event) {
        match event.method.as_str() {
            "Network.requestWillBeSent" => self.update(event, Self::request_will_be_sent),
            "Network.responseReceived" => self.update(event, Self::response_received),
            "Network.loadingFinished" | "Network.loadingFailed" => {
                self.update(event, |_, state, event| request_ended(state, &event));
            }
            "Network.dataReceived" => self.update(event, |watcher, state, DataReceived { data_length }| {
                state.bytes = state.bytes.saturating_add(data_length);
                state.bytes > watcher.page_bytes
            }),
            "Page.frameNavigated" => self.update(event, Self::frame_navigated),
            "Page.lifecycleEvent" => self.update(event, Self::lifecycle),
            "Inspector.targetCrashed" => self.state.send_modify(|state| state.crashed = true),
            "Page.javascriptDialogOpening" => self.answer_dialog(event),
            "Fetch.requestPaused" | "Fetch.authRequired" => {
                if let Some(gate) = &self.gate {
                    gate.answer(&self.wire, &self.session, event);
                }
            }
            _ => {}
        }
    }

    /// Parses an event's parameters and changes the state; wakes those that watch the state when `change` returns true. An event of an unexpected
    /// form is logged and skipped.
    fn update<P: serde::de::DeserializeOwned>(&self, event: &Event, change: fn(&Self, &mut PageState, P) -> bool) {
        let Some(params) = event.params::<P>() else {
            tracing::warn!(event = event.method, "an event of another form than expected");
            return;
        };
        self.state.send_if_modified(|state| change(self, state, params));
    }

    /// Notes a request: the main frame's documents, where each after the first and each redirect counts as a redirect; addresses of images, style
    /// sheets and fonts; and what keeps the page busy: documents, scripts, style sheets and requests by scripts. Returns whether it keeps the page
    /// busy.
    fn request_will_be_sent(&self, state: &mut PageState, request: RequestWillBeSent) -> bool {
        let kind = request.kind.as_deref().unwrap_or_default();
        if kind == "Document" && request.frame_id.as_deref() == Some(&self.main_frame) {
            if request.redirect_response.is_some() || !state.documents.is_empty() {
                state.redirects += 1;
            }
            state.documents.insert(request.loader_id.clone(), None);
            state.pending = Some(request.loader_id);
        }
        if is_resource(kind) && request.request.url.starts_with("http") {
            // A redirect keeps the request's id.
            state
                .requested
                .entry(request.request_id.clone())
                .or_insert(request.request.url);
        }
        if !matches!(kind, "Document" | "Script" | "Stylesheet" | "XHR" | "Fetch") {
            return false;
        }
        state.busy.insert(request.request_id);
        true
    }

    /// Notes an image, style sheet or font that arrived with status 200, or the main document's response. Returns whether the main document's
    /// announced length is over the limit.
    fn response_received(&self, state: &mut PageState, received: ResponseReceived) -> bool {
        if is_resource(&received.kind) {
            let url = state.requested.remove(&received.request_id);
            state
                .resources
                .extend(url.filter(|_| received.response.status == OK).map(|url| Loaded {
                    request: received.request_id,
                    url,
                    announced_bytes: received.response.announced_bytes(),
                    mime: received.response.mime_type,
                }));
            return false;
        }
        if received.kind != "Document" || received.frame_id.as_deref() != Some(&self.main_frame) {
            return false;
        }
        state.announced_bytes = received.response.announced_bytes();
        state.documents.insert(received.loader_id, Some(received.response));
        state.announced_bytes > self.page_bytes
    }

    /// Notes the http(s) origin of a frame and, for the main frame, that its document is now shown and, if it was the pending one, no longer pending;
    /// another document stays pending. A document other than the one shown before resets `incomplete`. Returns whether it was the main frame.
    fn frame_navigated(&self, state: &mut PageState, navigated: FrameNavigated) -> bool {
        let Frame {
            id,
            loader_id,
            security_origin,
        } = navigated.frame;
        if security_origin.starts_with("http") {
            state.origins.insert(security_origin);
        }
        if id != self.main_frame {
            return false;
        }
        if state.pending.as_ref() == Some(&loader_id) {
            state.pending = None;
        }
        if state.committed.as_ref() != Some(&loader_id) {
            state.incomplete = None;
        }
        state.committed = Some(loader_id);
        true
    }

    /// Notes the main frame's load event; returns whether this was it.
    fn lifecycle(&self, state: &mut PageState, event: Lifecycle) -> bool {
        let load = event.name == "load" && event.frame_id == self.main_frame;
        if load {
            state.loaded = Some(event.loader_id);
        }
        load
    }

    /// Dismisses a JavaScript dialog, but accepts one of `beforeunload`, so that the page can be left. Does not wait for the browser.
    fn answer_dialog(&self, event: &Event) {
        let accept = event
            .params::<DialogOpening>()
            .is_some_and(|dialog| dialog.kind == "beforeunload");
        self.wire.notify(
            Some(&self.session),
            HandleJavaScriptDialog {
                accept,
                prompt_text: None,
            },
        );
    }
}

/// Returns whether requests of this kind are for files that may be returned with the page.
fn is_resource(kind: &str) -> bool {
    matches!(kind, "Image" | "Stylesheet" | "Font")
}

/// Notes that a request has ended: a failed main document is `broken` before it is shown, and `incomplete` afterwards unless the rest was cancelled.
/// Returns whether the request kept the page busy.
fn request_ended(state: &mut PageState, finished: &Finished) -> bool {
    // A document's request has its loader's id.
    if let Some(error) = &finished.error_text {
        if state.pending.as_ref() == Some(&finished.request_id) {
            state.pending = None;
            state.broken = Some(error.clone());
        } else if state.committed.as_ref() == Some(&finished.request_id) && !finished.canceled {
            state.incomplete = Some(error.clone());
        }
    }
    state.busy.remove(&finished.request_id)
}
