//! The picture by which a mail says that it was opened: `GET /Emails/opened/{token}` (decision D179).
//!
//! It is switched off unless `actions.open_pixel` is on. Mail programs load pictures by themselves, so that it only says 'perhaps'. Nothing of the reader
//! is kept: no address, no program, and no cookie is set.

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use postgres::case_mails;
use vocabulary::SystemScope;

use crate::extract::Path;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// The token is known to the recipient alone.
const SCOPE: SystemScope = SystemScope::new("noting that a mail was opened");
/// A transparent picture of one point.
const PICTURE: &[u8] =
    b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\0\0\0!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

/// A transparent picture. Loading it says that the mail with this token was perhaps opened; the answer is the same for every token.
#[utoipa::path(
    get, path = "/Emails/opened/{token}", tag = "Emails",
    params(("token" = String, Path, description = "What the mail names")),
    responses(
        (status = 200, content_type = "image/gif", description = "The picture"),
        (status = 404, body = FailureBody, description = "The setting `actions.open_pixel` is off"),
    ),
)]
pub(super) async fn load_picture(
    State(state): State<ApiState>,
    Path(token): Path<String>,
) -> Result<Response, ApiError> {
    if !state.settings.actions.open_pixel {
        return Err(ApiError::NotFound("No such page".to_owned()));
    }
    let mut transaction = postgres::begin(&state.postgres).await?;
    if case_mails::opened(&mut transaction, &SCOPE, &token, state.clock.now()).await? {
        transaction.commit().await.map_err(postgres::Error::from)?;
    }
    let headers = [
        (header::CONTENT_TYPE, "image/gif"),
        (header::CACHE_CONTROL, "private, no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    Ok((headers, PICTURE).into_response())
}
