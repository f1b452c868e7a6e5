//! The grid of slots of one term on one device (decision D141): `phase + k × every` in UTC.
//!
//! The phase follows from the term and the device alone, so that terms of one frequency spread evenly over it and the slots of any window can
//! be listed.

use chrono::{DateTime, TimeDelta, Utc};
use postgres::term_dues::{PlannedGrid, StaleTerm};
use vocabulary::{Device, TermId};

/// The shortest interval of a grid; a term with a shorter one gets this. A capture takes seconds.
pub const SHORTEST_INTERVAL_MILLIS: i64 = 60_000;
/// The longest interval of a grid, a year; a term with a longer one gets this, since times far beyond cannot be represented.
const LONGEST_INTERVAL_MILLIS: i64 = 366 * 24 * 3_600_000;
/// The conversion rate of terms that have none.
const DEFAULT_CONVERT_RATE: f64 = 0.05;
const HOUR_MILLIS: f64 = 3_600_000.0;

/// The offset of a term's grid within each interval, in milliseconds from 0 to `every_millis` - 1; an interval below 1 counts as 1. The same
/// arguments always give the same offset.
pub fn phase(term: TermId, device: Device, every_millis: i64) -> i64 {
    let device = match device {
        Device::Desktop => 0,
        Device::Mobile => 1,
        Device::Tablet => 2,
    };
    let every = every_millis.max(1).unsigned_abs();
    let key = u64::from(term.0.cast_unsigned()) << 2 | device;
    (scatter(key) % every).cast_signed()
}

/// The slot that `now` belongs to: the last one at or before it. `every_millis` is above 0.
pub fn current(term: TermId, device: Device, every_millis: i64, now: DateTime<Utc>) -> DateTime<Utc> {
    let phase = phase(term, device, every_millis);
    let now = now.timestamp_millis();
    let slot = (now - phase).div_euclid(every_millis) * every_millis + phase;
    DateTime::from_timestamp_millis(slot).unwrap_or(DateTime::UNIX_EPOCH)
}

/// The first slot after `now`; if `now` is a slot, the one after it.
pub fn next(term: TermId, device: Device, every_millis: i64, now: DateTime<Utc>) -> DateTime<Utc> {
    current(term, device, every_millis, now) + TimeDelta::milliseconds(every_millis)
}

/// The first slot that is at least a quarter of the interval after `at`, the time of a capture on the grid or off it.
pub fn following(term: TermId, device: Device, every_millis: i64, at: DateTime<Utc>) -> DateTime<Utc> {
    let earliest = at + TimeDelta::milliseconds(every_millis / 4);
    next(term, device, every_millis, earliest - TimeDelta::milliseconds(1))
}

/// The grids that a term should have, one per device in their order; one for desktops if it has no devices, none if it cannot be captured. A device
/// with a grid continues at the first slot after `now`. A new one is due at once and continues at the slot [`following`] `now` or, while the interval
/// of its last capture runs, waits for the slot following that. Intervals are at least [`SHORTEST_INTERVAL_MILLIS`] and
/// at most [`LONGEST_INTERVAL_MILLIS`].
pub fn plan(term: &StaleTerm, now: DateTime<Utc>) -> Vec<PlannedGrid> {
    if !term.is_capturable {
        return Vec::new();
    }
    let convert_rate = term.convert_rate.unwrap_or(DEFAULT_CONVERT_RATE);
    let every = term
        .every
        .interval_millis(term.monthly_searches, convert_rate)
        .clamp(SHORTEST_INTERVAL_MILLIS, LONGEST_INTERVAL_MILLIS);
    let mut devices = term.devices.clone();
    if devices.is_empty() {
        devices.push(Device::Desktop);
    }
    devices.sort_unstable();
    devices.dedup();
    let grid = |device| {
        let is_new = term.grids.iter().all(|grid| grid.device != device);
        let captured = term.captured.iter().find(|(of, _)| *of == device);
        let running = captured.map(|(_, at)| following(term.id, device, every, *at));
        let (first_slot, is_due) = match running.filter(|next| *next > now) {
            _ if !is_new => (next(term.id, device, every, now), false),
            Some(next) => (next, false),
            None => (following(term.id, device, every, now), true),
        };
        PlannedGrid {
            term: term.id,
            device,
            every_millis: every,
            first_slot,
            is_due,
        }
    };
    devices.into_iter().map(grid).collect()
}

/// Captures of a term an hour on all of its devices, on average; 0 if it cannot be captured.
#[expect(clippy::cast_precision_loss, reason = "intervals are at most a year of milliseconds")]
pub fn captures_an_hour(term: &StaleTerm, now: DateTime<Utc>) -> f64 {
    let grids = plan(term, now).into_iter();
    grids.map(|grid| HOUR_MILLIS / grid.every_millis as f64).sum()
}

/// Spreads neighbouring keys over all of `u64` (the finaliser of SplitMix64). It must never change, or all existing grids would move.
const fn scatter(key: u64) -> u64 {
    let mut mixed = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use postgres::term_dues::RunningGrid;
    use proptest::prelude::*;
    use vocabulary::Frequency;

    use super::*;

    const HOUR: i64 = 3_600_000;

    fn term(grids: Vec<RunningGrid>) -> StaleTerm {
        StaleTerm {
            id: TermId(7),
            is_capturable: true,
            devices: vec![Device::Mobile, Device::Mobile],
            every: Frequency::from_millis(HOUR).unwrap(),
            monthly_searches: None,
            convert_rate: None,
            grids,
            captured: Vec::new(),
        }
    }

    fn at(millis: i64) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(millis).unwrap()
    }

    #[test]
    fn an_interval_of_ages_is_planned_as_a_year() {
        let mut term = term(Vec::new());
        term.every = Frequency::from_millis(i64::MAX).unwrap();
        let now = at(1_760_000_000_000);
        let grids = plan(&term, now);
        assert!(
            grids
                .iter()
                .all(|grid| grid.first_slot - now <= TimeDelta::days(2 * 366)),
            "{grids:?}"
        );
    }

    proptest! {
        #[test]
        fn the_current_slot_is_on_the_grid_and_holds_now(id in 0..i32::MAX, every in 1_i64..3_000_000_000, now in 0_i64..4_000_000_000_000) {
            let slot = current(TermId(id), Device::Tablet, every, at(now));
            prop_assert_eq!((slot.timestamp_millis() - phase(TermId(id), Device::Tablet, every)).rem_euclid(every), 0);
            prop_assert!(slot <= at(now));
            prop_assert!(next(TermId(id), Device::Tablet, every, at(now)) > at(now));
        }

        #[test]
        fn a_slot_is_its_own_current_slot(id in 0..i32::MAX, every in 1_i64..3_000_000_000, now in 0_i64..4_000_000_000_000) {
            let slot = current(TermId(id), Device::Desktop, every, at(now));
            prop_assert_eq!(current(TermId(id), Device::Desktop, every, slot), slot);
        }
    }

    #[test]
    fn terms_spread_evenly_over_the_hour() {
        let mut minutes = [0_u32; 60];
        for id in 0..60_000 {
            minutes[usize::try_from(phase(TermId(id), Device::Desktop, HOUR) / 60_000).unwrap()] += 1;
        }
        assert!(minutes.iter().all(|terms| (800..1_200).contains(terms)), "{minutes:?}");
    }

    #[test]
    fn the_grids_of_stored_terms_never_move() {
        assert_eq!(phase(TermId(1), Device::Desktop, HOUR), 2_203_978);
        assert_eq!(phase(TermId(1), Device::Mobile, HOUR), 758_618);
    }

    proptest! {
        /// Whenever a term is enabled, its grid continues at the first slot a quarter of the interval later or more.
        #[test]
        fn a_new_term_is_due_at_once_and_then_on_its_grid(id in 0..i32::MAX, every in SHORTEST_INTERVAL_MILLIS..3_000_000_000, now in 0_i64..4_000_000_000_000) {
            let mut new = term(vec![]);
            (new.id, new.every) = (TermId(id), Frequency::from_millis(every).unwrap());
            let planned = plan(&new, at(now));
            prop_assert_eq!(planned.len(), 1, "the repeated device counts once");
            prop_assert!(planned[0].is_due);
            let wait = planned[0].first_slot.timestamp_millis() - now;
            prop_assert!((every / 4..every / 4 + every).contains(&wait), "{}", wait);
            prop_assert_eq!(current(TermId(id), Device::Mobile, every, planned[0].first_slot), planned[0].first_slot);
        }

        /// A term enabled again after a capture is due at once if and only if the slot after that capture has come.
        #[test]
        fn a_captured_slot_is_not_captured_again(captured in 0_i64..4_000_000_000_000, later in 0..3 * HOUR) {
            let mut again = term(vec![]);
            again.captured = vec![(Device::Mobile, at(captured)), (Device::Desktop, at(captured + later))];
            let follows = following(again.id, Device::Mobile, HOUR, at(captured));
            let planned = plan(&again, at(captured + later));
            prop_assert_eq!(planned[0].is_due, follows <= at(captured + later));
            if !planned[0].is_due {
                prop_assert_eq!(planned[0].first_slot, follows);
            }
        }
    }

    #[test]
    fn the_slot_after_one_of_the_grid_is_the_next_of_the_grid() {
        let slot = current(TermId(7), Device::Mobile, HOUR, at(1_790_000_000_000));
        assert_eq!(
            following(TermId(7), Device::Mobile, HOUR, slot),
            slot + TimeDelta::hours(1)
        );
    }

    #[test]
    fn a_changed_interval_starts_after_now() {
        let now = at(1_790_000_000_000);
        let running = RunningGrid {
            device: Device::Mobile,
            every_millis: 24 * HOUR,
        };
        let planned = plan(&term(vec![running]), now)[0];
        assert!(planned.first_slot > now && !planned.is_due);
    }

    #[test]
    fn a_term_without_devices_is_searched_from_a_desktop_and_never_too_often() {
        let mut hasty = term(vec![]);
        hasty.devices.clear();
        hasty.every = Frequency::from_millis(1).unwrap();
        let planned = plan(&hasty, at(0));
        assert_eq!(
            (planned[0].device, planned[0].every_millis),
            (Device::Desktop, SHORTEST_INTERVAL_MILLIS)
        );
    }

    #[test]
    fn a_paused_term_has_no_grid() {
        let mut paused = term(vec![]);
        paused.is_capturable = false;
        assert_eq!(plan(&paused, at(0)), []);
    }
}
