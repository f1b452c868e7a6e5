//! How a brand's lanes decide.

use chrono::{DateTime, Datelike, TimeDelta, Timelike, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

/// What a lane may do by itself (decision D196).
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Mode {
    /// Looks, and changes nothing.
    #[default]
    Observe,
    /// A person approves each stop; it goes by itself.
    Propose,
    /// Stops and goes by itself.
    Automatic,
}

/// How the lanes of a brand decide. Every field has a default, so that settings stored by an earlier version can be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Settings {
    /// Clean captures of each device and language before a stop.
    pub stop_after: u16,
    /// Hours that these captures span at least: the slider of the dry run (decision D194).
    pub stop_span_hours: u16,
    /// Doubtful captures of one device and language that end a stop.
    pub unsure_after: u16,
    /// Hours without a valid capture after which a lane goes, if its interval does not say less.
    pub stale_hours: u16,
    /// Hours that a stop lasts unless a rival or staleness ends it.
    pub min_stop_hours: u16,
    /// Hours that a lane goes before it may stop again.
    pub min_go_hours: u16,
    /// The most that these become, doubled after each stop shorter than half a day.
    pub max_go_hours: u16,
    /// Stops and goes of a lane in a day.
    pub max_toggles: u16,
    /// Stops and goes of all lanes of a Google item in a day.
    pub max_item_toggles: u16,
    /// The most lanes of an item that are stopped at once, in percent.
    pub max_stopped_percent: u16,
    /// The most of an item's brand cost that is stopped at once, in percent.
    pub max_stopped_cost_percent: u16,
    /// Lanes kept as a control that never stops, in percent.
    pub holdout_percent: u16,
    /// Hours of the week in which a lane may be stopped, one bit an hour for each day from Monday; `None` for all.
    pub hours: Option<[u32; 7]>,
    /// The time zone of `hours` and of days.
    pub zone: Tz,
    /// Spans in which nothing may be stopped.
    pub blackouts: Vec<(DateTime<Utc>, DateTime<Utc>)>,
    /// Hours, each with their zone, that have to allow a stop as well: those of other brands of a lane.
    #[serde(skip)]
    pub other_hours: Vec<([u32; 7], Tz)>,
    /// Whether a shopping ad of somebody else is a rival.
    pub shopping_counts: bool,
    /// Whether the ad of a partner is a rival (decision D213).
    pub partner_counts: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            stop_after: 3,
            stop_span_hours: 6,
            unsure_after: 1,
            stale_hours: 6,
            min_stop_hours: 2,
            min_go_hours: 4,
            max_go_hours: 48,
            max_toggles: 6,
            max_item_toggles: 200,
            max_stopped_percent: 50,
            max_stopped_cost_percent: 30,
            holdout_percent: 0,
            hours: None,
            zone: Tz::Europe__Paris,
            blackouts: Vec::new(),
            other_hours: Vec::new(),
            shopping_counts: false,
            partner_counts: false,
        }
    }
}

/// A number of the settings and its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettingNumber {
    /// Name of the field on the wire.
    pub field: &'static str,
    /// What it is.
    pub value: u16,
    /// The least it may be.
    pub least: u16,
    /// The most it may be.
    pub most: u16,
}

impl Settings {
    /// Every number with its bounds: the span of a stop 2 to 36 hours (decision D194), and no bound that would switch a safeguard off.
    pub fn numbers(&self) -> [SettingNumber; 12] {
        let number = |field, value, least, most| SettingNumber {
            field,
            value,
            least,
            most,
        };
        [
            number("stopAfter", self.stop_after, 1, 50),
            number("stopSpanHours", self.stop_span_hours, 2, 36),
            number("unsureAfter", self.unsure_after, 1, 5),
            number("staleHours", self.stale_hours, 1, 6),
            number("minStopHours", self.min_stop_hours, 0, 48),
            number("minGoHours", self.min_go_hours, 1, 48),
            number("maxGoHours", self.max_go_hours, self.min_go_hours.max(1), 168),
            number("maxToggles", self.max_toggles, 2, 24),
            number("maxItemToggles", self.max_item_toggles, 2, 2_000),
            number("maxStoppedPercent", self.max_stopped_percent, 0, 100),
            number("maxStoppedCostPercent", self.max_stopped_cost_percent, 0, 100),
            number("holdoutPercent", self.holdout_percent, 0, 50),
        ]
    }

    /// The first number that is not within its bounds; settings with one are not used.
    pub fn broken(&self) -> Option<SettingNumber> {
        let mut numbers = self.numbers().into_iter();
        numbers.find(|number| !(number.least..=number.most).contains(&number.value))
    }

    /// The settings of a lane of several brands: it does only what each of them allows.
    #[must_use]
    pub fn strictest(self, other: Self) -> Self {
        let mut blackouts = self.blackouts;
        blackouts.extend(other.blackouts);
        let mut other_hours = self.other_hours;
        other_hours.extend(other.hours.map(|hours| (hours, other.zone)));
        other_hours.extend(other.other_hours);
        Self {
            stop_after: self.stop_after.max(other.stop_after),
            stop_span_hours: self.stop_span_hours.max(other.stop_span_hours),
            unsure_after: self.unsure_after.min(other.unsure_after),
            stale_hours: self.stale_hours.min(other.stale_hours),
            min_stop_hours: self.min_stop_hours.min(other.min_stop_hours),
            min_go_hours: self.min_go_hours.max(other.min_go_hours),
            max_go_hours: self.max_go_hours.max(other.max_go_hours),
            max_toggles: self.max_toggles.min(other.max_toggles),
            max_item_toggles: self.max_item_toggles.min(other.max_item_toggles),
            max_stopped_percent: self.max_stopped_percent.min(other.max_stopped_percent),
            max_stopped_cost_percent: self.max_stopped_cost_percent.min(other.max_stopped_cost_percent),
            holdout_percent: self.holdout_percent.max(other.holdout_percent),
            hours: self.hours,
            zone: self.zone,
            blackouts,
            other_hours,
            shopping_counts: self.shopping_counts || other.shopping_counts,
            partner_counts: self.partner_counts || other.partner_counts,
        }
    }

    /// How long a source with this capture interval may be without a valid capture: twice the interval, at most [`Self::stale_hours`].
    pub fn stale_after(&self, interval: TimeDelta) -> TimeDelta {
        (interval * 2).min(TimeDelta::hours(self.stale_hours.into()))
    }

    /// The span that clean captures cover at least before a stop.
    pub(crate) fn stop_span(&self) -> TimeDelta {
        TimeDelta::hours(self.stop_span_hours.into())
    }

    /// Whether a lane may be stopped in the hour of the week that it is at `now`.
    pub(crate) fn is_in_hours(&self, now: DateTime<Utc>) -> bool {
        let own = self.hours.map(|hours| (hours, self.zone));
        own.into_iter()
            .chain(self.other_hours.iter().copied())
            .all(|(hours, zone)| {
                let local = now.with_timezone(&zone);
                let day = usize::try_from(local.weekday().num_days_from_monday()).unwrap_or(0);
                hours.get(day).is_some_and(|bits| bits >> local.hour() & 1 == 1)
            })
    }

    /// Whether nothing may be stopped at `now`.
    pub(crate) fn is_blackout(&self, now: DateTime<Utc>) -> bool {
        self.blackouts
            .iter()
            .any(|(from, until)| (*from..*until).contains(&now))
    }

    /// The first time after `now` at which the hours or a blackout change what is allowed; `None` if they never do.
    pub(crate) fn next_change(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let edges = self.blackouts.iter().flat_map(|(from, until)| [*from, *until]);
        let edge = edges.filter(|edge| *edge > now).min();
        let hour = (self.hours.is_some() || !self.other_hours.is_empty()).then(|| {
            let into_the_hour = now.timestamp().rem_euclid(3_600);
            now + TimeDelta::seconds(3_600 - into_the_hour)
                - TimeDelta::nanoseconds(now.timestamp_subsec_nanos().into())
        });
        [edge, hour].into_iter().flatten().min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_keep_their_bounds_and_wrong_numbers_name_their_field() {
        assert_eq!(Settings::default().broken(), None);
        let wide = Settings {
            stop_span_hours: 37,
            ..Settings::default()
        };
        let broken = wide.broken().unwrap();
        assert_eq!((broken.field, broken.least, broken.most), ("stopSpanHours", 2, 36));
        let never_stale = Settings {
            stale_hours: 48,
            ..Settings::default()
        };
        assert_eq!(never_stale.broken().unwrap().field, "staleHours");
    }

    #[test]
    fn a_lane_of_two_brands_does_what_both_allow() {
        let every_hour = [0xff_ffff; 7];
        let own = Settings {
            stop_after: 5,
            zone: Tz::UTC,
            hours: Some(every_hour),
            ..Settings::default()
        };
        let at = |hour: u32| DateTime::<Utc>::UNIX_EPOCH + TimeDelta::hours(hour.into());
        let other = Settings {
            stale_hours: 2,
            zone: Tz::UTC,
            hours: Some([1 << 3; 7]),
            blackouts: vec![(at(27), at(28))],
            partner_counts: true,
            ..Settings::default()
        };
        for both in [own.clone().strictest(other.clone()), other.strictest(own)] {
            assert_eq!((both.stop_after, both.stale_hours, both.partner_counts), (5, 2, true));
            assert!(both.is_in_hours(at(3)) && !both.is_in_hours(at(4)));
            assert!(both.is_blackout(at(27)) && !both.is_blackout(at(3)));
            assert_eq!(both.next_change(at(3)), Some(at(4)));
        }
    }

    #[test]
    fn stale_is_twice_the_interval_and_at_most_six_hours() {
        let settings = Settings::default();
        assert_eq!(settings.stale_after(TimeDelta::hours(1)), TimeDelta::hours(2));
        assert_eq!(settings.stale_after(TimeDelta::days(1)), TimeDelta::hours(6));
    }
}
