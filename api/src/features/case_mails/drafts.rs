//! The own draft in a case: `PUT` and `DELETE /actions/emails/draft`.

use axum::extract::State;
use axum::http::StatusCode;
use postgres::case_mails::drafts::{self, DraftFile, DraftSaved, DraftText};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;
use vocabulary::{AttachmentId, ContactId, FileId, Language, TemplateId};

use super::views::DraftView;
use super::{OfCase, unknown_case};
use crate::access::MailCaller;
use crate::extract::{Json, Query};
use crate::failure::{ApiError, FailureBody, FieldFault};
use crate::state::ApiState;

/// Characters of a subject: longer lines are cut by mail programs.
const LONGEST_SUBJECT: usize = 255;
/// Characters of a text.
const LONGEST_BODY: usize = 50_000;
const MOST_RECIPIENTS: usize = 20;
const MOST_FILES: usize = 20;

/// A mail that is being written.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct DraftChange {
    /// The version that the author sees, 0 for a new draft.
    version: i32,
    /// Contacts of the advertiser.
    to: Vec<i32>,
    /// 255 characters at most.
    subject: String,
    /// 50,000 characters at most.
    body: String,
    template_id: Option<i32>,
    /// `en` or `fr`.
    language: String,
    /// Files of the draft, and uploaded files of the author.
    #[serde(default)]
    attachments: Vec<FileOfDraft>,
}

/// A file: the number of one of the draft, or the id of an uploaded one.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(untagged)]
enum FileOfDraft {
    Kept(i32),
    Uploaded(Uuid),
}

/// The draft as it was saved.
#[derive(Serialize, ToSchema)]
pub(super) struct SavedDraftView {
    pub(super) data: DraftView,
}

/// Saves the own draft of a mail, of which there is one in a case.
#[utoipa::path(
    put, path = "/actions/emails/draft", tag = "Emails", params(OfCase), request_body = DraftChange,
    responses(
        (status = 200, body = SavedDraftView),
        (status = 401, body = FailureBody, description = "No valid session, nor a ticket for the mails of this case"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "No such case within sight"),
        (status = 409, body = FailureBody, description = "DRAFT_CHANGED: it has another version, which `details.draft` has, or was sent"),
        (status = 422, body = FailureBody, description = "Fields that break their rules"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn save_draft(
    State(state): State<ApiState>,
    caller: MailCaller,
    Query(of): Query<OfCase>,
    Json(change): Json<DraftChange>,
) -> Result<axum::Json<SavedDraftView>, ApiError> {
    let mut tx = postgres::begin(&state.postgres).await?;
    let (action, caller, _) = of.of_staff(&mut tx, &caller).await?;
    let language = check(&change)?;
    let to: Vec<ContactId> = change.to.iter().copied().map(ContactId).collect();
    let files = change.attachments.iter().map(|file| match file {
        FileOfDraft::Kept(id) => DraftFile::Kept(AttachmentId(*id)),
        FileOfDraft::Uploaded(id) => DraftFile::Uploaded(FileId(*id)),
    });
    let text = DraftText {
        to: &to,
        subject: &change.subject,
        body: &change.body,
        template: change.template_id.map(TemplateId),
        language,
        files: &files.collect::<Vec<_>>(),
    };
    let key = (action, caller.user.id, change.version);
    match drafts::save(&mut tx, &caller.scope, key, &text, state.clock.now()).await? {
        DraftSaved::Saved(draft) => {
            tx.commit().await.map_err(postgres::Error::from)?;
            Ok(axum::Json(SavedDraftView {
                data: DraftView::from_draft(draft, action),
            }))
        }
        DraftSaved::Changed(draft) => Err(changed(draft.map(|draft| DraftView::from_draft(draft, action)))?),
        DraftSaved::UnknownFile => Err(FieldFault::new("attachments", "fields:othersFile").into()),
        DraftSaved::UnknownTemplate => Err(FieldFault::new("templateId", "fields:template").into()),
        DraftSaved::NoCase => Err(unknown_case(action)),
    }
}

/// Throws the own draft away.
#[utoipa::path(
    delete, path = "/actions/emails/draft", tag = "Emails", params(OfCase),
    responses(
        (status = 204, description = "There is none now"),
        (status = 401, body = FailureBody, description = "No valid session, nor a ticket for the mails of this case"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "No such case within sight"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn delete_draft(
    State(state): State<ApiState>,
    caller: MailCaller,
    Query(of): Query<OfCase>,
) -> Result<StatusCode, ApiError> {
    let mut connection = state.postgres.acquire().await.map_err(postgres::Error::from)?;
    let (action, caller, _) = of.of_staff(&mut connection, &caller).await?;
    drafts::discard(&mut connection, action, caller.user.id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Builds the error (409) for saving or sending a draft that was changed or sent elsewhere meanwhile. It carries the newer draft, `None` if there is
/// none any more. Fails when the draft cannot become JSON.
pub(super) fn changed(draft: Option<DraftView>) -> Result<ApiError, ApiError> {
    let draft = draft
        .map(serde_json::to_value)
        .transpose()
        .map_err(ApiError::internal)?;
    Ok(ApiError::DraftChanged(draft.map(Box::new)))
}

/// The language of a draft whose fields keep their rules.
fn check(change: &DraftChange) -> Result<Language, ApiError> {
    let mut faults = Vec::new();
    let mut refuse = |field: &str, key| faults.push(FieldFault::new(field, key));
    if change.subject.chars().count() > LONGEST_SUBJECT {
        refuse("subject", "fields:long");
    }
    if change.subject.contains(char::is_control) {
        refuse("subject", "fields:line");
    }
    if change.body.chars().count() > LONGEST_BODY {
        refuse("body", "fields:long");
    }
    if change.body.contains('\0') {
        refuse("body", "fields:text");
    }
    if change.to.len() > MOST_RECIPIENTS {
        refuse("to", "fields:manyRecipients");
    }
    if change.attachments.len() > MOST_FILES {
        refuse("attachments", "fields:manyFiles");
    }
    let language = change.language.parse();
    if language.is_err() {
        refuse("language", "fields:language");
    }
    match language {
        Ok(language) if faults.is_empty() => Ok(language),
        _ => Err(ApiError::Faulty(faults)),
    }
}
