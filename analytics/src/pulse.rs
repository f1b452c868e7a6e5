//! Whether the store still lives while an answer is awaited. A server that is stopped or cut off keeps its connections open and says
//! nothing: a long question and a dead store look the same unless somebody asks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::{sleep, timeout};

use crate::{Client, Error};

/// A question is waited for so long before the store is asked whether it is there, …
const BETWEEN_LOOKS: Duration = Duration::from_secs(1);
/// … which it answers within this time however much it has to do, …
const ANSWER: Duration = Duration::from_secs(3);
/// … or does not so often.
const LOOKS: u32 = 2;

/// Whether the store answered when it was last asked. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Pulse(Arc<AtomicBool>);

impl Client {
    /// Waits for an answer as long as the store lives. A store that did not answer lately is asked first, so that its readers hear of it
    /// at once.
    pub(crate) async fn while_alive<T>(&self, answer: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        if self.pulse().0.load(Ordering::Relaxed) {
            self.look().await?;
        }
        tokio::select! {
            biased;
            answer = answer => answer,
            lost = self.lost() => Err(lost),
        }
    }

    /// Ends when the store does not answer any more.
    async fn lost(&self) -> Error {
        let mut missed = 0;
        loop {
            if missed == 0 {
                sleep(BETWEEN_LOOKS).await;
            }
            match self.look().await {
                Ok(()) => missed = 0,
                Err(error) => {
                    missed += 1;
                    if missed >= LOOKS {
                        return error;
                    }
                }
            }
        }
    }

    /// Whether the store answers at all; that it refuses is an answer.
    async fn look(&self) -> Result<(), Error> {
        let found = match timeout(ANSWER, self.ask_one()).await {
            Ok(Err(error @ Error::Unreachable { .. })) => Err(error),
            Ok(_) => Ok(()),
            Err(_) => Err(self.error(clickhouse::error::Error::TimedOut)),
        };
        self.pulse().0.store(found.is_err(), Ordering::Relaxed);
        found
    }

    /// Whether the store answers questions.
    pub async fn health(&self) -> Result<(), Error> {
        let asked = timeout(ANSWER, self.ask_one()).await;
        asked.unwrap_or_else(|_| Err(self.error(clickhouse::error::Error::TimedOut)))
    }
}
