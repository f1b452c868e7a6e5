//! The leases of the slots and manifests under way, which a worker renews while it lives.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use postgres::manifests::{self, ManifestId};
use postgres::slots::{self, HeldSlot};
use postgres::{Pool, Result};

use crate::LEASE;

/// The leases of one kind that a process holds. Clones share them.
pub struct Leases<T>(Arc<Mutex<HashSet<T>>>);

impl<T> Clone for Leases<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Default for Leases<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

/// Ends the renewal of a lease when dropped, so that another worker can take over.
#[must_use]
pub struct LeaseGuard<T: Eq + Hash> {
    leases: Leases<T>,
    held: T,
}

impl<T: Copy + Eq + Hash> Leases<T> {
    /// Adds a lease to those that are renewed, until the guard is dropped.
    pub fn hold(&self, held: T) -> LeaseGuard<T> {
        self.with(|all| all.insert(held));
        LeaseGuard {
            leases: self.clone(),
            held,
        }
    }

    /// The leases held now, in no order.
    fn all(&self) -> Vec<T> {
        self.with(|all| all.iter().copied().collect())
    }
}

impl<T> Leases<T> {
    /// Runs `act` on the leases, under their lock.
    fn with<R>(&self, act: impl FnOnce(&mut HashSet<T>) -> R) -> R {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T: Eq + Hash> Drop for LeaseGuard<T> {
    fn drop(&mut self) {
        self.leases.with(|all| all.remove(&self.held));
    }
}

/// Renews the leases of a worker three times per [`LEASE`]; a failure is logged, and the next renewal tries again. Never returns.
pub async fn renew_until_dropped(
    postgres: Pool,
    worker: String,
    slots: Leases<HeldSlot>,
    manifests: Leases<ManifestId>,
) {
    let mut beat = tokio::time::interval(LEASE / 3);
    loop {
        beat.tick().await;
        if let Err(error) = renew(&postgres, &worker, &slots, &manifests).await {
            tracing::warn!(%error, "leases could not be renewed");
        }
    }
}

/// Renews all leases once. Slots and manifests that this worker no longer holds are left alone.
async fn renew(postgres: &Pool, worker: &str, slots: &Leases<HeldSlot>, manifests: &Leases<ManifestId>) -> Result<()> {
    let held = slots.all();
    let renewed = slots::renew(postgres, &held, LEASE).await?;
    for lost in held.iter().filter(|slot| !renewed.contains(slot)) {
        // No error: the slot may have been settled a moment ago.
        tracing::debug!(slot = %lost.id, attempt = lost.attempt, "lease not held any more");
    }
    manifests::renew(postgres, worker, &manifests.all(), LEASE).await
}
