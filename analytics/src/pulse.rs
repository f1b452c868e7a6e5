//! Whether the store still lives while a response is awaited. A server that is stopped or cut off keeps its connections open and says
//! nothing: a long query and a dead store look the same unless the store is asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::sleep;

use crate::Error;

/// How long a response is awaited before the store is pinged, and the time between pings.
const BETWEEN_PINGS: Duration = Duration::from_secs(1);
/// Consecutive pings without a response after which the store counts as lost.
const MISSED_PINGS: u32 = 2;

/// Whether the store missed its last ping. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Pulse {
    missed: Arc<AtomicBool>,
}

impl Pulse {
    /// Waits for a response as long as `ping` finds the store alive; the error of the ping once [`MISSED_PINGS`] in a row find that it cannot be
    /// reached. A store that missed its last ping is pinged before the response is awaited, so that callers learn at once that it is still away.
    pub(crate) async fn while_alive<T, P>(
        &self,
        ping: impl Fn() -> P,
        response: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error>
    where
        P: Future<Output = Result<(), Error>>,
    {
        if self.missed.load(Ordering::Relaxed) {
            self.check(&ping).await?;
        }
        tokio::select! {
            biased;
            response = response => response,
            lost = self.lost(&ping) => Err(lost),
        }
    }

    /// Pings until the store counts as lost, after [`MISSED_PINGS`] failures in a row, and returns the error of the last ping.
    async fn lost<P>(&self, ping: &impl Fn() -> P) -> Error
    where
        P: Future<Output = Result<(), Error>>,
    {
        let mut missed = 0;
        loop {
            if missed == 0 {
                sleep(BETWEEN_PINGS).await;
            }
            match self.check(ping).await {
                Ok(()) => missed = 0,
                Err(error) => {
                    missed += 1;
                    if missed >= MISSED_PINGS {
                        return error;
                    }
                }
            }
        }
    }

    /// Pings once and remembers the outcome. Only a store that cannot be reached is an error: one that refuses the ping is alive.
    async fn check<P>(&self, ping: &impl Fn() -> P) -> Result<(), Error>
    where
        P: Future<Output = Result<(), Error>>,
    {
        let found = match ping().await {
            Err(error @ Error::Unreachable { .. }) => Err(error),
            Ok(()) | Err(_) => Ok(()),
        };
        self.missed.store(found.is_err(), Ordering::Relaxed);
        found
    }
}
