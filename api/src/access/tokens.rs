//! Access tokens: random, shown once, stored as their SHA-256 (decision D23).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand::Rng;
use sha2::{Digest, Sha256};

/// 256 bits of randomness.
const TOKEN_BYTES: usize = 32;

/// 14 days (seeds, 'Access token').
pub const DEFAULT_TTL_SECONDS: i64 = 1_209_600;
/// A year: no token lives longer.
const MAX_TTL_SECONDS: i64 = 31_556_926;
/// How long a link to choose a new password works (decision D25).
pub const RESET_TTL_SECONDS: i64 = 3_600;
/// What a token of such a link opens, and nothing else does.
pub const RESET_SCOPE: &str = "reset-password";

/// The seconds a token lives that was asked to live so long: zero means the default, less makes one that is refused.
pub fn ttl(asked: i64) -> i64 {
    if asked == 0 {
        DEFAULT_TTL_SECONDS
    } else {
        asked.min(MAX_TTL_SECONDS)
    }
}

/// A new token, 43 URL-safe characters.
pub fn fresh() -> String {
    let mut bytes = [0_u8; TOKEN_BYTES];
    rand::rng().fill_bytes(&mut bytes);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// What is stored of a token.
pub fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_and_all_different() {
        let (one, two) = (fresh(), fresh());
        assert_eq!(one.len(), 43);
        assert_ne!(one, two);
        assert_ne!(digest(&one), digest(&two));
    }
}
