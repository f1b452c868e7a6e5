//! Short-lived state that processes share: the pace of searches on each engine, pauses, failed sign-ins, and the people on a page.
//!
//! It is kept in Redis. While Redis is away, every process counts for itself and limits hold per process. No data is kept here alone, so
//! losing it loses nothing.

mod breaker;
mod bucket;
mod local;
mod presence;
mod recently_seen;
mod shared;
mod throttle;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use redis::RedisError;
use tokio::time::Instant;

pub use breaker::Breaker;
pub use bucket::Bucket;
pub use presence::{MOST_MEMBERS, Presence};
pub use recently_seen::RecentlySeen;
pub use throttle::{Limit, Reservation, Throttle};

use local::Local;
use shared::Shared;

/// After a failed request Redis is not called for this long; then one caller tries it first. Otherwise a Redis that hangs would delay every
/// request by its timeout.
const AWAY_PAUSE: Duration = Duration::from_secs(1);

/// The counts that all processes share. Clones share them too.
#[derive(Clone)]
pub struct Coordination {
    shared: Option<Shared>,
    local: Arc<Local>,
    /// While Redis is away: when it is tried next.
    away: Arc<Mutex<Option<Instant>>>,
}

impl Coordination {
    /// Counts in the Redis at this address (`redis://host:port`, or `rediss://` with TLS). Connects at the first use and reconnects by itself; while
    /// Redis is away, this process counts for itself.
    ///
    /// # Errors
    /// When the address is invalid, or outside a Tokio runtime.
    pub fn redis(address: &str) -> Result<Self, RedisError> {
        Ok(Self::new(Some(Shared::new(address, None)?)))
    }

    /// Like [`Self::redis`], for a `rediss://` address and trusting these authorities (certificates in PEM) instead of the system's.
    ///
    /// # Errors
    /// When the address is invalid, when there is no certificate, or outside a Tokio runtime.
    pub fn redis_trusted_by(address: &str, authorities: Vec<u8>) -> Result<Self, RedisError> {
        Ok(Self::new(Some(Shared::new(address, Some(authorities))?)))
    }

    /// Counts of this process alone, without Redis.
    pub fn alone() -> Self {
        Self::new(None)
    }

    /// Counts in Redis if there is one, otherwise in this process alone.
    fn new(shared: Option<Shared>) -> Self {
        Self {
            shared,
            local: Arc::default(),
            away: Arc::default(),
        }
    }

    /// Whether Redis responds within half a second; always `true` for counts of this process alone.
    pub async fn is_reachable(&self) -> bool {
        match &self.shared {
            Some(shared) => shared.ping().await.is_ok(),
            None => true,
        }
    }

    /// Takes a token of `key`, of which there is one every `every` and at most `burst` at once, and returns zero. If there is none, takes none and
    /// returns the time until the next one. Taken in Redis, or in this process while Redis cannot be reached.
    async fn take(&self, key: &str, every: Duration, burst: u32) -> Duration {
        if let Some(shared) = self.shared()
            && let Some(wait) = self.noted(shared.take(key, every, burst).await)
        {
            return wait;
        }
        self.local.take(key, every, burst)
    }

    /// Counts `key` up by one and returns the new count. `window` after its first step, however many follow, the count is zero again. Counted in
    /// Redis, or in this process while Redis cannot be reached.
    async fn count_up(&self, key: &str, window: Duration) -> u32 {
        if let Some(shared) = self.shared()
            && let Some(count) = self.noted(shared.count_up(key, window).await)
        {
            return count;
        }
        self.local.count_up(key, window)
    }

    /// Counts every key up by one; none if one of them has reached its limit. A count is zero again `window` after its first step.
    ///
    /// # Errors
    /// How long a limit stays reached: of several, the longest in Redis, and the first one's in this process.
    async fn reserve(&self, limits: &[Limit<'_>], window: Duration) -> Result<Reservation, Duration> {
        if let Some(shared) = self.shared()
            && let Some(wait) = self.noted(shared.reserve(limits, window).await)
        {
            return Reservation::unless(wait, true);
        }
        Reservation::unless(self.local.reserve(limits, window), false)
    }

    /// Counts every key down by one, in Redis or in this process, wherever it was counted up; not at all if that was Redis and Redis is away now.
    async fn give_back(&self, reservation: &Reservation, keys: &[String]) {
        if !reservation.is_shared {
            self.local.give_back(keys);
        } else if let Some(shared) = self.shared() {
            self.noted(shared.give_back(keys).await);
        }
    }

    /// The count of `key` and the time until it expires; `None` for no count. Read from Redis, or from this process while Redis cannot be reached.
    async fn look(&self, key: &str) -> Option<(u32, Duration)> {
        if let Some(shared) = self.shared()
            && let Some(found) = self.noted(shared.look(key).await)
        {
            return found;
        }
        self.local.look(key)
    }

    /// Sets the count of `key` to zero, in Redis and in this process.
    async fn forget(&self, key: &str) {
        if let Some(shared) = self.shared() {
            self.noted(shared.forget(key).await);
        }
        self.local.forget(key);
    }

    /// Whether every key has a count that has not expired. There must be at least one key: Redis refuses the call without any.
    async fn all_exist(&self, keys: &[String]) -> bool {
        if let Some(shared) = self.shared()
            && let Some(count) = self.noted(shared.count_existing(keys).await)
        {
            return count == keys.len();
        }
        keys.iter().all(|key| self.local.look(key).is_some())
    }

    /// Sets the count of every key to one, whatever it was; it expires after `span`. Done in Redis, or in this process while Redis cannot be reached.
    async fn set_for(&self, keys: &[String], span: Duration) {
        if let Some(shared) = self.shared()
            && self.noted(shared.set_for(keys, span).await).is_some()
        {
            return;
        }
        for key in keys {
            self.local.forget(key);
            self.local.count_up(key, span);
        }
    }

    /// Puts a member into the room `key` for `span`, and returns its members. Done in Redis, or in this process while Redis cannot be reached.
    async fn enter(&self, key: &str, member: &str, span: Duration) -> Vec<String> {
        if let Some(shared) = self.shared()
            && let Some(members) = self.noted(shared.enter(key, member, span).await)
        {
            return members;
        }
        self.local.enter(key, member, span)
    }

    /// Takes a member out of the room `key`, in Redis and in this process.
    async fn leave(&self, key: &str, member: &str) {
        if let Some(shared) = self.shared() {
            self.noted(shared.leave(key, member).await);
        }
        self.local.leave(key, member);
    }

    /// The members of every room, read from Redis, or from this process while Redis cannot be reached.
    async fn members(&self, keys: &[String]) -> Vec<Vec<String>> {
        if let Some(shared) = self.shared()
            && let Some(members) = self.noted(shared.members(keys).await)
        {
            return members;
        }
        keys.iter().map(|key| self.local.members(key)).collect()
    }

    /// Redis if it may be called: `None` without one, and for [`AWAY_PAUSE`] after a failed request. From then on one caller per [`AWAY_PAUSE`] gets
    /// it, until a request succeeds.
    fn shared(&self) -> Option<&Shared> {
        let shared = self.shared.as_ref()?;
        let mut away = self.away.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *away {
            None => Some(shared),
            Some(next) => {
                let now = Instant::now();
                (*next <= now).then(|| {
                    *next = now + AWAY_PAUSE;
                    shared
                })
            }
        }
    }

    /// The value of a response of Redis; `None` if it failed, so that the caller counts in this process. Notes for [`Self::shared`] whether Redis is
    /// away, and logs once that it went away and once that it is back.
    fn noted<T>(&self, response: Result<T, RedisError>) -> Option<T> {
        let mut away = self.away.lock().unwrap_or_else(PoisonError::into_inner);
        match response {
            Ok(value) => {
                if away.take().is_some() {
                    tracing::info!("Redis is back; limits are shared again");
                }
                Some(value)
            }
            Err(error) => {
                if away.replace(Instant::now() + AWAY_PAUSE).is_none() {
                    tracing::warn!(%error, "Redis is away; limits hold per process until it is back");
                }
                None
            }
        }
    }
}
