//! Records served pages and clicks.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::device::Device;
use crate::engine::Engine;
use crate::faults::Fault;

/// Most result pages kept; older ones are dropped.
const MAX_SERVED: usize = 10_000;
/// Most clicked addresses kept.
const MAX_CLICKS: usize = 100;

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
    /// The address on this server of this page's truth.
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

/// The served pages and clicks of one server.
#[derive(Debug, Default)]
pub(crate) struct ServedPages {
    served: Mutex<VecDeque<ServedPage>>,
    clicks: Mutex<Clicks>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing can panic between two changes of an entry.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ServedPages {
    /// Records a served page; the oldest is dropped above [`MAX_SERVED`].
    pub(crate) fn note_served(&self, entry: ServedPage) {
        let mut served = lock(&self.served);
        if served.len() == MAX_SERVED {
            served.pop_front();
        }
        served.push_back(entry);
    }

    /// Returns the pages served at an instant or later, oldest first; all for `None`.
    pub(crate) fn served_since(&self, since: Option<DateTime<Utc>>) -> Vec<ServedPage> {
        lock(&self.served)
            .iter()
            .filter(|entry| since.is_none_or(|since| entry.at >= since))
            .cloned()
            .collect()
    }

    /// Counts a click on an ad and keeps its address; the oldest address is dropped above [`MAX_CLICKS`].
    pub(crate) fn note_click(&self, engine: Engine, url: String) {
        let mut clicks = lock(&self.clicks);
        clicks.total += 1;
        match engine {
            Engine::Google => clicks.google += 1,
            Engine::Bing => clicks.bing += 1,
        }
        if clicks.last.len() == MAX_CLICKS {
            clicks.last.pop_front();
        }
        clicks.last.push_back(url);
    }

    pub(crate) fn clicks(&self) -> Clicks {
        lock(&self.clicks).clone()
    }
}
