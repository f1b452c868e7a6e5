//! Workers against the real stores, a real browser and the simulated search engine.

#![allow(clippy::unwrap_used, reason = "tests")]

mod advertisers;
mod alerts;
mod backfill;
mod captures;
mod case_mails;
mod changes_of_terms;
mod convergence;
mod corrections;
mod detection;
mod emptiness;
mod evidence;
mod jobs;
mod lanes;
mod lanes_in_google;
mod mails;
mod places;
mod receiving;
mod reminders;
mod reports;
mod reread;
mod retrieving;
mod search_stats;
mod stack;
mod webhooks;
