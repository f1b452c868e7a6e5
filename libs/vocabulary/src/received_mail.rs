//! Mails that come in: how they came, what they were found to be, and whether a person wrote them (decisions D173, D174).

use serde::{Deserialize, Serialize};

/// Letters of the secret in an address that a mail can be answered to: 128 bits in base 32.
const TOKEN_LENGTH: usize = 26;

/// How a mail came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::EnumString, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum MailSource {
    /// A mail server posted it.
    Webhook,
    /// It was read from a mailbox.
    Imap,
}

/// What a mail that came in was found to be.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::Display, strum::EnumString, strum::VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum MailVerdict {
    /// It belongs to at least one case.
    Matched,
    /// Nobody knows which case it belongs to.
    Unmatched,
    /// A mail server reports what became of a mail of ours.
    Report,
    /// A recipient calls a mail of ours unwanted.
    Complaint,
    /// It is a mail of ours that came back.
    Own,
    /// It could not be read.
    Unreadable,
    /// It belongs to no case, and a person put it away.
    Discarded,
}

/// Whether a machine wrote a mail.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::Display, strum::EnumString, strum::VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Automatic {
    /// A person wrote it.
    No,
    /// It reads like an absence note or a receipt; a person decides.
    Maybe,
    /// It says so itself.
    Certain,
}

/// What a mail server reports of a mail to one recipient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::EnumString, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum DeliveryReport {
    /// The address refuses mails for good.
    Hard,
    /// The server refuses mails of ours; it says nothing of the address.
    Policy,
    /// It could not be delivered for now, or for a reason that may pass.
    Soft,
    /// It was delivered.
    Delivered,
}

/// The secret in an address that a reply or a report comes back to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MailToken(String);

impl MailToken {
    /// The token of an address such as `reply+…@mail.example`, whose local part begins with `prefix` and a plus. `None` for any other address.
    pub fn in_address(prefix: &str, address: &str) -> Option<Self> {
        let local = address.trim().split('@').next()?.to_ascii_lowercase();
        let token = local.strip_prefix(prefix)?.strip_prefix('+')?;
        let is_token = token.len() == TOKEN_LENGTH
            && token
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || (b'2'..=b'7').contains(&byte));
        is_token.then(|| Self(token.to_owned()))
    }

    /// The letters of the token, in lower case.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_whatever_its_case_and_nothing_else_is_one() {
        let letters = "abcdefghijklmnopqrstuvw234";
        let token = MailToken::in_address("reply", &format!("Reply+{}@Mail.example", letters.to_uppercase())).unwrap();
        assert_eq!(token.as_str(), letters);
        for bad in [
            "reply@mail.example",
            "reply+short@mail.example",
            &format!("reply+{letters}5@mail.example"),
            &format!("reply+{}1@mail.example", &letters[..25]),
            &format!("bounce+{letters}@mail.example"),
            &format!("replyx+{letters}@mail.example"),
            "",
        ] {
            assert_eq!(MailToken::in_address("reply", bad), None, "{bad}");
        }
    }
}
