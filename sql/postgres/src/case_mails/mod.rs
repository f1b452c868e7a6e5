//! The mails of cases: what is written to advertisers, what became of it, and what comes back.
//!
//! Whoever changes what a mail comes to locks in one order: the case, the mail, then its deliveries.

mod addresses;
pub mod brakes;
mod claiming;
pub mod contacts;
pub mod drafts;
pub(crate) mod folding;
pub mod imap_cursors;
pub mod inbound;
pub mod letters;
pub mod matching;
pub mod next_steps;
mod opening;
mod queueing;
pub mod received;
pub mod reports;
mod settling;
pub mod stops;
pub mod templates;
pub mod thread;
pub mod unmatched;

pub use addresses::{address_digest, message_id};
pub use claiming::{Claim, ClaimedAttachment, ClaimedDelivery, EarlierMail, begin_body, claim, due, renew};
pub(crate) use folding::cancel_reminders;
pub use opening::{open_token, opened};
pub use queueing::{NewCaseMail, Queued, queue};
pub use settling::{DeliveryEnd, Settled, expired, reap, settle};
