use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::engine::Engine;
use crate::http::Access;
use crate::running::Running;
use crate::sessions::Sessions;

/// State that all requests of a server share.
pub(crate) struct ServerState {
    pub(crate) engine: Engine,
    pub(crate) access: Access,
    pub(crate) sessions: Sessions,
    pub(crate) running: Running,
    pub(crate) permits: Arc<Semaphore>,
    pub(crate) max_concurrent: u32,
}
