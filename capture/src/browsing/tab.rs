//! One tab of a browser, in its own browser context.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use headless_chrome::protocol::cdp::Browser::{SetDownloadBehavior, SetDownloadBehaviorBehaviorOption};
use headless_chrome::protocol::cdp::Target::{
    AttachToTarget, CloseTarget, CreateBrowserContext, CreateTarget, DisposeBrowserContext,
};
use headless_chrome::protocol::cdp::types::Method;
use headless_chrome::protocol::cdp::{Emulation, Inspector, Network, Page};
use serde::Serialize;
use tokio::sync::watch;
use tokio::time::timeout;

use super::gate::Gate;
use super::targets::OwnTargets;
use super::watch::{PageState, Watcher};
use super::wire::{SessionId, Wire, WireError};

/// A new process costs about a quarter of a small page, and grows with its pages: 16 cost what 32 do (119 ms a page; 4 cost 132 ms).
const PAGES_A_PROCESS: u32 = 16;
/// Scripts of a page that was read end within this.
const SCRIPTS_LIMIT: Duration = Duration::from_secs(1);
/// What a tab shows before its first page.
const BLANK: &str = "about:blank";

/// One tab with its own cookies, storage and cache. Each job gets a new page in it: everything else a page keeps (session storage, history,
/// its name) goes with the page. That costs no more processor time than continuing in the same page (measured: 0.43 s a page against 0.39 s
/// at first and 0.53 s later).
pub(super) struct Tab {
    wire: Arc<Wire>,
    session: SessionId,
    target: String,
    context: String,
    state: watch::Receiver<PageState>,
    settings: TabSettings,
    /// Number of pages before this one.
    pages: u32,
    /// The origins whose storage the last page may have used.
    pub used_origins: HashSet<String>,
}

/// Settings of a tab.
#[derive(Clone)]
pub(super) struct TabSettings {
    /// A page over this many bytes is reported at once.
    pub page_bytes: u64,
    /// The proxy of its context; `None` for a direct connection.
    pub gate: Option<Arc<Gate>>,
}

impl Tab {
    /// Opens a tab in a new browser context that refuses downloads, and registers it with `targets` as ours. On failure the context may stay open.
    pub async fn open(wire: &Arc<Wire>, targets: &OwnTargets, settings: TabSettings) -> Result<Self, WireError> {
        let context = create_context_call(settings.gate.as_deref());
        let context = wire.call(None, context).await?.browser_context_id;
        wire.call(None, refuse_downloads(&context)).await?;
        Self::open_in(context, wire, targets, settings).await
    }

    /// Replaces the tab's page with a new one in the same context; the old page is closed when this returns, without a last word of its scripts.
    /// Every [`PAGES_A_PROCESS`] pages the renderer process is replaced too. The new tab has the old page's origins in `used_origins`. On failure
    /// the tab is lost and its context stays open.
    pub async fn renew(self, targets: &OwnTargets) -> Result<Self, WireError> {
        let (context, wire, settings) = (self.context.clone(), Arc::clone(&self.wire), self.settings.clone());
        let used_origins = self.state.borrow().origins.clone();
        let pages = self.pages + 1;
        // What a page writes as it closes reaches the cookies by a way of its own, and may arrive after they are cleared.
        let end_scripts = self.call(Emulation::SetScriptExecutionDisabled { value: true });
        // A page too busy to answer runs no handler either, and is closed as it is.
        if let Ok(ended) = timeout(SCRIPTS_LIMIT, end_scripts).await {
            ended?;
        }
        let mut new = if pages.is_multiple_of(PAGES_A_PROCESS) {
            // The process ends when it has no page left.
            self.close_page().await?;
            Self::open_in(context, &wire, targets, settings).await?
        } else {
            let new = Self::open_in(context, &wire, targets, settings).await?;
            self.close_page().await?;
            new
        };
        new.used_origins = used_origins;
        new.pages = pages;
        Ok(new)
    }

    /// Closes the tab's page, then its context with all its cookies and storage; waits without a limit until both are gone. A failure leaves the
    /// context open, and the page too if that is what could not be closed.
    pub async fn close(self) -> Result<(), WireError> {
        self.wire.notify(Some(&self.session), Page::StopLoading(None));
        let dispose = DisposeBrowserContext {
            browser_context_id: self.context.clone(),
        };
        let wire = Arc::clone(&self.wire);
        self.close_page().await?;
        wire.call(None, dispose).await?;
        Ok(())
    }

    /// Closes the page, not its context; returns once its session has ended.
    async fn close_page(mut self) -> Result<(), WireError> {
        self.browser_call(CloseTarget {
            target_id: self.target.clone(),
        })
        .await?;
        // When the page's session ends, so does the watcher, and the channel with it.
        while self.state.changed().await.is_ok() {}
        Ok(())
    }

    /// Opens a page in an existing context, attaches to it, and keeps its state up to date from its events; with a gate, each of its requests waits
    /// until the gate decides. On failure the page may stay open.
    async fn open_in(
        context: String,
        wire: &Arc<Wire>,
        targets: &OwnTargets,
        settings: TabSettings,
    ) -> Result<Self, WireError> {
        let target = targets.create(wire, new_target(&context)).await?;
        let attach = AttachToTarget {
            target_id: target.clone(),
            flatten: Some(true),
        };
        let session: SessionId = wire.call(None, attach).await?.session_id.into();
        let (publish, state) = watch::channel(PageState::default());
        let watcher = Watcher {
            wire: Arc::clone(wire),
            session: Arc::clone(&session),
            // The main frame of a page has the id of its target.
            main_frame: target.clone(),
            page_bytes: settings.page_bytes,
            gate: settings.gate.clone(),
            state: publish,
        };
        tokio::spawn(watcher.run(wire.listen(Some(Arc::clone(&session)))));
        let tab = Self {
            wire: Arc::clone(wire),
            session,
            target,
            context,
            state,
            settings,
            pages: 0,
            used_origins: HashSet::new(),
        };
        tokio::try_join!(
            tab.call(Page::Enable {
                enable_file_chooser_opened_event: None
            }),
            tab.call(Page::SetLifecycleEventsEnabled { enabled: true }),
            tab.call(Inspector::Enable(None)),
            tab.call(watch_the_network()),
        )?;
        if tab.settings.gate.is_some() {
            tab.call(Gate::pause_requests()).await?;
        }
        Ok(tab)
    }

    /// Calls a protocol method of the page and waits for its response.
    pub async fn call<M: Method + Serialize>(&self, method: M) -> Result<M::ReturnObject, WireError> {
        self.wire.call(Some(&self.session), method).await
    }

    /// Calls a protocol method of the page and parses of the response only what `R` names.
    pub async fn call_for<M, R>(&self, method: M) -> Result<R, WireError>
    where
        M: Method + Serialize,
        R: serde::de::DeserializeOwned,
    {
        self.wire.call_for(Some(&self.session), method).await
    }

    /// Calls a protocol method of the browser itself and waits for its response.
    pub async fn browser_call<M: Method + Serialize>(&self, method: M) -> Result<M::ReturnObject, WireError> {
        self.wire.call(None, method).await
    }

    /// Calls a protocol method of the browser itself and parses of the response only what `R` names.
    pub async fn browser_call_for<M, R>(&self, method: M) -> Result<R, WireError>
    where
        M: Method + Serialize,
        R: serde::de::DeserializeOwned,
    {
        self.wire.call_for(None, method).await
    }

    /// The proxy of the tab's context.
    pub fn gate(&self) -> Option<&Arc<Gate>> {
        self.settings.gate.as_ref()
    }

    /// The id of the tab's browser context.
    pub fn context(&self) -> &str {
        &self.context
    }

    /// The id of the page's main frame.
    pub fn main_frame(&self) -> &str {
        &self.target
    }

    /// Returns a receiver of the page's state; it closes when the tab is gone. The state begins empty with each new page.
    pub fn state(&self) -> watch::Receiver<PageState> {
        self.state.clone()
    }
}

/// Builds the call that loads an address in the main frame.
pub(super) fn navigation(address: &str) -> Page::Navigate {
    Page::Navigate {
        url: address.to_owned(),
        referrer: None,
        transition_Type: None,
        frame_id: None,
        referrer_policy: None,
    }
}

/// Builds the call that subscribes to network events. Bodies are not buffered: none is read through these events.
fn watch_the_network() -> Network::Enable {
    Network::Enable {
        max_total_buffer_size: Some(0),
        max_resource_buffer_size: Some(0),
        max_post_data_size: Some(0),
        report_direct_socket_traffic: None,
        enable_durable_messages: None,
    }
}

/// Builds the call that creates a browser context, with the gate's proxy rules where there is a gate, also for this machine's own addresses.
fn create_context_call(gate: Option<&Gate>) -> CreateBrowserContext {
    CreateBrowserContext {
        dispose_on_detach: Some(true),
        proxy_server: gate.map(Gate::rules),
        // Otherwise Chromium bypasses the proxy for this machine's own addresses.
        proxy_bypass_list: gate.map(|_| "<-loopback>".to_owned()),
        origins_with_universal_network_access: None,
    }
}

/// Builds the call after which a browser context refuses all downloads.
fn refuse_downloads(context: &str) -> SetDownloadBehavior {
    SetDownloadBehavior {
        behavior: SetDownloadBehaviorBehaviorOption::Deny,
        browser_context_id: Some(context.to_owned()),
        download_path: None,
        events_enabled: None,
    }
}

/// Builds the call that opens a blank page in a context.
fn new_target(context: &str) -> CreateTarget {
    CreateTarget {
        url: BLANK.to_owned(),
        left: None,
        top: None,
        width: None,
        height: None,
        window_state: None,
        browser_context_id: Some(context.to_owned()),
        enable_begin_frame_control: None,
        new_window: None,
        background: None,
        for_tab: None,
        hidden: None,
    }
}
