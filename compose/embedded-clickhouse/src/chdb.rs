//! The C interface of chDB, made safe.
//!
//! This is the only module with unsafe code. It promises that a [`Connection`] is used by one thread at a time (`&mut self`), that rows and
//! inserts borrow their connection and so end before it, that every handle is freed once, and that the library is never unloaded (its
//! threads would run on in unmapped memory).
#![allow(unsafe_code)]

mod connection;
mod functions;
mod insert;
mod library;
mod parameters;
mod query_result;
mod rows;

pub(crate) use connection::Connection;
pub(crate) use insert::Insert;
pub(crate) use library::Library;
pub(crate) use query_result::{QueryResult, Totals};
pub(crate) use rows::Rows;
