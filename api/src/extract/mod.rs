//! Extractors whose rejections are `Failure`s, so that a malformed request gets the same body as every other failure.

use axum::body::Bytes;
use axum::extract::multipart::{Multipart, MultipartError};
use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use utoipa::ToSchema;
use vocabulary::resources::brackets;

use crate::failure::ApiError;

/// Some programs put a byte-order mark before what they write.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// The bytes without the byte-order mark that they may begin with.
pub(crate) fn without_mark(bytes: &Bytes) -> Bytes {
    bytes.slice(if bytes.starts_with(MARK) { MARK.len() } else { 0 }..)
}

/// Extracts a JSON body. Another content type is `UnsupportedMedia`, a body over the limit `TooLarge`, and anything else wrong a `BadRequest`.
pub struct Json<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = ApiError;

    /// Reads the body without its byte-order mark. `TooLarge` over the limit, `UnsupportedMedia` for another content type, `BadRequest` for anything
    /// else.
    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let (parts, body) = request.into_parts();
        let Body(bytes) = Body::from_request(Request::from_parts(parts.clone(), body), state).await?;
        let request = Request::from_parts(parts, without_mark(&bytes).into());
        match axum::Json::<T>::from_request(request, state).await {
            Ok(axum::Json(value)) => Ok(Self(value)),
            Err(rejection) => Err(match rejection {
                JsonRejection::MissingJsonContentType(_) => {
                    ApiError::UnsupportedMedia("Send the body as Content-Type: application/json".to_owned())
                }
                other => ApiError::BadRequest(other.body_text()),
            }),
        }
    }
}

/// Extracts the whole body as bytes; over the limit it is `TooLarge`.
pub struct Body(pub Bytes);

impl<S: Send + Sync> FromRequest<S> for Body {
    type Rejection = ApiError;

    /// Reads the whole body; `TooLarge` over the limit, `BadRequest` when it cannot be read.
    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        match Bytes::from_request(request, state).await {
            Ok(bytes) => Ok(Self(bytes)),
            Err(rejection) if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE => Err(ApiError::TooLarge),
            Err(rejection) => Err(ApiError::BadRequest(rejection.body_text())),
        }
    }
}

/// Extracts the first file of a multipart form, whatever its field is called; other fields are skipped. A `BadRequest` without a form or a file,
/// `TooLarge` over the limit of the body.
pub struct FormFile {
    /// As the client calls it.
    pub name: String,
    pub content: Bytes,
}

/// A form with a file takes a little more than the file: boundaries, headers, its name.
pub const FORM_BYTES: usize = 64 << 10;

/// A form with one file, for the document of the API.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes a body that is read as a stream")]
pub struct UploadForm {
    #[schema(format = Binary, content_media_type = "application/octet-stream")]
    file: String,
}

impl<S: Send + Sync> FromRequest<S> for FormFile {
    type Rejection = ApiError;

    /// Reads the form up to its first file, and that whole. `TooLarge` over the limit, `BadRequest` without a form or a file.
    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let no_form = || ApiError::BadRequest("Send multipart/form-data with a field named file.".to_owned());
        let mut form = Multipart::from_request(request, &()).await.map_err(|_| no_form())?;
        while let Some(field) = form.next_field().await.map_err(|error| broken(&error))? {
            if let Some(name) = field.file_name().map(ToOwned::to_owned) {
                let content = field.bytes().await.map_err(|error| broken(&error))?;
                return Ok(Self { name, content });
            }
        }
        Err(no_form())
    }
}

/// The failure of a form that cannot be read to its end: `TooLarge` or a `BadRequest`.
fn broken(error: &MultipartError) -> ApiError {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        ApiError::TooLarge
    } else {
        ApiError::BadRequest(error.body_text())
    }
}

/// Extracts all pairs of the query of the address, in their order; a query that cannot be read is a `BadRequest`.
pub struct Pairs(pub brackets::Pairs);

impl<S: Send + Sync> FromRequestParts<S> for Pairs {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        Ok(Self(brackets::pairs(parts.uri.query().unwrap_or_default())?))
    }
}

/// Extracts the query of the address into a struct; a `BadRequest` when it does not fit.
pub struct Query<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match axum::extract::Query::<T>::from_request_parts(parts, state).await {
            Ok(axum::extract::Query(value)) => Ok(Self(value)),
            Err(rejection) => Err(ApiError::BadRequest(rejection.body_text())),
        }
    }
}

/// Extracts the named parts of the path; one that cannot be read is `NotFound`, for it names nothing.
pub struct Path<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match axum::extract::Path::<T>::from_request_parts(parts, state).await {
            Ok(axum::extract::Path(value)) => Ok(Self(value)),
            // What cannot be read names nothing.
            Err(rejection) => Err(ApiError::NotFound(rejection.body_text())),
        }
    }
}
