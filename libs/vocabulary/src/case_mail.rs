//! The mails of cases: what they are for, and where they are on their way (decisions D170, D171).

use serde::{Deserialize, Serialize};

use crate::ActionEvent;

/// What a mail to an advertiser is for.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum CaseMailKind {
    /// The first mail of a case.
    Notification,
    /// A mail of the reminder cycle.
    Reminder,
    /// Any later mail that a person writes.
    Answer,
}

impl CaseMailKind {
    /// What happens to the case when such a mail has left.
    pub const fn event(self) -> ActionEvent {
        match self {
            Self::Notification => ActionEvent::Notify,
            Self::Reminder => ActionEvent::Remind,
            Self::Answer => ActionEvent::Answer,
        }
    }
}

/// Where a mail to one recipient is.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum DeliveryState {
    /// It waits for its time.
    Queued,
    /// A stop or a limit keeps it back.
    Held,
    /// A worker hands it to the mail server.
    Sending,
    /// The mail server has taken it.
    Sent,
    /// The mail server refused it for good, or took nothing for too long.
    Failed,
    /// It may have been taken: the server fell silent after the body. No machine sends it again.
    Unknown,
    /// It was not wanted any more.
    Cancelled,
}

impl DeliveryState {
    /// Whether it may still leave.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Queued | Self::Held | Self::Sending)
    }
}

/// Where a mail of a case is, all its recipients together.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum MailStatus {
    /// It is being written.
    Draft,
    /// It is on its way to at least one recipient.
    Queued,
    /// At least one recipient's server has taken it.
    Sent,
    /// No recipient got it.
    Failed,
    /// Nobody knows yet whether it arrived.
    Unknown,
    /// It came in.
    Received,
}

impl MailStatus {
    /// The status of a mail with these deliveries: queued while any is open, else sent if any was, else unknown if any is, else failed.
    pub fn of_deliveries(states: &[DeliveryState]) -> Self {
        if states.iter().any(|state| state.is_open()) {
            Self::Queued
        } else if states.contains(&DeliveryState::Sent) {
            Self::Sent
        } else if states.contains(&DeliveryState::Unknown) {
            Self::Unknown
        } else {
            Self::Failed
        }
    }
}

#[cfg(test)]
mod tests {
    use DeliveryState::{Cancelled, Failed, Held, Queued, Sending, Sent, Unknown};

    use super::*;

    #[test]
    fn a_mail_is_what_becomes_of_its_deliveries() {
        for (states, status) in [
            (&[Sent, Queued][..], MailStatus::Queued),
            (&[Failed, Held], MailStatus::Queued),
            (&[Unknown, Sending], MailStatus::Queued),
            (&[Failed, Sent, Unknown], MailStatus::Sent),
            (&[Failed, Unknown, Cancelled], MailStatus::Unknown),
            (&[Failed, Cancelled], MailStatus::Failed),
            (&[Cancelled], MailStatus::Failed),
        ] {
            assert_eq!(MailStatus::of_deliveries(states), status, "{states:?}");
        }
    }
}
