//! The second factor of a sign-in: `/second-factor`. Changing the own one takes the password again, as a sign-in does, and no session: administrators may
//! have to set it up before they get one.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use postgres::audit::{self, AuditActor, AuditedChange, Event};
use postgres::{second_factors, tokens};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;
use vocabulary::{Language, MailKind, UserId};

use super::credentials::{Given, Holder, Refusal, second_factor_is_due};
use super::own_sessions::oneself;
use crate::access::{Administrator, Caller, Origin, notice, second_factor};
use crate::extract::Path;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

const MODEL: &str = "SecondFactor";

/// E-mail (or user name), password and, for most calls, a code.
#[derive(Deserialize, ToSchema)]
#[expect(
    dead_code,
    reason = "describes a body that is read with the messages of its arguments"
)]
pub(super) struct SecondFactorProof {
    email: Option<String>,
    username: Option<String>,
    password: String,
    /// A code of the app or, except for the first one, a recovery code.
    code: Option<String>,
}

/// The second factor of an account.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SecondFactorView {
    /// Since when sign-ins need a code; null if they do not.
    since: Option<DateTime<Utc>>,
    /// Recovery codes that were not used.
    recovery_codes: u64,
    /// Whether the settings ask this account for one, so that it cannot be switched off.
    needed: bool,
}

/// A secret for the app that makes codes.
#[derive(Serialize, ToSchema)]
pub(super) struct SecondFactorSecretView {
    /// In base 32, to be typed.
    secret: String,
    /// The same as an address, `otpauth://…`, to be shown as a picture.
    uri: String,
}

/// Recovery codes, each good once. They are never shown again: only their digests are kept.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RecoveryCodesView {
    recovery_codes: Vec<String>,
}

/// The second factor of the caller. Refused while working as somebody else.
#[utoipa::path(
    get, path = "/second-factor", tag = "UserAccounts",
    responses(
        (status = 200, body = SecondFactorView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "While working as somebody else"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn status(State(state): State<ApiState>, caller: Caller) -> Result<Json<SecondFactorView>, ApiError> {
    let caller = oneself(caller)?;
    view(&state, caller.user.id).await.map(Json)
}

async fn view(state: &ApiState, user: UserId) -> Result<SecondFactorView, ApiError> {
    let factor = second_factors::find(&state.postgres, user).await?;
    Ok(SecondFactorView {
        since: factor.and_then(|factor| factor.confirmed),
        recovery_codes: second_factors::recovery_codes_left(&state.postgres, user).await?,
        needed: second_factor_is_due(state, user).await?,
    })
}

/// Makes a secret for the app of the account with this name and password, in place of one that was not confirmed. Sign-ins need a code only once it is confirmed.
#[utoipa::path(
    post, path = "/second-factor", tag = "UserAccounts", request_body = SecondFactorProof,
    responses(
        (status = 200, body = SecondFactorSecretView),
        (status = 401, body = FailureBody, description = "Wrong e-mail or password"),
        (status = 403, body = FailureBody, description = "Sent by a page of another site"),
        (status = 409, body = FailureBody, description = "The account has a second factor, or the server has no key to store secrets with"),
        (status = 429, body = FailureBody, description = "Too many failures; Retry-After says how long to wait"),
    ),
)]
pub(super) async fn begin(
    State(state): State<ApiState>,
    given: Given,
) -> Result<Json<SecondFactorSecretView>, ApiError> {
    let user = given.holder(&state).await?.user;
    let holder = postgres::users::address(&state.postgres, user).await?;
    let holder = holder.ok_or(ApiError::LoginFailed)?;
    let secret = second_factor::fresh_secret(&state, &holder.email)?;
    if !second_factors::begin(&state.postgres, user, &secret.sealed, state.clock.now()).await? {
        return Err(Refusal::SwitchedOn.into());
    }
    Ok(Json(SecondFactorSecretView {
        secret: secret.text,
        uri: secret.uri,
    }))
}

/// Switches the second factor on with a first code of the app, ends the other sessions of the account, mails a notice to it, and answers its recovery codes.
#[utoipa::path(
    post, path = "/second-factor/confirm", tag = "UserAccounts", request_body = SecondFactorProof,
    responses(
        (status = 200, body = RecoveryCodesView),
        (status = 401, body = FailureBody, description = "Wrong e-mail, password or code"),
        (status = 403, body = FailureBody, description = "Sent by a page of another site"),
        (status = 409, body = FailureBody, description = "It is on, or was not begun"),
        (status = 429, body = FailureBody, description = "Too many failures; Retry-After says how long to wait"),
    ),
)]
pub(super) async fn confirm(
    State(state): State<ApiState>,
    origin: Origin,
    given: Given,
) -> Result<Json<RecoveryCodesView>, ApiError> {
    let holder = given.holder(&state).await?;
    let (factor, step) = holder.first_step(&state).await?;
    let mut tx = postgres::begin(&state.postgres).await?;
    if !second_factors::confirm(&mut *tx, holder.user, (&factor.secret, step), state.clock.now()).await? {
        return Err(Refusal::SwitchedOn.into());
    }
    let (codes, digests) = second_factor::fresh_recovery_codes();
    second_factors::set_recovery_codes(&mut tx, holder.user, &digests).await?;
    // Sessions that the password alone has opened end.
    tokens::end_other_sessions(&mut *tx, holder.user, origin.session).await?;
    note_change(&mut tx, holder.user, (Event::Create, origin.request), holder.language).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(Json(RecoveryCodesView { recovery_codes: codes }))
}

/// Replaces the recovery codes of the account, whose password and code are given, and mails a notice to it.
#[utoipa::path(
    post, path = "/second-factor/recovery-codes", tag = "UserAccounts", request_body = SecondFactorProof,
    responses(
        (status = 200, body = RecoveryCodesView),
        (status = 401, body = FailureBody, description = "Wrong e-mail, password or code"),
        (status = 403, body = FailureBody, description = "Sent by a page of another site"),
        (status = 409, body = FailureBody, description = "There is no second factor"),
        (status = 429, body = FailureBody, description = "Too many failures; Retry-After says how long to wait"),
    ),
)]
pub(super) async fn renew_recovery_codes(
    State(state): State<ApiState>,
    origin: Origin,
    given: Given,
) -> Result<Json<RecoveryCodesView>, ApiError> {
    let Holder { user, language, .. } = prove(&state, given.holder(&state).await?).await?;
    let (codes, digests) = second_factor::fresh_recovery_codes();
    let mut tx = postgres::begin(&state.postgres).await?;
    second_factors::set_recovery_codes(&mut tx, user, &digests).await?;
    note_change(&mut tx, user, (Event::Change, origin.request), language).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(Json(RecoveryCodesView { recovery_codes: codes }))
}

/// Switches the second factor of the account off, whose password and code are given, and mails a notice to it.
#[utoipa::path(
    post, path = "/second-factor/off", tag = "UserAccounts", request_body = SecondFactorProof,
    responses(
        (status = 204, description = "Sign-ins need the password alone"),
        (status = 401, body = FailureBody, description = "Wrong e-mail, password or code"),
        (status = 403, body = FailureBody, description = "Sent by a page of another site"),
        (status = 409, body = FailureBody, description = "There is none, or the settings ask the account for one"),
        (status = 429, body = FailureBody, description = "Too many failures; Retry-After says how long to wait"),
    ),
)]
pub(super) async fn switch_off(
    State(state): State<ApiState>,
    origin: Origin,
    given: Given,
) -> Result<StatusCode, ApiError> {
    let holder = given.holder(&state).await?;
    if second_factor_is_due(&state, holder.user).await? {
        return Err(Refusal::Needed.into());
    }
    let Holder { user, language, .. } = prove(&state, holder).await?;
    let mut tx = postgres::begin(&state.postgres).await?;
    second_factors::remove(&mut *tx, user).await?;
    note_change(&mut tx, user, (Event::Remove, origin.request), language).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Passes on the holder of an account who gives a code of its second factor, which is used; [`Refusal::SwitchedOff`] where there is none.
async fn prove(state: &ApiState, holder: Holder) -> Result<Holder, ApiError> {
    let factor = holder.confirmed_factor().ok_or(Refusal::SwitchedOff)?;
    holder.give_code(state, factor).await?;
    Ok(holder)
}

/// Writes a change of the own second factor to the audit log, and mails a notice to the account. Call it in the transaction of the change.
async fn note_change(
    tx: &mut postgres::Tx,
    user: UserId,
    (event, request): (Event, String),
    language: Option<Language>,
) -> Result<(), ApiError> {
    let actor = AuditActor {
        actor: user,
        acting_as: None,
        request,
    };
    let change = AuditedChange {
        event,
        model: MODEL,
        target: user.to_string(),
        details: json!({}),
    };
    audit::record(&mut **tx, &actor, &[change]).await?;
    notice::notify(tx, user, MailKind::SecondFactor, language).await
}

/// The second factor of a user, for administrators.
#[utoipa::path(
    get, path = "/second-factor/{user}", tag = "UserAccounts",
    params(("user" = i32, Path, description = "The user")),
    responses(
        (status = 200, body = SecondFactorView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "Not the number of a user"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn of_user(
    State(state): State<ApiState>,
    _: Administrator,
    Path(user): Path<i32>,
) -> Result<Json<SecondFactorView>, ApiError> {
    view(&state, UserId(user)).await.map(Json)
}

/// Removes the second factor of another user, who has lost app and recovery codes, ends the sessions and keys of that user, and mails a notice to the account. Refused
/// for the own one.
#[utoipa::path(
    delete, path = "/second-factor/{user}", tag = "UserAccounts",
    params(("user" = i32, Path, description = "The user")),
    responses(
        (status = 204, description = "Removed"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator, the own one, or while working as somebody else"),
        (status = 404, body = FailureBody, description = "The user has none"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn remove_of_user(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Path(user): Path<i32>,
) -> Result<StatusCode, ApiError> {
    let caller = oneself(caller)?;
    let user = UserId(user);
    if user == caller.user.id {
        return Err(ApiError::Forbidden);
    }
    let mut tx = postgres::begin(&state.postgres).await?;
    if !second_factors::remove(&mut *tx, user).await? {
        return Err(ApiError::NotFound(format!("User {user} has no second factor")));
    }
    tokens::revoke_all(&mut *tx, user, None).await?;
    caller
        .record(&mut tx, (Event::Remove, MODEL), user.0.into(), json!({}))
        .await?;
    notice::notify(&mut tx, user, MailKind::SecondFactor, None).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(StatusCode::NO_CONTENT)
}
