//! A search goes in, observed ads come out.

pub mod browsing;
mod observed;
mod reading;

pub use observed::{ObservedAd, OrganicResult, OtherUnit};
pub use reading::{
    AdTraces, CopiedFile, Doubt, INLINED_BYTES, INLINED_FILE_BYTES, PageFile, PageLine, READER_VERSION, ReadPage,
    decode, files_in, read, read_and_copy, read_saved_page, viewing_copy,
};
