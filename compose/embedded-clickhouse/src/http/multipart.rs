//! Queries and parameters sent as a form, as clients do when parameters are too long for an address.

use axum::extract::{FromRequest, Multipart, Request};
use axum::http::{HeaderMap, header};

use super::QueryRequest;
use crate::exception::{ServerError, code};

/// Returns whether the content type is that of a multipart form.
pub(super) fn is_form(headers: &HeaderMap) -> bool {
    headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| {
            value
                .trim_start()
                .to_ascii_lowercase()
                .starts_with("multipart/form-data")
        })
}

/// Applies every field of the form to `query`, by [`QueryRequest::set`]: session and compression come from the address only. Fails for an external
/// table (a field with a file name), a malformed form, and a field that `set` refuses.
pub(super) async fn apply_form(query: &mut QueryRequest, request: Request) -> Result<(), ServerError> {
    let bad = |error: &dyn std::fmt::Display| {
        ServerError::new(
            code::BAD_ARGUMENTS,
            "BAD_ARGUMENTS",
            format!("Cannot read the multipart form: {error}"),
        )
    };
    let mut form = Multipart::from_request(request, &())
        .await
        .map_err(|error| bad(&error))?;
    while let Some(field) = form.next_field().await.map_err(|error| bad(&error))? {
        let name = field.name().unwrap_or_default().to_owned();
        if field.file_name().is_some() {
            let message =
                format!("External table '{name}' in the form: the embedded engine takes none, insert it first");
            return Err(ServerError::new(code::NOT_IMPLEMENTED, "NOT_IMPLEMENTED", message));
        }
        let value = field.text().await.map_err(|error| bad(&error))?;
        query.set(&name, value)?;
    }
    Ok(())
}
