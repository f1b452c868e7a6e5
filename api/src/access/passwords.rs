//! Passwords: argon2id, always off the async threads.

use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use tokio::sync::{Semaphore, SemaphorePermit};

/// 19 MiB, two passes, one lane: OWASP's first choice for argon2id.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
/// Hashes computed at the same time: each takes a core and its memory, and other requests need both.
const AT_ONCE: usize = 2;
static TURNS: Semaphore = Semaphore::const_new(AT_ONCE);
/// Hashes that may be queued, about a second of work. Beyond it requests are refused: a longer queue would only delay those with the right
/// password.
const WAITING: usize = 32;
static PLACES: Semaphore = Semaphore::const_new(AT_ONCE + WAITING);

/// The password of demonstration accounts, which the documentation names. It is refused on a site that other machines reach.
pub const PUBLISHED: &str = "Vigie-demo-1";
/// Longer passwords are cut or refused elsewhere; here they are refused.
const MAX_CHARACTERS: usize = 72;
/// Rules of the profile and of the reset screen (decision D26, C1).
const PROFILE: PasswordRule = PasswordRule {
    characters: 8,
    special: |letter| "@$!%*?&".contains(letter),
};
const RESET: PasswordRule = PasswordRule {
    characters: 10,
    special: |letter| letter.is_ascii_punctuation(),
};

/// The least number of characters, and which of them count as special.
struct PasswordRule {
    characters: usize,
    special: fn(char) -> bool,
}

/// Why a password is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PasswordError {
    /// It is no text, or empty.
    #[error("Invalid password.")]
    Invalid,
    /// It is too long.
    #[error("The password entered was too long. Max length is 72 (entered {0})")]
    TooLong(usize),
    /// It is too easy.
    #[error(
        "The password needs at least {0} characters, with a lower-case and an upper-case letter, a digit and a special character."
    )]
    TooEasy(usize),
    /// Lists of common passwords lead to it.
    #[error(
        "This password is guessed too soon: it is a common one, or made of common words, names or dates. Choose another one."
    )]
    TooCommon,
}

/// Guesses a password must withstand. At the pace that sign-in throttling allows they take longer than a year.
const GUESSES: u64 = 10_000_000;
/// The product's name is no secret.
const PRODUCT: &str = "Vigie";

/// Checks a password that is chosen in a profile or for a new account. `about` is what is publicly known of its owner, such as address and names: it
/// must not make the password easy to guess.
pub fn of_profile(password: &str, about: &[&str]) -> Result<(), PasswordError> {
    check_password(password, &PROFILE, about)
}

/// Checks a password that is chosen with a link to choose a new one; `about` as for [`of_profile`].
pub fn of_reset(password: &str, about: &[&str]) -> Result<(), PasswordError> {
    check_password(password, &RESET, about)
}

/// Refuses a password that is empty, longer than [`MAX_CHARACTERS`], breaks the rule, or would be found within [`GUESSES`]. `about` are texts of the
/// owner, such as the address and names, that count as known to a guesser.
fn check_password(password: &str, rule: &PasswordRule, about: &[&str]) -> Result<(), PasswordError> {
    let characters = password.chars().count();
    if characters == 0 {
        return Err(PasswordError::Invalid);
    }
    if characters > MAX_CHARACTERS {
        return Err(PasswordError::TooLong(characters));
    }
    let has = |class: &dyn Fn(char) -> bool| password.chars().any(class);
    let classes = has(&char::is_lowercase)
        && has(&char::is_uppercase)
        && has(&|letter| letter.is_ascii_digit())
        && has(&rule.special);
    if characters < rule.characters || !classes {
        return Err(PasswordError::TooEasy(rule.characters));
    }
    let known: Vec<&str> = about.iter().copied().chain([PRODUCT]).collect();
    if zxcvbn::zxcvbn(password, &known).guesses() < GUESSES {
        Err(PasswordError::TooCommon)
    } else {
        Ok(())
    }
}

/// A hash of no password, checked for unknown e-mails so that they take as long as known ones.
const NOBODY: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5aGFzdGhpc3Bhc3N3b3Jk$5fGkyKJAHtK0pYp2WSN0MDgkLbKzMmlOKMjmN6T2Oqk";

/// Argon2id with the parameters of this file.
fn hasher() -> Argon2<'static> {
    let params = Params::new(MEMORY_KIB, PASSES, 1, None).unwrap_or_default();
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

/// A permit to hash, and the place in the queue it was waited for in. Both move to the thread that hashes, so that a client that gives up frees
/// neither before the processor is free.
type HashPermits = (SemaphorePermit<'static>, SemaphorePermit<'static>);

/// Waits in the queue for a permit to hash; `Busy` at once when the queue is full.
async fn acquire_permits() -> Result<HashPermits, HashError> {
    let queue_permit = PLACES.try_acquire().map_err(|_| HashError::Busy)?;
    let hash_permit = TURNS.acquire().await.map_err(|_| HashError::Failed)?;
    Ok((hash_permit, queue_permit))
}

/// The hash to store, in PHC form. The password is not checked against any rule.
///
/// # Errors
/// When too many wait already, or the system has no randomness or no memory left.
pub async fn hash(password: String) -> Result<String, HashError> {
    let permits = acquire_permits().await?;
    tokio::task::spawn_blocking(move || {
        let _held = permits;
        hasher()
            .hash_password(password.as_bytes())
            .map(|hash| hash.to_string())
            .map_err(|_| HashError::Failed)
    })
    .await
    .map_err(|_| HashError::Failed)?
}

/// Whether the password belongs to the stored hash. `None` (no such user) takes as long and is false; a stored text that is no hash is false.
///
/// # Errors
/// When the queue is full.
pub async fn verify(password: String, stored: Option<String>) -> Result<bool, HashError> {
    let permits = acquire_permits().await?;
    let known = stored.is_some();
    let stored = stored.unwrap_or_else(|| NOBODY.to_owned());
    let matches = tokio::task::spawn_blocking(move || {
        let _held = permits;
        argon2::PasswordHash::new(&stored)
            .is_ok_and(|hash| hasher().verify_password(password.as_bytes(), &hash).is_ok())
    });
    Ok(matches.await.unwrap_or(false) && known)
}

/// Why a password was not hashed or not compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HashError {
    /// The queue is full.
    #[error("too many passwords are being checked")]
    Busy,
    /// The system has no randomness or no memory left.
    #[error("a password could not be hashed")]
    Failed,
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[tokio::test]
    async fn a_hash_verifies_its_own_password_only() {
        let stored = hash("Str0ng!Passw0rd".to_owned()).await.unwrap();
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert_eq!(
            verify("Str0ng!Passw0rd".to_owned(), Some(stored.clone())).await,
            Ok(true)
        );
        assert_eq!(verify("str0ng!Passw0rd".to_owned(), Some(stored)).await, Ok(false));
        assert_eq!(verify("Str0ng!Passw0rd".to_owned(), None).await, Ok(false));
    }

    #[tokio::test]
    async fn an_unknown_account_takes_as_long_as_a_known_one() {
        let stored = hash("Str0ng!Passw0rd".to_owned()).await.unwrap();
        let (mut known, mut unknown) = (Duration::MAX, Duration::MAX);
        // The quickest of a few: other work on the machine only ever makes a hash slower.
        for _ in 0..5 {
            let start = Instant::now();
            verify("wrong".to_owned(), Some(stored.clone())).await.unwrap();
            known = known.min(start.elapsed());
            let start = Instant::now();
            verify("wrong".to_owned(), None).await.unwrap();
            unknown = unknown.min(start.elapsed());
        }
        assert!(unknown > known / 2, "{unknown:?} for nobody, {known:?} for somebody");
        assert!(known > unknown / 2, "{unknown:?} for nobody, {known:?} for somebody");
    }

    #[tokio::test]
    async fn no_more_wait_than_there_are_places_and_the_others_are_told_at_once() {
        let tries = (0..AT_ONCE + WAITING + 20).map(|_| verify("wrong".to_owned(), None));
        let answers = futures::future::join_all(tries).await;
        let refused = answers.iter().filter(|answer| **answer == Err(HashError::Busy)).count();
        assert_eq!(refused, 20);
        assert_eq!(verify("wrong".to_owned(), None).await, Ok(false));
    }

    #[test]
    fn each_screen_has_its_rule() {
        assert_eq!(of_profile("kV7!wm2q", &[]), Ok(()));
        assert_eq!(of_profile("kV7#wm2q", &[]), Err(PasswordError::TooEasy(8)));
        assert_eq!(of_reset("kV7#wm2qzz", &[]), Ok(()));
        assert_eq!(of_reset("kV7!wm2q", &[]), Err(PasswordError::TooEasy(10)));
        assert_eq!(of_profile("", &[]), Err(PasswordError::Invalid));
        assert_eq!(of_profile(&"Aa1!".repeat(19), &[]), Err(PasswordError::TooLong(76)));
    }

    #[test]
    fn what_is_tried_first_is_no_password() {
        for common in [
            "Password1!",
            "P@ssw0rd1",
            "Qwerty123!",
            "Azerty123!",
            "Welcome1!",
            "Abcd1234!",
            "Vigie123!",
        ] {
            assert_eq!(of_profile(common, &[]), Err(PasswordError::TooCommon), "{common}");
        }
        assert_eq!(
            of_profile("Margaux1!", &["margaux@acme.example", "Margaux"]),
            Err(PasswordError::TooCommon)
        );
        assert_eq!(of_reset("Password1!", &[]), Err(PasswordError::TooCommon));
    }

    #[test]
    fn the_hash_of_nobody_is_well_formed() {
        assert!(argon2::PasswordHash::new(NOBODY).is_ok());
    }
}
