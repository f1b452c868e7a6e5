//! What Vigie writes by itself. To advertisers: templates filled in on a case, and the run that reminds, blocks and notifies. To users: the digests of
//! their alerts. The API shows what the worker does, from the same functions.

mod digest;
mod error;
mod gather;
mod letter;
pub mod run;
mod template;

pub use digest::{Digest, DigestError, DigestMail, DigestStores, MonthlyReport, check_alert_text};
pub use error::OutreachError;
pub use gather::{LetterStores, gather};
pub use letter::{Letter, LetterAd, LetterFacts, LetterMail, LetterSibling, fill_in};
pub use template::{LONGEST_BODY, LONGEST_SUBJECT, TemplateError, TemplatePart, check};
