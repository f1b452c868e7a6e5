//! Leaves a mail server alone that cannot be reached.

use std::sync::Mutex;

use chrono::{DateTime, TimeDelta, Utc};

/// Connections that fail in a row before the server is left alone.
const MOST_FAILURES: u32 = 3;
/// How long it is left alone.
const PAUSE: TimeDelta = TimeDelta::minutes(15);

/// How the last connections to the mail server ended.
#[derive(Debug, Default)]
pub(super) struct Breaker(Mutex<Connections>);

#[derive(Debug, Default)]
struct Connections {
    failures: u32,
    closed_until: Option<DateTime<Utc>>,
}

impl Breaker {
    /// Whether the server may be connected to.
    pub(super) fn lets_through(&self, now: DateTime<Utc>) -> bool {
        self.with(|connections| connections.closed_until.is_none_or(|until| until <= now))
    }

    /// The server took a connection.
    pub(super) fn connected(&self) {
        self.with(|connections| *connections = Connections::default());
    }

    /// A connection failed. Returns when the next one may be tried, if the server is to be left alone from now on.
    pub(super) fn failed(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        self.with(|connections| {
            connections.failures += 1;
            if connections.failures >= MOST_FAILURES {
                connections.failures = 0;
                connections.closed_until = Some(now + PAUSE);
            }
            connections.closed_until.filter(|until| *until > now)
        })
    }

    fn with<T>(&self, look: impl FnOnce(&mut Connections) -> T) -> T {
        let mut connections = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        look(&mut connections)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_left_alone_after_three_failures_in_a_row() {
        let breaker = Breaker::default();
        let now = DateTime::UNIX_EPOCH;
        assert_eq!((breaker.failed(now), breaker.failed(now)), (None, None));
        breaker.connected();
        assert_eq!((breaker.failed(now), breaker.failed(now)), (None, None));
        assert!(breaker.lets_through(now));
        assert_eq!(breaker.failed(now), Some(now + PAUSE));
        assert!(!breaker.lets_through(now + PAUSE - TimeDelta::seconds(1)));
        assert!(breaker.lets_through(now + PAUSE));
        assert_eq!(breaker.failed(now + PAUSE), None, "three more");
    }
}
