//! What is compared: the offers under the filters of a list of ads, in a period.

use std::collections::BTreeMap;

use analytics::filter::Filters;
use analytics::reports::offers;
use analytics::reports::page::Page;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use comparator::{Comparison, OWN_PRICE_HOLDS, Offered, compare};
use postgres::brands;
use vocabulary::{BrandId, CaptureId, Officials, Scope};

use crate::access::Caller;
use crate::ad_filters;
use crate::failure::ApiError;
use crate::lists::ListQuery;
use crate::state::ApiState;

/// The longest period: a price list of two years says nothing about today.
const MOST_DAYS: i64 = 366;

/// Compares the offers of a query's period and filters, the period in the time zone that it names; a `BadRequest` for what cannot be read, and without
/// both ends of a period that has begun. Returns the page of the query too.
pub(super) async fn read_and_compare(
    state: &ApiState,
    caller: &Caller,
    pairs: &[(String, String)],
) -> Result<(Comparison, Page), ApiError> {
    let zone = ad_filters::time_zone(state, pairs)?;
    let list_query = ListQuery::read(pairs, &["timeZone"])?;
    let filters = ad_filters::read(state, &caller.scope, &list_query.filters).await?;
    let (from, until) = period(&filters, state.clock.now())?;
    let seen = filters.within(from.checked_sub_days(OWN_PRICE_HOLDS).unwrap_or(from), until);
    let (found, officials) = tokio::try_join!(
        async { Ok(offers::list(&state.analytics, &caller.scope, &seen, zone).await?) },
        read_officials(state, &caller.scope),
    )?;
    let offered = found
        .into_iter()
        .filter_map(|offer| offered(offer, &officials))
        .collect();
    let first = from.with_timezone(&zone).date_naive();
    Ok((compare(offered, first), list_query.page))
}

/// Both ends of the period of the filters; a `BadRequest` without them, for a period that has not begun, and for one of more than [`MOST_DAYS`].
fn period(filters: &Filters, now: DateTime<Utc>) -> Result<(DateTime<Utc>, DateTime<Utc>), ApiError> {
    match filters.instants() {
        (Some(from), Some(until)) if from <= until && from <= now && until - from <= TimeDelta::days(MOST_DAYS) => {
            Ok((from, until))
        }
        _ => Err(ApiError::BadRequest(format!(
            "date: both ends of a period that has begun, of {MOST_DAYS} days at most"
        ))),
    }
}

/// The official domains of all brands in scope.
async fn read_officials(state: &ApiState, scope: &Scope) -> Result<BTreeMap<BrandId, Officials>, ApiError> {
    let mut domains: BTreeMap<BrandId, Vec<String>> = BTreeMap::new();
    for (brand, domain) in brands::all_official_domains(&state.postgres, scope).await? {
        domains.entry(brand).or_default().push(domain);
    }
    let officials = domains
        .into_iter()
        .map(|(brand, domains)| (brand, domains.into_iter().collect()));
    Ok(officials.collect())
}

/// An offer as it is compared; `None` for one of a term without a brand, and where the capture has no valid id.
fn offered(offer: offers::Offer, officials: &BTreeMap<BrandId, Officials>) -> Option<Offered> {
    let brand = BrandId(i32::try_from(offer.brand).ok().filter(|id| *id > 0)?);
    let day = |number: u16| NaiveDate::from_epoch_days(number.into());
    Some(Offered {
        brand,
        is_own: officials.get(&brand).is_some_and(|own| own.cover(&offer.host)),
        country: offer.place,
        title: offer.headline,
        price: offer.shown_price,
        merchant: offer.seller,
        host: offer.host,
        comparator: offer.service,
        days: offer.days.into_iter().filter_map(day).collect(),
        views: offer.views,
        capture: CaptureId(offer.capture.parse().ok()?),
    })
}
