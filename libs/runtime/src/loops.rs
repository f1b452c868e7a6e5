//! Loops that a process cannot do without. A loop that ends early would leave a process that looks healthy and does half its work; here it
//! ends the process instead, and the supervisor restarts it.

use std::collections::HashMap;

use thiserror::Error;
use tokio::task::{Id, JoinError, JoinSet};

/// A loop ended before the shutdown.
#[derive(Debug, Error)]
#[error("the loop '{name}' {how}; the process ends, to be started again")]
pub struct LoopError {
    name: &'static str,
    how: String,
}

/// The loops of a process. Those that still run are stopped when this is dropped.
#[derive(Debug, Default)]
pub struct Loops {
    running: JoinSet<()>,
    names: HashMap<Id, &'static str>,
}

impl Loops {
    /// Starts a loop, which should run until the shutdown. `name` appears in the error if it ends early.
    pub fn start(&mut self, name: &'static str, work: impl Future<Output = ()> + Send + 'static) {
        let started = self.running.spawn(work);
        self.names.insert(started.id(), name);
    }

    /// Waits for the first loop that ends or panics, which before the shutdown is a fault, and returns its name and how it ended. Waits for ever if
    /// there are no loops.
    pub async fn first_end(&mut self) -> LoopError {
        match self.running.join_next_with_id().await {
            Some(ended) => self.outcome(ended),
            None => std::future::pending().await,
        }
    }

    /// Waits until all loops have ended. Call it only once the shutdown has begun: a loop that returns is no error here.
    ///
    /// # Errors
    ///
    /// When a loop panicked; the loops that still run are stopped.
    pub async fn all_ended(mut self) -> Result<(), LoopError> {
        while let Some(ended) = self.running.join_next_with_id().await {
            if ended.is_err() {
                return Err(self.outcome(ended));
            }
        }
        Ok(())
    }

    /// The name of a loop and how it ended: `ended`, when its work returned, or `broke down` by a panic or because it was stopped.
    fn outcome(&self, ended: Result<(Id, ()), JoinError>) -> LoopError {
        let (id, how) = match ended {
            Ok((id, ())) => (id, "ended".to_owned()),
            Err(broken) => (broken.id(), format!("broke down ({broken})")),
        };
        let name = self.names.get(&id).copied().unwrap_or("unknown");
        LoopError { name, how }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_loop_that_panics_or_ends_is_named() {
        let mut loops = Loops::default();
        loops.start("works on", std::future::pending());
        loops.start("breaks", async { panic!("no bread") });
        let text = loops.first_end().await.to_string();
        assert!(
            text.contains("'breaks' broke down") && text.contains("no bread"),
            "{text}"
        );
        loops.start("ends", std::future::ready(()));
        assert!(loops.first_end().await.to_string().contains("'ends' ended"));
    }

    #[tokio::test]
    async fn at_the_end_only_a_breakdown_is_a_failure() {
        let mut loops = Loops::default();
        loops.start("ends", std::future::ready(()));
        loops.all_ended().await.unwrap();
        let mut loops = Loops::default();
        loops.start("breaks", async { panic!("late") });
        assert!(loops.all_ended().await.is_err());
    }
}
