//! A limit of attempts per key and time.

use std::time::Duration;

use crate::Coordination;

/// How many attempts one key may have.
#[derive(Clone, Copy, Debug)]
pub struct Limit<'a> {
    /// What is counted, as in `login:address:192.0.2.1`.
    pub key: &'a str,
    /// Attempts after which further ones are refused.
    pub most: u32,
}

/// A counted attempt. Give it back with [`Throttle::give_back`] if it should not count.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub struct Reservation {
    pub(crate) is_shared: bool,
}

impl Reservation {
    /// A reservation if there is nothing to wait for, otherwise the wait as the error.
    pub(crate) fn unless(wait: Duration, is_shared: bool) -> Result<Self, Duration> {
        if wait.is_zero() {
            Ok(Self { is_shared })
        } else {
            Err(wait)
        }
    }
}

/// Counts attempts per key in a window of time, over all processes. An attempt is counted before it is made, so that attempts at the same time cannot
/// exceed the limit.
#[derive(Clone)]
pub struct Throttle {
    coordination: Coordination,
    window: Duration,
}

impl Throttle {
    /// A throttle whose counts, one per key, start from zero `window` after their first attempt.
    pub fn new(coordination: &Coordination, window: Duration) -> Self {
        Self {
            coordination: coordination.clone(),
            window,
        }
    }

    /// Counts an attempt for every key, before it is made.
    ///
    /// # Errors
    /// How long to refuse further attempts when a key is at its limit; then no key is counted.
    pub async fn reserve(&self, limits: &[Limit<'_>]) -> Result<Reservation, Duration> {
        let keys = stored_keys(limits);
        let prefixed: Vec<Limit<'_>> = keys
            .iter()
            .zip(limits)
            .map(|(key, limit)| Limit { key, most: limit.most })
            .collect();
        self.coordination.reserve(&prefixed, self.window).await
    }

    /// Counts an attempt down again for the keys that it was reserved for: pass the same `limits`.
    pub async fn give_back(&self, reservation: Reservation, limits: &[Limit<'_>]) {
        self.coordination.give_back(&reservation, &stored_keys(limits)).await;
    }

    /// Sets the count of a key to zero.
    pub async fn forget(&self, key: &str) {
        self.coordination.forget(&prefixed(key)).await;
    }
}

/// The keys of limits as they are stored.
fn stored_keys(limits: &[Limit<'_>]) -> Vec<String> {
    limits.iter().map(|limit| prefixed(limit.key)).collect()
}

/// A key as it is stored, apart from those of breakers and buckets.
fn prefixed(key: &str) -> String {
    format!("tries:{key}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: [Limit<'_>; 2] = [
        Limit {
            key: "login:a",
            most: 2,
        },
        Limit {
            key: "login:b",
            most: 9,
        },
    ];

    #[tokio::test(start_paused = true)]
    async fn refuses_once_a_limit_is_reached_until_the_window_is_over() {
        let throttle = Throttle::new(&Coordination::alone(), Duration::from_mins(15));
        for _ in 0..2 {
            let _counts = throttle.reserve(&LIMITS).await.unwrap();
        }
        assert_eq!(throttle.reserve(&LIMITS).await, Err(Duration::from_mins(15)));
        throttle.forget("login:a").await;
        let _counts = throttle.reserve(&LIMITS).await.unwrap();
        tokio::time::advance(Duration::from_mins(15)).await;
        let _counts = throttle.reserve(&LIMITS).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_refused_attempt_and_one_that_is_given_back_count_nowhere() {
        let throttle = Throttle::new(&Coordination::alone(), Duration::from_mins(15));
        for _ in 0..50 {
            let reservation = throttle.reserve(&LIMITS).await.unwrap();
            throttle.give_back(reservation, &LIMITS).await;
        }
        for _ in 0..2 {
            let _counts = throttle.reserve(&LIMITS).await.unwrap();
        }
        for _ in 0..50 {
            throttle.reserve(&LIMITS).await.unwrap_err();
        }
        let other = [Limit {
            key: "login:b",
            most: 3,
        }];
        let _counts = throttle.reserve(&other).await.unwrap();
        throttle.reserve(&other).await.unwrap_err();
    }

    #[tokio::test]
    async fn no_more_concurrent_attempts_go_through_than_consecutive_ones() {
        let throttle = Throttle::new(&Coordination::alone(), Duration::from_mins(15));
        let attempts = futures::future::join_all((0..600).map(|_| {
            let throttle = throttle.clone();
            tokio::spawn(async move { throttle.reserve(&LIMITS).await.is_ok() })
        }));
        let admitted = attempts
            .await
            .into_iter()
            .filter(|admitted| *admitted.as_ref().unwrap())
            .count();
        assert_eq!(admitted, 2);
    }
}
