//! Proof that the holder of an account asks, and not only somebody who found its session open.

use axum::http::StatusCode;
use vocabulary::UserId;

use super::passwords;
use crate::failure::ApiError;
use crate::state::ApiState;

/// Whether this is the password of the account; false when there is no such account. Fails with `Busy` when too many passwords are being checked.
pub async fn has_password(state: &ApiState, user: UserId, password: String) -> Result<bool, ApiError> {
    let stored = postgres::users::password_hash(&state.postgres, user).await?;
    Ok(passwords::verify(password, stored).await?)
}

/// The failure for a wrong old password.
pub fn wrong_password() -> ApiError {
    let text = "Invalid current password".to_owned();
    ApiError::Coded(StatusCode::BAD_REQUEST, "INVALID_PASSWORD", text)
}
