//! What is searched for a term.

use capture::browsing::{SearchLocation, SearchRequest, canonical_name};
use postgres::terms::TermToCapture;
use vocabulary::Device;

/// The search of a term on one of its devices.
pub fn search_for(term: &TermToCapture, device: Device) -> SearchRequest {
    let in_country = |place: &String| match &term.country_name {
        Some(country) => format!("{place},{country}"),
        None => place.clone(),
    };
    // A region may have the name of a city.
    let region = term.region.as_ref().map(in_country);
    let named = region.or_else(|| {
        let city = term.city.as_ref()?;
        let known = canonical_name(term.locale.country(), city).map(str::to_owned);
        Some(known.unwrap_or_else(|| in_country(city)))
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
