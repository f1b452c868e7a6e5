//! Distinguishes the pool's own pages from popups, which are closed.

use std::collections::HashSet;
use std::sync::Arc;

use headless_chrome::protocol::cdp::Target::{CloseTarget, CreateTarget, FilterEntry, SetDiscoverTargets};
use serde::Deserialize;
use tokio::sync::{Mutex, mpsc};

use super::wire::{Event, Wire, WireError};

/// The targets that the pool opened; every other page is a popup.
#[derive(Clone, Default)]
pub(super) struct OwnTargets(Arc<Mutex<HashSet<String>>>);

impl OwnTargets {
    /// Creates a target and registers it as ours before a popup check can see it; returns its id.
    pub async fn create(&self, wire: &Wire, target: CreateTarget) -> Result<String, WireError> {
        let mut own = self.0.lock().await;
        let id = wire.call(None, target).await?.target_id;
        own.insert(id.clone());
        Ok(id)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetCreated {
    target_info: TargetInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetDestroyed {
    target_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetInfo {
    target_id: String,
    #[serde(rename = "type")]
    kind: String,
}

/// Closes every page that the pool did not open, until the events end; closed targets of ours are forgotten.
pub(super) async fn close_popups(wire: Arc<Wire>, mut events: mpsc::UnboundedReceiver<Event>, targets: OwnTargets) {
    while let Some(event) = events.recv().await {
        if event.method == "Target.targetDestroyed" {
            if let Some(TargetDestroyed { target_id }) = event.params() {
                targets.0.lock().await.remove(&target_id);
            }
        } else if let Some(TargetCreated { target_info }) = event.params()
            && target_info.kind == "page"
            && !targets.0.lock().await.contains(&target_info.target_id)
        {
            wire.notify(
                None,
                CloseTarget {
                    target_id: target_info.target_id,
                },
            );
        }
    }
}

/// Builds the call that subscribes to events about targets of the type `page`, which popups are too.
pub(super) fn discover_pages() -> SetDiscoverTargets {
    let pages = FilterEntry {
        exclude: None,
        Type: Some("page".to_owned()),
    };
    SetDiscoverTargets {
        discover: true,
        filter: Some(vec![pages]),
    }
}
