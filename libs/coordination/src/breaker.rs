//! A circuit breaker.

use std::time::Duration;

use crate::Coordination;

/// Refusals in a row that open the breaker. One captcha may be chance; three are a policy.
const REFUSALS_IN_A_ROW: u32 = 3;
/// The share of refusals counts once this many searches were made in the window, …
const LEAST_REQUESTS: u32 = 10;
/// … and opens the breaker at one refusal in this many.
const ONE_IN: u32 = 3;
/// The time over which refusals are counted.
const WINDOW: Duration = Duration::from_mins(15);
/// How long it stays open the first time (decision D144); each further time twice as long.
const PAUSE: Duration = Duration::from_mins(15);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_hours(2);
/// This long after the first pause, the next one is short again.
const MEMORY: Duration = Duration::from_hours(6);

/// A circuit breaker over all processes: after three refusals in a row, or when a third of the requests are refused, there is a
/// pause of 15 minutes, of 30 minutes the next time, and so on up to two hours.
#[derive(Clone)]
pub struct Breaker {
    coordination: Coordination,
    in_a_row: String,
    requests: String,
    refused: String,
    pauses: String,
    pause: String,
}

impl Breaker {
    /// The breaker of this name; breakers of one name share their state, also in other processes. Creating one changes nothing.
    pub fn new(coordination: &Coordination, name: &str) -> Self {
        let key = |what: &str| format!("{what}:{name}");
        Self {
            coordination: coordination.clone(),
            in_a_row: key("refusals"),
            requests: key("asked"),
            refused: key("refused"),
            pauses: key("pauses"),
            pause: key("pause"),
        }
    }

    /// How long searches still pause; `None` while the breaker is closed.
    pub async fn pause_left(&self) -> Option<Duration> {
        self.coordination.look(&self.pause).await.map(|(_, left)| left)
    }

    /// Counts a refused request. The third in a row, or one that makes up a third of at least ten requests within 15 minutes, opens the breaker and
    /// starts the counts over. Returns the length of the pause if it opened now; `None` if it is still closed or was open already.
    pub async fn note_refusal(&self) -> Option<Duration> {
        let count = |key| self.coordination.count_up(key, WINDOW);
        let (in_a_row, requests, refused) = (
            count(&self.in_a_row).await,
            count(&self.requests).await,
            count(&self.refused).await,
        );
        let too_often = requests >= LEAST_REQUESTS && refused.saturating_mul(ONE_IN) >= requests;
        if in_a_row < REFUSALS_IN_A_ROW && !too_often {
            return None;
        }
        for key in [&self.in_a_row, &self.requests, &self.refused] {
            self.coordination.forget(key).await;
        }
        if self.pause_left().await.is_some() {
            return None;
        }
        let before = self.coordination.count_up(&self.pauses, MEMORY).await.saturating_sub(1);
        let pause = PAUSE.saturating_mul(2_u32.saturating_pow(before)).min(LONGEST_PAUSE);
        (self.coordination.count_up(&self.pause, pause).await == 1).then_some(pause)
    }

    /// Counts an accepted request, which ends a row of refusals. It does not end a pause.
    pub async fn note_acceptance(&self) {
        self.coordination.forget(&self.in_a_row).await;
        self.coordination.count_up(&self.requests, WINDOW).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn three_refusals_in_a_row_pause_for_fifteen_minutes() {
        let breaker = Breaker::new(&Coordination::alone(), "google");
        assert_eq!(breaker.note_refusal().await, None);
        breaker.note_acceptance().await;
        assert_eq!(breaker.note_refusal().await, None);
        assert_eq!(breaker.note_refusal().await, None);
        assert_eq!(breaker.pause_left().await, None);
        assert_eq!(breaker.note_refusal().await, Some(PAUSE));
        assert_eq!(breaker.pause_left().await, Some(PAUSE));
        tokio::time::advance(PAUSE).await;
        assert_eq!(breaker.pause_left().await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn an_engine_that_refuses_a_third_of_the_searches_is_paused() {
        let breaker = Breaker::new(&Coordination::alone(), "google");
        let mut requests = 0;
        let opened = loop {
            breaker.note_acceptance().await;
            breaker.note_acceptance().await;
            requests += 3;
            if breaker.note_refusal().await.is_some() {
                break requests;
            }
            assert!(requests < 100, "never opened");
        };
        assert_eq!(opened, 12);
    }

    #[tokio::test(start_paused = true)]
    async fn rare_refusals_do_not_pause() {
        let breaker = Breaker::new(&Coordination::alone(), "google");
        for _ in 0..50 {
            for _ in 0..4 {
                breaker.note_acceptance().await;
            }
            assert_eq!(breaker.note_refusal().await, None);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_that_follow_each_other_grow_to_two_hours_and_are_forgotten() {
        let breaker = Breaker::new(&Coordination::alone(), "google");
        let mut pauses = Vec::new();
        for _ in 0..5 {
            breaker.note_refusal().await;
            breaker.note_refusal().await;
            let pause = breaker.note_refusal().await.unwrap();
            tokio::time::advance(pause).await;
            pauses.push(pause.as_secs() / 60);
        }
        assert_eq!(pauses, [15, 30, 60, 120, 120]);
        tokio::time::advance(MEMORY).await;
        breaker.note_refusal().await;
        breaker.note_refusal().await;
        assert_eq!(breaker.note_refusal().await, Some(PAUSE));
    }
}
