//! What is planned on each route to an engine in each of the next hours, against what may be asked there.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use postgres::Pool;
use postgres::capacity::{self, EngineGrid};
use vocabulary::{Engine, Frequency, Locale, SystemScope};

use crate::{Error, grid};

/// Hours looked ahead.
pub const HOURS: usize = 24;
const HOUR_MILLIS: i64 = 3_600_000;
const MINUTES_AN_HOUR: u64 = 60;
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

/// What would make a plan fit that does not; each alone is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remedy {
    /// The lowest pace, in captures a minute.
    pub per_minute: u64,
    /// Fewer captures; `None` where that is not enough, as for what waits already.
    pub slower: Option<SlowerTerms>,
}

/// The terms that are captured more often than an interval, if they all take it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlowerTerms {
    /// The shortest interval that is enough, in milliseconds; one that users may choose.
    pub every_millis: i64,
    /// How many terms they are.
    pub terms: usize,
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

/// The running grids of an engine, for [`remedy`].
pub async fn grids_of_engine(pool: &Pool, engine: Engine) -> Result<Vec<EngineGrid>, Error> {
    Ok(capacity::grids_of_engine(pool, &SCOPE, engine).await?)
}

/// What would make the plan of a route fit, which does not when `limit` may be asked in an hour. `grids` are those of its engine; `route_of` is the one of
/// [`plan_ahead`].
pub fn remedy(
    grids: &[EngineGrid],
    plan: &RoutePlan,
    at: DateTime<Utc>,
    limit: u64,
    route_of: impl Fn(Engine, Option<&str>) -> String,
) -> Remedy {
    let takes_route =
        |grid: &&EngineGrid| route_of(plan.engine, country_of(grid.locale.as_deref()).as_deref()) == plan.route;
    let grids: Vec<EngineGrid> = grids.iter().filter(takes_route).cloned().collect();
    let most = plan.captures.0.iter().max().copied().unwrap_or_default();
    Remedy {
        per_minute: most.div_ceil(MINUTES_AN_HOUR),
        slower: slower_terms(&grids, at, limit),
    }
}

/// The shortest interval with which these grids fit, if all that are faster take it: their next slots are those that the plan of a changed term has.
/// What waits already is left out, since no interval changes it. `None` where no interval is enough, or where the grids fit as they are.
fn slower_terms(grids: &[EngineGrid], at: DateTime<Utc>, limit: u64) -> Option<SlowerTerms> {
    let shortest = Frequency::listed_millis().find(|every| {
        let mut hours = HourlyCaptures::default();
        for grid in grids {
            if grid.every_millis < *every {
                hours.add_grids(*every, grid::next(grid.term, grid.device, *every, at), at, 1);
            } else {
                hours.add_grids(grid.every_millis, grid.next_slot, at, 1);
            }
        }
        hours.over(limit) == 0
    })?;
    let faster = grids.iter().filter(|grid| grid.every_millis < shortest);
    let terms = faster.map(|grid| grid.term).collect::<BTreeSet<_>>().len();
    (terms > 0).then_some(SlowerTerms {
        every_millis: shortest,
        terms,
    })
}

/// The country of a locale, if it is one.
fn country_of(locale: Option<&str>) -> Option<String> {
    let locale: Option<Locale> = locale.and_then(|locale| locale.parse().ok());
    locale.map(|locale| locale.country().to_owned())
}

/// The plans of routes that are known so far.
struct Routes<RouteOf> {
    route_of: RouteOf,
    plans: BTreeMap<(Engine, String), RoutePlan>,
}

impl<RouteOf: Fn(Engine, Option<&str>) -> String> Routes<RouteOf> {
    /// The captures of the route that the searches of a locale take on an engine, to add to; notes the country.
    fn captures(&mut self, engine: Engine, locale: Option<&str>) -> &mut HourlyCaptures {
        let country = country_of(locale);
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

    /// Captures of grids of one interval that continue at their next slots.
    fn planned(grids: &[EngineGrid]) -> HourlyCaptures {
        let mut hours = HourlyCaptures::default();
        for grid in grids {
            hours.add_grids(grid.every_millis, grid.next_slot, at(NOW), 1);
        }
        hours
    }

    fn grids(ids: std::ops::Range<i32>, every_millis: i64) -> Vec<EngineGrid> {
        let grid = |id| EngineGrid {
            term: TermId(id),
            device: Device::Desktop,
            locale: None,
            every_millis,
            next_slot: grid::next(TermId(id), Device::Desktop, every_millis, at(NOW)),
        };
        ids.map(grid).collect()
    }

    #[test]
    fn a_plan_fits_once_its_faster_terms_take_the_shortest_interval_that_is_enough() {
        let mut all = grids(0..200, HOUR_MILLIS);
        all.extend(grids(200..230, 24 * HOUR_MILLIS));
        let remedy = |limit| slower_terms(&all, at(NOW), limit);
        let every =
            |remedy: Option<SlowerTerms>| remedy.map(|slower| (slower.every_millis / HOUR_MILLIS, slower.terms));
        assert_eq!(
            every(remedy(150)),
            Some((2, 200)),
            "about 100 an hour and a few of the daily ones"
        );
        assert_eq!(every(remedy(60)), Some((6, 200)));
        assert_eq!(every(remedy(0)), None);
        // It is what these terms are planned with.
        let slower = remedy(60).unwrap();
        let mut then = grids(0..200, slower.every_millis);
        then.extend(grids(200..230, 24 * HOUR_MILLIS));
        assert_eq!(planned(&then).over(60), 0);
        assert!(planned(&all).over(60) > 0);
    }

    #[test]
    fn where_the_grids_fit_no_interval_helps_against_what_waits() {
        assert_eq!(slower_terms(&grids(0..10, HOUR_MILLIS), at(NOW), 60), None);
    }

    #[test]
    fn what_is_due_already_counts_once_and_first() {
        let mut hours = HourlyCaptures::default();
        hours.add_grids(HOUR_MILLIS, at(NOW - 5 * HOUR_MILLIS - 600_000), at(NOW), 1);
        assert_eq!((hours.0[0], hours.0[1]), (2, 1), "one now and one an hour");
        assert_eq!((hours.over(1), hours.over(2)), (1, 0));
    }
}
