//! What every handler may use.

use std::sync::Arc;

use blobs::Blobs;
use coordination::Coordination;
use runtime::Clock;

use crate::changes::Changes;

/// The stores and settings of the API. Cheap to clone.
#[derive(Clone)]
pub struct ApiState {
    /// The relational store.
    pub postgres: postgres::Pool,
    /// Its connections without a pooler between.
    pub direct: postgres::DirectPool,
    /// The store of ad results.
    pub analytics: analytics::Client,
    /// Captured pages and uploaded files.
    pub blobs: Blobs,
    /// Limits that all processes share.
    pub coordination: Coordination,
    /// What changes, for those who are shown it as it happens.
    pub changes: Changes,
    /// The time, which tests set.
    pub clock: Clock,
    /// All settings of the process.
    pub settings: Arc<runtime::Settings>,
}
