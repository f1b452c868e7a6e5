//! Digest alerts: what their owners wrote, when they are due, and to whom they go.

mod digest;
mod due;
mod stored;
pub mod texts;

pub use digest::{DigestOrder, Hit, hits, order, scope_of, unsubscribe};
pub use due::{DueAlert, claim, plan, queue, switch_off};
pub use stored::{AlertRecipient, AlertValues, OffReason, StoredAlert, change, create, get, list, recipients, remove};
pub use texts::AlertText;
