//! `GET /Trails/{model}/{id}`: what was done to a term, brand or tag.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use postgres::as_of::{AsOf, AsOfError};
use postgres::trails::TrailEntry;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::access::Caller;
use crate::author::AuthorView;
use crate::extract::{Path, Query};
use crate::failure::{ApiError, FailureBody};
use crate::resources::{self, ChangedField};
use crate::state::ApiState;

const ENTRIES: u32 = 20;
const MOST_ENTRIES: u32 = 100;

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(read_trail))
}

/// Which page is wanted.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct TrailParams {
    /// Where the page before ended: its `next`.
    before: Option<i64>,
    /// Only what was done since this `X-As-Of` of an answer.
    since: Option<String>,
    /// 20 by default, up to 100.
    limit: Option<u32>,
}

/// A page of a trail.
#[derive(Serialize, ToSchema)]
struct TrailView {
    data: Vec<TrailEntryView>,
    /// What the rows that the entries name are called, by model and id, as far as the reader sees them.
    #[schema(value_type = BTreeMap<String, BTreeMap<String, String>>)]
    names: BTreeMap<&'static str, BTreeMap<i64, String>>,
    /// What to give as `before` for the next page; null on the last one.
    next: Option<i64>,
}

/// Something that was done.
#[derive(Serialize, ToSchema)]
struct TrailEntryView {
    id: i64,
    at: DateTime<Utc>,
    by: AuthorView,
    /// `create`, `change`, `remove`, `return`, `link` or `unlink`.
    event: String,
    /// What was given or changed.
    changes: Vec<FieldChangeView>,
    /// What the row was linked with or unlinked from; null for other events.
    link: Option<TrailLinkView>,
}

/// A changed field.
#[derive(Serialize, ToSchema)]
struct FieldChangeView {
    field: &'static str,
    /// Absent for a new row, and where the reader does not see what it names.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Value>,
    /// Absent where the reader does not see what it names.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Value>,
}

/// The other end of a link.
#[derive(Serialize, ToSchema)]
struct TrailLinkView {
    relation: String,
    model: String,
    id: i64,
}

impl From<(TrailEntry, Vec<ChangedField>)> for TrailEntryView {
    /// The entry as the API shows it.
    fn from((entry, changes): (TrailEntry, Vec<ChangedField>)) -> Self {
        let text = |name: &str| Some(entry.details.get(name)?.as_str()?.to_owned());
        let link = || {
            Some(TrailLinkView {
                relation: text("relation")?,
                model: text("model")?,
                id: entry.details.get("id")?.as_i64()?,
            })
        };
        Self {
            id: entry.id,
            at: entry.at,
            link: link(),
            event: entry.event.to_string(),
            by: entry.by.into(),
            changes: changes
                .into_iter()
                .map(|ChangedField { field, before, after }| FieldChangeView { field, before, after })
                .collect(),
        }
    }
}

/// The trail of a term, brand or tag, newest first: who changed what and when, as far as the reader may know. Of Vigie's staff a company user learns no
/// names, of other companies nothing, and nothing of the time before the row came to the company.
#[utoipa::path(
    get, path = "/Trails/{model}/{id}", tag = "Trails",
    params(
        ("model" = String, Path, description = "`Term`, `Brand` or `Category`"),
        ("id" = i32, Path, description = "Id of the row"),
        TrailParams,
    ),
    responses(
        (status = 200, body = TrailView, description = "A page"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 404, body = FailureBody, description = "Another model, or the caller sees no such row"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn read_trail(
    State(state): State<ApiState>,
    caller: Caller,
    Path((model, id)): Path<(String, i32)>,
    Query(params): Query<TrailParams>,
) -> Result<Json<TrailView>, ApiError> {
    let limit = params.limit.unwrap_or(ENTRIES).clamp(1, MOST_ENTRIES);
    let unfit = |error: AsOfError| ApiError::BadRequest(format!("since {error}."));
    let since: Option<AsOf> = params.since.map(|text| text.parse().map_err(unfit)).transpose()?;
    let trail = resources::read_trail(
        state,
        caller,
        (&model, id),
        (params.before, since.as_ref()),
        limit.into(),
    )
    .await?;
    let is_full = u32::try_from(trail.entries.len()).is_ok_and(|count| count == limit);
    Ok(Json(TrailView {
        next: trail.entries.last().map(|(entry, _)| entry.id).filter(|_| is_full),
        data: trail.entries.into_iter().map(TrailEntryView::from).collect(),
        names: trail.names,
    }))
}
