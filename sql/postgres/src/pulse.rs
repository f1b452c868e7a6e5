//! Whether the database still lives while a response is awaited. A server that is stopped or cut off keeps its connections open and says
//! nothing; on a connection that is in use only the kernel would notice, after minutes.

use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::PgPoolOptions;
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep, timeout};

use crate::{DirectPool, Pool, Result, ping};

/// How long a response is awaited before the database is pinged, and the time between pings.
const BETWEEN_PINGS: Duration = Duration::from_secs(1);
/// The database answers a ping within this time, however busy it is.
const PING_TIMEOUT: Duration = Duration::from_secs(2);
/// After this many missed pings in a row the database counts as lost.
const MISSED_PINGS: u32 = 2;

/// Pings the database, on a connection of its own. Clones share it, and callers that wait at the same time share a ping.
#[derive(Clone)]
pub struct Pulse {
    own: Pool,
    last: Arc<Mutex<Option<(Instant, bool)>>>,
}

impl Pulse {
    /// The pulse of the database; a pooler could keep pings waiting. Nothing is connected yet.
    pub fn new(direct: &DirectPool) -> Self {
        let options = direct.pool().connect_options();
        Self {
            own: PgPoolOptions::new()
                .max_connections(1)
                .acquire_timeout(PING_TIMEOUT)
                .test_before_acquire(false)
                .connect_lazy_with(options.as_ref().clone()),
            last: Arc::default(),
        }
    }

    /// Waits until `MISSED_PINGS` pings in a row were missed, one every `BETWEEN_PINGS`; pending as long as the database answers. Dropping
    /// it stops the pings.
    pub async fn lost(&self) {
        let mut missed = 0;
        loop {
            sleep(BETWEEN_PINGS).await;
            if self.beats().await {
                missed = 0;
            } else {
                missed += 1;
                if missed >= MISSED_PINGS {
                    return;
                }
            }
        }
    }

    /// Whether the database answers a ping within `PING_TIMEOUT`. A result of the last half second is used again, and callers at the same
    /// time share one ping.
    async fn beats(&self) -> bool {
        let mut last = self.last.lock().await;
        if let Some((at, beats)) = *last
            && at.elapsed() < BETWEEN_PINGS / 2
        {
            return beats;
        }
        let response: Option<Result<()>> = timeout(PING_TIMEOUT, ping(&self.own)).await.ok();
        let beats = matches!(response, Some(Ok(())));
        *last = Some((Instant::now(), beats));
        beats
    }
}
