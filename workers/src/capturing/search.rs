//! Step 2: a browser searches the term and receives a page. Otherwise the attempt has failed.

use std::time::Duration;

use capture::browsing::{CaptureError, CapturedPage, OpenPage, SearchLocation, SearchRequest, canonical_name};
use chrono::{DateTime, Utc};
use postgres::terms::TermToCapture;
use vocabulary::{Device, regions};

use super::admit::AdmittedSearch;
use super::failed_page::{self, FailedPage};
use super::{Attempts, Outcome, Step};
use crate::pages;

/// A page that was received, still open in its tab.
pub struct ReceivedPage {
    pub page: CapturedPage,
    pub tab: OpenPage,
    pub taken_at: DateTime<Utc>,
}

/// Searches the term of a slot in a browser. If that fails, the page is kept where one was received, the engine's breaker notes the failure, and the
/// attempt ends as failed; at the shutdown the slot goes back to the queue instead.
pub async fn search(attempts: &Attempts, search: &AdmittedSearch<'_>) -> Step<ReceivedPage> {
    let context = &attempts.context;
    let request = search_for(&search.term, search.claim.device);
    let captured = context.browsers.capture_and_hold(request).await;
    let taken_at = context.clock.now();
    let error = match captured {
        Ok((page, tab)) => return Ok(ReceivedPage { page, tab, taken_at }),
        Err(CaptureError::ShuttingDown) => return Err(Outcome::Later(Duration::ZERO).into()),
        Err(error) => error,
    };
    tracing::warn!(slot = %search.claim.held.id, %error, "not captured");
    let failure = error.failure();
    if let Some(mut page) = error.into_page() {
        let screenshot = page.screenshot.take().filter(|_| attempts.pictures.includes_failures());
        let (page, view) = match pages::read(search.term.engine, page).await {
            Ok((page, _, view)) => (page, Some(view)),
            Err(page) => (page, None),
        };
        let failed = FailedPage {
            failure,
            page,
            view,
            screenshot,
            taken_at,
        };
        failed_page::keep(context, search, failed).await;
    }
    Err(attempts.fail(search, failure).await)
}

/// The request that searches a term on a device, without a picture or a deadline. Its place is the region, else the city, else none, under its name
/// in Google's list of places; one that is not there is named by itself, the region of a city, and the country, as far as they are known.
pub fn search_for(term: &TermToCapture, device: Device) -> SearchRequest {
    let in_country = |name: &str| match &term.country_name {
        Some(country) => format!("{name},{country}"),
        None => name.to_owned(),
    };
    let country = term.locale.country();
    // A region may have the name of a city.
    let region = term.region.as_deref().map(|name| {
        let listed = regions(country).iter().find(|region| region.name == name);
        listed.map_or_else(|| in_country(name), |region| region.canonical_name.to_owned())
    });
    let named = region.or_else(|| {
        let (city, region) = (term.city.as_deref()?, term.region_of_city.as_deref());
        let listed = canonical_name(country, city, region).map(str::to_owned);
        let whole_name = || [Some(city), region].into_iter().flatten().collect::<Vec<_>>().join(",");
        Some(listed.unwrap_or_else(|| in_country(&whole_name())))
    });
    let location = named.map(|canonical_name| SearchLocation {
        canonical_name,
        coordinates: None,
        time_zone: None,
    });
    SearchRequest {
        engine: term.engine,
        device,
        term: term.term.clone(),
        locale: term.locale.clone(),
        location,
        screenshot: false,
        resources: true,
        deadline: None,
    }
}
