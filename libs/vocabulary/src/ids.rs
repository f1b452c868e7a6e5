//! Ids as types of their own, so that a brand's id cannot be given where a term's is meant.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! integer_id {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub i32);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = std::num::ParseIntError;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }
    )+};
}

integer_id! {
    /// The case of one domain against one brand, country and engine.
    ActionId,
    /// A file that hangs on an e-mail.
    AttachmentId,
    /// A brand owned by a company account.
    BrandId,
    /// A stored label ("tag" on screens).
    CategoryId,
    /// The customer: a company with its brands and users.
    CompanyAccountId,
    /// A person or mailbox of an advertiser.
    ContactId,
    /// The stored record of an advertiser's domain.
    DealerId,
    /// One message of the outreach.
    EmailId,
    /// A place and language a search is made from.
    LocalizationId,
    /// A named role.
    RoleId,
    /// One version of a text that mails are made from.
    TemplateId,
    /// A tracked search.
    TermId,
    /// A user account.
    UserId,
}

/// One due run of a term on a device (row of the slot ledger).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SlotId(pub i64);

/// A mail on its way to one recipient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DeliveryId(pub i64);

/// The public name of a capture: random, so that it cannot be guessed. On screens and in the API it is `requestID` and `resultId`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CaptureId(pub Uuid);

/// An uploaded file, random for the same reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FileId(pub Uuid);

impl std::fmt::Display for DeliveryId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::fmt::Display for SlotId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::fmt::Display for CaptureId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::fmt::Display for FileId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
