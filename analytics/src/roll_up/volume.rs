//! How many results each brand has a day, to choose what a list is read from. An estimate: it changes no figure.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Brands grow slowly.
const USED_FOR: Duration = Duration::from_mins(10);

/// Results of one day by brand.
pub(super) type Volumes = Arc<HashMap<u32, u64>>;

/// The volumes that a process read last. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct VolumeCache(Arc<Mutex<Option<(Instant, Volumes)>>>);

impl VolumeCache {
    /// The volumes, if they were read less than [`USED_FOR`] ago.
    pub(super) fn fresh(&self) -> Option<Volumes> {
        let cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (read, volumes) = cached.as_ref()?;
        (read.elapsed() < USED_FOR).then(|| Arc::clone(volumes))
    }

    /// Keeps volumes that were read just now.
    pub(super) fn put(&self, volumes: &Volumes) {
        let cached = (Instant::now(), Arc::clone(volumes));
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(cached);
    }
}
