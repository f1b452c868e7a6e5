//! Workers against the real stores, a real browser and the simulated search engine.

#![allow(clippy::unwrap_used, reason = "tests")]

mod backfill;
mod captures;
mod changes_of_terms;
mod convergence;
mod corrections;
mod detection;
mod emptiness;
mod evidence;
mod jobs;
mod mails;
mod places;
mod reread;
mod search_stats;
mod stack;
