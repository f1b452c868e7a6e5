//! What has to be true before a lane may stop by itself.

use serde::{Deserialize, Serialize};

/// Days that a lane is observed before it may stop by itself.
pub const OBSERVED_DAYS: f64 = 7.0;
/// The least share of captures that must be valid, in percent.
pub const LEAST_VALID: f64 = 90.0;
/// The least share of valid captures with an official first organic result, in percent.
pub const LEAST_ORGANIC: f64 = 95.0;
/// The most of a term's cost that Performance Max may have, in percent.
pub const MOST_PMAX: f64 = 50.0;

/// A condition of automatic stops.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::VariantArray,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Guard {
    /// The Google account is connected, and changes are switched on.
    Grant,
    /// The brand has official domains.
    Officials,
    /// The lane was observed long enough, with enough valid captures.
    Observed,
    /// The first organic result was official nearly always.
    Organic,
    /// Every campaign of the list serves only the country of the lane.
    Campaigns,
    /// Performance Max has little of the cost.
    Pmax,
    /// A person has seen the dry run.
    DryRun,
    /// The brand has an owner of its budget.
    Owner,
}

/// What is known of a lane for its guards. `None` is unknown, which does not satisfy a guard.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GuardFacts {
    /// Whether the account is connected and may be changed.
    pub grant: bool,
    /// Official domains of its brands.
    pub officials: u32,
    /// Days since its first capture.
    pub observed_days: f64,
    /// Share of valid captures in percent.
    pub valid_percent: Option<f64>,
    /// Share of valid captures with an official first organic result, in percent.
    pub organic_percent: Option<f64>,
    /// Whether all campaigns serve its country alone.
    pub campaigns_fit: Option<bool>,
    /// The share that Performance Max has of its cost, in percent.
    pub pmax_percent: Option<f64>,
    /// Whether a person has seen the dry run.
    pub dry_run_seen: bool,
    /// Whether somebody answers for the budget.
    pub has_owner: bool,
}

/// A guard, and whether it is satisfied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GuardLine {
    /// The condition that is judged.
    pub guard: Guard,
    /// Whether it is satisfied.
    pub passes: bool,
    /// The figure it is judged by, where it has one.
    pub figure: Option<f64>,
}

/// Every guard of a lane, in the order in which they are shown.
pub fn guards(facts: &GuardFacts) -> [GuardLine; 8] {
    let line = |guard, passes, figure| GuardLine { guard, passes, figure };
    let at_least = |value: Option<f64>, least: f64| value.is_some_and(|value| value >= least);
    let is_observed = facts.observed_days >= OBSERVED_DAYS && at_least(facts.valid_percent, LEAST_VALID);
    let observed_figure = if facts.observed_days < OBSERVED_DAYS {
        Some(facts.observed_days)
    } else {
        facts.valid_percent
    };
    [
        line(Guard::Grant, facts.grant, None),
        line(Guard::Officials, facts.officials > 0, Some(facts.officials.into())),
        line(Guard::Observed, is_observed, observed_figure),
        line(
            Guard::Organic,
            at_least(facts.organic_percent, LEAST_ORGANIC),
            facts.organic_percent,
        ),
        line(Guard::Campaigns, facts.campaigns_fit == Some(true), None),
        line(
            Guard::Pmax,
            facts.pmax_percent.is_some_and(|share| share <= MOST_PMAX),
            facts.pmax_percent,
        ),
        line(Guard::DryRun, facts.dry_run_seen, None),
        line(Guard::Owner, facts.has_owner, None),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unknown_satisfies_no_guard() {
        let passing = guards(&GuardFacts::default()).iter().filter(|line| line.passes).count();
        assert_eq!(passing, 0);
        let good = GuardFacts {
            grant: true,
            officials: 1,
            observed_days: 7.5,
            valid_percent: Some(90.0),
            organic_percent: Some(95.0),
            campaigns_fit: Some(true),
            pmax_percent: Some(50.0),
            dry_run_seen: true,
            has_owner: true,
        };
        assert!(guards(&good).iter().all(|line| line.passes));
    }
}
