//! Making actions of what is stored already: for a store that was filled before they were made, or where a brand is to be dealt with after all.

use analytics::reports::advertisers::{self, DaySighting};
use chrono::{NaiveDate, TimeDelta};
use postgres::Pool;
use postgres::actions::detection::{self, Detected, Sighting};
use postgres::brands;
use vocabulary::{BrandId, SystemScope};

use crate::Error;

/// Sightings folded in by one transaction.
const AT_ONCE: usize = 500;

const SCOPE: SystemScope = SystemScope::new("making actions of stored ads");

/// Which stored ads are wanted.
#[derive(Clone, Debug)]
pub struct DetectionPeriod {
    /// The first day (UTC).
    pub first: NaiveDate,
    /// The last day (UTC).
    pub last: NaiveDate,
    /// The brand; all where there is none.
    pub brand: Option<BrandId>,
}

/// Folds stored ads into actions, day after day. May be interrupted and run again at any time, also while captures are stored.
pub async fn run(
    postgres: &Pool,
    analytics: &analytics::Client,
    wanted: &DetectionPeriod,
    grace: TimeDelta,
    mut tell: impl FnMut(NaiveDate, Detected),
) -> Result<Detected, Error> {
    let store = analytics.for_housekeeping();
    let mut brands = brands::validated(postgres, &SCOPE).await?;
    brands.retain(|brand| wanted.brand.is_none_or(|only| only == *brand));
    let mut all = Detected::default();
    for day in advertisers::days_with_results(&store, wanted.first, wanted.last).await? {
        let mut detected = Detected::default();
        let seen = advertisers::seen_on(&store, day, &brands).await?;
        for part in seen.chunks(AT_ONCE) {
            let sightings = part.iter().filter_map(sighting).collect();
            let mut tx = postgres::begin(postgres).await?;
            detected += detection::detect(&mut tx, &SCOPE, sightings, grace).await?;
            tx.commit().await.map_err(postgres::Error::from)?;
        }
        tell(day, detected);
        all += detected;
    }
    Ok(all)
}

/// None where the store holds an engine that is none.
fn sighting(seen: &DaySighting) -> Option<Sighting> {
    Some(Sighting {
        brand: seen.brand,
        domain: seen.domain.clone(),
        master: seen.master.clone(),
        country: seen.country.clone(),
        engine: seen.engine.parse().ok()?,
        languages: seen.languages.clone(),
        terms: seen.terms.clone(),
        text: seen.text,
        shopping: seen.shopping,
        first: seen.first,
    })
}
