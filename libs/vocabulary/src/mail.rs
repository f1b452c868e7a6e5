//! Mails that Vigie itself sends to the people who sign in.

use std::time::Duration;

/// What a mail to the holder of an account is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display, strum::EnumString, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum MailKind {
    /// A link to choose a new password, because the old one was forgotten.
    Reset,
    /// A link that proves an address.
    Verify,
    /// A link to choose the first password of a new account.
    Account,
    /// The password was changed.
    Password,
}

impl MailKind {
    /// For how long it is worth sending: an hour for `Reset`; `None` means at any time.
    pub const fn worth_sending_for(self) -> Option<Duration> {
        match self {
            // A user who still needs a new password has asked again since.
            Self::Reset => Some(Duration::from_hours(1)),
            Self::Verify | Self::Account | Self::Password => None,
        }
    }
}
