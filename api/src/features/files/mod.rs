//! Uploaded files: pictures of users, and attachments.

mod picture;
mod read;
mod upload;

use axum::extract::DefaultBodyLimit;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::FORM_BYTES;
use crate::state::ApiState;

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    let upload = OpenApiRouter::new()
        .routes(routes!(upload::upload))
        .layer(DefaultBodyLimit::max(upload::MAX_ATTACHMENT_BYTES + FORM_BYTES));
    OpenApiRouter::new().routes(routes!(read::read_file)).merge(upload)
}
