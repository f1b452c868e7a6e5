//! What may be asked of Google Ads now.

use postgres::google::Usage;

/// Under one part in this many of the day's operations, only what a person asked for is read.
const KEPT_FOR_PERSONS: i64 = 5;
/// Under one part in this many, nothing is asked but what lets ads show again.
const KEPT_FOR_GO: i64 = 20;

/// What may be asked of Google Ads now. Letting ads show again is always tried: our own count never stops it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    /// Whether anything may be asked that can wait.
    pub may_ask: bool,
    /// Whether what no person asked for may be read.
    pub may_refresh: bool,
}

impl Budget {
    /// What is left of `limit` operations a day; 0: without limit.
    pub(crate) fn new(usage: &Usage, limit: u32) -> Self {
        let limit = i64::from(limit);
        let left = limit - usage.operations;
        let leaves = |part: i64| limit == 0 || left > limit / part;
        let may_ask = usage.paused_until.is_none() && leaves(KEPT_FOR_GO);
        Self {
            may_ask,
            may_refresh: may_ask && leaves(KEPT_FOR_PERSONS),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fifth_of_the_day_is_kept_for_persons_a_twentieth_for_go_and_a_pause_stops_all() {
        let of = |operations, limit| {
            let budget = Budget::new(
                &Usage {
                    operations,
                    ..Usage::default()
                },
                limit,
            );
            (budget.may_ask, budget.may_refresh)
        };
        assert_eq!(of(2_000, 2_880), (true, true));
        assert_eq!(of(2_400, 2_880), (true, false));
        assert_eq!(of(2_735, 2_880), (true, false));
        assert_eq!(of(2_736, 2_880), (false, false));
        assert_eq!(of(1_000_000, 0), (true, true));
        let paused = Usage {
            paused_until: Some("2026-11-24T12:00:00Z".parse().unwrap()),
            ..Usage::default()
        };
        assert!(!Budget::new(&paused, 0).may_ask);
    }
}
