//! What every handler may use.

use std::sync::Arc;

use coordination::Coordination;
use runtime::Clock;

/// The stores and settings of the API. Cheap to clone.
#[derive(Clone)]
pub struct ApiState {
    /// The relational store.
    pub records: records::Pool,
    /// The store of ad results.
    pub analytics: analytics::Client,
    /// Limits that all processes share.
    pub coordination: Coordination,
    /// The time.
    pub clock: Clock,
    /// All settings of the process.
    pub settings: Arc<runtime::Settings>,
}
