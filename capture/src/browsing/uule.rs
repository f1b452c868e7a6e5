//! Google's `uule` parameter: the location a search is made from.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Fields 1 (role 2) and 2 (producer 32) of the message in `uule`, and the tag of field 4, the location's name.
const HEAD: [u8; 5] = [0x08, 0x02, 0x10, 0x20, 0x22];

/// Encodes a canonical name (`Lyon,Auvergne-Rhone-Alpes,France`) as the value of `uule`: an unescaped `w+`, then the name and its length in base64.
pub(super) fn uule(canonical_name: &str) -> String {
    let mut message = HEAD.to_vec();
    let mut length = canonical_name.len();
    while length >= 0x80 {
        message.push(u8::try_from(length & 0x7f).unwrap_or(0) | 0x80);
        length >>= 7;
    }
    message.push(u8::try_from(length).unwrap_or(0));
    message.extend_from_slice(canonical_name.as_bytes());
    format!("w+{}", URL_SAFE_NO_PAD.encode(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_follow_the_known_form_of_a_key_letter_and_the_name() {
        // The key letter of a name of 12 bytes is the 13th of A-Z, a-z, 0-9, -, _.
        assert_eq!(
            uule("Paris,France"),
            format!("w+CAIQICIM{}", URL_SAFE_NO_PAD.encode("Paris,France"))
        );
    }

    #[test]
    fn long_names_keep_their_length() {
        let name = "x".repeat(200);
        let value = uule(&name);
        let message = URL_SAFE_NO_PAD.decode(value.strip_prefix("w+").unwrap()).unwrap();
        assert_eq!(message[5..7], [0xc8, 0x01]);
        assert_eq!(&message[7..], name.as_bytes());
    }
}
