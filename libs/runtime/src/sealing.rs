//! Encryption of stored credentials with a key from the settings, so that a copy of the database reveals none.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use rand::Rng;
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::Secret;

/// The length of a key.
pub const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 24;
/// The version of the format: this word, the name of the key, nonce and ciphertext, separated by dots.
const FORM: &str = "x1";
/// Letters of a key's name: enough to distinguish the keys of one list.
const NAME_LETTERS: usize = 8;

/// Why something could not be sealed or opened. Messages never contain it.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum SealError {
    /// The settings name no key.
    #[error(
        "there is no key to encrypt stored credentials with: set VIGIE__SECRETS__KEYS to 32 random bytes in hex (`openssl rand -hex 32`)"
    )]
    NoKey,
    /// A key has the wrong length or is not hexadecimal.
    #[error("a key in VIGIE__SECRETS__KEYS is not {KEY_BYTES} bytes in hex (`openssl rand -hex 32`)")]
    BadKey,
    /// What is stored was sealed with a key that the settings do not name, or was changed.
    #[error(
        "a stored credential cannot be decrypted: the key it was encrypted with is missing in VIGIE__SECRETS__KEYS"
    )]
    Unreadable,
}

/// The keys of the settings. The first one seals, all of them open.
#[derive(Clone)]
pub struct Keys(Vec<Key>);

/// A key with its name: the first hexadecimal digits of its SHA-256.
#[derive(Clone)]
struct Key {
    name: String,
    cipher: XChaCha20Poly1305,
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|key| &key.name)).finish()
    }
}

impl Keys {
    /// Reads keys in hexadecimal digits, separated by commas. `None` or an empty text gives an empty list, with which nothing can be sealed.
    ///
    /// # Errors
    /// [`SealError::BadKey`] when a key is not [`KEY_BYTES`] bytes in hexadecimal digits.
    pub fn read(keys: Option<&Secret>) -> Result<Self, SealError> {
        let texts = keys.map(Secret::expose).unwrap_or_default().split(',').map(str::trim);
        let keys = texts.filter(|text| !text.is_empty()).map(|text| {
            let bytes = hex::decode(text).map_err(|_| SealError::BadKey)?;
            let cipher = XChaCha20Poly1305::new_from_slice(&bytes).map_err(|_| SealError::BadKey)?;
            let mut name = hex::encode(Sha256::digest(&bytes));
            name.truncate(NAME_LETTERS);
            Ok(Key { name, cipher })
        });
        keys.collect::<Result<_, _>>().map(Self)
    }

    /// Encrypts a text with the first key, as text to store. `what` names its use, as in `table.column`; [`Keys::open`] needs the same name. Sealing
    /// a text twice gives two different results.
    ///
    /// # Errors
    /// [`SealError::NoKey`] when there is no key, or encrypting fails.
    pub fn seal(&self, what: &str, text: &str) -> Result<String, SealError> {
        let key = self.0.first().ok_or(SealError::NoKey)?;
        let mut nonce = [0_u8; NONCE_BYTES];
        rand::rng().fill_bytes(&mut nonce);
        let payload = Payload {
            msg: text.as_bytes(),
            aad: what.as_bytes(),
        };
        let sealed = key
            .cipher
            .encrypt(&XNonce::from(nonce), payload)
            .map_err(|_| SealError::NoKey)?;
        let (nonce, sealed) = (STANDARD_NO_PAD.encode(nonce), STANDARD_NO_PAD.encode(sealed));
        Ok(format!("{FORM}.{}.{nonce}.{sealed}", key.name))
    }

    /// The text that was sealed under the same `what`, with any of the keys.
    ///
    /// # Errors
    /// [`SealError::Unreadable`] when the key is missing, `what` is another one, or the sealed text was changed.
    pub fn open(&self, what: &str, sealed: &str) -> Result<String, SealError> {
        self.opened(what, sealed).ok_or(SealError::Unreadable)
    }

    /// The names of the keys, which tell nothing of them: the first digits of their SHA-256. The first one seals.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|key| key.name.as_str())
    }

    /// Whether a sealed text names the first key, so that it need not be sealed again. Does not open it.
    pub fn is_sealed_with_first(&self, sealed: &str) -> bool {
        let name = sealed.split('.').nth(1);
        self.0.first().is_some_and(|key| name == Some(&key.name))
    }

    /// The text that was sealed under the same `what`; `None` if it cannot be opened, for whatever reason.
    fn opened(&self, what: &str, sealed: &str) -> Option<String> {
        let mut parts = sealed.split('.');
        let (form, name, nonce, text) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        if form != FORM || parts.next().is_some() {
            return None;
        }
        let nonce: [u8; NONCE_BYTES] = STANDARD_NO_PAD.decode(nonce).ok()?.try_into().ok()?;
        let text = STANDARD_NO_PAD.decode(text).ok()?;
        let payload = Payload {
            msg: &text,
            aad: what.as_bytes(),
        };
        let key = self.0.iter().find(|key| key.name == name)?;
        let opened = key.cipher.decrypt(&XNonce::from(nonce), payload).ok()?;
        String::from_utf8(opened).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a password";

    fn keys(texts: &[&str]) -> Keys {
        Keys::read(Some(&Secret::new(texts.join(",")))).unwrap()
    }

    #[test]
    fn what_is_sealed_opens_as_what_it_is_and_never_twice_the_same() {
        let keys = keys(&[&"0a".repeat(32)]);
        let (one, two) = (keys.seal("a.b", TEXT).unwrap(), keys.seal("a.b", TEXT).unwrap());
        assert_ne!(one, two);
        assert!(!one.contains(TEXT));
        assert_eq!(keys.open("a.b", &one).unwrap(), TEXT);
        assert_eq!(keys.open("a.c", &one), Err(SealError::Unreadable));
        let middle = one.len() / 2;
        let mut changed = one.clone();
        changed.replace_range(middle..=middle, if one.as_bytes()[middle] == b'A' { "B" } else { "A" });
        assert_eq!(keys.open("a.b", &changed), Err(SealError::Unreadable));
    }

    #[test]
    fn an_old_key_opens_and_the_first_one_seals() {
        let (old, new) = ("0a".repeat(32), "0b".repeat(32));
        let sealed = keys(&[&old]).seal("a.b", TEXT).unwrap();
        let both = keys(&[&new, &old]);
        assert_eq!(both.open("a.b", &sealed).unwrap(), TEXT);
        assert!(!both.is_sealed_with_first(&sealed));
        assert!(both.is_sealed_with_first(&both.seal("a.b", TEXT).unwrap()));
        assert_eq!(keys(&[&new]).open("a.b", &sealed), Err(SealError::Unreadable));
    }

    #[test]
    fn what_is_no_key_is_refused_and_none_seals_nothing() {
        assert_eq!(
            Keys::read(Some(&Secret::new("abc".to_owned()))).err(),
            Some(SealError::BadKey)
        );
        assert_eq!(
            Keys::read(Some(&Secret::new("0a".repeat(31)))).err(),
            Some(SealError::BadKey)
        );
        assert_eq!(Keys::read(None).unwrap().seal("a.b", TEXT), Err(SealError::NoKey));
    }
}
