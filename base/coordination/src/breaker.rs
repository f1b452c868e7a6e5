//! Whether something that refuses is left alone.

use std::time::Duration;

use crate::Coordination;

/// Refusals in a row that open the breaker. One captcha may be chance; three are a policy.
const REFUSALS: u32 = 3;
/// Refusals further apart than this are not in a row.
const WINDOW: Duration = Duration::from_mins(15);
/// How long it stays open (decision D144).
const PAUSE: Duration = Duration::from_mins(15);

/// A circuit breaker over all processes: after three refusals in a row there is a pause of 15 minutes.
#[derive(Clone)]
pub struct Breaker {
    coordination: Coordination,
    refusals: String,
    pause: String,
}

impl Breaker {
    /// The breaker of this name.
    pub fn new(coordination: &Coordination, name: &str) -> Self {
        Self {
            coordination: coordination.clone(),
            refusals: format!("refusals:{name}"),
            pause: format!("pause:{name}"),
        }
    }

    /// How long the pause still lasts; `None` when there is none.
    pub async fn pause_left(&self) -> Option<Duration> {
        self.coordination.look(&self.pause).await.map(|(_, left)| left)
    }

    /// Notes a refusal, and answers whether it opened the breaker.
    pub async fn refused(&self) -> bool {
        if self.coordination.count_up(&self.refusals, WINDOW).await < REFUSALS {
            return false;
        }
        self.coordination.forget(&self.refusals).await;
        self.coordination.count_up(&self.pause, PAUSE).await == 1
    }

    /// Notes that it did not refuse.
    pub async fn accepted(&self) {
        self.coordination.forget(&self.refusals).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn three_refusals_in_a_row_pause_for_fifteen_minutes() {
        let breaker = Breaker::new(&Coordination::alone(), "google");
        assert!(!breaker.refused().await);
        breaker.accepted().await;
        assert!(!breaker.refused().await);
        assert!(!breaker.refused().await);
        assert_eq!(breaker.pause_left().await, None);
        assert!(breaker.refused().await);
        assert_eq!(breaker.pause_left().await, Some(PAUSE));
        tokio::time::advance(PAUSE).await;
        assert_eq!(breaker.pause_left().await, None);
    }
}
