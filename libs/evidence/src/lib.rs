//! Captures as evidence: sealed into a chain of digests, verified against it, and bundled into one file.
//!
//! [`seal`] appends an entry for each new reading of a capture. Its digest covers the entry before and a manifest of all that makes up the
//! capture: words, time, city, addresses, headers, the hashes of its files, and what was read. [`verify()`] finds every file, row or entry
//! that was changed or removed since. [`bundle()`] packs one capture so that it can be checked without Vigie,
//! [`escalation_pack`] what a complaint about the ads of a case needs.

mod bundle;
mod chain;
mod error;
mod escalation;
mod manifest;
mod verify;

pub use bundle::{Bundle, bundle};
pub use chain::seal;
pub use error::Error;
pub use escalation::{EscalatedAd, EscalatedCase, escalation_pack};
pub use manifest::{canonical, link, manifest};
pub use verify::{Fault, LocatedFault, Report, StoredFile, verify};

/// The result of a function of this crate.
pub type Result<T> = std::result::Result<T, Error>;
