//! The signed-in user: `GET /UserAccounts/me`.

use axum::extract::{Request, State};

use super::views::MeView;
use crate::access::client;
use crate::failure::{ApiError, FailureBody};
use crate::resources::{self, Call};
use crate::state::ApiState;

/// The signed-in user; `filter` with an include answers roles, company account and its brands. While an administrator works as that user,
/// `impersonatedBy` is the administrator; otherwise a session's language of `Accept-Language` is kept for the user's mails.
#[utoipa::path(
    get,
    path = "/UserAccounts/me",
    tag = "UserAccounts",
    params(("filter" = Option<String>, Query, description = "Fields and relations, as for any account")),
    responses(
        (status = 200, body = MeView, description = "The signed-in user"),
        (status = 400, body = FailureBody, description = "A filter that cannot be answered"),
        (status = 401, body = FailureBody, description = "No valid session"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(crate) async fn me(State(state): State<ApiState>, request: Request) -> Result<resources::Row, ApiError> {
    let language = client::language(request.headers());
    let call = Call::read(state.clone(), request).await?;
    let caller = call.caller();
    if let Some(language) = language.filter(|_| caller.session.is_session() && !caller.is_impersonated()) {
        postgres::users::set_language(&state.postgres, caller.user.id, language).await?;
    }
    let mut account = resources::account(&call).await?;
    if let Some(administrator) = caller.session.impersonated_by {
        account.put("impersonatedBy", &administrator.0.to_string());
    }
    Ok(account)
}
