//! Who answers.

mod api;
mod engine;
mod postgres;

pub(super) use api::Api;
pub(super) use engine::EngineSql;
pub(super) use postgres::Postgres;

/// Domains, views and distinct ads of an answer.
pub type Totals = [u64; 3];
