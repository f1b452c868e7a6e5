//! One attempt to sign in, from the way to the provider until the way back.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand::Rng;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// 256 bits of randomness for each secret.
const SECRET_BYTES: usize = 32;

/// The secrets of an attempt. Keep them where only the browser that began it brings them back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Comes back with the browser: an answer without it belongs to somebody else's attempt.
    state: String,
    /// Comes back in the ID token: a token without it was made for another attempt.
    pub(crate) nonce: String,
    /// Shows the provider that who redeems the code is who asked for it.
    pub(crate) verifier: String,
}

impl Attempt {
    /// An attempt with new secrets.
    pub fn fresh() -> Self {
        Self {
            state: secret(),
            nonce: secret(),
            verifier: secret(),
        }
    }

    /// What goes to the provider and comes back.
    pub fn state(&self) -> &str {
        &self.state
    }

    /// Whether an answer with this state belongs to the attempt.
    pub fn is_answered_by(&self, state: &str) -> bool {
        self.state.as_bytes().ct_eq(state.as_bytes()).into()
    }

    /// The challenge of the verifier (`S256`).
    pub(crate) fn challenge(&self) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest(&self.verifier))
    }
}

fn secret() -> String {
    let mut bytes = [0_u8; SECRET_BYTES];
    rand::rng().fill_bytes(&mut bytes);
    URL_SAFE_NO_PAD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_challenge_is_that_of_rfc_7636() {
        let attempt = Attempt {
            verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".to_owned(),
            ..Attempt::fresh()
        };
        assert_eq!(attempt.challenge(), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }

    #[test]
    fn attempts_share_nothing() {
        let (one, other) = (Attempt::fresh(), Attempt::fresh());
        assert!(one.is_answered_by(one.state()) && !one.is_answered_by(other.state()) && !one.is_answered_by(""));
        assert!(one.nonce != other.nonce && one.verifier != other.verifier && one.nonce != one.verifier);
    }
}
