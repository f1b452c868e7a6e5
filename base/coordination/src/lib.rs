//! What processes agree on in passing: how fast an engine may be asked, whether it is paused, and who failed to sign in too often.
//!
//! It stands in Redis. While Redis is away every process keeps its own account instead, so limits hold per process, and nothing that
//! matters is lost: no data is kept here alone.

mod breaker;
mod bucket;
mod local;
mod seen;
mod shared;
mod throttle;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use redis::RedisError;

pub use breaker::Breaker;
pub use bucket::Bucket;
pub use seen::Seen;
pub use throttle::{Limit, Throttle};

use local::Local;
use shared::Shared;

/// The common account of all processes. Clones share it.
#[derive(Clone)]
pub struct Coordination {
    shared: Option<Shared>,
    local: Arc<Local>,
    is_away: Arc<AtomicBool>,
}

impl Coordination {
    /// On the Redis at this address (`redis://host:port`). It is connected to at the first use, and again whenever it was away.
    ///
    /// # Errors
    /// When the address is none, or when called outside a Tokio runtime.
    pub fn redis(address: &str) -> Result<Self, RedisError> {
        Ok(Self::new(Some(Shared::new(address)?)))
    }

    /// Without Redis: the account of this process alone.
    pub fn alone() -> Self {
        Self::new(None)
    }

    fn new(shared: Option<Shared>) -> Self {
        Self {
            shared,
            local: Arc::default(),
            is_away: Arc::default(),
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
        if let Some(shared) = &self.shared
            && let Some(wait) = self.noted(shared.take(key, every, burst).await)
        {
            return wait;
        }
        self.local.take(key, every, burst)
    }

    /// Counts `key` up and answers the new count. The count starts anew `window` after its first step.
    async fn count_up(&self, key: &str, window: Duration) -> u32 {
        if let Some(shared) = &self.shared
            && let Some(count) = self.noted(shared.count_up(key, window).await)
        {
            return count;
        }
        self.local.count_up(key, window)
    }

    /// The count of `key` and how long it still stands.
    async fn look(&self, key: &str) -> Option<(u32, Duration)> {
        if let Some(shared) = &self.shared
            && let Some(found) = self.noted(shared.look(key).await)
        {
            return found;
        }
        self.local.look(key)
    }

    /// Sets the count of `key` to zero, here and there.
    async fn forget(&self, key: &str) {
        if let Some(shared) = &self.shared {
            self.noted(shared.forget(key).await);
        }
        self.local.forget(key);
    }

    /// Whether every key stands.
    async fn all_stand(&self, keys: &[String]) -> bool {
        if let Some(shared) = &self.shared
            && let Some(count) = self.noted(shared.count_standing(keys).await)
        {
            return count == keys.len();
        }
        keys.iter().all(|key| self.local.look(key).is_some())
    }

    /// Lets keys stand for `span` from now on.
    async fn let_stand(&self, keys: &[String], span: Duration) {
        if let Some(shared) = &self.shared
            && self.noted(shared.let_stand(keys, span).await).is_some()
        {
            return;
        }
        for key in keys {
            self.local.forget(key);
            self.local.count_up(key, span);
        }
    }

    /// Says once that Redis went away, and once that it is back.
    fn noted<T>(&self, answer: Result<T, RedisError>) -> Option<T> {
        match answer {
            Ok(value) => {
                if self.is_away.swap(false, Ordering::Relaxed) {
                    tracing::info!("Redis is back; limits are shared again");
                }
                Some(value)
            }
            Err(error) => {
                if !self.is_away.swap(true, Ordering::Relaxed) {
                    tracing::warn!(%error, "Redis is away; limits hold per process until it is back");
                }
                None
            }
        }
    }
}
