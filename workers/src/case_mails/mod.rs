//! The mails of cases: what leaves to advertisers, and what comes back from them and their mail servers.

pub mod receiving;
pub mod sending;
