//! Which texts of ads this process has stored lately.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Creatives that are remembered: of 64 bits each, about 10 MB.
const MOST_REMEMBERED: usize = 500_000;
/// Everything is forgotten after this, so that a store that lost some (restored from a backup) gets them again.
const FORGOTTEN_AFTER: Duration = Duration::from_hours(1);

/// Creatives that this process has stored lately. Ads repeat from capture to capture, and each insert that is skipped saves a wait for the
/// disk. Clones share the memory.
#[derive(Clone, Default)]
pub(crate) struct CreativeCache(Arc<Mutex<Memory>>);

/// The hashes of creatives, and since when they are remembered.
#[derive(Default)]
struct Memory {
    creatives: HashSet<u64>,
    since: Option<Instant>,
}

impl CreativeCache {
    /// Whether this process stored a creative lately, by its hash.
    pub(super) fn holds(&self, creative: u64) -> bool {
        self.with(|memory| memory.creatives.contains(&creative))
    }

    /// Remembers stored creatives by their hashes.
    pub(super) fn add(&self, creatives: impl IntoIterator<Item = u64>) {
        self.with(|memory| memory.creatives.extend(creatives));
    }

    /// Runs `act` on the memory, which is emptied first once it is older than [`FORGOTTEN_AFTER`] or has more than [`MOST_REMEMBERED`] entries.
    fn with<T>(&self, act: impl FnOnce(&mut Memory) -> T) -> T {
        let mut memory = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_old = memory.since.is_none_or(|since| since.elapsed() > FORGOTTEN_AFTER);
        if is_old || memory.creatives.len() > MOST_REMEMBERED {
            *memory = Memory {
                since: Some(Instant::now()),
                ..Memory::default()
            };
        }
        act(&mut memory)
    }
}
