//! `GET /coverage`: how many of the planned captures were valid.

use axum::Json;
use axum::extract::State;
use postgres::coverage::{Counts, Coverage, OfPlace, OfTerm};
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::Caller;
use crate::ad_filters::{self, AdFilter};
use crate::coverage;
use crate::extract::Query;
use crate::failure::{ApiError, FailureBody};
use crate::lists::{FilterParams, ListQuery};
use crate::state::ApiState;

/// The captures planned in a period.
#[derive(Serialize, ToSchema)]
pub(super) struct CoverageView {
    data: CapturesView,
    meta: FewView,
}

/// What became of planned captures.
#[derive(Serialize, ToSchema)]
struct CapturesView {
    /// Captures that were due.
    planned: u64,
    /// Those whose page answers the search and is stored: figures are made of these.
    valid: u64,
    /// Those whose page may not be what it seems.
    doubtful: u64,
    /// Those without a page.
    failed: u64,
    /// Those that were not tried.
    missed: u64,
    /// Those still on their way.
    pending: u64,
}

/// Where less than 90 % of the planned captures were valid, the places and terms that lack most first.
#[derive(Serialize, ToSchema)]
struct FewView {
    places: Vec<FewInPlaceView>,
    /// Ten at most.
    terms: Vec<FewOfTermView>,
}

/// Few valid captures of an engine in a country.
#[derive(Serialize, ToSchema)]
struct FewInPlaceView {
    /// `google` or `bing`.
    engine: Option<String>,
    /// ISO 3166 code of two letters.
    country: Option<String>,
    planned: u64,
    valid: u64,
}

/// Few valid captures of a term.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct FewOfTermView {
    term_id: i32,
    /// The words it searches for.
    content: String,
    engine: Option<String>,
    country: Option<String>,
    planned: u64,
    valid: u64,
}

impl From<Counts> for CapturesView {
    /// The counts as they are; planned captures that are in no other count are pending, at least 0.
    fn from(counts: Counts) -> Self {
        let Counts {
            planned,
            valid,
            doubtful,
            failed,
            missed,
        } = counts;
        Self {
            planned,
            valid,
            doubtful,
            failed,
            missed,
            pending: planned.saturating_sub(valid + doubtful + failed + missed),
        }
    }
}

impl From<OfPlace> for FewInPlaceView {
    /// The planned and valid captures of a place, with its engine and country as far as it has them; its other counts are left out.
    fn from(place: OfPlace) -> Self {
        Self {
            engine: place.engine.map(|engine| engine.to_string()),
            country: place.country,
            planned: place.counts.planned,
            valid: place.counts.valid,
        }
    }
}

impl From<OfTerm> for FewOfTermView {
    /// Keeps the planned and valid captures only, with the id and words of the term and the engine and country it is searched in.
    fn from(term: OfTerm) -> Self {
        let place = FewInPlaceView::from(term.place);
        Self {
            term_id: term.id.0,
            content: term.content,
            engine: place.engine,
            country: place.country,
            planned: place.planned,
            valid: place.valid,
        }
    }
}

impl From<Coverage> for CoverageView {
    /// The counts of all captures as `data`; as `meta` the places with few valid captures, and the terms as found.
    fn from(found: Coverage) -> Self {
        let places = found.places.into_iter().filter(|place| place.counts.are_few());
        Self {
            data: found.all.into(),
            meta: FewView {
                places: places.map(FewInPlaceView::from).collect(),
                terms: found.terms.into_iter().map(FewOfTermView::from).collect(),
            },
        }
    }
}

/// How many of the captures planned in the period of a list were valid, by its filters on what was searched; filters on ads are ignored. Terms
/// count with the properties they have now.
#[utoipa::path(
    get, path = "/coverage", tag = "Monitoring",
    params(FilterParams<AdFilter>),
    responses(
        (status = 200, body = CoverageView),
        (status = 400, body = FailureBody, description = "A value that cannot be read; the message names it"),
        (status = 401, body = FailureBody),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn read_coverage(
    State(state): State<ApiState>,
    caller: Caller,
    Query(pairs): Query<Vec<(String, String)>>,
) -> Result<Json<CoverageView>, ApiError> {
    let filters = ad_filters::read(&state, &caller.scope, &ListQuery::read(&pairs, &[])?.filters).await?;
    Ok(Json(
        coverage::of_filters(&state, &caller.scope, &filters).await?.into(),
    ))
}
