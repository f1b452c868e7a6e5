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
    /// The second factor was switched on or off, or a recovery code was used or replaced.
    SecondFactor,
    /// A template of mails to advertisers, filled in, for the person who tries it.
    Trial,
    /// The digest of an alert.
    Alert,
    /// Texts that have to be removed from a list in Google by hand, because nobody gives access to it any more.
    Stranded,
    /// The first stop of ads of a brand on a day.
    Stopped,
    /// An access to Google was revoked, or does not work.
    Revoked,
    /// The version of the Google Ads API ends.
    Version,
}

impl MailKind {
    /// For how long it is worth sending: an hour for `Reset` and `Trial`; `None` means at any time.
    pub const fn worth_sending_for(self) -> Option<Duration> {
        match self {
            // A user who still needs a new password has asked again since.
            Self::Reset | Self::Trial => Some(Duration::from_hours(1)),
            Self::Verify
            | Self::Account
            | Self::Password
            | Self::SecondFactor
            | Self::Alert
            | Self::Stranded
            | Self::Stopped
            | Self::Revoked
            | Self::Version => None,
        }
    }

    /// Whether it is never sent again once the mail server may have it: a digest that comes twice is worse than one that is missed.
    pub const fn is_sent_once(self) -> bool {
        matches!(self, Self::Alert)
    }
}
