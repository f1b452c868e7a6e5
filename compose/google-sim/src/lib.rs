//! A simulated Google for the demonstration and tests: consent and tokens, Google Ads and Search Console.
//!
//! It is as strict as the original where Vigie could be wrong: ids, versions, headers, scopes, fields of queries, the forms of answers and refusals. Lists
//! of negative keywords really hold state, and every change is in a journal. `POST /control/faults` makes it fail. Figures follow from the text and the
//! day alone.

mod ads;
mod consent;
mod console;
mod control;
mod faults;
mod figures;
mod gaql;
mod lists;
mod refusals;
mod server;
mod shared;
mod tokens;
mod world;

pub use faults::Fault;
pub use server::{Error, Running, Simulator};
pub use world::{CLIENT_ID, CLIENT_SECRET, VERSION};
