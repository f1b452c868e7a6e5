//! What a tracked search is made of.

use serde::{Deserialize, Serialize};

/// A search engine. Stored and sent in lower case by ad results, in upper case by terms.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase", ascii_case_insensitive)]
pub enum Engine {
    /// Google's web search.
    Google,
    /// Microsoft's web search.
    Bing,
}

/// The kind of device a search is made with.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase", ascii_case_insensitive)]
pub enum Device {
    /// A browser on a computer.
    Desktop,
    /// A browser on a telephone.
    Mobile,
    /// A browser on a tablet.
    Tablet,
}

/// What the words of a term are about.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::VariantArray,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE", ascii_case_insensitive)]
pub enum KeywordType {
    /// No brand in it.
    #[default]
    Generic,
    /// A brand alone.
    Brand,
    /// A brand with other words.
    #[serde(alias = "generic+brand", alias = "GENERIC+BRAND")]
    #[strum(to_string = "GENERIC_BRAND", serialize = "generic+brand")]
    GenericBrand,
    /// Several brands together.
    #[serde(rename = "MULTIBRAND", alias = "multibrand")]
    #[strum(serialize = "MULTIBRAND")]
    Multibrand,
}

/// Characters of the words of a term at most (decision D103).
pub const LONGEST_WORDS: usize = 80;

/// Whether a term is captured.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum TermState {
    /// Captured at its frequency.
    Enabled,
    /// Paused: never due.
    #[default]
    Disabled,
    /// Paused for good.
    Archived,
}

/// How often a term is captured, in milliseconds; 0 means 'from the monthly searches' (decision D92).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Frequency(i64);

const HOUR_MS: i64 = 3_600_000;
/// Hours of one month in the seeds' frequency list.
const MONTH_HOURS: i64 = 732;
const OPTION_HOURS: [i64; 8] = [1, 2, 6, 12, 24, 72, 168, MONTH_HOURS];
/// Without search statistics an automatic term is captured every day.
const AUTO_WITHOUT_STATISTICS: i64 = 24 * HOUR_MS;

impl Frequency {
    /// From the monthly searches.
    pub const AUTO: Self = Self(0);

    /// The frequency of this interval in milliseconds, 0 for the automatic one; `None` when negative.
    pub const fn from_millis(millis: i64) -> Option<Self> {
        if millis < 0 { None } else { Some(Self(millis)) }
    }

    /// The frequency of so many hours as users choose it, 0 for the automatic one; `None` for hours that are no choice.
    #[expect(clippy::cast_precision_loss, clippy::float_cmp, reason = "whole numbers up to 732")]
    pub fn of_listed_hours(hours: f64) -> Option<Self> {
        if hours == 0.0 {
            return Some(Self::AUTO);
        }
        let listed = OPTION_HOURS.into_iter().find(|option| *option as f64 == hours);
        listed.map(|option| Self(option * HOUR_MS))
    }

    /// The intervals that users may choose, in milliseconds, the shortest first.
    pub fn listed_millis() -> impl Iterator<Item = i64> {
        OPTION_HOURS.into_iter().map(|hours| hours * HOUR_MS)
    }

    /// The hours that users may choose which are nearest to these.
    #[expect(clippy::cast_precision_loss, reason = "at most 732 hours")]
    pub fn nearest_listed_hours(hours: f64) -> i64 {
        let distance = |option: &i64| (*option as f64 - hours).abs();
        let nearest = OPTION_HOURS
            .into_iter()
            .min_by(|one, other| distance(one).total_cmp(&distance(other)));
        nearest.unwrap_or(MONTH_HOURS)
    }

    /// As stored; 0 is automatic.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// The milliseconds between captures. For [`Self::AUTO`], a month of 732 hours shared by `monthly_searches` × `convert_rate` captures (1 to 732),
    /// rounded up to the next interval of `OPTION_HOURS`; a day without statistics.
    #[expect(clippy::cast_precision_loss, reason = "at most 732 hours")]
    pub fn interval_millis(self, monthly_searches: Option<f64>, convert_rate: f64) -> i64 {
        if self != Self::AUTO {
            return self.0;
        }
        let Some(searches) = monthly_searches else {
            return AUTO_WITHOUT_STATISTICS;
        };
        let month = MONTH_HOURS as f64;
        let captures = (searches * convert_rate).clamp(1.0, month);
        let hours = month / captures;
        let listed = OPTION_HOURS
            .iter()
            .copied()
            .find(|option| *option as f64 >= hours - 1e-9);
        listed.unwrap_or(MONTH_HOURS) * HOUR_MS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auto_follows_the_example_of_the_decision() {
        // 10,000 searches at 5 % are 500 captures a month: 1.46 h, rounded up to 2 h.
        assert_eq!(Frequency::AUTO.interval_millis(Some(10_000.0), 0.05), 2 * HOUR_MS);
    }

    #[test]
    fn auto_without_statistics_is_daily_and_bounds_hold() {
        assert_eq!(Frequency::AUTO.interval_millis(None, 0.05), 24 * HOUR_MS);
        assert_eq!(Frequency::AUTO.interval_millis(Some(1e12), 1.0), HOUR_MS);
        assert_eq!(Frequency::AUTO.interval_millis(Some(0.0), 1.0), 732 * HOUR_MS);
    }

    #[test]
    fn hours_are_those_that_users_choose() {
        assert_eq!(Frequency::of_listed_hours(0.0), Some(Frequency::AUTO));
        assert_eq!(Frequency::of_listed_hours(732.0).unwrap().as_millis(), 732 * HOUR_MS);
        for hours in [0.5, 3.0, -1.0, f64::NAN] {
            assert_eq!(Frequency::of_listed_hours(hours), None);
        }
        assert_eq!(Frequency::nearest_listed_hours(25.0), 24);
        assert_eq!(Frequency::nearest_listed_hours(-4.0), 1);
    }

    #[test]
    fn outside_spellings_are_understood() {
        assert_eq!(
            "generic+brand".parse::<KeywordType>().unwrap(),
            KeywordType::GenericBrand
        );
        assert_eq!(KeywordType::GenericBrand.to_string(), "GENERIC_BRAND");
        assert_eq!("TABLET".parse::<Device>().unwrap(), Device::Tablet);
        assert_eq!("GOOGLE".parse::<Engine>().unwrap(), Engine::Google);
        assert_eq!(
            serde_json::to_string(&KeywordType::Multibrand).unwrap(),
            "\"MULTIBRAND\""
        );
    }
}
