//! Reading an ID token: who it is about, and whether it is for this attempt (OpenID Connect Core 1.0, section 3.1.3.7).

use chrono::{DateTime, Utc};
use jsonwebtoken::jwk::JwkSet;
use jsonwebtoken::{DecodingKey, Validation, decode, decode_header};
use serde::Deserialize;
use subtle::ConstantTimeEq;

use crate::attempt::Attempt;
use crate::error::OpenIdError;
use crate::signatures::{self, ALGORITHMS};

/// Seconds by which the clock of a provider may differ from ours.
const LEEWAY: i64 = 60;
/// The longest subject of the standard.
const LONGEST_SUBJECT: usize = 255;

/// The person that has signed in, as the provider knows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The person, for good: addresses pass from one to another.
    pub subject: String,
    /// The address, only where the provider says that it has verified it.
    pub verified_email: Option<String>,
}

/// Whom a token is for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected<'a> {
    pub(crate) issuer: &'a str,
    pub(crate) client: &'a str,
    pub(crate) attempt: &'a Attempt,
    pub(crate) now: DateTime<Utc>,
}

#[derive(Deserialize)]
struct Claims {
    sub: String,
    exp: i64,
    iat: i64,
    nonce: Option<String>,
    azp: Option<String>,
    #[serde(flatten)]
    address: AddressClaims,
}

/// The address of a person, as ID tokens and the provider itself give it.
#[derive(Deserialize)]
pub(crate) struct AddressClaims {
    email: Option<String>,
    #[serde(default)]
    email_verified: Verified,
}

impl AddressClaims {
    /// The address, where the provider says that it has verified it.
    pub(crate) fn verified(self) -> Option<String> {
        let is_verified = self.email_verified.holds();
        self.email.filter(|_| is_verified)
    }
}

/// Some providers write the flag as a text.
#[derive(Default, Deserialize)]
#[serde(untagged)]
enum Verified {
    Flag(bool),
    Text(String),
    #[default]
    Unsaid,
}

impl Verified {
    fn holds(&self) -> bool {
        match self {
            Self::Flag(flag) => *flag,
            Self::Text(text) => text == "true",
            Self::Unsaid => false,
        }
    }
}

/// Reads a token that is signed with one of the keys, for this client and attempt, and valid now.
pub(crate) fn read(token: &str, keys: &JwkSet, expected: Expected<'_>) -> Result<Identity, OpenIdError> {
    signatures::install();
    let header = decode_header(token)?;
    if !ALGORITHMS.contains(&header.alg) {
        return Err(OpenIdError::Token(format!("{:?} is not accepted", header.alg)));
    }
    let key = match &header.kid {
        Some(id) => keys.find(id),
        None => Some(&keys.keys)
            .filter(|keys| keys.len() == 1)
            .and_then(|keys| keys.first()),
    };
    let key = key.ok_or_else(|| OpenIdError::Token("it is signed with an unknown key".to_owned()))?;
    let key = DecodingKey::from_jwk(key)?;
    let mut rules = Validation::new(header.alg);
    rules.set_issuer(&[expected.issuer]);
    rules.set_audience(&[expected.client]);
    rules.set_required_spec_claims(&["iss", "aud", "sub"]);
    // Times are compared with the clock of the caller.
    rules.validate_exp = false;
    rules.validate_nbf = false;
    let claims = decode::<Claims>(token, &key, &rules)?.claims;
    let now = expected.now.timestamp();
    if claims.exp <= now - LEEWAY || claims.iat > now + LEEWAY {
        return Err(OpenIdError::Token("it is not valid now".to_owned()));
    }
    if claims.azp.is_some_and(|party| party != expected.client) {
        return Err(OpenIdError::Token("it was made for another client".to_owned()));
    }
    let nonce = claims.nonce.unwrap_or_default();
    if !bool::from(nonce.as_bytes().ct_eq(expected.attempt.nonce.as_bytes())) {
        return Err(OpenIdError::Token("it was made for another attempt".to_owned()));
    }
    if claims.sub.is_empty() || claims.sub.len() > LONGEST_SUBJECT {
        return Err(OpenIdError::Token("its subject is empty or too long".to_owned()));
    }
    Ok(Identity {
        subject: claims.sub,
        verified_email: claims.address.verified(),
    })
}
