//! What is read off a page, and what is recorded of it. Captures, intake, re-reading and recovery share these.

pub mod emptiness;
pub mod files;
pub mod merchants;
pub mod organic;
mod reading;
pub mod record;
pub mod rows;
mod sightings;

pub use reading::{ReadCapture, read, read_again, refusal};
pub use sightings::sightings;
