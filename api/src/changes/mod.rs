//! The changes that Postgres announces, received once for all streams of a process.

mod burst;
mod seen;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures::StreamExt;
use postgres::changes::{self, Change, TableChange};
use tokio::sync::broadcast;
use tokio::task::JoinHandle;

pub(crate) use burst::Burst;
pub(crate) use seen::{RowSight, SeenRows};

/// Changes that are passed on together, at most.
const AT_ONCE: usize = 32;
/// Batches that a slow stream may lag behind. Each has at most [`AT_ONCE`] changes of 8 kB, and the rows that were looked up about them.
const BACKLOG: usize = 256;

/// Changes that were announced one right after the other. What streams look up about them is kept with them, until all streams are past them or
/// [`BACKLOG`] batches further.
#[derive(Debug)]
pub(crate) struct ChangeBatch {
    changes: Vec<TableChange>,
    /// By table, and whether changes of links are among them.
    bursts: Mutex<BTreeMap<(&'static str, bool), Arc<Burst>>>,
}

impl ChangeBatch {
    const fn new(changes: Vec<TableChange>) -> Self {
        Self {
            changes,
            bursts: Mutex::new(BTreeMap::new()),
        }
    }

    /// The changes of a table, merged, with or without those of links.
    pub(crate) fn burst(&self, table: &'static str, with_links: bool) -> Arc<Burst> {
        let mut bursts = self.bursts.lock().unwrap_or_else(PoisonError::into_inner);
        let burst = bursts.entry((table, with_links)).or_insert_with(|| {
            let changes = self.changes.iter().filter(|change| change.table == table);
            let changes = changes.map(|change| &change.change);
            Arc::new(Burst::from_changes(
                changes.filter(|change| with_links || !matches!(change, Change::Links { .. })),
            ))
        });
        Arc::clone(burst)
    }

    /// Changes of the rows that some users see.
    pub(crate) fn rights(&self) -> impl Iterator<Item = &Change> {
        let changes = self.changes.iter().map(|change| &change.change);
        changes.filter(|change| matches!(change, Change::Rights { .. }))
    }
}

/// The changes of all tables. Cheap to clone; all clones share one connection, which is opened when somebody first listens.
#[derive(Clone, Debug)]
pub struct Changes {
    sender: broadcast::Sender<Arc<ChangeBatch>>,
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
    /// subscribers get nothing more, and the next call opens another one. A subscriber that is [`BACKLOG`] batches behind misses the oldest.
    pub(crate) async fn listen(
        &self,
        direct: &postgres::DirectPool,
    ) -> Result<broadcast::Receiver<Arc<ChangeBatch>>, postgres::Error> {
        let mut listener = self.listener.lock().await;
        if listener.as_ref().is_none_or(JoinHandle::is_finished) {
            let changes = changes::listen(direct).await?;
            let sender = self.sender.clone();
            *listener = Some(tokio::spawn(async move {
                let mut batches = std::pin::pin!(changes.ready_chunks(AT_ONCE));
                while let Some(batch) = batches.next().await {
                    let mut failure = None;
                    let mut changes = Vec::with_capacity(batch.len());
                    for change in batch {
                        match change {
                            Ok(change) => changes.push(change),
                            Err(error) => failure = Some(error),
                        }
                    }
                    // Fails when nobody listens.
                    drop(sender.send(Arc::new(ChangeBatch::new(changes))));
                    if let Some(error) = failure {
                        // The next stream begins to listen again.
                        return tracing::warn!(%error, "changes are not heard any more");
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
