//! Retrying and discarding captures, and the journal of what administrators did.

use std::collections::BTreeSet;

use ::schedules::queue::{self, CaptureJob};
use axum::Json;
use axum::extract::State;
use postgres::operations::journal;
use postgres::operations::reviews::{self, Handled};
use postgres::slots;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;
use vocabulary::CaptureId;

use super::views::{DoneView, HandledView, JournalEntryView, ListView};
use super::{display_name, operator};
use crate::access::Administrator;
use crate::extract::{self, Query};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

const ACTS: u32 = 20;
const MOST_ACTS: u32 = 200;
/// As many as a list shows at once.
const MOST_CAPTURES: usize = 200;

/// Captures to be acted on.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CaptureSelection {
    /// Their names, up to 200.
    #[serde(rename = "requestIDs")]
    request_ids: BTreeSet<Uuid>,
}

impl CaptureSelection {
    /// The captures, each once, ascending; an error of the field for more than [`MOST_CAPTURES`].
    fn captures(self) -> Result<impl Iterator<Item = CaptureId>, ApiError> {
        if self.request_ids.len() > MOST_CAPTURES {
            return Err(ApiError::of_field(
                "requestIDs",
                format!("{MOST_CAPTURES} captures at most; send the rest with another request"),
            ));
        }
        Ok(self.request_ids.into_iter().map(CaptureId))
    }
}

/// Takes captures again, each as a run of its own that is due now. Answers what became of each; one that cannot be retried does not stop the others.
#[utoipa::path(
    post, path = "/operations/retry", tag = "Operations", request_body = CaptureSelection,
    responses(
        (status = 200, body = DoneView),
        (status = 401, body = FailureBody),
        (status = 403, body = FailureBody),
        (status = 422, body = FailureBody, description = "Too many captures at once"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn retry_captures(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    extract::Json(chosen): extract::Json<CaptureSelection>,
) -> Result<Json<DoneView>, ApiError> {
    let operator_name = display_name(&caller.user);
    let operator = operator(&caller.user, &operator_name);
    let mut tx = postgres::begin(&state.postgres).await?;
    let now = slots::now(&mut *tx).await?;
    let mut done = Vec::new();
    let mut jobs = Vec::new();
    for capture in chosen.captures()? {
        let handled = reviews::retry(&mut tx, &caller.scope, &operator, capture).await?;
        if let Handled::Again(held, _) = handled {
            jobs.push(CaptureJob::from(held));
        }
        done.push(HandledView::new(capture, handled));
    }
    queue::push(&mut tx, &jobs, now).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(Json(DoneView { data: done }))
}

/// Sets captures aside: they leave the list and stay as they are. Answers what became of each; one that cannot be set aside does not stop the others.
#[utoipa::path(
    post, path = "/operations/discard", tag = "Operations", request_body = CaptureSelection,
    responses(
        (status = 200, body = DoneView),
        (status = 401, body = FailureBody),
        (status = 403, body = FailureBody),
        (status = 422, body = FailureBody, description = "Too many captures at once"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn discard_captures(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    extract::Json(chosen): extract::Json<CaptureSelection>,
) -> Result<Json<DoneView>, ApiError> {
    let operator_name = display_name(&caller.user);
    let operator = operator(&caller.user, &operator_name);
    let mut tx = postgres::begin(&state.postgres).await?;
    let mut done = Vec::new();
    for capture in chosen.captures()? {
        let handled = reviews::discard(&mut tx, &caller.scope, &operator, capture).await?;
        done.push(HandledView::new(capture, handled));
    }
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(Json(DoneView { data: done }))
}

/// How many entries are wanted.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct JournalParams {
    /// 20 by default, up to 200.
    limit: Option<u32>,
}

/// The journal of the operations page, newest first. A limit over 200 counts as 200.
#[utoipa::path(
    get, path = "/operations/acts", tag = "Operations", params(JournalParams),
    responses((status = 200, body = ListView<JournalEntryView>), (status = 401, body = FailureBody), (status = 403, body = FailureBody)),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_acts(
    State(state): State<ApiState>,
    _administrator: Administrator,
    Query(params): Query<JournalParams>,
) -> Result<Json<ListView<JournalEntryView>>, ApiError> {
    let limit = params.limit.unwrap_or(ACTS).min(MOST_ACTS);
    let found = journal::last(&state.postgres, limit.into()).await?;
    Ok(Json(ListView {
        data: found.into_iter().map(JournalEntryView::from).collect(),
    }))
}
