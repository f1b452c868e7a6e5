//! How often, and when, a failed slot is tried again (decision D140).

use std::time::Duration;

/// Waits before the second, third and fourth attempt.
const WAITS: [Duration; 3] = [Duration::from_mins(1), Duration::from_mins(5), Duration::from_mins(15)];

/// How long to wait after this many failures before the next attempt; `None` ends the slot.
pub fn wait_after(failures: i32) -> Option<Duration> {
    let index = usize::try_from(failures).ok()?.checked_sub(1)?;
    WAITS.get(index).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_retries_and_then_the_end() {
        let waits: Vec<_> = (1..=4).map(wait_after).collect();
        let minutes = |wait: u64| Some(Duration::from_mins(wait));
        assert_eq!(waits, [minutes(1), minutes(5), minutes(15), None]);
    }
}
