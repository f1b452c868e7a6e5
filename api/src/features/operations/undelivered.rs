//! Mails that could not be delivered: `GET /operations/undelivered`.

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use postgres::mails;
use serde::Serialize;
use utoipa::ToSchema;

use super::views::ListView;
use crate::access::Administrator;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Entries of a response, the newest: more than anybody reads.
const MOST: i64 = 1_000;

/// The last mail to the holder of an account, which could not be sent.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct UndeliveredView {
    /// Id of the account.
    user_id: i32,
    /// `reset`, `verify`, `account` or `password`.
    kind: String,
    /// When it was given up.
    at: DateTime<Utc>,
    /// Why, in the words of the mail server.
    reason: String,
}

/// Accounts whose last mail was given up, the newest first. A mail that is sent to them later takes them off.
#[utoipa::path(
    get, path = "/operations/undelivered", tag = "Operations",
    responses(
        (status = 200, body = ListView<UndeliveredView>),
        (status = 401, body = FailureBody),
        (status = 403, body = FailureBody),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_undelivered(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
) -> Result<Json<ListView<UndeliveredView>>, ApiError> {
    let given_up = mails::given_up(&state.postgres, &caller.scope, MOST).await?;
    let views = given_up.into_iter().map(|mail| UndeliveredView {
        user_id: mail.user.0,
        kind: mail.kind.to_string(),
        at: mail.at,
        reason: mail.reason,
    });
    Ok(Json(ListView { data: views.collect() }))
}
