//! Changing the own password: `POST /UserAccounts/change-password`.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use serde::Deserialize;
use utoipa::ToSchema;
use vocabulary::MailKind;

use super::arguments::text;
use super::throttle::{CountedAttempt, ThrottledAction};
use crate::access::{Caller, ClientAddress, client, notice, owner, passwords};
use crate::extract::Body;
use crate::failure::{ApiError, FailureBody};
use crate::resources;
use crate::state::ApiState;

/// The old and the new password.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(
    dead_code,
    reason = "describes a body that is read with the messages of its arguments"
)]
pub(crate) struct PasswordChange {
    old_password: String,
    new_password: String,
}

/// Changes the own password, for which the old one must be given, ends the other sessions and mails a notice to the account. Refused while working as
/// somebody else.
#[utoipa::path(
    post,
    path = "/UserAccounts/change-password",
    tag = "UserAccounts",
    request_body = PasswordChange,
    responses(
        (status = 204, description = "Changed"),
        (status = 400, body = FailureBody, description = "An argument is missing, or the old password is wrong"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "While working as somebody else"),
        (status = 422, body = FailureBody, description = "The new password breaks the rules"),
        (status = 429, body = FailureBody, description = "Too many wrong passwords; Retry-After says how long to wait"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(crate) async fn change_password(
    State(state): State<ApiState>,
    caller: Caller,
    ClientAddress(address): ClientAddress,
    headers: HeaderMap,
    Body(body): Body,
) -> Result<StatusCode, ApiError> {
    if caller.is_impersonated() {
        return Err(ApiError::Forbidden);
    }
    let given = resources::body_fields(&headers, &body)?;
    let old = text(&given, "oldPassword")?;
    let new = text(&given, "newPassword")?;
    let attempt = CountedAttempt::reserve(&state, ThrottledAction::Password, &caller.user.email, address).await?;
    match owner::has_password(&state, caller.user.id, old).await {
        Ok(true) => attempt.give_back().await,
        Ok(false) => return Err(owner::wrong_password()),
        Err(failure) => {
            attempt.give_back().await;
            return Err(failure);
        }
    }
    passwords::of_profile(&new, &caller.user.known_to_others())?;
    let hash = passwords::hash(new).await?;
    let mut transaction = postgres::begin(&state.postgres).await?;
    postgres::users::set_password(&mut *transaction, caller.user.id, &hash).await?;
    postgres::tokens::revoke_all(&mut *transaction, caller.user.id, Some(caller.session.id)).await?;
    notice::notify(
        &mut transaction,
        caller.user.id,
        MailKind::Password,
        client::language(&headers),
    )
    .await?;
    transaction.commit().await.map_err(postgres::Error::from)?;
    Ok(StatusCode::NO_CONTENT)
}
