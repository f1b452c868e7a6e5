//! The files of mails: `GET /actions/emails/attachments/{id}`.

use axum::body::Body;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use postgres::case_mails::thread;
use vocabulary::AttachmentId;

use super::OfCase;
use crate::access::MailCaller;
use crate::extract::{Path, Query};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Whatever a file holds, it runs nothing and asks for nothing.
const POLICY: &str = "default-src 'none'; sandbox";
/// What is not escaped in a file name, by RFC 5987.
const NAME: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'-').remove(b'_');

/// The content of a file of a mail, as a download; of a draft for its author alone.
#[utoipa::path(
    get, path = "/actions/emails/attachments/{id}", tag = "Emails", params(("id" = i32, Path, description = "The file"), OfCase),
    responses(
        (status = 200, content_type = "application/octet-stream", description = "The content"),
        (status = 401, body = FailureBody, description = "No valid session, nor a ticket for the mails of this case"),
        (status = 404, body = FailureBody, description = "No such case within sight, or no such file of its mails"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn read_file(
    State(state): State<ApiState>,
    caller: MailCaller,
    Path(id): Path<i32>,
    Query(of): Query<OfCase>,
) -> Result<Response, ApiError> {
    let unknown = || ApiError::NoRow(format!("Unknown \"Attachment\" id \"{id}\"."));
    let (file, sha256) = {
        let mut connection = state.postgres.acquire().await.map_err(postgres::Error::from)?;
        let (action, caller, _) = of.find(&mut connection, &caller).await?;
        let found = thread::file(&mut connection, &caller.scope, caller.user.id, action, AttachmentId(id)).await?;
        found.ok_or_else(unknown)?
    };
    let content = state.blobs.read(&sha256).await?.ok_or_else(unknown)?;
    let name = utf8_percent_encode(&file.name, NAME);
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename*=UTF-8''{name}"),
        ),
        (header::CACHE_CONTROL, "private, no-store".to_owned()),
        (header::CONTENT_SECURITY_POLICY, POLICY.to_owned()),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
    ];
    Ok((headers, Body::from(content)).into_response())
}
