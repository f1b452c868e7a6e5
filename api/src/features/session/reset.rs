//! A forgotten password: `POST /UserAccounts/reset` and `POST /UserAccounts/reset-password` (decision D25).

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use postgres::mails::NewMail;
use serde::Deserialize;
use serde_json::Value as Json;
use utoipa::ToSchema;
use uuid::Uuid;
use vocabulary::MailKind;

use super::arguments::text;
use super::throttle::{CountedAttempt, ThrottledAction};
use crate::access::{ClientAddress, ResetCaller, client, notice, passwords};
use crate::extract::Body;
use crate::failure::{ApiError, FailureBody};
use crate::resources;
use crate::state::ApiState;

/// No account has a longer address.
const MAX_ADDRESS: usize = 254;

/// The address of the account whose password is forgotten.
#[derive(Deserialize, ToSchema)]
#[expect(
    dead_code,
    reason = "describes a body that is read with the messages of its arguments"
)]
pub(crate) struct Forgotten {
    email: String,
}

/// The new password.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(
    dead_code,
    reason = "describes a body that is read with the messages of its arguments"
)]
pub(crate) struct NewPassword {
    new_password: String,
}

/// Sends a link to choose a new password. Whether an account has the address is looked up when the mail is sent: the request does the same for
/// every address, so that neither its response nor its time reveals that.
#[utoipa::path(
    post,
    path = "/UserAccounts/reset",
    tag = "UserAccounts",
    request_body = Forgotten,
    responses(
        (status = 204, description = "If somebody has this address, a mail is on its way"),
        (status = 400, body = FailureBody, description = "No address"),
        (status = 429, body = FailureBody, description = "Too many requests; Retry-After says how long to wait"),
    ),
)]
pub(crate) async fn reset(
    State(state): State<ApiState>,
    ClientAddress(address): ClientAddress,
    headers: HeaderMap,
    Body(body): Body,
) -> Result<StatusCode, ApiError> {
    let given = resources::body_fields(&headers, &body)?;
    let Some(Json::String(email)) = given.get("email") else {
        let text = "Email is required".to_owned();
        return Err(ApiError::Coded(StatusCode::BAD_REQUEST, "EMAIL_REQUIRED", text));
    };
    // Every request counts, so nothing is given back.
    CountedAttempt::reserve(&state, ThrottledAction::Reset, email, address).await?;
    if email.chars().count() > MAX_ADDRESS {
        return Ok(StatusCode::NO_CONTENT);
    }
    let mail = NewMail {
        business_key: &format!("reset {}", Uuid::new_v4()),
        kind: MailKind::Reset,
        user: None,
        recipient: email,
        language: client::language(&headers),
    };
    postgres::mails::queue(&state.postgres, &mail).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Sets a new password with the token of a link that `POST /UserAccounts/reset` sent, ends every session and every link of the account, and mails it
/// a notice.
#[utoipa::path(
    post,
    path = "/UserAccounts/reset-password",
    tag = "UserAccounts",
    request_body = NewPassword,
    responses(
        (status = 204, description = "Changed"),
        (status = 400, body = FailureBody, description = "No password"),
        (status = 401, body = FailureBody, description = "No token of a link, or one that was used or is too old"),
        (status = 422, body = FailureBody, description = "The password breaks the rules"),
    ),
    security(("bearer" = []), ("header" = [])),
)]
pub(crate) async fn reset_password(
    State(state): State<ApiState>,
    caller: ResetCaller,
    headers: HeaderMap,
    Body(body): Body,
) -> Result<StatusCode, ApiError> {
    let given = resources::body_fields(&headers, &body)?;
    let new = text(&given, "newPassword")?;
    let holder = postgres::users::address(&state.postgres, caller.user).await?;
    let about = holder.as_ref().map(|holder| holder.email.as_str());
    passwords::of_reset(&new, about.as_slice())?;
    let hash = passwords::hash(new).await?;
    let mut transaction = postgres::begin(&state.postgres).await?;
    // Two requests can hold the same link; the one that deletes its token has used it.
    if !postgres::tokens::revoke(&mut *transaction, caller.link).await? {
        return Err(ApiError::NotSignedIn);
    }
    postgres::users::set_password(&mut *transaction, caller.user, &hash).await?;
    postgres::tokens::revoke_all(&mut *transaction, caller.user, None).await?;
    notice::notify(
        &mut transaction,
        caller.user,
        MailKind::Password,
        client::language(&headers),
    )
    .await?;
    transaction.commit().await.map_err(postgres::Error::from)?;
    Ok(StatusCode::NO_CONTENT)
}
