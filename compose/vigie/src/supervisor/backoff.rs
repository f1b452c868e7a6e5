//! How long to wait before restarting a part that died.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(30);
/// A part that lived this long starts over with the shortest wait.
const STEADY: Duration = Duration::from_mins(1);

/// Waits that double from half a second to 30 s while a part keeps dying early.
#[derive(Debug, Default)]
pub struct Backoff {
    deaths: u32,
}

impl Backoff {
    /// Counts a death at the age of `lived` and returns how long to wait before the next start: half a second, twice as long after each further
    /// death, 30 s at most. After a life of a minute or more it starts over with half a second.
    pub fn after(&mut self, lived: Duration) -> Duration {
        if lived >= STEADY {
            self.deaths = 0;
        }
        let wait = FIRST.saturating_mul(1 << self.deaths.min(10)).min(LONGEST);
        self.deaths += 1;
        wait
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_up_to_a_limit_and_starts_over_after_a_steady_life() {
        let mut backoff = Backoff::default();
        let young: Vec<u64> = (0..8)
            .map(|_| u64::try_from(backoff.after(Duration::ZERO).as_millis()).unwrap())
            .collect();
        assert_eq!(young, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
        assert_eq!(backoff.after(STEADY), FIRST);
    }
}
