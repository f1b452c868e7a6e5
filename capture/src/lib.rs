//! A search goes in, observed ads come out.

pub mod browsing;
mod observed;
mod reading;

pub use observed::{ObservedAd, OrganicResult};
pub use reading::{
    AdTraces, Doubt, OtherUnit, PageLine, READER_VERSION, ReadPage, decode, read, read_and_copy, read_file,
    viewing_copy,
};
