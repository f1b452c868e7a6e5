//! The counts of one process, used while Redis is away.

use std::time::Duration;

use moka::Expiry;
use moka::sync::Cache;
use tokio::time::Instant;

use crate::{Limit, MOST_MEMBERS};

/// Counts at most, so that keys made of outside text cannot fill the memory. Those used often stay.
const MOST_COUNTERS: u64 = 100_000;

/// Rooms at most, and how long one is kept after the last member entered it: longer than any remembers a member.
const MOST_ROOMS: u64 = 10_000;
const ROOM_KEPT: Duration = Duration::from_mins(10);

/// The counts and rooms of this process, at most [`MOST_COUNTERS`] and [`MOST_ROOMS`].
pub(crate) struct Local {
    counters: Cache<String, Counter>,
    /// Members with the time at which they are forgotten, which they are in the order of.
    rooms: Cache<String, Vec<(String, Instant)>>,
}

impl Default for Local {
    /// No counts and rooms yet; of counts at most [`MOST_COUNTERS`] are kept, each until it expires.
    fn default() -> Self {
        let counters = Cache::builder()
            .max_capacity(MOST_COUNTERS)
            .expire_after(CounterExpiry)
            .build();
        let rooms = Cache::builder()
            .max_capacity(MOST_ROOMS)
            .time_to_live(ROOM_KEPT)
            .build();
        Self { counters, rooms }
    }
}

/// A count and its end, or a token bucket.
#[derive(Clone, Copy)]
struct Counter {
    count: u32,
    /// When the count expires; of a token bucket, when all tokens taken so far are used up.
    until: Instant,
}

impl Counter {
    /// A counter that has expired.
    const fn empty(now: Instant) -> Self {
        Self { count: 0, until: now }
    }

    /// Whether there is a count that has not expired.
    fn is_counting(&self, now: Instant) -> bool {
        self.until > now && self.count > 0
    }

    /// The counter after one more count. An expired one starts again at 1 and expires after `window`; a running one keeps its end.
    fn counted_up(self, now: Instant, window: Duration) -> Self {
        let running = if self.until > now {
            self
        } else {
            Self {
                count: 0,
                until: now + window,
            }
        };
        Self {
            count: running.count.saturating_add(1),
            ..running
        }
    }
}

/// A counter expires with its count.
struct CounterExpiry;

impl CounterExpiry {
    /// The time until a counter expires; zero once it has.
    fn left(counter: Counter) -> Duration {
        counter.until.saturating_duration_since(Instant::now())
    }
}

impl Expiry<String, Counter> for CounterExpiry {
    fn expire_after_create(&self, _: &String, counter: &Counter, _: std::time::Instant) -> Option<Duration> {
        Some(Self::left(*counter))
    }

    fn expire_after_update(
        &self,
        _: &String,
        counter: &Counter,
        _: std::time::Instant,
        _: Option<Duration>,
    ) -> Option<Duration> {
        Some(Self::left(*counter))
    }
}

impl Local {
    /// Takes a token of `key`, of which there is one every `every` and at most `burst` at once (0 counts as 1), and returns zero. If there is none,
    /// takes none and returns the time until the next one. The same algorithm as the script in `shared`.
    pub(crate) fn take(&self, key: &str, every: Duration, burst: u32) -> Duration {
        let now = Instant::now();
        let mut wait = Duration::ZERO;
        self.change(key, now, |counter| {
            let used_up = counter.until.max(now);
            wait = (used_up - now).saturating_sub(every * (burst.max(1) - 1));
            let until = if wait.is_zero() { used_up + every } else { counter.until };
            Counter { until, ..counter }
        });
        wait
    }

    /// Counts `key` up by one and returns the new count, which expires `window` after its first step.
    pub(crate) fn count_up(&self, key: &str, window: Duration) -> u32 {
        let now = Instant::now();
        self.change(key, now, |counter| counter.counted_up(now, window)).count
    }

    /// Counts every key up by one and returns zero. If one has reached its limit, counts none and returns how long the limit of the first such key
    /// lasts. A count expires `window` after its first step.
    pub(crate) fn reserve(&self, limits: &[Limit<'_>], window: Duration) -> Duration {
        let now = Instant::now();
        for (index, limit) in limits.iter().enumerate() {
            let mut left = Duration::ZERO;
            self.change(limit.key, now, |counter| {
                if counter.is_counting(now) && counter.count >= limit.most {
                    left = counter.until - now;
                    counter
                } else {
                    counter.counted_up(now, window)
                }
            });
            if !left.is_zero() {
                let counted: Vec<String> = limits[..index].iter().map(|limit| limit.key.to_owned()).collect();
                self.give_back(&counted);
                return left;
            }
        }
        Duration::ZERO
    }

    /// Counts every key down by one, not below zero; when it expires stays the same.
    pub(crate) fn give_back(&self, keys: &[String]) {
        let now = Instant::now();
        for key in keys {
            self.change(key, now, |counter| Counter {
                count: counter.count.saturating_sub(1),
                ..counter
            });
        }
    }

    /// The count of `key` and the time until it expires; `None` if there is no count.
    pub(crate) fn look(&self, key: &str) -> Option<(u32, Duration)> {
        let now = Instant::now();
        let counter = self.counters.get(key).filter(|counter| counter.is_counting(now))?;
        Some((counter.count, counter.until - now))
    }

    /// Sets the count of `key` to zero.
    pub(crate) fn forget(&self, key: &str) {
        self.counters.invalidate(key);
    }

    /// Puts a member into the room `key` for `span`, and returns its members, those that are forgotten last at the end.
    pub(crate) fn enter(&self, key: &str, member: &str, span: Duration) -> Vec<String> {
        let now = Instant::now();
        let entered = self.rooms.entry(key.to_owned()).and_upsert_with(|known| {
            let mut members = known.map(moka::Entry::into_value).unwrap_or_default();
            members.retain(|(one, until)| one != member && *until > now);
            members.push((member.to_owned(), now + span));
            let excess = members.len().saturating_sub(MOST_MEMBERS);
            members.drain(..excess);
            members
        });
        names(entered.into_value(), now)
    }

    /// Takes a member out of the room `key`.
    pub(crate) fn leave(&self, key: &str, member: &str) {
        self.rooms.entry(key.to_owned()).and_upsert_with(|known| {
            let mut members = known.map(moka::Entry::into_value).unwrap_or_default();
            members.retain(|(one, _)| one != member);
            members
        });
    }

    /// The members of the room `key`.
    pub(crate) fn members(&self, key: &str) -> Vec<String> {
        names(self.rooms.get(key).unwrap_or_default(), Instant::now())
    }

    /// Changes a counter atomically, from an empty one if `key` has none, and returns it as changed.
    fn change(&self, key: &str, now: Instant, change: impl FnOnce(Counter) -> Counter) -> Counter {
        let changed = self
            .counters
            .entry(key.to_owned())
            .and_upsert_with(|known| change(known.map_or_else(|| Counter::empty(now), moka::Entry::into_value)));
        changed.into_value()
    }
}

/// The members that are not forgotten yet.
fn names(members: Vec<(String, Instant)>, now: Instant) -> Vec<String> {
    let present = members.into_iter().filter(|(_, until)| *until > now);
    present.map(|(member, _)| member).collect()
}
