//! One slice a feature: its routes, operations and views. Slices never import each other.

pub(crate) mod actions;
pub(crate) mod audit;
pub(crate) mod auto_match;
pub(crate) mod capture_use;
pub(crate) mod captures;
pub(crate) mod deleted;
pub(crate) mod exports;
pub(crate) mod files;
pub(crate) mod flags;
pub(crate) mod monitoring;
pub(crate) mod official_domains;
pub(crate) mod operations;
pub(crate) mod partners;
pub(crate) mod plan_preview;
pub(crate) mod saved_views;
pub(crate) mod search_stats;
pub(crate) mod session;
pub(crate) mod term_import;
pub(crate) mod term_runs;
pub(crate) mod trails;
pub(crate) mod undo;
