//! One tab of a browser, in a browser context of its own.

use std::sync::Arc;

use headless_chrome::protocol::cdp::Browser::{SetDownloadBehavior, SetDownloadBehaviorBehaviorOption};
use headless_chrome::protocol::cdp::Target::{
    AttachToTarget, CloseTarget, CreateBrowserContext, CreateTarget, DisposeBrowserContext,
};
use headless_chrome::protocol::cdp::types::Method;
use headless_chrome::protocol::cdp::{Inspector, Network, Page};
use serde::Serialize;
use tokio::sync::watch;

use super::browser::OwnTargets;
use super::profile::Profile;
use super::watch::{PageState, Watcher};
use super::wire::{SessionId, Wire, WireError};

/// The page a tab shows between jobs.
pub(super) const BLANK: &str = "about:blank";

/// One tab. Its cookies, storage and cache are its own.
pub(super) struct Tab {
    wire: Arc<Wire>,
    session: SessionId,
    target: String,
    context: String,
    publish: watch::Sender<PageState>,
    state: watch::Receiver<PageState>,
    /// Who it pretends to be.
    pub profile: Option<Profile>,
}

impl Tab {
    /// Opens a tab; `targets` learns that it is one of ours.
    pub async fn open(wire: &Arc<Wire>, targets: &OwnTargets, page_bytes: u64) -> Result<Self, WireError> {
        let context = wire.call(None, new_context()).await?.browser_context_id;
        wire.call(None, refuse_downloads(&context)).await?;
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
            page_bytes,
            state: publish.clone(),
        };
        tokio::spawn(watcher.run(wire.listen(Some(Arc::clone(&session)))));
        let tab = Self {
            wire: Arc::clone(wire),
            session,
            target,
            context,
            publish,
            state,
            profile: None,
        };
        tab.listen_to_the_page().await?;
        Ok(tab)
    }

    async fn listen_to_the_page(&self) -> Result<(), WireError> {
        tokio::try_join!(
            self.call(Page::Enable {
                enable_file_chooser_opened_event: None
            }),
            self.call(Page::SetLifecycleEventsEnabled { enabled: true }),
            self.call(Inspector::Enable(None)),
            // Bodies are not asked for: nothing of them is to be kept.
            self.call(Network::Enable {
                max_total_buffer_size: Some(0),
                max_resource_buffer_size: Some(0),
                max_post_data_size: Some(0),
                report_direct_socket_traffic: None,
                enable_durable_messages: None,
            }),
        )?;
        Ok(())
    }

    /// Calls a method of the page.
    pub async fn call<M: Method + Serialize>(&self, method: M) -> Result<M::ReturnObject, WireError> {
        self.wire.call(Some(&self.session), method).await
    }

    /// Calls a method of the page, reading only what `R` names of the answer.
    pub async fn call_for<M, R>(&self, method: M) -> Result<R, WireError>
    where
        M: Method + Serialize,
        R: serde::de::DeserializeOwned,
    {
        self.wire.call_for(Some(&self.session), method).await
    }

    /// Calls a method of the browser.
    pub async fn browser_call<M: Method + Serialize>(&self, method: M) -> Result<M::ReturnObject, WireError> {
        self.wire.call(None, method).await
    }

    /// Calls a method of the browser, reading only what `R` names of the answer.
    pub async fn browser_call_for<M, R>(&self, method: M) -> Result<R, WireError>
    where
        M: Method + Serialize,
        R: serde::de::DeserializeOwned,
    {
        self.wire.call_for(None, method).await
    }

    /// The context whose state the tab has.
    pub fn context(&self) -> &str {
        &self.context
    }

    /// The id of the page's main frame.
    pub fn main_frame(&self) -> &str {
        &self.target
    }

    /// Follows the page of the present job.
    pub fn state(&self) -> watch::Receiver<PageState> {
        self.state.clone()
    }

    /// Forgets the page of the last job and says which it was.
    pub fn begin(&self) -> PageState {
        self.publish.send_replace(PageState::default())
    }

    /// Shows an empty page, so that the last one stops running.
    pub async fn leave_page(&self) -> Result<(), WireError> {
        self.call(navigation(BLANK)).await?;
        Ok(())
    }

    /// Closes the tab with its context. The answer comes when both are gone.
    pub async fn close(self) -> Result<(), WireError> {
        self.call(Page::StopLoading(None)).await.ok();
        self.browser_call(CloseTarget {
            target_id: self.target.clone(),
        })
        .await?;
        self.browser_call(DisposeBrowserContext {
            browser_context_id: self.context.clone(),
        })
        .await?;
        Ok(())
    }
}

/// Loads an address in the main frame.
pub(super) fn navigation(address: &str) -> Page::Navigate {
    Page::Navigate {
        url: address.to_owned(),
        referrer: None,
        transition_Type: None,
        frame_id: None,
        referrer_policy: None,
    }
}

fn new_context() -> CreateBrowserContext {
    CreateBrowserContext {
        dispose_on_detach: Some(true),
        proxy_server: None,
        proxy_bypass_list: None,
        origins_with_universal_network_access: None,
    }
}

fn refuse_downloads(context: &str) -> SetDownloadBehavior {
    SetDownloadBehavior {
        behavior: SetDownloadBehaviorBehaviorOption::Deny,
        browser_context_id: Some(context.to_owned()),
        download_path: None,
        events_enabled: None,
    }
}

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
