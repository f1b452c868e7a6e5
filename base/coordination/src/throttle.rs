//! Who failed too often.

use std::time::Duration;

use crate::Coordination;

/// How many failures one key may have.
#[derive(Clone, Copy, Debug)]
pub struct Limit<'a> {
    /// What is counted, as in `login:address:192.0.2.1`.
    pub key: &'a str,
    /// Failures after which it is refused.
    pub most: u32,
}

/// Counts failures in a window of time.
#[derive(Clone)]
pub struct Throttle {
    coordination: Coordination,
    window: Duration,
}

impl Throttle {
    /// Counts start anew `window` after their first failure.
    pub fn new(coordination: &Coordination, window: Duration) -> Self {
        Self {
            coordination: coordination.clone(),
            window,
        }
    }

    /// How long to refuse; `None` while every key is under its limit.
    pub async fn refuse_for(&self, limits: &[Limit<'_>]) -> Option<Duration> {
        let mut longest = None;
        for limit in limits {
            if let Some((failures, left)) = self.coordination.look(&named(limit.key)).await
                && failures >= limit.most
            {
                longest = longest.max(Some(left));
            }
        }
        longest
    }

    /// Counts a failure of every key.
    pub async fn failed(&self, limits: &[Limit<'_>]) {
        for limit in limits {
            self.coordination.count_up(&named(limit.key), self.window).await;
        }
    }

    /// Forgets the failures of a key.
    pub async fn forget(&self, key: &str) {
        self.coordination.forget(&named(key)).await;
    }
}

fn named(key: &str) -> String {
    format!("failures:{key}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn refuses_once_a_limit_is_reached_until_the_window_is_over() {
        let throttle = Throttle::new(&Coordination::alone(), Duration::from_mins(15));
        let limits = [
            Limit {
                key: "login:a",
                most: 2,
            },
            Limit {
                key: "login:b",
                most: 9,
            },
        ];
        throttle.failed(&limits).await;
        assert_eq!(throttle.refuse_for(&limits).await, None);
        throttle.failed(&limits).await;
        assert_eq!(throttle.refuse_for(&limits).await, Some(Duration::from_mins(15)));
        throttle.forget("login:a").await;
        assert_eq!(throttle.refuse_for(&limits).await, None);
    }
}
