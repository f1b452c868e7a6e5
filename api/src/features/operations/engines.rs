//! Stopping an engine and letting it go on: `POST /operations/engines/{engine}/pause` and `…/resume`.

use axum::extract::State;
use axum::http::StatusCode;
use postgres::operations::pauses;
use serde::Deserialize;
use utoipa::ToSchema;
use vocabulary::Engine;

use super::{name, operator};
use crate::access::Administrator;
use crate::extract::{Json, Path};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Characters of a reason.
const LONGEST_REASON: usize = 500;

/// Why an engine is stopped.
#[derive(Deserialize, ToSchema)]
pub(super) struct PauseRequest {
    /// For those who find it stopped; up to 500 characters, may be empty.
    #[serde(default)]
    reason: String,
}

/// Starts no more captures on an engine, in no process, until it is let go on; those under way are finished. Stopping it twice changes nothing.
#[utoipa::path(
    post, path = "/operations/engines/{engine}/pause", tag = "Operations", request_body = PauseRequest,
    params(("engine" = String, Path, description = "`google` or `bing`")),
    responses(
        (status = 204),
        (status = 401, body = FailureBody),
        (status = 403, body = FailureBody),
        (status = 404, body = FailureBody, description = "An unknown engine"),
        (status = 422, body = FailureBody, description = "A reason that is too long"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn pause_engine(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Path(engine): Path<String>,
    Json(why): Json<PauseRequest>,
) -> Result<StatusCode, ApiError> {
    let engine = read(&engine)?;
    let reason = why.reason.trim();
    if reason.chars().count() > LONGEST_REASON {
        return Err(ApiError::of_field(
            "reason",
            format!("{LONGEST_REASON} characters at most"),
        ));
    }
    let operator_name = name(&caller.user);
    let mut tx = postgres::begin(&state.postgres).await?;
    let reason = (!reason.is_empty()).then_some(reason);
    pauses::pause(&mut tx, &operator(&caller.user, &operator_name), engine, reason).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lets an engine go on: what waited starts within a minute. One that is not stopped stays as it is.
#[utoipa::path(
    post, path = "/operations/engines/{engine}/resume", tag = "Operations",
    params(("engine" = String, Path, description = "`google` or `bing`")),
    responses(
        (status = 204),
        (status = 401, body = FailureBody),
        (status = 403, body = FailureBody),
        (status = 404, body = FailureBody, description = "An unknown engine"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn resume_engine(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Path(engine): Path<String>,
) -> Result<StatusCode, ApiError> {
    let engine = read(&engine)?;
    let operator_name = name(&caller.user);
    let mut tx = postgres::begin(&state.postgres).await?;
    pauses::resume(&mut tx, &operator(&caller.user, &operator_name), engine).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(StatusCode::NO_CONTENT)
}

/// The engine of this name; 404 for an unknown one.
fn read(engine: &str) -> Result<Engine, ApiError> {
    engine
        .parse()
        .map_err(|_| ApiError::NotFound("No engine has this name: it is google or bing".to_owned()))
}
