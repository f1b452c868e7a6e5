//! What processes agree on in passing: how fast an engine may be asked, whether it is paused, and who failed to sign in too often.
//!
//! It stands in Redis. While Redis is away every process keeps its own account instead, so limits hold per process, and nothing that
//! matters is lost: no data is kept here alone.

mod breaker;
mod bucket;
mod local;
mod recently_seen;
mod shared;
mod throttle;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use redis::RedisError;
use tokio::time::Instant;

pub use breaker::Breaker;
pub use bucket::Bucket;
pub use recently_seen::RecentlySeen;
pub use throttle::{Limit, Reservation, Throttle};

use local::Local;
use shared::Shared;

/// After Redis did not answer it is left alone for so long, and then asked by one caller first: a Redis that hangs must not cost every
/// request the time that its answer may take.
const LEFT_ALONE: Duration = Duration::from_secs(1);

/// The common account of all processes. Clones share it.
#[derive(Clone)]
pub struct Coordination {
    shared: Option<Shared>,
    local: Arc<Local>,
    /// While Redis is away: when it is asked next.
    away: Arc<Mutex<Option<Instant>>>,
}

impl Coordination {
    /// On the Redis at this address (`redis://host:port`, or `rediss://` with TLS). It is connected to at the first use, and again whenever it was away.
    ///
    /// # Errors
    /// When the address is none, or when called outside a Tokio runtime.
    pub fn redis(address: &str) -> Result<Self, RedisError> {
        Ok(Self::new(Some(Shared::new(address, None)?)))
    }

    /// The same at a `rediss://` address that is trusted by these authorities (certificates in PEM) instead of the system's.
    ///
    /// # Errors
    /// The same, and when there is no certificate.
    pub fn redis_trusted_by(address: &str, authorities: Vec<u8>) -> Result<Self, RedisError> {
        Ok(Self::new(Some(Shared::new(address, Some(authorities))?)))
    }

    /// Without Redis: the account of this process alone.
    pub fn alone() -> Self {
        Self::new(None)
    }

    fn new(shared: Option<Shared>) -> Self {
        Self {
            shared,
            local: Arc::default(),
            away: Arc::default(),
        }
    }

    /// Whether Redis answers; `true` without one.
    pub async fn is_reachable(&self) -> bool {
        match &self.shared {
            Some(shared) => shared.ping().await.is_ok(),
            None => true,
        }
    }

    /// Takes one turn of `key`, of which there is one every `every` and at most `burst` at once. Zero: taken. Else: not taken, and not to
    /// be had sooner than this.
    async fn take(&self, key: &str, every: Duration, burst: u32) -> Duration {
        if let Some(shared) = self.shared()
            && let Some(wait) = self.noted(shared.take(key, every, burst).await)
        {
            return wait;
        }
        self.local.take(key, every, burst)
    }

    /// Counts `key` up and answers the new count. The count starts anew `window` after its first step.
    async fn count_up(&self, key: &str, window: Duration) -> u32 {
        if let Some(shared) = self.shared()
            && let Some(count) = self.noted(shared.count_up(key, window).await)
        {
            return count;
        }
        self.local.count_up(key, window)
    }

    /// Counts every key up, unless one of them has reached its limit: then none, and the answer is how long that lasts.
    async fn reserve(&self, limits: &[Limit<'_>], window: Duration) -> Result<Reservation, Duration> {
        if let Some(shared) = self.shared()
            && let Some(wait) = self.noted(shared.reserve(limits, window).await)
        {
            return Reservation::unless(wait, true);
        }
        Reservation::unless(self.local.reserve(limits, window), false)
    }

    /// Counts every key down again, where it was counted up.
    async fn give_back(&self, reservation: &Reservation, keys: &[String]) {
        if !reservation.is_shared {
            self.local.give_back(keys);
        } else if let Some(shared) = self.shared() {
            self.noted(shared.give_back(keys).await);
        }
    }

    /// The count of `key` and how long it still stands.
    async fn look(&self, key: &str) -> Option<(u32, Duration)> {
        if let Some(shared) = self.shared()
            && let Some(found) = self.noted(shared.look(key).await)
        {
            return found;
        }
        self.local.look(key)
    }

    /// Sets the count of `key` to zero, here and there.
    async fn forget(&self, key: &str) {
        if let Some(shared) = self.shared() {
            self.noted(shared.forget(key).await);
        }
        self.local.forget(key);
    }

    /// Whether every key stands.
    async fn all_stand(&self, keys: &[String]) -> bool {
        if let Some(shared) = self.shared()
            && let Some(count) = self.noted(shared.count_standing(keys).await)
        {
            return count == keys.len();
        }
        keys.iter().all(|key| self.local.look(key).is_some())
    }

    /// Lets keys stand for `span` from now on.
    async fn let_stand(&self, keys: &[String], span: Duration) {
        if let Some(shared) = self.shared()
            && self.noted(shared.let_stand(keys, span).await).is_some()
        {
            return;
        }
        for key in keys {
            self.local.forget(key);
            self.local.count_up(key, span);
        }
    }

    /// Redis, unless there is none or it is left alone.
    fn shared(&self) -> Option<&Shared> {
        let shared = self.shared.as_ref()?;
        let mut away = self.away.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *away {
            None => Some(shared),
            Some(next) => {
                let now = Instant::now();
                (*next <= now).then(|| {
                    *next = now + LEFT_ALONE;
                    shared
                })
            }
        }
    }

    /// Says once that Redis went away, and once that it is back.
    fn noted<T>(&self, answer: Result<T, RedisError>) -> Option<T> {
        let mut away = self.away.lock().unwrap_or_else(PoisonError::into_inner);
        match answer {
            Ok(value) => {
                if away.take().is_some() {
                    tracing::info!("Redis is back; limits are shared again");
                }
                Some(value)
            }
            Err(error) => {
                if away.replace(Instant::now() + LEFT_ALONE).is_none() {
                    tracing::warn!(%error, "Redis is away; limits hold per process until it is back");
                }
                None
            }
        }
    }
}
