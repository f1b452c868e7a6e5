//! The way of a draft out and back: `POST /actions/emails/send`, `…/{id}/undo`, and `…/{id}/ruling` on what nobody knows of it.

use axum::extract::State;
use axum::http::StatusCode;
use chrono::{DateTime, Days, Utc};
use postgres::Connection;
use postgres::case_mails::drafts::{self, Departure, Draft, DraftSent, Undone};
use postgres::case_mails::thread;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vocabulary::{ActionEvent, ActionId, EmailId, Scope};

use super::drafts::{SavedDraftView, changed};
use super::views::{DraftView, MailView, UNDO_FOR};
use super::{OfCase, case_of_mail, unknown_case, unknown_mail};
use crate::access::MailCaller;
use crate::extract::{Json, Path, Query};
use crate::failure::{ApiError, FailureBody, FieldFault};
use crate::state::ApiState;

/// How far ahead a mail can be sent.
const DAYS_AHEAD: u64 = 60;
/// Bytes of all files of a mail: mail servers refuse larger ones.
const MOST_BYTES: i64 = 10 << 20;

/// How the own draft is to leave.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Sending {
    /// The version of the draft that the author sees.
    version: i32,
    /// The last mail of the case that the author sees; null for none.
    seen: Option<i32>,
    /// What happens to the case once the mail has left.
    then: Option<ThenEvent>,
    /// When it leaves; null for now.
    send_at: Option<DateTime<Utc>>,
}

/// What can happen to a case once a mail has left.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum ThenEvent {
    Accept,
    Refuse,
}

/// Whether a mail has arrived of which nobody knew.
#[derive(Deserialize, ToSchema)]
pub(super) struct Finding {
    arrived: bool,
}

/// A mail as it is now.
#[derive(Serialize, ToSchema)]
pub(super) struct OneMailView {
    data: MailView,
}

/// Sends the own draft: a notification where the case has had none, else an answer. For 15 seconds it can be taken back.
#[utoipa::path(
    post, path = "/actions/emails/send", tag = "Emails", params(OfCase), request_body = Sending,
    responses(
        (status = 200, body = OneMailView),
        (status = 401, body = FailureBody, description = "No valid session, nor a ticket for the mails of this case"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "No such case within sight"),
        (status = 409, body = FailureBody, description = "MAIL_ARRIVED: there is a newer mail; DRAFT_CHANGED: the draft has another version or was sent; TRANSITION_NOT_ALLOWED: the status of the case does not allow it"),
        (status = 422, body = FailureBody, description = "A draft that cannot be sent as it is"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn send_draft(
    State(state): State<ApiState>,
    caller: MailCaller,
    Query(of): Query<OfCase>,
    Json(sending): Json<Sending>,
) -> Result<axum::Json<OneMailView>, ApiError> {
    let now = state.clock.now();
    let mut tx = postgres::begin(&state.postgres).await?;
    let (action, caller, _) = of.of_staff(&mut tx, &caller).await?;
    if sending.send_at.is_some_and(|at| {
        now.checked_add_days(Days::new(DAYS_AHEAD))
            .is_some_and(|last| at > last)
    }) {
        return Err(FieldFault::new("sendAt", "fields:daysAway")
            .with("most", DAYS_AHEAD)
            .into());
    }
    let draft = drafts::own(&mut tx, action, caller.user.id).await?;
    if let Some(draft) = draft.filter(|draft| draft.version == sending.version) {
        check(&draft)?;
    }
    let departure = Departure {
        version: sending.version,
        seen: sending.seen.map(EmailId),
        then: sending.then.map(|then| match then {
            ThenEvent::Accept => ActionEvent::Accept,
            ThenEvent::Refuse => ActionEvent::Refuse,
        }),
        not_before: sending.send_at.map_or(now + UNDO_FOR, |at| at.max(now + UNDO_FOR)),
    };
    match drafts::send(&mut tx, &caller.scope, (action, caller.user.id), &departure, now).await? {
        DraftSent::Queued(mail) => {
            let view = show(&mut tx, &caller.scope, action, mail).await?;
            tx.commit().await.map_err(postgres::Error::from)?;
            Ok(view)
        }
        DraftSent::Changed(draft) => Err(changed(draft.map(|draft| DraftView::from_draft(draft, action)))?),
        DraftSent::Arrived => Err(refusal(
            "MAIL_ARRIVED",
            "There is a newer mail in this case; nothing was sent.",
        )),
        DraftSent::NotAllowed => Err(refusal(
            "TRANSITION_NOT_ALLOWED",
            "The status of this action does not allow it; nothing was sent.",
        )),
        DraftSent::Nobody => Err(FieldFault::new("to", "fields:nobodyToWriteTo").into()),
        DraftSent::NoCase => Err(unknown_case(action)),
    }
}

/// Takes a mail back that has not begun to leave; it is a draft of its author again.
#[utoipa::path(
    post, path = "/actions/emails/{id}/undo", tag = "Emails", params(("id" = i32, Path, description = "The mail")),
    responses(
        (status = 200, body = SavedDraftView),
        (status = 401, body = FailureBody, description = "No valid session, nor a ticket for the mails of its case"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "No such mail of a person within sight"),
        (status = 409, body = FailureBody, description = "ALREADY_LEAVING: it cannot be taken back any more"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn undo_mail(
    State(state): State<ApiState>,
    caller: MailCaller,
    Path(id): Path<i32>,
) -> Result<axum::Json<SavedDraftView>, ApiError> {
    let mail = EmailId(id);
    let mut tx = postgres::begin(&state.postgres).await?;
    let (action, caller) = case_of_mail(&mut tx, &caller, mail).await?;
    match drafts::undo(&mut tx, &caller.scope, mail, state.clock.now()).await? {
        Undone::Draft(draft) => {
            tx.commit().await.map_err(postgres::Error::from)?;
            Ok(axum::Json(SavedDraftView {
                data: DraftView::from_draft(draft, action),
            }))
        }
        Undone::Leaving => Err(refusal(
            "ALREADY_LEAVING",
            "The mail is leaving already; it cannot be taken back.",
        )),
        Undone::NoMail => Err(unknown_mail(mail)),
    }
}

/// Records whether a mail has arrived of which nobody knew.
#[utoipa::path(
    post, path = "/actions/emails/{id}/ruling", tag = "Emails", request_body = Finding, params(("id" = i32, Path, description = "The mail")),
    responses(
        (status = 200, body = OneMailView),
        (status = 401, body = FailureBody, description = "No valid session, nor a ticket for the mails of its case"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "No such mail within sight"),
        (status = 409, body = FailureBody, description = "What became of it is known"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn rule_mail(
    State(state): State<ApiState>,
    caller: MailCaller,
    Path(id): Path<i32>,
    Json(finding): Json<Finding>,
) -> Result<axum::Json<OneMailView>, ApiError> {
    let mail = EmailId(id);
    let mut tx = postgres::begin(&state.postgres).await?;
    let (action, caller) = case_of_mail(&mut tx, &caller, mail).await?;
    let is_ruled = drafts::rule(
        &mut tx,
        (action, mail),
        finding.arrived,
        caller.user.id,
        state.clock.now(),
    )
    .await?;
    if !is_ruled {
        return Err(ApiError::Conflict("What became of this mail is known.".to_owned()));
    }
    let view = show(&mut tx, &caller.scope, action, mail).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(view)
}

/// A mail of a case as staff sees it.
pub(super) async fn show(
    connection: &mut Connection,
    scope: &Scope,
    action: ActionId,
    mail: EmailId,
) -> Result<axum::Json<OneMailView>, ApiError> {
    let found = thread::thread(connection, scope, action, Some(mail)).await?.pop();
    let found = found.ok_or_else(|| unknown_mail(mail))?;
    Ok(axum::Json(OneMailView {
        data: MailView::from_mail(found, true),
    }))
}

fn refusal(code: &'static str, text: &str) -> ApiError {
    ApiError::Coded(StatusCode::CONFLICT, code, text.to_owned())
}

/// Refuses a draft that nobody should get: without a subject, a text or recipients, or with something left to fill in.
fn check(draft: &Draft) -> Result<(), ApiError> {
    let mut faults = Vec::new();
    for (field, text) in [("subject", &draft.subject), ("body", &draft.body)] {
        if text.trim().is_empty() {
            faults.push(FieldFault::new(field, "fields:empty"));
        }
        if let Some(hole) = hole(text) {
            faults.push(FieldFault::new(field, "fields:hole").with("hole", hole));
        }
    }
    if draft.to.is_empty() {
        faults.push(FieldFault::new("to", "fields:nobody"));
    }
    if draft.files.iter().map(|file| file.bytes).sum::<i64>() > MOST_BYTES {
        faults.push(FieldFault::new("attachments", "fields:tooLargeTogether"));
    }
    if faults.is_empty() {
        return Ok(());
    }
    Err(ApiError::Faulty(faults))
}

/// The first place of a template that was left open, as in `{{ sender.firstName }}`.
fn hole(text: &str) -> Option<&str> {
    let from = text.find("{{")?;
    let length = text[from..].find("}}")?;
    Some(&text[from..from + length + 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_that_was_left_open_is_found() {
        assert_eq!(
            hole("Hello {{ sender.firstName }}, {{ x }}"),
            Some("{{ sender.firstName }}")
        );
        assert_eq!(hole("a {{ b"), None);
        assert_eq!(hole("a }} b {{"), None);
    }
}
