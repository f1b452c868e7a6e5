//! Passwords: argon2id, always off the async threads.

use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use tokio::sync::Semaphore;

/// 19 MiB, two passes, one lane: OWASP's first choice for argon2id.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
/// Hashes computed at the same time: each takes a core and its memory, and other requests need both.
static AT_ONCE: Semaphore = Semaphore::const_new(2);

/// A hash of no password, checked for unknown e-mails so that they take as long as known ones.
const NOBODY: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5aGFzdGhpc3Bhc3N3b3Jk$5fGkyKJAHtK0pYp2WSN0MDgkLbKzMmlOKMjmN6T2Oqk";

fn hasher() -> Argon2<'static> {
    let params = Params::new(MEMORY_KIB, PASSES, 1, None).unwrap_or_default();
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

/// The hash to store, in PHC form.
///
/// # Errors
/// When the system has no randomness or no memory left.
pub async fn hash(password: String) -> Result<String, HashError> {
    let _turn = AT_ONCE.acquire().await;
    tokio::task::spawn_blocking(move || {
        hasher()
            .hash_password(password.as_bytes())
            .map(|hash| hash.to_string())
            .map_err(|_| HashError)
    })
    .await
    .map_err(|_| HashError)?
}

/// Whether the password belongs to the stored hash. `None` (no such user) takes as long and is false.
pub async fn verify(password: String, stored: Option<String>) -> bool {
    let _turn = AT_ONCE.acquire().await;
    let known = stored.is_some();
    let stored = stored.unwrap_or_else(|| NOBODY.to_owned());
    let matches = tokio::task::spawn_blocking(move || {
        argon2::PasswordHash::new(&stored)
            .is_ok_and(|hash| hasher().verify_password(password.as_bytes(), &hash).is_ok())
    });
    matches.await.unwrap_or(false) && known
}

/// A password could not be hashed.
#[derive(Debug, thiserror::Error)]
#[error("a password could not be hashed")]
pub struct HashError;

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_hash_verifies_its_own_password_only() {
        let stored = hash("Str0ng!Passw0rd".to_owned()).await.unwrap();
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert!(verify("Str0ng!Passw0rd".to_owned(), Some(stored.clone())).await);
        assert!(!verify("str0ng!Passw0rd".to_owned(), Some(stored)).await);
        assert!(!verify("Str0ng!Passw0rd".to_owned(), None).await);
    }

    #[test]
    fn the_hash_of_nobody_is_well_formed() {
        assert!(argon2::PasswordHash::new(NOBODY).is_ok());
    }
}
