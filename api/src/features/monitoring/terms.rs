//! `GET /Sems/groupTerms`.

use std::collections::BTreeMap;

use analytics::reports::terms::{self, Sort, TermsQuery};
use axum::Json;
use axum::extract::State;
use records::localizations::{self, Localization};
use records::{brands, categories};
use vocabulary::{LocalizationId, TermId};

use super::list_query::ListQuery;
use super::views::{ListMetaView, TermView, TermsView};
use super::{filters, list_page};
use crate::access::Caller;
use crate::extract::Query;
use crate::failure::{Failure, FailureBody};
use crate::state::ApiState;

const PATH: &str = "/api/Sems/groupTerms";

/// The terms whose ads the reader sees, with the totals of all that the filters leave.
#[utoipa::path(
    get,
    path = "/Sems/groupTerms",
    tag = "Monitoring",
    params(
        ("page[size]" = Option<u32>, Query, description = "Rows a page, 30 by default; 0 asks for all of up to 10,000"),
        ("page[number]" = Option<u32>, Query, description = "Number of the page, from 1"),
        ("sort[by]" = Option<String>, Query, description = "content, engine, locale, nbCompetitors (default), nbAds or nbViews"),
        ("sort[direction]" = Option<String>, Query, description = "ASC or DESC (default)"),
        ("filters[name][operator]" = Option<String>, Query, description = "As of Sems/findAdvertisers"),
        ("filter" = Option<String>, Query, description = "The same filters as one JSON object"),
    ),
    responses(
        (status = 200, body = TermsView, description = "A page of terms"),
        (status = 400, body = FailureBody, description = "A value that cannot be read; the message names it"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 408, body = FailureBody, description = "Too many results; narrow the filters"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn group_terms(
    State(state): State<ApiState>,
    caller: Caller,
    Query(pairs): Query<Vec<(String, String)>>,
) -> Result<Json<TermsView>, Failure> {
    let asked = ListQuery::read(&pairs)?;
    let places = localizations::in_order(&state.records).await?;
    let query = TermsQuery {
        filters: filters::read(&state, &caller.scope, &asked.filters).await?,
        sort: read_sort(asked.sort.as_deref())?,
        direction: asked.direction,
        page: asked.page,
        officials: brands::all_official_domains(&state.records, &caller.scope).await?,
        places: places.iter().map(|place| place.id).collect(),
    };
    let found = terms::list(&state.analytics, &caller.scope, &query).await?;
    let ids: Vec<TermId> = found.rows.iter().map(|row| row.id).collect();
    let mut tags = categories::tags_of_terms(&state.records, &caller.scope, &ids).await?;
    let places: BTreeMap<LocalizationId, Localization> = places.into_iter().map(|place| (place.id, place)).collect();
    let data = found.rows.into_iter().map(|row| {
        let tags = tags.remove(&row.id).unwrap_or_default();
        let place = places.get(&row.localization);
        TermView::new(row, place, tags)
    });
    Ok(Json(TermsView {
        data: data.collect(),
        meta: ListMetaView {
            page: list_page::place(query.page, found.total),
            total_views: found.total_views,
            total_ads: found.total_ads,
        },
        links: list_page::links(PATH, &pairs, query.page, found.total),
    }))
}

fn read_sort(name: Option<&str>) -> Result<Sort, Failure> {
    let Some(name) = name else {
        return Ok(Sort::default());
    };
    name.parse().map_err(|_| {
        Failure::BadRequest(
            "sort[by]: the columns are content, engine, locale, nbCompetitors, nbAds and nbViews".to_owned(),
        )
    })
}
