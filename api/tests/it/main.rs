//! The API over HTTP, on real stores.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod actions;
mod ads;
mod app;
mod audit;
mod captured;
mod captures;
mod contract;
mod corrections;
mod costs;
mod counted;
mod entities;
mod exports;
mod figures;
mod files;
mod health;
mod impersonation;
mod lifetimes;
mod limits;
mod monitoring;
mod names_of_filters;
mod operations;
mod own_sessions;
mod passwords;
mod resources;
mod rights;
mod saved_views;
mod seen;
mod session;
mod streams;
mod writing;
