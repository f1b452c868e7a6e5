//! The second factor of a sign-in: codes that an app makes (RFC 6238), and recovery codes for the day the app is lost.

use std::time::Duration;

use coordination::{Limit, Throttle};
use postgres::second_factors::{self, Digest, SEALED_AS, SecondFactor};
use postgres::users::User;
use rand::Rng;
use runtime::sealing::Keys;
use sha2::{Digest as _, Sha256};
use totp_rs::{Builder, Secret, Totp};
use vocabulary::{Language, MailKind, Role, UserId};

use super::notice;
use crate::failure::ApiError;
use crate::state::ApiState;

/// What apps call the account's site.
const ISSUER: &str = "Vigie";
/// 160 bits, as RFC 4226 recommends.
const SECRET_BYTES: usize = 20;
/// 80 bits: a digest of that many cannot be searched through.
const RECOVERY_BYTES: usize = 10;
/// Letters between the dashes of a recovery code.
const RECOVERY_GROUP: usize = 4;
/// Recovery codes that an account is given at once.
pub const RECOVERY_CODES: usize = 10;
/// Seconds that a code is good for; the one before and the one after are accepted too.
const STEP: u64 = 30;
/// Digits of a code.
const DIGITS: u8 = 6;
/// Wrong codes of one account within [`WINDOW`]. Three codes of a million are right at any time: whoever has the password needs years.
const MOST_WRONG: u32 = 10;
const WINDOW: Duration = Duration::from_hours(1);

/// A secret to be given to an app.
pub struct NewSecret {
    /// In base 32, to be typed.
    pub text: String,
    /// The address that apps read off a picture, `otpauth://…`.
    pub uri: String,
    /// As it is stored.
    pub sealed: String,
}

/// Makes a secret for the account of this address.
pub fn fresh_secret(state: &ApiState, email: &str) -> Result<NewSecret, ApiError> {
    let mut bytes = [0_u8; SECRET_BYTES];
    rand::rng().fill_bytes(&mut bytes);
    let text = Secret::from(bytes).to_base32();
    let uri = totp(&text, email)?.to_url().map_err(ApiError::internal)?;
    let sealed = keys(state)?.seal(SEALED_AS, &text)?;
    Ok(NewSecret { text, uri, sealed })
}

/// The half minute whose code this is, of those around the present one; `None` for every other text.
pub fn step_of(state: &ApiState, factor: &SecondFactor, code: &str) -> Result<Option<i64>, ApiError> {
    let secret = keys(state)?.open(SEALED_AS, &factor.secret)?;
    let seconds = u64::try_from(state.clock.now().timestamp()).unwrap_or_default();
    let step = totp(&secret, ISSUER)?.check(&bare(code), seconds);
    Ok(step.and_then(|step| i64::try_from(step).ok()))
}

/// Uses a code of a user's confirmed second factor: each is good once, and the use of a recovery code is mailed to the account. `false` for a wrong one and one that
/// was used; `Throttled` after [`MOST_WRONG`] of those.
pub async fn use_code(
    state: &ApiState,
    (user, language): (UserId, Option<Language>),
    factor: &SecondFactor,
    code: &str,
) -> Result<bool, ApiError> {
    let counted = CountedCode::reserve(state, user).await?;
    let is_right = if bare(code).len() == usize::from(DIGITS) {
        match step_of(state, factor, code)? {
            Some(step) => second_factors::use_step(&state.postgres, user, step).await?,
            None => false,
        }
    } else {
        use_recovery_code(state, (user, language), code).await?
    };
    if is_right {
        counted.give_back().await;
    }
    Ok(is_right)
}

/// Uses a recovery code up, and mails a notice to the account. `false` where there is no such code.
async fn use_recovery_code(
    state: &ApiState,
    (user, language): (UserId, Option<Language>),
    code: &str,
) -> Result<bool, ApiError> {
    let mut tx = postgres::begin(&state.postgres).await?;
    if !second_factors::use_recovery_code(&mut *tx, user, &digest(code)).await? {
        return Ok(false);
    }
    notice::notify(&mut tx, user, MailKind::SecondFactor, language).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(true)
}

/// A code that was counted before it is looked at.
pub struct CountedCode<'a>(Option<(&'a ApiState, String, coordination::Reservation)>);

impl<'a> CountedCode<'a> {
    /// Counts a code of this user; `Throttled` after [`MOST_WRONG`]. Counts nothing where throttling is switched off.
    pub async fn reserve(state: &'a ApiState, user: UserId) -> Result<Self, ApiError> {
        if !state.settings.api.login_throttle {
            return Ok(Self(None));
        }
        let key = format!("code:{user}");
        let throttle = Throttle::new(&state.coordination, WINDOW);
        let limit = Limit {
            key: &key,
            most: MOST_WRONG,
        };
        let reservation = throttle.reserve(&[limit]).await.map_err(ApiError::Throttled)?;
        Ok(Self(Some((state, key, reservation))))
    }

    /// Takes it back, as if it had not been tried.
    pub async fn give_back(self) {
        if let Some((state, key, reservation)) = self.0 {
            let limit = Limit {
                key: &key,
                most: MOST_WRONG,
            };
            let throttle = Throttle::new(&state.coordination, WINDOW);
            throttle.give_back(reservation, &[limit]).await;
        }
    }
}

/// [`RECOVERY_CODES`] new codes, as they are shown, and their digests.
pub fn fresh_recovery_codes() -> (Vec<String>, Vec<Digest>) {
    let codes: Vec<String> = (0..RECOVERY_CODES).map(|_| fresh_recovery_code()).collect();
    let digests = codes.iter().map(|code| digest(code)).collect();
    (codes, digests)
}

/// Whether an account has to set up a second factor before it opens anything: the settings ask administrators for one.
pub fn is_missing(state: &ApiState, user: &User) -> bool {
    state.settings.api.second_factor_of_administrators
        && !user.has_second_factor
        && user.known_roles().contains(&Role::Admin)
}

fn keys(state: &ApiState) -> Result<Keys, ApiError> {
    Ok(Keys::read(state.settings.secrets.keys.as_ref())?)
}

/// The codes of a secret in base 32.
fn totp(secret: &str, email: &str) -> Result<Totp, ApiError> {
    let secret = Secret::try_from_base32(secret).map_err(ApiError::internal)?;
    Builder::new()
        .with_digits(DIGITS)
        .with_step_duration(STEP)
        .with_secret(secret)
        .with_issuer(Some(ISSUER))
        // In the address of a secret, a colon ends the issuer.
        .with_account_name(email.replace(':', " "))
        .build()
        .map_err(ApiError::internal)
}

/// `xxxx-xxxx-xxxx-xxxx`, in letters and digits that are not taken for each other.
fn fresh_recovery_code() -> String {
    let mut bytes = [0_u8; RECOVERY_BYTES];
    rand::rng().fill_bytes(&mut bytes);
    let letters: Vec<char> = Secret::from(bytes).to_base32().to_lowercase().chars().collect();
    let groups: Vec<String> = letters
        .chunks(RECOVERY_GROUP)
        .map(|group| group.iter().collect())
        .collect();
    groups.join("-")
}

/// The digest of a recovery code, however it is spaced and in whatever case.
fn digest(code: &str) -> Digest {
    Sha256::digest(bare(code).to_lowercase()).into()
}

/// A code without the spaces and dashes that people and apps put into it.
fn bare(code: &str) -> String {
    code.chars().filter(|letter| letter.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_rfc_6238() {
        // The secret of its appendix B, `12345678901234567890`, and the last six of its eight digits.
        let codes = totp("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "ann@acme.example").unwrap();
        for (seconds, code) in [(59, "287082"), (1_111_111_109, "081804"), (20_000_000_000, "353130")] {
            assert_eq!(codes.generate(seconds).to_string(), code);
            assert_eq!(codes.check(code, seconds), Some(seconds / STEP));
            assert_eq!(codes.check(code, seconds + STEP), Some(seconds / STEP));
            assert_eq!(codes.check(code, seconds + 3 * STEP), None);
        }
    }

    #[test]
    fn an_address_with_a_colon_makes_an_address_that_apps_read() {
        let uri = totp("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "\"a:b\"@acme.example")
            .unwrap()
            .to_url()
            .unwrap();
        assert!(
            uri.starts_with("otpauth://totp/Vigie:%22a%20b%22%40acme.example?secret=GEZD"),
            "{uri}"
        );
    }

    #[test]
    fn recovery_codes_differ_and_are_known_however_they_are_typed() {
        let (codes, digests) = fresh_recovery_codes();
        let distinct: std::collections::BTreeSet<_> = codes.iter().collect();
        assert_eq!((codes.len(), distinct.len()), (RECOVERY_CODES, RECOVERY_CODES));
        assert_eq!(codes[0].len(), 19, "{}", codes[0]);
        for typed in [
            codes[0].to_uppercase(),
            codes[0].replace('-', " "),
            codes[0].replace('-', ""),
        ] {
            assert_eq!(digest(&typed), digests[0], "{typed}");
        }
        assert_ne!(digest(&codes[1]), digests[0]);
    }
}
