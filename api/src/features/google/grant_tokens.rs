//! Refresh tokens: sealed for their row, opened for a call, taken back at Google.

use runtime::sealing::Keys;
use vocabulary::SystemScope;

use super::client;
use crate::failure::ApiError;
use crate::state::ApiState;

/// The name under which refresh tokens are sealed.
const GRANT_WHAT: &str = "google_grant.refresh_token";

pub(super) const SCOPE: SystemScope = SystemScope::new("working with Google");

/// Seals a refresh token for its row.
pub(super) fn seal(keys: &Keys, token: &str) -> Result<String, ApiError> {
    keys.seal(GRANT_WHAT, token).map_err(ApiError::internal)
}

/// Takes a grant back at Google; a failure is only logged, as the token is deleted here already.
pub(super) async fn take_back(state: &ApiState, sealed: &str) {
    let token = Keys::read(state.settings.secrets.keys.as_ref()).and_then(|keys| keys.open(GRANT_WHAT, sealed));
    let (Ok(token), Ok(google_client)) = (token, client(state)) else {
        tracing::warn!("a grant was deleted here and could not be taken back at Google");
        return;
    };
    if let Err(error) = google_client.revoke(&token).await {
        tracing::warn!(%error, "a grant was deleted here and could not be taken back at Google");
    }
}

/// A refresh token as it is, to be used at once.
pub(super) fn open(keys: &Keys, sealed: &str) -> Result<String, ApiError> {
    keys.open(GRANT_WHAT, sealed).map_err(ApiError::internal)
}
