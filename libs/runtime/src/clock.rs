//! The one source of time.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, TimeDelta, Utc};

/// A clock: the system's, or one that a test sets by hand. Clones share the time.
#[derive(Clone, Debug)]
pub struct Clock(Source);

/// Where the time comes from: the system, or microseconds since 1970 set by hand.
#[derive(Clone, Debug)]
enum Source {
    System,
    ByHand(Arc<AtomicI64>),
}

impl Clock {
    /// The clock of the operating system.
    pub const fn system() -> Self {
        Self(Source::System)
    }

    /// A clock that stays at `start`, cut to microseconds, until [`Clock::advance`] moves it.
    pub fn by_hand(start: DateTime<Utc>) -> Self {
        Self(Source::ByHand(Arc::new(AtomicI64::new(start.timestamp_micros()))))
    }

    /// The current time in UTC; of a clock that is moved by hand, the instant where it stays.
    #[expect(clippy::disallowed_methods, reason = "the one place that asks the system")]
    pub fn now(&self) -> DateTime<Utc> {
        match &self.0 {
            Source::System => Utc::now(),
            Source::ByHand(micros) => {
                DateTime::from_timestamp_micros(micros.load(Ordering::SeqCst)).unwrap_or(DateTime::UNIX_EPOCH)
            }
        }
    }

    /// Moves a clock set by hand, and all its clones; backwards with a negative span. Does nothing to the system's clock.
    pub fn advance(&self, by: TimeDelta) {
        if let Source::ByHand(micros) = &self.0 {
            micros.fetch_add(by.num_microseconds().unwrap_or(0), Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_by_hand_moves_only_when_advanced_and_for_all_clones() {
        let clock = Clock::by_hand(DateTime::UNIX_EPOCH);
        let same = clock.clone();
        clock.advance(TimeDelta::days(1));
        assert_eq!(same.now(), DateTime::UNIX_EPOCH + TimeDelta::days(1));
    }
}
