//! The API over HTTP, on real stores.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod actions;
mod addresses;
mod ads;
mod app;
mod audit;
mod auto_match;
mod bulk_conditions;
mod captured;
mod captures;
mod connections;
mod contract;
mod corrections;
mod costs;
mod counted;
mod coverage;
mod credentials;
mod entities;
mod exports;
mod figures;
mod files;
mod health;
mod impersonation;
mod lifetimes;
mod limits;
mod load;
mod monitoring;
mod names_of_filters;
mod operations;
mod own_sessions;
mod passwords;
mod plan_preview;
mod product_rows;
mod requests;
mod resources;
mod rights;
mod saved_views;
mod seen;
mod session;
mod shared_tags;
mod streams;
mod undo;
mod writing;
