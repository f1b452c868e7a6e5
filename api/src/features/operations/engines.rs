//! Pausing and resuming an engine: `POST /operations/engines/{engine}/pause` and `…/resume`.

use axum::extract::State;
use axum::http::StatusCode;
use postgres::operations::pauses;
use serde::Deserialize;
use utoipa::ToSchema;
use vocabulary::Engine;

use super::{display_name, operator};
use crate::access::Administrator;
use crate::extract::{Json, Path};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Characters of a reason.
const LONGEST_REASON: usize = 500;

/// Why an engine is paused.
#[derive(Deserialize, ToSchema)]
pub(super) struct PauseRequest {
    /// For those who find it paused; up to 500 characters, may be empty.
    #[serde(default)]
    reason: String,
}

/// Pauses an engine for all processes: no capture starts on it until it is resumed; those under way finish. Pausing it again changes nothing. The
/// reason may be empty and has at most 500 characters.
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
    let engine = parse_engine(&engine)?;
    let reason = why.reason.trim();
    if reason.chars().count() > LONGEST_REASON {
        return Err(ApiError::of_field(
            "reason",
            format!("{LONGEST_REASON} characters at most"),
        ));
    }
    let operator_name = display_name(&caller.user);
    let mut tx = postgres::begin(&state.postgres).await?;
    let reason = (!reason.is_empty()).then_some(reason);
    pauses::pause(&mut tx, &operator(&caller.user, &operator_name), engine, reason).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Resumes an engine: captures that waited start within a minute. One that is not paused stays as it is.
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
    let engine = parse_engine(&engine)?;
    let operator_name = display_name(&caller.user);
    let mut tx = postgres::begin(&state.postgres).await?;
    pauses::resume(&mut tx, &operator(&caller.user, &operator_name), engine).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(StatusCode::NO_CONTENT)
}

/// The engine of this name; 404 for an unknown one.
fn parse_engine(engine: &str) -> Result<Engine, ApiError> {
    engine
        .parse()
        .map_err(|_| ApiError::NotFound("No engine has this name: it is google or bing".to_owned()))
}
