//! Reads the ads off a result page.
//!
//! Where ads are on a page is data: the tables of `tables/`, one file per generation of an engine's page. The code only knows how to apply
//! a table, and what a destination, a block and a verdict are.

mod address;
mod claims;
mod copy;
mod document;
mod encoding;
mod fields;
mod finder;
mod labels;
mod line;
mod organic;
mod outline;
mod page;
mod sentinel;
mod tables;
mod text;
mod title;
mod trackers;
mod units;
mod verdict;

pub use copy::{CopiedFile, INLINED_BYTES, INLINED_FILE_BYTES, PageFile, files_in, read_and_copy, viewing_copy};
pub use encoding::decode;
pub use line::{PageLine, read_saved_page};
pub use page::{ReadPage, read};
pub use sentinel::{AdTraces, Doubt};

/// Version of the reader and its tables. Stored with every capture; raise it with each change of what is read.
pub const READER_VERSION: &str = "4";
