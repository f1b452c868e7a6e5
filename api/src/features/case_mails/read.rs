//! The readers of mails of advertisers, and whether a machine wrote one: `POST /actions/emails/{id}/read`, `POST /actions/emails/{id}/automatic`.

use axum::extract::State;
use axum::http::StatusCode;
use postgres::case_mails::received::{self, Marked};
use serde::Deserialize;
use utoipa::ToSchema;
use vocabulary::{EmailId, Scope};

use super::send::{OneMailView, show};
use super::{case_of_mail, unknown_mail};
use crate::access::MailCaller;
use crate::extract::{Json, Path};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Whether a mail counts as read.
#[derive(Deserialize, ToSchema)]
pub(super) struct Reading {
    read: bool,
}

/// Whether a machine wrote a mail.
#[derive(Deserialize, ToSchema)]
pub(super) struct Authorship {
    automatic: bool,
}

/// Marks a mail of an advertiser as read, with the reader's name, or as unread; the count of the case follows. Twice the same changes nothing.
#[utoipa::path(
    post, path = "/actions/emails/{id}/read", tag = "Emails", request_body = Reading,
    params(("id" = i32, Path, description = "The mail")),
    responses(
        (status = 200, body = OneMailView),
        (status = 401, body = FailureBody, description = "No valid session, nor a ticket for the mails of its case"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "No such mail of an advertiser within sight"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn mark_read(
    State(state): State<ApiState>,
    caller: MailCaller,
    Path(id): Path<i32>,
    Json(body): Json<Reading>,
) -> Result<axum::Json<OneMailView>, ApiError> {
    let mail = EmailId(id);
    let mut tx = postgres::begin(&state.postgres).await?;
    let (_, caller) = case_of_mail(&mut tx, &caller, mail).await?;
    let by = (mail, caller.user.id);
    let marked = received::mark_read(&mut tx, &caller.scope, by, body.read, state.clock.now()).await?;
    answer(tx, &caller.scope, mail, marked).await
}

/// Decides of a mail that a machine may have written whether one did. If so it does not count, and the advertiser is waited for again; if not it is a
/// reply. The same decision twice changes nothing.
#[utoipa::path(
    post, path = "/actions/emails/{id}/automatic", tag = "Emails", request_body = Authorship,
    params(("id" = i32, Path, description = "The mail")),
    responses(
        (status = 200, body = OneMailView),
        (status = 401, body = FailureBody, description = "No valid session, nor a ticket for the mails of its case"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "No such mail of an advertiser within sight"),
        (status = 409, body = FailureBody, description = "ALREADY_DECIDED: it was decided the other way, or nobody needs to decide"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn rule_automatic(
    State(state): State<ApiState>,
    caller: MailCaller,
    Path(id): Path<i32>,
    Json(body): Json<Authorship>,
) -> Result<axum::Json<OneMailView>, ApiError> {
    let mail = EmailId(id);
    let mut tx = postgres::begin(&state.postgres).await?;
    let (_, caller) = case_of_mail(&mut tx, &caller, mail).await?;
    let by = (mail, caller.user.id);
    let marked = received::rule(&mut tx, &caller.scope, by, body.automatic, state.clock.now()).await?;
    answer(tx, &caller.scope, mail, marked).await
}

/// Commits what was marked and answers the mail as it is now.
async fn answer(
    mut tx: postgres::Tx,
    scope: &Scope,
    mail: EmailId,
    marked: Marked,
) -> Result<axum::Json<OneMailView>, ApiError> {
    let action = match marked {
        Marked::Done(action) => action,
        Marked::Unknown => return Err(unknown_mail(mail)),
        Marked::Decided => {
            let text = "Somebody has decided already who wrote this mail.".to_owned();
            return Err(ApiError::Coded(StatusCode::CONFLICT, "ALREADY_DECIDED", text));
        }
    };
    let view = show(&mut tx, scope, action, mail).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(view)
}
