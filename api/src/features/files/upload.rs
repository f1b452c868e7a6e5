//! Uploads: `POST /Files/upload`, a form with one file.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use postgres::files::{self, NewFile, Quota, Use};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;
use vocabulary::FileId;

use super::picture;
use crate::access::Caller;
use crate::extract::{FormFile, Query, UploadForm};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// An image may be so large, whatever it is for.
const MAX_IMAGE_BYTES: usize = 5 << 20;
/// Any other file may be so large.
pub(super) const MAX_ATTACHMENT_BYTES: usize = 10 << 20;
/// As many characters of a name are kept; no file system has longer ones.
const MAX_NAME: usize = 200;
/// What every file is that nothing else is known about.
const UNKNOWN: &str = "application/octet-stream";

/// What the file is for.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct UploadParams {
    /// `avatar` (unless given) makes a picture of a user of it, `attachment` keeps it as it is.
    #[serde(rename = "use")]
    used_as: Option<String>,
}

/// A kept file.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct UploadedView {
    /// Random; the `avatarId` of a user is one.
    id: Uuid,
    name: String,
    /// Media type, by the first bytes of the content.
    mime_type: &'static str,
}

/// Keeps a file. Of an avatar, only its pixels: it is cut to a square and encoded again as a JPEG of 80 by 80.
#[utoipa::path(
    post,
    path = "/Files/upload",
    tag = "Files",
    params(UploadParams),
    request_body(content = UploadForm, content_type = "multipart/form-data"),
    responses(
        (status = 200, body = UploadedView, description = "Kept"),
        (status = 400, body = FailureBody, description = "No form with one file, or an unknown use"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 409, body = FailureBody, description = "The files of the user, or of the company account, would be too many"),
        (status = 413, body = FailureBody, description = "Over 5 MB for an image, 10 MB for another file"),
        (status = 422, body = FailureBody, description = "Not an image that can be read"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn upload(
    State(state): State<ApiState>,
    caller: Caller,
    Query(params): Query<UploadParams>,
    FormFile { name, content }: FormFile,
) -> Result<Json<UploadedView>, ApiError> {
    let content = Vec::from(content);
    let used_as = match params.used_as.as_deref() {
        None => Use::Avatar,
        Some(text) => text
            .parse()
            .map_err(|_| ApiError::BadRequest("use is avatar or attachment".to_owned()))?,
    };
    let format = picture::format(&content);
    if content.len() > MAX_ATTACHMENT_BYTES || (format.is_some() && content.len() > MAX_IMAGE_BYTES) {
        return Err(ApiError::TooLarge);
    }
    let id = FileId(Uuid::new_v4());
    let (name, mime_type, content) = match used_as {
        Use::Avatar => {
            let made = picture::avatar(content).await;
            let made = made.map_err(|refused| ApiError::of_field("file", refused.to_string()))?;
            (format!("{id}.jpg"), "image/jpeg", made)
        }
        Use::Attachment => (safe_name(&name, id), mime_type(&content), content),
    };
    let bytes = i64::try_from(content.len()).unwrap_or(i64::MAX);
    let mut transaction = postgres::begin(&state.postgres).await?;
    if !files::lock_and_check_quota(&mut transaction, caller.user.id, bytes, quota(&state)).await? {
        let text = "There is no more room for your files.".to_owned();
        return Err(ApiError::Coded(StatusCode::CONFLICT, "UPLOAD_QUOTA", text));
    }
    let sha256 = state.blobs.put(content).await?;
    let new = NewFile {
        id,
        name: &name,
        mime_type,
        sha256: &sha256,
        bytes,
        used_as,
    };
    files::create(&mut *transaction, caller.user.id, &new).await?;
    transaction.commit().await.map_err(postgres::Error::from)?;
    Ok(Json(UploadedView {
        id: id.0,
        name,
        mime_type,
    }))
}

/// How many bytes the files of a user and of a company account may take, from the settings.
fn quota(state: &ApiState) -> Quota {
    let bytes = |megabytes: u32| i64::from(megabytes) << 20;
    Quota {
        of_user: bytes(state.settings.api.upload_megabytes_per_user),
        of_company: bytes(state.settings.api.upload_megabytes_per_company),
    }
}

/// The last part of a file's path without control characters and those that systems reserve, cut to [`MAX_NAME`] characters, without dots and spaces
/// at its ends; the id where nothing is left.
fn safe_name(given: &str, id: FileId) -> String {
    let last = given.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = last
        .chars()
        .filter(|letter| !letter.is_control() && !"\"<>|:*?".contains(*letter))
        .take(MAX_NAME)
        .collect();
    let name = name.trim_matches(['.', ' ']);
    if name.is_empty() {
        id.to_string()
    } else {
        name.to_owned()
    }
}

/// The media type by the first bytes; [`UNKNOWN`] for unknown formats and all texts, so that an HTML page is never shown as one.
fn mime_type(content: &[u8]) -> &'static str {
    match infer::get(content) {
        Some(kind) if kind.matcher_type() != infer::MatcherType::Text => kind.mime_type(),
        _ => UNKNOWN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_last_part_without_what_could_mean_something() {
        let id = FileId(Uuid::nil());
        for (given, safe) in [
            ("report.pdf", "report.pdf"),
            ("C:\\Users\\a\\report.pdf", "report.pdf"),
            ("../../etc/passwd", "passwd"),
            ("a\r\nSet-Cookie: x.txt", "aSet-Cookie x.txt"),
            ("..", "00000000-0000-0000-0000-000000000000"),
        ] {
            assert_eq!(safe_name(given, id), safe);
        }
    }

    #[test]
    fn a_page_is_kept_as_nothing_that_a_browser_shows() {
        for page in [
            "<!DOCTYPE html><script>",
            "<svg xmlns='http://www.w3.org/2000/svg'>",
            "<?xml version='1.0'?>",
        ] {
            assert_eq!(mime_type(page.as_bytes()), UNKNOWN, "{page}");
        }
        assert_eq!(mime_type(b"%PDF-1.7"), "application/pdf");
    }
}
