//! Figures beside the rows of a page: `GET /Sems/findAdvertisers/figures` and `GET /Sems/groupTerms/figures`.

use std::collections::HashMap;

use analytics::filter::{Condition, Field, Filters, Operator};
use analytics::reports::figures::{self, Day, Figures, FiguresQuery};
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::TermId;

use crate::access::Caller;
use crate::ad_filters::{self, AdFilter};
use crate::extract::Pairs;
use crate::failure::{ApiError, FailureBody};
use crate::lists::ComparisonView;
use crate::lists::{FilterParams, ListQuery};
use crate::state::ApiState;
use crate::valid_captures;

/// Rows of one question: a list shows fewer at a time.
const MOST_ROWS: usize = 100;

/// Figures beside the rows of a page.
#[derive(Serialize, ToSchema)]
pub(super) struct FiguresView {
    /// In the order of the rows that were asked for.
    data: Vec<FiguresOfRowView>,
    meta: FiguresMetaView,
}

/// The same of everything under the filters.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct FiguresMetaView {
    /// Views of the time before; null where the filters name no period, or nothing of it is over.
    previous_total_views: Option<u64>,
    /// What is compared with what; null likewise.
    compared: Option<ComparisonView>,
}

/// Figures beside one row.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct FiguresOfRowView {
    id: String,
    /// Days with views, ascending.
    days: Vec<ViewsOfDayView>,
    /// Views of the time before; null where the filters name no period, or nothing of it is over.
    previous_views: Option<u64>,
    /// Captures that show it.
    captures_with: u64,
    /// Valid captures: those that could have shown it.
    captures: u64,
}

/// Views of one day.
#[derive(Serialize, ToSchema)]
pub(super) struct ViewsOfDayView {
    /// `YYYY-MM-DD` in the time zone asked for.
    date: String,
    views: u64,
}

impl FiguresOfRowView {
    /// The figures of a row as they are given, with nothing computed: views of each day, in order; `previous_views`, those of the period before; and
    /// in `(with, all)` the captures that show the row and the valid captures that could have.
    fn new(id: String, days: &[Day], previous_views: Option<u64>, (with, all): (u64, u64)) -> Self {
        let day = |day: &Day| ViewsOfDayView {
            date: day.day.to_string(),
            views: day.views,
        };
        Self {
            id,
            days: days.iter().map(day).collect(),
            previous_views,
            captures_with: with,
            captures: all,
        }
    }
}

/// Views by day, views of the time before, and captures with and without, of some domains under the filters of their list.
///
/// Like is compared with like: of a period that is not over, as much of the one before as has passed of it.
#[utoipa::path(
    get, path = "/Sems/findAdvertisers/figures", tag = "Monitoring",
    params(
        ("rows[]" = Vec<String>, Query, description = "The domains, 100 at most"),
        ("timeZone" = Option<String>, Query, description = "Where days begin, such as Europe/Paris; that of the settings by default"),
        FilterParams<AdFilter>,
    ),
    responses(
        (status = 200, body = FiguresView),
        (status = 400, body = FailureBody, description = "A value that cannot be read; the message names it"),
        (status = 401, body = FailureBody),
        (status = 408, body = FailureBody, description = "Too many results; narrow the filters"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn domain_figures(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
) -> Result<Json<FiguresView>, ApiError> {
    Box::pin(of_rows(&state, &caller, &pairs, Field::Domain))
        .await
        .map(Json)
}

/// The same of some terms.
#[utoipa::path(
    get, path = "/Sems/groupTerms/figures", tag = "Monitoring",
    params(
        ("rows[]" = Vec<String>, Query, description = "Numbers of the terms, 100 at most"),
        ("timeZone" = Option<String>, Query, description = "Where days begin, such as Europe/Paris; that of the settings by default"),
        FilterParams<AdFilter>,
    ),
    responses(
        (status = 200, body = FiguresView),
        (status = 400, body = FailureBody, description = "A value that cannot be read; the message names it"),
        (status = 401, body = FailureBody),
        (status = 408, body = FailureBody, description = "Too many results; narrow the filters"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn term_figures(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
) -> Result<Json<FiguresView>, ApiError> {
    Box::pin(of_rows(&state, &caller, &pairs, Field::Term)).await.map(Json)
}

/// The figures of the rows that `rows[]` names, in that order, under the filters of their list; `key` is what the rows are: domains or terms. A row
/// without ads has no days, 0 views before and 0 captures that show it; without a period to compare with, earlier views are null. A `BadRequest` for
/// rows, filters or a time zone that cannot be read.
async fn of_rows(
    state: &ApiState,
    caller: &Caller,
    pairs: &[(String, String)],
    key: Field,
) -> Result<FiguresView, ApiError> {
    let names = read_rows(pairs, key)?;
    let query = FiguresQuery {
        key,
        names,
        filters: ad_filters::read(
            state,
            &caller.scope,
            &ListQuery::read(pairs, &["rows", "timeZone"])?.filters,
        )
        .await?,
        zone: ad_filters::time_zone(state, pairs)?,
    };
    let of_captures = of_captures(&query)?;
    let compared = query.filters.comparison(query.zone, state.clock.now());
    let store = &state.analytics;
    let (mut found, earlier, captures) = tokio::try_join!(
        async { Ok::<_, ApiError>(figures::of_rows(store, &caller.scope, &query).await?) },
        async {
            match &compared {
                Some(compared) => Ok(Some(figures::earlier(store, &caller.scope, &query, compared).await?)),
                None => Ok::<_, ApiError>(None),
            }
        },
        valid_captures::count(state, &caller.scope, &of_captures, query.zone),
    )?;
    let of_term = by_term(&captures);
    let all: u64 = of_term.values().sum();
    let rows = query.names.into_iter().map(|name| {
        let Figures { days, captures } = found.remove(&name).unwrap_or_default();
        let of_all = match key {
            Field::Term => name
                .parse()
                .ok()
                .and_then(|id| of_term.get(&TermId(id)).copied())
                .unwrap_or_default(),
            _ => all,
        };
        let before = earlier
            .as_ref()
            .map(|earlier| earlier.of_rows.get(&name).copied().unwrap_or_default());
        FiguresOfRowView::new(name, &days, before, (captures, of_all))
    });
    Ok(FiguresView {
        data: rows.collect(),
        meta: FiguresMetaView {
            previous_total_views: earlier.as_ref().map(|earlier| earlier.total),
            compared: compared.map(ComparisonView::from),
        },
    })
}

/// The filters of the captures that could show one of the rows: for terms, those of the query and the terms themselves; for domains, those of the
/// query alone, as a domain can be on any capture.
fn of_captures(query: &FiguresQuery) -> Result<Filters, ApiError> {
    let mut filters = query.filters.clone();
    if query.key == Field::Term {
        let of_rows = Condition::read(Field::Term, Operator::Inq, &query.names);
        filters.push(of_rows.map_err(|bad| ApiError::BadRequest(format!("rows[]: {bad}")))?);
    }
    Ok(filters)
}

/// Valid captures by term, summed over the hours.
fn by_term(captures: &[valid_captures::ValidCaptures]) -> HashMap<TermId, u64> {
    let mut of_term = HashMap::new();
    for captures in captures {
        *of_term.entry(captures.term).or_default() += captures.count;
    }
    of_term
}

/// The ids of rows in `rows[]` (or `rows`), in the order given; `key` is the field that they are values of. A `BadRequest` for none, for more than
/// [`MOST_ROWS`] and, when `key` is the term, for an id that is no number.
fn read_rows(pairs: &[(String, String)], key: Field) -> Result<Vec<String>, ApiError> {
    let rows: Vec<String> = pairs
        .iter()
        .filter(|(name, _)| name == "rows[]" || name == "rows")
        .map(|(_, value)| value.clone())
        .collect();
    let fits = |row: &String| key != Field::Term || row.parse::<i32>().is_ok();
    if rows.is_empty() || rows.len() > MOST_ROWS || !rows.iter().all(fits) {
        return Err(ApiError::BadRequest(format!(
            "rows[]: 1 to {MOST_ROWS} ids of rows of the list"
        )));
    }
    Ok(rows)
}
