//! The slots this process holds, and how the rest of the world knows that it still does.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use records::slots::{self, Held};
use records::{Pool, manifests};

use crate::LEASE;

/// The slots held by a process. Clones share them.
#[derive(Clone, Default)]
pub struct Leases(Arc<Mutex<HashSet<Held>>>);

/// Lets go of a slot when dropped: its lease is not renewed any more.
pub struct Hold {
    leases: Leases,
    held: Held,
}

impl Leases {
    pub fn hold(&self, held: Held) -> Hold {
        self.with(|all| all.insert(held));
        Hold {
            leases: self.clone(),
            held,
        }
    }

    fn with<T>(&self, act: impl FnOnce(&mut HashSet<Held>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.leases.with(|all| all.remove(&self.held));
    }
}

/// Renews the leases of a worker's slots and manifests three times in their span. Never returns.
pub async fn renew_until_dropped(records: Pool, worker: String, leases: Leases) {
    let mut beat = tokio::time::interval(LEASE / 3);
    loop {
        beat.tick().await;
        let held: Vec<Held> = leases.with(|all| all.iter().copied().collect());
        match slots::renew(&records, &held, LEASE).await {
            Ok(kept) => {
                for lost in held.iter().filter(|slot| !kept.contains(slot)) {
                    // Not an error by itself: the slot may have been settled a moment ago.
                    tracing::debug!(slot = %lost.id, attempt = lost.attempt, "lease not held any more");
                }
            }
            Err(error) => tracing::warn!(%error, "leases could not be renewed"),
        }
        if let Err(error) = manifests::renew(&records, &worker, LEASE).await {
            tracing::warn!(%error, "leases of manifests could not be renewed");
        }
    }
}
