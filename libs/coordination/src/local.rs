//! The account of one process, for as long as Redis is away.

use std::time::Duration;

use moka::Expiry;
use moka::sync::Cache;
use tokio::time::Instant;

use crate::Limit;

/// Accounts at most, so that keys made of outside text cannot fill the memory. Those that are asked for often stay.
const MOST_ACCOUNTS: u64 = 100_000;

pub(crate) struct Local {
    accounts: Cache<String, Counter>,
}

impl Default for Local {
    fn default() -> Self {
        let accounts = Cache::builder()
            .max_capacity(MOST_ACCOUNTS)
            .expire_after(CounterExpiry)
            .build();
        Self { accounts }
    }
}

#[derive(Clone, Copy)]
struct Counter {
    count: u32,
    /// When the count ends; for turns, when all turns taken so far are used up.
    until: Instant,
}

impl Counter {
    const fn empty(now: Instant) -> Self {
        Self { count: 0, until: now }
    }

    fn counts(&self, now: Instant) -> bool {
        self.until > now && self.count > 0
    }

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

/// An account goes when nothing of it counts any more.
struct CounterExpiry;

impl CounterExpiry {
    fn left(account: Counter) -> Duration {
        account.until.saturating_duration_since(Instant::now())
    }
}

impl Expiry<String, Counter> for CounterExpiry {
    fn expire_after_create(&self, _: &String, account: &Counter, _: std::time::Instant) -> Option<Duration> {
        Some(Self::left(*account))
    }

    fn expire_after_update(
        &self,
        _: &String,
        account: &Counter,
        _: std::time::Instant,
        _: Option<Duration>,
    ) -> Option<Duration> {
        Some(Self::left(*account))
    }
}

impl Local {
    pub(crate) fn take(&self, key: &str, every: Duration, burst: u32) -> Duration {
        let now = Instant::now();
        let mut wait = Duration::ZERO;
        self.change(key, now, |account| {
            let used_up = account.until.max(now);
            wait = (used_up - now).saturating_sub(every * (burst.max(1) - 1));
            let until = if wait.is_zero() { used_up + every } else { account.until };
            Counter { until, ..account }
        });
        wait
    }

    pub(crate) fn count_up(&self, key: &str, window: Duration) -> u32 {
        let now = Instant::now();
        self.change(key, now, |account| account.counted_up(now, window)).count
    }

    /// Zero, and every key is counted up; else how long one of them stays at its limit, and none is.
    pub(crate) fn reserve(&self, limits: &[Limit<'_>], window: Duration) -> Duration {
        let now = Instant::now();
        for (index, limit) in limits.iter().enumerate() {
            let mut left = Duration::ZERO;
            self.change(limit.key, now, |account| {
                if account.counts(now) && account.count >= limit.most {
                    left = account.until - now;
                    account
                } else {
                    account.counted_up(now, window)
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

    pub(crate) fn give_back(&self, keys: &[String]) {
        let now = Instant::now();
        for key in keys {
            self.change(key, now, |account| Counter {
                count: account.count.saturating_sub(1),
                ..account
            });
        }
    }

    pub(crate) fn look(&self, key: &str) -> Option<(u32, Duration)> {
        let now = Instant::now();
        let account = self.accounts.get(key).filter(|account| account.counts(now))?;
        Some((account.count, account.until - now))
    }

    pub(crate) fn forget(&self, key: &str) {
        self.accounts.invalidate(key);
    }

    /// Changes an account at once, whoever else changes it.
    fn change(&self, key: &str, now: Instant, change: impl FnOnce(Counter) -> Counter) -> Counter {
        let changed = self
            .accounts
            .entry(key.to_owned())
            .and_upsert_with(|known| change(known.map_or_else(|| Counter::empty(now), moka::Entry::into_value)));
        changed.into_value()
    }
}
