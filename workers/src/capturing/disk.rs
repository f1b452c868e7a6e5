//! Whether there is room for pages. While there is none, nothing is searched: the engine would count the search all the same.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use blobs::Blobs;
use tokio::time::Instant;

/// A slot waits this long while there is too little room.
const FULL_WAIT: Duration = Duration::from_mins(1);
/// After a page could not be kept, no other is captured for this long, …
const FIRST_WAIT: Duration = Duration::from_secs(30);
/// … twice as long after the next one, and so on up to this.
const LONGEST_WAIT: Duration = Duration::from_mins(30);

/// Free space, and the pages that could not be kept.
pub struct Disk {
    blobs: Blobs,
    least_free_bytes: u64,
    refused: Mutex<DiskRefusals>,
}

/// The pages that could not be kept since the last one that was kept.
#[derive(Clone, Copy, Default)]
struct DiskRefusals {
    in_a_row: u32,
    until: Option<Instant>,
    /// Whether the log says already that there is too little room.
    is_logged: bool,
}

impl Disk {
    pub fn new(blobs: &Blobs, least_free_bytes: u64) -> Self {
        Self {
            blobs: blobs.clone(),
            least_free_bytes,
            refused: Mutex::default(),
        }
    }

    /// How long to capture no page: [`FULL_WAIT`] while too little space is free, otherwise the rest of the wait after a page that could not be kept;
    /// `None` while there is room.
    pub fn pause(&self) -> Option<Duration> {
        if self.blobs.free_bytes().is_some_and(|free| free < self.least_free_bytes) {
            metrics::gauge!("vigie_page_store_refuses").set(1.0);
            if !std::mem::replace(&mut self.lock_refused().is_logged, true) {
                tracing::error!(
                    least_free_bytes = self.least_free_bytes,
                    "there is too little room for pages; nothing is captured until there is more"
                );
            }
            return Some(FULL_WAIT);
        }
        let until = self.lock_refused().until?;
        until
            .checked_duration_since(Instant::now())
            .filter(|left| !left.is_zero())
    }

    /// Notes that a page could not be kept and returns how long its slot waits. The wait doubles with each such page from [`FIRST_WAIT`] to
    /// [`LONGEST_WAIT`]; pages that fail during a wait do not lengthen it.
    pub fn refused_page(&self, error: &blobs::Error) -> Duration {
        let mut refused = self.lock_refused();
        let now = Instant::now();
        // Captures that ran at the same time found the same full disk.
        if refused.until.is_none_or(|until| until <= now) {
            let wait = (FIRST_WAIT * 2_u32.saturating_pow(refused.in_a_row)).min(LONGEST_WAIT);
            refused.in_a_row = (refused.in_a_row + 1).min(16);
            refused.until = Some(now + wait);
            tracing::error!(%error, ?wait, "a page could not be kept; nothing is captured for a while");
        }
        metrics::counter!("vigie_pages_not_kept_total").increment(1);
        metrics::gauge!("vigie_page_store_refuses").set(1.0);
        refused
            .until
            .map_or(FIRST_WAIT, |until| until.saturating_duration_since(now))
    }

    /// Notes that a page was kept, which ends the wait and makes the next one short again.
    pub fn kept_page(&self) {
        *self.lock_refused() = DiskRefusals::default();
        metrics::gauge!("vigie_page_store_refuses").set(0.0);
    }

    /// Locks the state of the refused pages.
    fn lock_refused(&self) -> MutexGuard<'_, DiskRefusals> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk(least_free_bytes: u64) -> (Disk, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Blobs::folder(folder.path()).unwrap();
        (Disk::new(&blobs, least_free_bytes), folder)
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_is_captured_below_the_bound_of_free_space() {
        let (full, _folder) = disk(u64::MAX);
        assert_eq!(full.pause(), Some(FULL_WAIT));
        let (empty, _folder) = disk(0);
        assert_eq!(empty.pause(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn pages_that_cannot_be_kept_are_tried_ever_more_rarely() {
        let (disk, _folder) = disk(0);
        let mut waits = Vec::new();
        for _ in 0..8 {
            let wait = disk.refused_page(&blobs::Error::Stopped);
            // A capture that ran at the same time makes it no longer.
            assert_eq!(disk.refused_page(&blobs::Error::Stopped), wait);
            assert_eq!(disk.pause(), Some(wait));
            tokio::time::advance(wait).await;
            assert_eq!(disk.pause(), None);
            waits.push(wait.as_secs());
        }
        assert_eq!(waits, [30, 60, 120, 240, 480, 960, 1_800, 1_800]);
        disk.kept_page();
        assert_eq!(disk.refused_page(&blobs::Error::Stopped), FIRST_WAIT);
    }
}
