//! Opening and updating cases from stored ads: those stored by a version without cases, or those of a brand that was validated later.

use analytics::reports::advertisers::{self, DayAd, DaySighting};
use chrono::{NaiveDate, TimeDelta};
use postgres::Pool;
use postgres::actions::detection::{self, Detected, SightedAd, Sighting};
use postgres::{brands, partners};
use vocabulary::{BrandId, CaptureId, SystemScope};

use crate::Error;

/// Sightings folded in one transaction, as soon as those of one brand, country and engine are complete.
const AT_ONCE: usize = 500;

const SCOPE: SystemScope = SystemScope::new("making actions of stored ads");

/// The stored ads to make actions of: UTC days, and a brand.
#[derive(Clone, Debug)]
pub struct DetectionPeriod {
    /// The first day (UTC).
    pub first: NaiveDate,
    /// The last day (UTC).
    pub last: NaiveDate,
    /// Only of this brand; `None` for all brands.
    pub brand: Option<BrandId>,
}

/// Opens or updates cases for the stored ads of the validated brands, one UTC day with ads after the other, and calls `report` after each; returns
/// the sum. The first error ends it; days before it stay done. An advertiser seen again later than `grace` after it agreed counts as back. May be
/// interrupted and run again at any time, also while captures are stored.
pub async fn run(
    postgres: &Pool,
    analytics: &analytics::Client,
    period: &DetectionPeriod,
    grace: TimeDelta,
    mut report: impl FnMut(NaiveDate, Detected),
) -> Result<Detected, Error> {
    let store = analytics.for_housekeeping();
    let mut brands = brands::validated(postgres, &SCOPE).await?;
    brands.retain(|brand| period.brand.is_none_or(|only| only == *brand));
    let judged = partners::judged_domains(postgres, &SCOPE, &brands).await?;
    let mut all = Detected::default();
    for day in advertisers::days_with_results(&store, period.first, period.last).await? {
        let mut detected = Detected::default();
        let seen = advertisers::seen_on(&store, day, &brands, &judged).await?;
        for chunk in chunks(&seen) {
            let sightings = chunk.iter().filter_map(sighting).collect();
            let mut tx = postgres::begin(postgres).await?;
            detected += detection::detect(&mut tx, &SCOPE, sightings, grace).await?;
            tx.commit().await.map_err(postgres::Error::from)?;
        }
        report(day, detected);
        all += detected;
    }
    Ok(all)
}

/// The sightings in parts of [`AT_ONCE`] or a little more. Those of one brand, country and engine are in one part, and so are those of one capture.
fn chunks(seen: &[DaySighting]) -> Vec<&[DaySighting]> {
    let (mut parts, mut start, mut end) = (Vec::new(), 0, 0);
    for group in
        seen.chunk_by(|one, next| (one.brand, &one.country, &one.engine) == (next.brand, &next.country, &next.engine))
    {
        end += group.len();
        if end - start >= AT_ONCE {
            parts.extend(seen.get(start..end));
            start = end;
        }
    }
    parts.extend(seen.get(start..end).filter(|rest| !rest.is_empty()));
    parts
}

/// A day's sighting as the detection takes it; `None` if ClickHouse has an engine that this version does not know.
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
        ads: seen.ads.iter().filter_map(sighted_ad).collect(),
    })
}

/// An ad as the detection takes it; `None` for a kind that this version does not know.
fn sighted_ad(ad: &DayAd) -> Option<SightedAd> {
    Some(SightedAd {
        capture: CaptureId(ad.capture),
        kind: ad.kind.parse().ok()?,
        at: ad.at,
        words: ad.words.clone(),
        rank: ad.rank,
    })
}
