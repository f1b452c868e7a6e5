//! State that all handlers of a server share.

use runtime::Clock;
use tokio_util::sync::CancellationToken;

use crate::engine::Engine;
use crate::faults::FaultOrders;
use crate::ledger::ServedPages;
use crate::render::Renderer;

/// The state of one server.
pub(crate) struct World {
    pub seed: u64,
    pub rotation_millis: i64,
    pub clock: Clock,
    pub renderer: Renderer,
    pub orders: FaultOrders,
    pub ledger: ServedPages,
    /// Cancelled when the server ends, so that pages that never finish do.
    pub stop: CancellationToken,
}

impl World {
    /// The engine's part of an origin (`http://serp.test/google`).
    pub(crate) fn base(origin: &str, engine: Engine) -> String {
        format!("{origin}/{engine}")
    }
}
