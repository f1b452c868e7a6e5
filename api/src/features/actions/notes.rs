//! Notes on cases and advertisers (decision D52): `GET` and `POST` on three paths, one for each subject.

use axum::body::Bytes;
use axum::extract::State;
use axum::{Extension, Json};
use postgres::actions::notes::{self, Note, NoteSubject};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa::openapi::path::{Operation, PathsBuilder};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use vocabulary::ActionId;

use super::group::{ActionSelection, read_message, unknown_actions};
use super::story::date;
use crate::access::Caller;
use crate::extract::Pairs;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Notes that are shown, the newest.
const MOST_NOTES: i64 = 500;

/// The subjects of notes: path, the ends of the ids of its operations, and what its notes are about.
const SUBJECTS: [(NoteSubject, &str, &str, &str); 3] = [
    (NoteSubject::Action, "notes", "action_notes", "an action"),
    (
        NoteSubject::Advertiser,
        "advertiserNotes",
        "advertiser_notes",
        "the advertiser of an action in its country, on every engine",
    ),
    (
        NoteSubject::BrandAdvertiser,
        "brandAdvertiserNotes",
        "brand_advertiser_notes",
        "the advertiser of an action in all countries, where its brand has actions against it in several",
    ),
];

/// Notes, the oldest first.
#[derive(Serialize, ToSchema)]
pub(super) struct NotesView {
    data: Vec<NoteView>,
}

/// A note of somebody.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NoteView {
    #[serde(rename = "ID")]
    id: i32,
    message: String,
    created_date: Option<String>,
    updated_date: Option<String>,
    /// The author; null where the account is gone.
    user: Option<NoteAuthorView>,
}

/// The author of a note.
#[derive(Serialize, ToSchema)]
struct NoteAuthorView {
    firstname: Option<String>,
    lastname: Option<String>,
}

impl From<Note> for NoteView {
    fn from(note: Note) -> Self {
        Self {
            id: note.id,
            message: note.message,
            created_date: date(Some(note.created)),
            updated_date: date(Some(note.updated)),
            user: note
                .author
                .map(|(firstname, lastname)| NoteAuthorView { firstname, lastname }),
        }
    }
}

/// A note to be written.
#[derive(Deserialize, ToSchema)]
struct NewNote {
    /// 5,000 characters at most.
    message: String,
}

/// The routes of the six operations on notes, with their descriptions.
pub(super) fn routes() -> OpenApiRouter<ApiState> {
    let (schemas, template, handlers) = routes!(list_notes, add_note);
    let template = template.paths.into_values().next().unwrap_or_default();
    SUBJECTS
        .iter()
        .fold(OpenApiRouter::new(), |router, (subject, path, name, about)| {
            let mut item = template.clone();
            let describe = |operation: &mut Operation, deed: &str, summary: &str| {
                operation.operation_id = Some(format!("{deed}_{name}"));
                operation.summary = Some(format!("{summary} about {about}."));
            };
            if let Some(get) = &mut item.get {
                describe(get, "list", "The notes");
            }
            if let Some(post) = &mut item.post {
                describe(post, "add", "Writes a note");
            }
            let paths = PathsBuilder::new().path(format!("/actions/{path}"), item).build();
            router.routes((schemas.clone(), paths, handlers.clone().layer(Extension(*subject))))
        })
}

/// The notes that the reader sees: those of the staff and of the own company.
#[utoipa::path(
    get, path = "/actions", tag = "Actions",
    params(("actionID" = i32, Query, description = "The action")),
    responses(
        (status = 200, body = NotesView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 404, body = FailureBody, description = "No such action, one out of the reader's scope, or one without such notes"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn list_notes(
    State(state): State<ApiState>,
    caller: Caller,
    Extension(subject): Extension<NoteSubject>,
    Pairs(pairs): Pairs,
) -> Result<Json<NotesView>, ApiError> {
    let action = named_action(&pairs)?;
    check_subject(&state, &caller, action, subject).await?;
    answer(&state, &caller, action, subject).await
}

/// Writes a note and answers all notes of the subject.
#[utoipa::path(
    post, path = "/actions", tag = "Actions", request_body = NewNote,
    params(("actionID" = i32, Query, description = "The action")),
    responses(
        (status = 200, body = NotesView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 404, body = FailureBody, description = "No such action, one out of the reader's scope, or one without such notes"),
        (status = 422, body = FailureBody, description = "A note that says nothing or too much"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn add_note(
    State(state): State<ApiState>,
    caller: Caller,
    Extension(subject): Extension<NoteSubject>,
    Pairs(pairs): Pairs,
    body: Bytes,
) -> Result<Json<NotesView>, ApiError> {
    let action = named_action(&pairs)?;
    let NewNote { message } = serde_json::from_slice(&body)
        .map_err(|_| ApiError::BadRequest("message: write what the note says".to_owned()))?;
    let message = read_message("message", &message)?;
    check_subject(&state, &caller, action, subject).await?;
    let (pool, scope, now) = (&state.postgres, &caller.scope, state.clock.now());
    if notes::add(pool, scope, &[action], (subject, &message), now).await? == 0 {
        return Err(unknown_actions(&[action]));
    }
    answer(&state, &caller, action, subject).await
}

/// The one action that a call names; a `BadRequest` for none or several.
fn named_action(pairs: &[(String, String)]) -> Result<ActionId, ApiError> {
    let named = ActionSelection::read(pairs, &Bytes::new())?;
    match named.ids() {
        [one] => Ok(*one),
        _ => Err(ApiError::BadRequest("actionID: name one action".to_owned())),
    }
}

/// Refuses, with 404, an action that the caller does not see or that has no such notes.
async fn check_subject(
    state: &ApiState,
    caller: &Caller,
    action: ActionId,
    subject: NoteSubject,
) -> Result<(), ApiError> {
    let subjects = notes::subjects(&state.postgres, &caller.scope, action).await?;
    match subjects {
        Some(subjects) if subjects.include(subject) => Ok(()),
        _ => Err(unknown_actions(&[action])),
    }
}

/// The notes of a subject.
async fn answer(
    state: &ApiState,
    caller: &Caller,
    action: ActionId,
    subject: NoteSubject,
) -> Result<Json<NotesView>, ApiError> {
    let found = notes::of_action(&state.postgres, &caller.scope, action, subject, MOST_NOTES).await?;
    Ok(Json(NotesView {
        data: found.into_iter().map(NoteView::from).collect(),
    }))
}
