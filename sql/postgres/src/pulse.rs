//! Whether the database still lives while an answer is awaited. A server that is stopped or cut off keeps its connections open and says
//! nothing; on a connection that is in use only the kernel would notice, after minutes.

use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::PgPoolOptions;
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep, timeout};

use crate::{Pool, Result, ping};

/// Somebody is waited for so long before the database is asked whether it is there, …
const BETWEEN_LOOKS: Duration = Duration::from_secs(1);
/// … which it answers within this time however much it has to do, …
const ANSWER: Duration = Duration::from_secs(2);
/// … or does not so often.
const LOOKS: u32 = 2;

/// Asks the database whether it is there, on a connection of its own. Clones share it, and all who wait at the same time share the question.
#[derive(Clone)]
pub struct Pulse {
    own: Pool,
    last: Arc<Mutex<Option<(Instant, bool)>>>,
}

impl Pulse {
    /// Of the database of this pool. Nothing is connected yet.
    pub fn new(pool: &Pool) -> Self {
        let options = pool.connect_options();
        Self {
            own: PgPoolOptions::new()
                .max_connections(1)
                .acquire_timeout(ANSWER)
                .test_before_acquire(false)
                .connect_lazy_with(options.as_ref().clone()),
            last: Arc::default(),
        }
    }

    /// Ends when the database does not answer any more.
    pub async fn lost(&self) {
        let mut missed = 0;
        loop {
            sleep(BETWEEN_LOOKS).await;
            if self.beats().await {
                missed = 0;
            } else {
                missed += 1;
                if missed >= LOOKS {
                    return;
                }
            }
        }
    }

    async fn beats(&self) -> bool {
        let mut last = self.last.lock().await;
        if let Some((at, beats)) = *last
            && at.elapsed() < BETWEEN_LOOKS / 2
        {
            return beats;
        }
        let answer: Option<Result<()>> = timeout(ANSWER, ping(&self.own)).await.ok();
        let beats = matches!(answer, Some(Ok(())));
        *last = Some((Instant::now(), beats));
        beats
    }
}
