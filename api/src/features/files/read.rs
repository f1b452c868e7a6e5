//! The content of an uploaded file: `GET /Files/{id}/get`.

use axum::body::Body;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use postgres::files::{self, Use};
use uuid::Uuid;
use vocabulary::FileId;

use crate::access::Caller;
use crate::extract::Path;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// The images that a browser may show in place; anything else is a download.
const SHOWN: [&str; 4] = ["image/png", "image/jpeg", "image/webp", "image/gif"];
/// An id never names other content.
const KEPT_BY_BROWSERS: &str = "private, max-age=31536000, immutable";
/// Whatever a file holds, it runs nothing and asks for nothing.
const POLICY: &str = "default-src 'none'; sandbox";
/// What is not escaped in a file name, by RFC 5987.
const NAME: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'-').remove(b'_');

/// The content of a file: an avatar, or an own file; administrators may read any. Every other file is answered with 404. Avatars and PNG, JPEG, WebP
/// and GIF images are shown in place, other files are downloads; browsers may keep them.
#[utoipa::path(
    get,
    path = "/Files/{id}/get",
    tag = "Files",
    params(("id" = String, Path, description = "The id of a file")),
    responses(
        (status = 200, content_type = "application/octet-stream", description = "The content"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 404, body = FailureBody, description = "There is no such file within sight"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn read_file(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let unknown = || ApiError::NoRow(format!("Unknown \"File\" id \"{id}\"."));
    let uuid: Uuid = id.parse().map_err(|_| unknown())?;
    let file = files::readable(&state.postgres, &caller.scope, caller.user.id, FileId(uuid))
        .await?
        .ok_or_else(unknown)?;
    let content = state.blobs.read(&file.sha256).await?.ok_or_else(unknown)?;
    let is_shown = file.used_as == Use::Avatar || SHOWN.contains(&file.mime_type.as_str());
    let disposition = if is_shown { "inline" } else { "attachment" };
    let name = utf8_percent_encode(&file.name, NAME);
    let headers = [
        (header::CONTENT_TYPE, file.mime_type),
        (
            header::CONTENT_DISPOSITION,
            format!("{disposition}; filename*=UTF-8''{name}"),
        ),
        (header::CACHE_CONTROL, KEPT_BY_BROWSERS.to_owned()),
        (header::CONTENT_SECURITY_POLICY, POLICY.to_owned()),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
    ];
    Ok((headers, Body::from(content)).into_response())
}
