//! What was served, and whether anybody clicked.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::device::Device;
use crate::engine::Engine;
use crate::faults::Fault;

/// Most result pages that are remembered; older ones are forgotten.
const SERVED_KEPT: usize = 10_000;
/// Most clicked addresses that are remembered.
const CLICKS_KEPT: usize = 100;

/// A result page as it was served.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServedPage {
    pub url: String,
    pub engine: Engine,
    pub query: String,
    pub device: Device,
    pub at: DateTime<Utc>,
    pub generation: String,
    pub fault: Option<Fault>,
    /// The address on this server that tells the truth of this very page.
    pub truth: String,
}

/// How often ads were clicked, and the last addresses.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Clicks {
    pub total: u64,
    pub google: u64,
    pub bing: u64,
    pub last: VecDeque<String>,
}

/// The record of a server.
#[derive(Debug, Default)]
pub(crate) struct ServedPages {
    served: Mutex<VecDeque<ServedPage>>,
    clicks: Mutex<Clicks>,
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that can panic happens between two changes of the same entry.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ServedPages {
    pub(crate) fn note_served(&self, entry: ServedPage) {
        let mut served = held(&self.served);
        if served.len() == SERVED_KEPT {
            served.pop_front();
        }
        served.push_back(entry);
    }

    /// Oldest first.
    pub(crate) fn served_since(&self, since: Option<DateTime<Utc>>) -> Vec<ServedPage> {
        held(&self.served)
            .iter()
            .filter(|entry| since.is_none_or(|since| entry.at >= since))
            .cloned()
            .collect()
    }

    pub(crate) fn note_click(&self, engine: Engine, url: String) {
        let mut clicks = held(&self.clicks);
        clicks.total += 1;
        match engine {
            Engine::Google => clicks.google += 1,
            Engine::Bing => clicks.bing += 1,
        }
        if clicks.last.len() == CLICKS_KEPT {
            clicks.last.pop_front();
        }
        clicks.last.push_back(url);
    }

    pub(crate) fn clicks(&self) -> Clicks {
        held(&self.clicks).clone()
    }
}
