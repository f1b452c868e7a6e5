//! Which domains belong to one advertiser, from what their ads show. An ad gives [signals](signals_of): ids, accounts, hosts, texts and pictures. Domains
//! that share signals are [linked](link()), with the evidence, what speaks against it, and a confidence. A link is a suggestion: only a person makes it
//! more. No I/O.

mod group;
mod link;
mod redirects;
mod signals;

pub use group::{Group, MOST_DOMAINS, Verdict, group_of};
pub use link::{Evidence, Link, MOST_SHARING, Objection, Profile, SUGGESTED_FROM, link};
pub use signals::{AdFacts, Signal, SignalKind, signals_of};
