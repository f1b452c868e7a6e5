//! The names and numbers under which mails and addresses are known.

use sha2::{Digest as _, Sha256};

/// Bytes of a Message-ID's hash: as many as a random one has.
const ID_BYTES: usize = 16;

/// The digest under which an address is suppressed: SHA-256 of its lower-case form.
pub fn address_digest(address: &str) -> [u8; 32] {
    Sha256::digest(address.to_lowercase().as_bytes()).into()
}

/// The Message-ID of a delivery, without its angle brackets: the same at every attempt. It says nothing about the secret that it is made from.
pub fn message_id(bounce_token: &str, domain: &str) -> String {
    let digest = Sha256::digest(format!("message {bounce_token}").as_bytes());
    format!("{}@{domain}", hex::encode(&digest[..ID_BYTES]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_one_digest_however_it_is_written() {
        assert_eq!(address_digest("Ann@Shop.example"), address_digest("ann@shop.example"));
        assert_ne!(address_digest("ann@shop.example"), address_digest("bea@shop.example"));
    }

    #[test]
    fn a_message_id_is_the_same_at_every_attempt_and_hides_the_token() {
        let token = "abcdefghijklmnopqrstuvwxyz";
        let id = message_id(token, "vigie.example");
        assert_eq!(id, message_id(token, "vigie.example"));
        assert_eq!(id.len(), 2 * ID_BYTES + "@vigie.example".len());
        assert!(!id.contains(token));
    }
}
