//! `GET /UserAccounts/me`.

use axum::Json;

use super::views::MeView;
use crate::access::Caller;
use crate::failure::FailureBody;

/// The signed-in user with roles, company account and its brands.
#[utoipa::path(
    get,
    path = "/UserAccounts/me",
    tag = "UserAccounts",
    responses(
        (status = 200, body = MeView, description = "The signed-in user"),
        (status = 401, body = FailureBody, description = "No valid session"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(crate) async fn me(caller: Caller) -> Json<MeView> {
    Json(caller.user.into())
}
