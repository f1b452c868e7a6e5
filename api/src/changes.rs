//! The changes that Postgres announces, received once for all streams of a process.

use std::sync::Arc;

use futures::StreamExt;
use postgres::changes::{self, Change, TableChange};
use tokio::sync::broadcast;
use tokio::task::JoinHandle;

/// Changes that a slow stream may lag behind before it misses some.
const BACKLOG: usize = 4_096;

/// The changes of all tables. Cheap to clone; all clones share one connection, which is opened when somebody first listens.
#[derive(Clone, Debug)]
pub struct Changes {
    sender: broadcast::Sender<Arc<TableChange>>,
    listener: Arc<tokio::sync::Mutex<Option<JoinHandle<()>>>>,
}

impl Default for Changes {
    fn default() -> Self {
        Self {
            sender: broadcast::channel(BACKLOG).0,
            listener: Arc::default(),
        }
    }
}

impl Changes {
    /// Subscribes to the changes of all tables from now on; opens the connection to Postgres if none is open. When that connection is lost,
    /// subscribers get nothing more, and the next call opens another one. A subscriber that is [`BACKLOG`] changes behind misses the oldest.
    pub(crate) async fn listen(
        &self,
        pool: &postgres::Pool,
    ) -> Result<broadcast::Receiver<Arc<TableChange>>, postgres::Error> {
        let mut listener = self.listener.lock().await;
        if listener.as_ref().is_none_or(JoinHandle::is_finished) {
            let changes = changes::listen(pool).await?;
            let sender = self.sender.clone();
            *listener = Some(tokio::spawn(async move {
                let mut changes = std::pin::pin!(changes);
                while let Some(change) = changes.next().await {
                    match change {
                        // Fails when nobody listens.
                        Ok(change) => drop(sender.send(Arc::new(change))),
                        // The next stream begins to listen again.
                        Err(error) => return tracing::warn!(%error, "changes are not heard any more"),
                    }
                }
            }));
        }
        Ok(self.sender.subscribe())
    }
}

/// Notifies the change streams of all processes of Sems that were created, changed or deleted. A failure is only logged: the change itself is done.
pub(crate) async fn notify_of_sems(pool: &postgres::Pool, change: Change) {
    if let Err(error) = changes::notify(pool, changes::SEMS, change).await {
        tracing::warn!(%error, "change streams were not notified of a change of Sems");
    }
}
