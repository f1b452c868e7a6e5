//! Times of one thing done many times.

use std::time::Duration;

/// Middle and spread of some times, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Figures {
    pub(super) median: f64,
    least: f64,
    most: f64,
}

impl Figures {
    /// `None` without times.
    pub(super) fn of(times: &[Duration]) -> Option<Self> {
        let mut millis: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1e3).collect();
        millis.sort_by(f64::total_cmp);
        Some(Self {
            median: *millis.get(millis.len() / 2)?,
            least: *millis.first()?,
            most: *millis.last()?,
        })
    }
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.1} ({:.1} to {:.1})", self.median, self.least, self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_stands_in_the_middle_of_the_spread() {
        let times = [30, 10, 20].map(Duration::from_millis);
        assert_eq!(Figures::of(&times).unwrap().to_string(), "20.0 (10.0 to 30.0)");
        assert!(Figures::of(&[]).is_none());
    }
}
