//! Everything Vigie keeps in Postgres. No other crate sends it queries.
//!
//! One file per entity or slice. A function takes an executor (pool, connection or transaction) first; if it touches tenant data, a
//! [`vocabulary::Scope`] follows. Functions that change several rows take a connection, so that the caller decides what commits together.

pub mod actions;
pub mod advertiser_links;
pub mod alerts;
pub mod as_of;
pub mod audit;
pub mod authors;
pub mod auto_match;
pub mod brands;
pub mod capacity;
pub mod capture_quotas;
pub mod captures;
pub mod case_mails;
pub mod categories;
pub mod changes;
pub mod companies;
pub mod corrections;
pub mod coverage;
pub mod empty_spells;
mod error;
pub mod evidence;
pub mod expired_files;
pub mod failed_pages;
pub mod files;
pub mod flags;
pub mod global_search;
pub mod google;
pub mod invariants;
pub mod job_runs;
pub mod kept_changes;
pub mod localizations;
pub mod mails;
pub mod manifests;
pub mod match_runs;
pub mod merchants;
mod migrations;
pub mod months;
pub mod official_domains;
pub mod operations;
pub mod partners;
mod pool;
pub mod privacy;
pub mod proof;
pub mod provider_identities;
mod pulse;
pub mod reattributions;
pub mod report_files;
pub mod rereading;
pub mod resources;
pub mod restoring;
pub mod runs;
pub mod runs_by_hand;
pub mod saved_views;
mod scoped;
pub mod search_stats;
pub mod second_factors;
pub mod sems;
pub mod slots;
pub mod stop_go;
mod stored;
mod template_versions;
pub mod term_dues;
pub mod term_import;
pub mod term_runs;
pub mod terms;
pub mod tokens;
pub mod trademarks;
pub mod trails;
pub mod users;
pub mod view_totals;
pub mod webhooks;

pub use error::Error;
pub use migrations::{migrate, newest_migration, pending_migrations, schema_version};
pub use pool::{
    DirectPool, Pool, Tx, begin, connect, connect_through_pooler, connect_without_libraries, limits_statements, ping,
    set_role_limits,
};
pub use pulse::Pulse;
pub use sqlx::{PgConnection as Connection, PgExecutor as Executor};

/// A connection of a pool, given back when dropped.
pub type PooledConnection = sqlx::pool::PoolConnection<sqlx::Postgres>;

/// Result of a function of this crate.
pub type Result<T> = std::result::Result<T, Error>;
