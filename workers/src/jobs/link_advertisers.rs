//! Keeping what ads show about the advertisers behind them, day by day, for the links between domains.

use std::collections::HashMap;

use analytics::signals::{self, AdOfDay, SignalOfDay};
use attribution::{AdFacts, SignalKind, signals_of};
use chrono::{Days, NaiveDate};
use futures::TryStreamExt as _;
use uuid::Uuid;

use crate::Error;
use crate::context::WorkerContext;

/// Days that are kept; links are made of those of 90 days.
const KEPT_DAYS: Days = Days::new(90);
/// Rows of an insert.
const AT_ONCE: usize = 20_000;

/// What ads have in common that count as one.
type Key = (u32, String, String, SignalKind, String);

/// Keeps the signals of every day (UTC) since the last that was kept, that one again, since it was not over; of the last [`KEPT_DAYS`] at first. Forgets
/// older ones. Returns a summary. An interrupted run leaves days that the next one writes again.
pub async fn run(context: &WorkerContext) -> Result<String, Error> {
    let store = context.analytics.for_housekeeping();
    let today = context.clock.now().date_naive();
    let oldest = today - KEPT_DAYS;
    let kept = signals::stored_until(&store).await?;
    let mut day = kept.map_or(oldest, |last| last.max(oldest));
    let (mut days, mut stored) = (0, 0);
    while day <= today {
        let found = read_day(&store, day).await?;
        for rows in found.chunks(AT_ONCE) {
            signals::store(&store, rows).await?;
        }
        days += 1;
        stored += found.len();
        day = day + Days::new(1);
    }
    signals::forget_before(&store, oldest).await?;
    Ok(format!("{days} days read, {stored} signals kept"))
}

/// The signals of the ads of a day.
async fn read_day(store: &analytics::Client, day: NaiveDate) -> Result<Vec<SignalOfDay>, Error> {
    let mut counts: HashMap<Key, (u32, Uuid)> = HashMap::new();
    let mut ads = std::pin::pin!(signals::ads_of_day(store, day));
    while let Some(ad) = ads.try_next().await? {
        let capture = ad.capture.parse().unwrap_or_default();
        for signal in signals_of(&facts(&ad)) {
            let key = (ad.brand, ad.place.clone(), ad.host.clone(), signal.kind, signal.value);
            let count = counts.entry(key).or_insert((0, capture));
            count.0 += 1;
        }
    }
    let rows = counts.into_iter().map(
        |((brand_id, country, domain, kind, value), (ads, capture_id))| SignalOfDay {
            day,
            brand_id,
            country,
            domain,
            kind: kind.to_string(),
            value,
            ads,
            capture_id,
        },
    );
    Ok(rows.collect())
}

/// What signals are read from.
fn facts(ad: &AdOfDay) -> AdFacts<'_> {
    AdFacts {
        domain: &ad.host,
        title: &ad.headline,
        description: &ad.words,
        image: &ad.picture,
        merchant_id: &ad.merchant_number,
        target_url: &ad.target,
        aclk_urls: &ad.clicks,
    }
}
