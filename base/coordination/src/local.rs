//! The account of one process, for as long as Redis is away.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Accounts are looked through for ended ones when there are this many, so that keys made of outside text cannot fill the memory.
const MANY: usize = 10_000;

#[derive(Default)]
pub(crate) struct Local {
    accounts: Mutex<HashMap<String, Account>>,
}

struct Account {
    count: u32,
    /// When the count ends; for turns, when all turns taken so far are used up.
    until: Instant,
}

impl Local {
    pub(crate) fn take(&self, key: &str, every: Duration, burst: u32) -> Duration {
        let now = Instant::now();
        let mut accounts = self.open(now);
        let account = accounts
            .entry(key.to_owned())
            .or_insert(Account { count: 0, until: now });
        let used_up = account.until.max(now);
        let wait = (used_up - now).saturating_sub(every * (burst.max(1) - 1));
        if wait.is_zero() {
            account.until = used_up + every;
        }
        wait
    }

    pub(crate) fn count_up(&self, key: &str, window: Duration) -> u32 {
        let now = Instant::now();
        let mut accounts = self.open(now);
        let account = accounts
            .entry(key.to_owned())
            .or_insert(Account { count: 0, until: now });
        if account.until <= now {
            *account = Account {
                count: 0,
                until: now + window,
            };
        }
        account.count += 1;
        account.count
    }

    pub(crate) fn look(&self, key: &str) -> Option<(u32, Duration)> {
        let now = Instant::now();
        let accounts = self.open(now);
        let account = accounts
            .get(key)
            .filter(|account| account.until > now && account.count > 0)?;
        Some((account.count, account.until - now))
    }

    pub(crate) fn forget(&self, key: &str) {
        self.open(Instant::now()).remove(key);
    }

    fn open(&self, now: Instant) -> MutexGuard<'_, HashMap<String, Account>> {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if accounts.len() >= MANY {
            accounts.retain(|_, account| account.until > now);
        }
        accounts
    }
}
