//! `POST /UserAccounts/change-password`.

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use serde::Deserialize;
use utoipa::ToSchema;
use vocabulary::MailKind;

use super::arguments::text;
use crate::access::{Caller, client, notice, passwords};
use crate::failure::{Failure, FailureBody};
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

/// Changes the own password and ends the other sessions. Who works as somebody else cannot.
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
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(crate) async fn change_password(
    State(state): State<ApiState>,
    caller: Caller,
    headers: HeaderMap,
    body: Bytes,
) -> Result<StatusCode, Failure> {
    if caller.is_impersonated() {
        return Err(Failure::Forbidden);
    }
    let given = resources::body_fields(&headers, &body)?;
    let old = text(&given, "oldPassword")?;
    let new = text(&given, "newPassword")?;
    let stored = records::users::password_hash(&state.records, caller.user.id).await?;
    if !passwords::verify(old, stored).await {
        let text = "Invalid current password".to_owned();
        return Err(Failure::Coded(StatusCode::BAD_REQUEST, "INVALID_PASSWORD", text));
    }
    passwords::of_profile(&new)?;
    let hash = passwords::hash(new).await.map_err(Failure::internal)?;
    let mut transaction = records::begin(&state.records).await?;
    records::users::set_password(&mut *transaction, caller.user.id, &hash).await?;
    records::tokens::revoke_all(&mut *transaction, caller.user.id, Some(caller.session.id)).await?;
    notice::tell(
        &mut transaction,
        caller.user.id,
        MailKind::Password,
        client::language(&headers),
    )
    .await?;
    transaction.commit().await.map_err(records::Error::from)?;
    Ok(StatusCode::NO_CONTENT)
}
