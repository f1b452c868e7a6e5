//! The proof in a mail that an address is its owner's. Like any token, only its SHA-256 is kept.

use chrono::TimeDelta;

pub use postgres::users::PROOF_DAYS;

/// Lifetime of a proof that an administrator gives.
pub const PROOF_LIVES: TimeDelta = TimeDelta::days(PROOF_DAYS);

/// The digest of a proof, as lower-case hex, under which it is stored.
pub fn digest_of_proof(proof: &str) -> String {
    hex::encode(super::tokens::digest(proof))
}
