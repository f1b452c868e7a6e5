//! Whether something that refuses is left alone.

use std::time::Duration;

use crate::Coordination;

/// Refusals in a row that open the breaker. One captcha may be chance; three are a policy.
const REFUSALS_IN_A_ROW: u32 = 3;
/// Refusals are weighed against answers once so many were asked in the window, …
const LEAST_ASKED: u32 = 10;
/// … and open the breaker when one answer in so many is a refusal.
const ONE_IN: u32 = 3;
/// Refusals further apart than this have nothing to do with each other.
const WINDOW: Duration = Duration::from_mins(15);
/// How long it stays open the first time (decision D144); each further time twice as long.
const PAUSE: Duration = Duration::from_mins(15);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_hours(2);
/// Pauses this long after the first one begin anew with the short one.
const MEMORY: Duration = Duration::from_hours(6);

/// A circuit breaker over all processes: after three refusals in a row, or when a third of the answers are refusals, there is a
/// pause of 15 minutes, of 30 minutes the next time, and so on up to two hours.
#[derive(Clone)]
pub struct Breaker {
    coordination: Coordination,
    in_a_row: String,
    asked: String,
    refused: String,
    pauses: String,
    pause: String,
}

impl Breaker {
    /// The breaker of this name.
    pub fn new(coordination: &Coordination, name: &str) -> Self {
        let key = |what: &str| format!("{what}:{name}");
        Self {
            coordination: coordination.clone(),
            in_a_row: key("refusals"),
            asked: key("asked"),
            refused: key("refused"),
            pauses: key("pauses"),
            pause: key("pause"),
        }
    }

    /// How long the pause still lasts; `None` when there is none.
    pub async fn pause_left(&self) -> Option<Duration> {
        self.coordination.look(&self.pause).await.map(|(_, left)| left)
    }

    /// Notes a refusal. Gives the length of the pause if this refusal opened the breaker.
    pub async fn refused(&self) -> Option<Duration> {
        let count = |key| self.coordination.count_up(key, WINDOW);
        let (in_a_row, asked, refused) = (
            count(&self.in_a_row).await,
            count(&self.asked).await,
            count(&self.refused).await,
        );
        let too_often = asked >= LEAST_ASKED && refused.saturating_mul(ONE_IN) >= asked;
        if in_a_row < REFUSALS_IN_A_ROW && !too_often {
            return None;
        }
        for key in [&self.in_a_row, &self.asked, &self.refused] {
            self.coordination.forget(key).await;
        }
        if self.pause_left().await.is_some() {
            return None;
        }
        let before = self.coordination.count_up(&self.pauses, MEMORY).await.saturating_sub(1);
        let pause = PAUSE.saturating_mul(2_u32.saturating_pow(before)).min(LONGEST_PAUSE);
        (self.coordination.count_up(&self.pause, pause).await == 1).then_some(pause)
    }

    /// Notes that it did not refuse.
    pub async fn accepted(&self) {
        self.coordination.forget(&self.in_a_row).await;
        self.coordination.count_up(&self.asked, WINDOW).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn three_refusals_in_a_row_pause_for_fifteen_minutes() {
        let breaker = Breaker::new(&Coordination::alone(), "google");
        assert_eq!(breaker.refused().await, None);
        breaker.accepted().await;
        assert_eq!(breaker.refused().await, None);
        assert_eq!(breaker.refused().await, None);
        assert_eq!(breaker.pause_left().await, None);
        assert_eq!(breaker.refused().await, Some(PAUSE));
        assert_eq!(breaker.pause_left().await, Some(PAUSE));
        tokio::time::advance(PAUSE).await;
        assert_eq!(breaker.pause_left().await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn an_engine_that_refuses_a_third_of_the_searches_is_paused() {
        let breaker = Breaker::new(&Coordination::alone(), "google");
        let mut asked = 0;
        let opened = loop {
            breaker.accepted().await;
            breaker.accepted().await;
            asked += 3;
            if breaker.refused().await.is_some() {
                break asked;
            }
            assert!(asked < 100, "never opened");
        };
        assert_eq!(opened, 12);
    }

    #[tokio::test(start_paused = true)]
    async fn rare_refusals_do_not_pause() {
        let breaker = Breaker::new(&Coordination::alone(), "google");
        for _ in 0..50 {
            for _ in 0..4 {
                breaker.accepted().await;
            }
            assert_eq!(breaker.refused().await, None);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_that_follow_each_other_grow_to_two_hours_and_are_forgotten() {
        let breaker = Breaker::new(&Coordination::alone(), "google");
        let mut pauses = Vec::new();
        for _ in 0..5 {
            breaker.refused().await;
            breaker.refused().await;
            let pause = breaker.refused().await.unwrap();
            tokio::time::advance(pause).await;
            pauses.push(pause.as_secs() / 60);
        }
        assert_eq!(pauses, [15, 30, 60, 120, 120]);
        tokio::time::advance(MEMORY).await;
        breaker.refused().await;
        breaker.refused().await;
        assert_eq!(breaker.refused().await, Some(PAUSE));
    }
}
