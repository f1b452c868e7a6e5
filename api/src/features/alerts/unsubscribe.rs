//! Leaving an alert from its mail, in one click (RFC 8058).

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Redirect;
use postgres::alerts;
use uuid::Uuid;
use vocabulary::SystemScope;

use crate::extract::Path;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// The mail says who asks: its key is known to its recipient alone.
const SCOPE: SystemScope = SystemScope::new("unsubscribing from the digests of an alert");
/// Where alerts are changed by hand.
const SCREEN: &str = "/alerts";

/// Takes the recipient of a digest off its alert. Programs for mails send it when their user asks for no more; doing it again changes nothing.
#[utoipa::path(
    post, path = "/alerts/unsubscribe/{key}", tag = "Alerts",
    params(("key" = String, Path, description = "What the header List-Unsubscribe of the mail names")),
    responses(
        (status = 204, description = "Nothing more is sent"),
        (status = 404, body = FailureBody, description = "No digest, or one of more than 90 days ago"),
    ),
)]
pub(super) async fn unsubscribe_from_digests(
    State(state): State<ApiState>,
    Path(key): Path<String>,
) -> Result<StatusCode, ApiError> {
    let is_known = match Uuid::parse_str(&key) {
        Ok(key) => alerts::unsubscribe(&state.postgres, &SCOPE, key).await?,
        Err(_) => false,
    };
    if !is_known {
        return Err(ApiError::NotFound("Unknown mail".to_owned()));
    }
    tracing::info!("a recipient of an alert wants no more digests");
    Ok(StatusCode::NO_CONTENT)
}

/// Leads to the screen of alerts: programs that know no one-click unsubscribing open the address, and so do those that look at links before their user
/// does. Changes nothing.
#[utoipa::path(
    get, path = "/alerts/unsubscribe/{key}", tag = "Alerts",
    params(("key" = String, Path, description = "What the header List-Unsubscribe of the mail names")),
    responses((status = 303, description = "To the screen of alerts")),
)]
pub(super) async fn ask_to_unsubscribe(Path(_key): Path<String>) -> Redirect {
    Redirect::to(SCREEN)
}
