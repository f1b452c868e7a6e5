//! The signatures of ID tokens, checked by *ring*: RS256, which every provider has, and ES256.

use std::sync::Once;

use jsonwebtoken::crypto::{CryptoProvider, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind};
use ring::signature::{ECDSA_P256_SHA256_FIXED, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey};
use signature::Verifier;

/// The algorithms that are accepted; none of them takes a secret or no key.
pub(crate) const ALGORITHMS: [Algorithm; 2] = [Algorithm::RS256, Algorithm::ES256];

static RING: CryptoProvider = CryptoProvider {
    signer_factory: |_, _| Err(Error::from(ErrorKind::InvalidAlgorithm)),
    verifier_factory: |algorithm, key| {
        if ALGORITHMS.contains(algorithm) {
            Ok(Box::new(Ring {
                algorithm: *algorithm,
                key: key.clone(),
            }))
        } else {
            Err(Error::from(ErrorKind::InvalidAlgorithm))
        }
    },
    key_utils: KeyUtils::new_unimplemented(),
};

/// Lets tokens be checked by *ring*, from the first call on.
pub(crate) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // Nothing else in the process checks tokens.
        let _already_there = RING.install_default();
    });
}

struct Ring {
    algorithm: Algorithm,
    key: DecodingKey,
}

impl Verifier<Vec<u8>> for Ring {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        let verified = match (self.algorithm, self.key.kind()) {
            (Algorithm::RS256, DecodingKeyKind::RsaModulusExponent { n, e }) => {
                RsaPublicKeyComponents { n, e }.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
            }
            (Algorithm::ES256, DecodingKeyKind::SecretOrDer(point)) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message, signature)
            }
            _ => return Err(signature::Error::new()),
        };
        verified.map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for Ring {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}
