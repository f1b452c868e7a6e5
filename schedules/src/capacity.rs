//! What is planned on each route to an engine in each of the next hours, against what may be asked there.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use postgres::Pool;
use postgres::capacity;
use vocabulary::{Engine, Locale, SystemScope};

use crate::{Error, grid};

/// Hours looked ahead.
pub const HOURS: usize = 24;
const HOUR_MILLIS: i64 = 3_600_000;
/// Other companies' terms share the same engines.
const SCOPE: SystemScope = SystemScope::new("adding up what is planned on each route");

/// What is planned in the next [`HOURS`] hours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// When the first hour begins.
    pub at: DateTime<Utc>,
    /// By engine and name of the route, only those that terms take.
    pub routes: Vec<RoutePlan>,
}

/// What is planned on one route to an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoutePlan {
    /// The engine that is searched.
    pub engine: Engine,
    /// The name of the route, as `route_of` gives it.
    pub route: String,
    /// The countries searched this way, two letters each.
    pub countries: BTreeSet<String>,
    /// Its captures by hour.
    pub captures: HourlyCaptures,
}

/// Captures in each of [`HOURS`] hours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HourlyCaptures(pub [u64; HOURS]);

impl HourlyCaptures {
    /// Adds the slots of some grids from `next_slot` on, in the hours that begin at `now`. Slots due before `now` count in the first hour, as one a grid:
    /// older ones are missed.
    fn add_grids(&mut self, every_millis: i64, next_slot: DateTime<Utc>, now: DateTime<Utc>, grids: u64) {
        let every = every_millis.max(grid::SHORTEST_INTERVAL_MILLIS);
        let mut at = (next_slot - now).num_milliseconds();
        if at < 0 {
            self.0[0] += grids;
            at = at.rem_euclid(every);
        }
        for (hour, captures) in (1..).zip(&mut self.0) {
            let end: i64 = hour * HOUR_MILLIS;
            if at < end {
                let slots = (end - 1 - at) / every + 1;
                *captures += slots.unsigned_abs() * grids;
                at += slots * every;
            }
        }
    }

    /// Captures that do not fit their hour when `limit` may be asked in each: they come late or are missed.
    pub fn over(&self, limit: u64) -> u64 {
        self.0.iter().map(|captures| captures.saturating_sub(limit)).sum()
    }
}

/// What the grids of all terms, and the captures that wait already, ask of each route to an engine. `route_of` names the route of the searches of a
/// country on an engine; those of one name are added up. Captures that wait count in the first hour.
pub async fn plan_ahead(pool: &Pool, route_of: impl Fn(Engine, Option<&str>) -> String) -> Result<Plan, Error> {
    let mut connection = pool.acquire().await?;
    let hours = i32::try_from(HOURS).unwrap_or_default();
    let upcoming = capacity::upcoming(&mut connection, &SCOPE, hours).await?;
    let mut routes = Routes {
        route_of,
        plans: BTreeMap::new(),
    };
    for next in &upcoming.grids {
        let captures = routes.captures(next.engine, next.locale.as_deref());
        captures.add_grids(next.every_millis, next.next_slot, upcoming.at, next.grids);
    }
    for waiting in &upcoming.waiting {
        routes.captures(waiting.engine, waiting.locale.as_deref()).0[0] += waiting.captures;
    }
    Ok(Plan {
        at: upcoming.at,
        routes: routes.plans.into_values().collect(),
    })
}

/// The plans of routes that are known so far.
struct Routes<RouteOf> {
    route_of: RouteOf,
    plans: BTreeMap<(Engine, String), RoutePlan>,
}

impl<RouteOf: Fn(Engine, Option<&str>) -> String> Routes<RouteOf> {
    /// The captures of the route that the searches of a locale take on an engine, to add to; notes the country.
    fn captures(&mut self, engine: Engine, locale: Option<&str>) -> &mut HourlyCaptures {
        let locale: Option<Locale> = locale.and_then(|locale| locale.parse().ok());
        let country = locale.map(|locale| locale.country().to_owned());
        let route = (self.route_of)(engine, country.as_deref());
        let plan = self.plans.entry((engine, route.clone())).or_insert_with(|| RoutePlan {
            engine,
            route,
            countries: BTreeSet::new(),
            captures: HourlyCaptures::default(),
        });
        plan.countries.extend(country);
        &mut plan.captures
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use proptest::prelude::*;
    use vocabulary::{Device, TermId};

    use super::*;

    const NOW: i64 = 1_790_000_000_000;

    fn at(millis: i64) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(millis).unwrap()
    }

    proptest! {
        /// Each hour has the slots that the grid goes through in it.
        #[test]
        fn the_hours_have_the_slots_of_the_grid(id in 0..i32::MAX, every in grid::SHORTEST_INTERVAL_MILLIS..200_000_000) {
            let mut slot = grid::next(TermId(id), Device::Desktop, every, at(NOW));
            let mut hours = HourlyCaptures::default();
            hours.add_grids(every, slot, at(NOW), 3);
            let mut expected = [0; HOURS];
            while slot < at(NOW) + TimeDelta::hours(24) {
                expected[usize::try_from((slot.timestamp_millis() - NOW) / HOUR_MILLIS).unwrap()] += 3;
                slot = grid::next(TermId(id), Device::Desktop, every, slot);
            }
            prop_assert_eq!(hours.0, expected);
        }
    }

    #[test]
    fn what_is_due_already_counts_once_and_first() {
        let mut hours = HourlyCaptures::default();
        hours.add_grids(HOUR_MILLIS, at(NOW - 5 * HOUR_MILLIS - 600_000), at(NOW), 1);
        assert_eq!((hours.0[0], hours.0[1]), (2, 1), "one now and one an hour");
        assert_eq!((hours.over(1), hours.over(2)), (1, 0));
    }
}
