//! Times of one thing done many times.

use std::time::Duration;

/// The time in milliseconds that a share of some ascending times does not exceed; 0 without times.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a place in a list"
)]
pub(crate) fn percentile(ascending: &[Duration], share: f64) -> f64 {
    let rank = (ascending.len() as f64 * share).ceil() as usize;
    ascending
        .get(rank.saturating_sub(1))
        .map_or(0.0, |time| time.as_secs_f64() * 1e3)
}

/// Returns the median, of an even number the greater; the default without values.
pub(crate) fn median<T: Ord + Copy + Default>(mut found: Vec<T>) -> T {
    found.sort_unstable();
    found.get(found.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_the_times_is_not_longer() {
        let times: Vec<Duration> = (1..=100).map(Duration::from_millis).collect();
        for (share, millis) in [(0.5, 50.0), (0.95, 95.0), (0.99, 99.0), (1.0, 100.0)] {
            assert!((percentile(&times, share) - millis).abs() < 1e-9, "{share}");
        }
        assert!(percentile(&[], 0.5).abs() < 1e-9);
    }

    #[test]
    fn the_median_lies_in_the_middle() {
        assert_eq!(median(vec![3, 1, 2]), 2);
        assert_eq!(median(vec![4, 1, 2, 3]), 3);
        assert_eq!(median(Vec::<u64>::new()), 0);
    }
}
