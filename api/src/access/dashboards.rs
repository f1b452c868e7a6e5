//! The entries of outside dashboards: logins and passwords, kept encrypted. No response contains them.

use postgres::users;
use runtime::sealing::{Keys, SealError};
use serde_json::{Map, Value as Json};
use thiserror::Error;
use vocabulary::SystemScope;

/// What is sealed.
const WHAT: &str = "user_account.dashboards";
/// The scope in which stored entries are read.
pub const SCOPE: SystemScope = SystemScope::new("use of stored credentials");

/// How the scope of the ticket of a frame begins; the entry follows.
pub const FRAME_SCOPE: &str = "frame:";

/// Whether a scope is that of a frame's ticket.
pub fn is_frame(scope: &str) -> bool {
    scope.starts_with(FRAME_SCOPE)
}

/// Why stored entries could not be sealed.
#[derive(Debug, Error)]
pub enum DashboardsError {
    /// The database failed.
    #[error(transparent)]
    Postgres(#[from] postgres::Error),
    /// There is no key, or not the right one.
    #[error(transparent)]
    Seal(#[from] SealError),
}

/// The names of the entries, each with an empty object, to be shown in place of the secrets. Empty for anything but an object.
pub fn entries(given: &Json) -> Json {
    let names = given.as_object().into_iter().flat_map(Map::keys);
    Json::Object(names.map(|name| (name.clone(), Json::Object(Map::new()))).collect())
}

/// Encrypts all entries with the current key, as a text to store.
pub fn seal(keys: &Keys, given: &Json) -> Result<String, SealError> {
    keys.seal(WHAT, &given.to_string())
}

/// The entries of a sealed text.
pub fn open(keys: &Keys, sealed: &str) -> Result<Json, SealError> {
    let text = keys.open(WHAT, sealed)?;
    // What was sealed was JSON.
    Ok(serde_json::from_str(&text).unwrap_or_default())
}

/// Seals what earlier versions stored in plain, and reseals with the present key what an older one sealed, in one transaction. Returns how many
/// accounts changed.
///
/// # Errors
/// When there is something to seal and no key, or a key is missing that something was sealed with; nothing is changed then.
pub async fn seal_stored(pool: &postgres::Pool, keys: &Keys) -> Result<usize, DashboardsError> {
    let mut transaction = postgres::begin(pool).await?;
    let mut sealed = 0;
    for stored in users::lock_dashboards(&mut transaction, &SCOPE).await? {
        let text = match (stored.unsealed, &stored.sealed) {
            (Some(plain), _) => plain.to_string(),
            (None, Some(text)) if !keys.is_sealed_with_first(text) => keys.open(WHAT, text)?,
            (None, _) => continue,
        };
        users::seal_dashboards(&mut *transaction, &SCOPE, stored.user, &keys.seal(WHAT, &text)?).await?;
        sealed += 1;
    }
    transaction.commit().await.map_err(postgres::Error::from)?;
    Ok(sealed)
}
