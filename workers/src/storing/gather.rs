//! Gathers captures into batches: a few large inserts instead of many small ones.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use analytics::ingest::AdRow;
use chrono::{Datelike, NaiveDate};
use postgres::captures::Capture;
use postgres::manifests::{ManifestPart, ROWS_LIMIT};
use postgres::slots::HeldSlot;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

use super::{CaptureToStore, StoreEnd, Storing};

/// A batch is stored once its first capture has waited this long, …
const WAIT: Duration = Duration::from_secs(1);
/// … or once it has this many rows.
const ENOUGH_ROWS: usize = 5_000;
/// The capacity of the channel to the gatherer; further captures wait in their jobs.
const QUEUE_CAPACITY: usize = 256;

/// A handle to the gatherer, to which captures are sent; the gatherer ends once every clone is dropped.
#[derive(Clone)]
pub struct Batches(mpsc::Sender<QueuedCapture>);

/// A capture on its way to the gatherer, with where to send the outcome.
struct QueuedCapture {
    month: NaiveDate,
    item: CaptureToStore,
    reply: oneshot::Sender<StoreEnd>,
}

impl Batches {
    /// Stores the rows of a capture, at least one, and waits until they are read back. [`StoreEnd::Refused`] for more than [`ROWS_LIMIT`] rows,
    /// [`StoreEnd::Away`] once the gatherer has ended.
    pub async fn store(&self, held: HeldSlot, capture: &Capture, rows: Vec<AdRow>) -> StoreEnd {
        let Ok(count) = u32::try_from(rows.len()) else {
            return StoreEnd::Refused;
        };
        if count > ROWS_LIMIT {
            return StoreEnd::Refused;
        }
        let (reply, stored) = oneshot::channel();
        let item = CaptureToStore {
            part: ManifestPart {
                held,
                capture: capture.id,
                rows: count,
            },
            rows,
        };
        let day = capture.taken_at.date_naive();
        let month = day.with_day(1).unwrap_or(day);
        if self.0.send(QueuedCapture { month, item, reply }).await.is_err() {
            return StoreEnd::Away;
        }
        stored.await.unwrap_or(StoreEnd::Away)
    }
}

/// A handle to a new gatherer, and the gatherer itself, which the caller spawns. The gatherer ends once all clones of the handle are dropped and what
/// they sent is stored.
pub fn gather(storing: Arc<Storing>) -> (Batches, impl Future<Output = ()> + Send) {
    let (sender, receiver) = mpsc::channel(QUEUE_CAPACITY);
    (Batches(sender), run(storing, receiver))
}

/// Stores what the handles send, in batches of one month each, and replies with the outcomes. Ends once every handle is dropped.
async fn run(storing: Arc<Storing>, mut receiver: mpsc::Receiver<QueuedCapture>) {
    while let Some(first) = receiver.recv().await {
        let batch = fill(first, &mut receiver).await;
        let mut months: BTreeMap<NaiveDate, Vec<QueuedCapture>> = BTreeMap::new();
        for waiting in batch {
            months.entry(waiting.month).or_default().push(waiting);
        }
        for (month, waiting) in months {
            for batch in split(waiting) {
                let (items, replies): (Vec<CaptureToStore>, Vec<_>) =
                    batch.into_iter().map(|waiting| (waiting.item, waiting.reply)).unzip();
                let outcomes = storing.store(month, items).await;
                for (reply, outcome) in replies.into_iter().zip(outcomes) {
                    // Fails when the attempt was given up meanwhile; the ledger has the outcome.
                    let _ = reply.send(outcome);
                }
            }
        }
    }
}

/// Gathers captures, beginning with `first`, until [`WAIT`] has passed, there are [`ENOUGH_ROWS`] rows, or no more can come. The last may exceed the
/// rows.
async fn fill(first: QueuedCapture, receiver: &mut mpsc::Receiver<QueuedCapture>) -> Vec<QueuedCapture> {
    let end = Instant::now() + WAIT;
    let mut rows = first.item.rows.len();
    let mut batch = vec![first];
    while rows < ENOUGH_ROWS {
        let Ok(Some(next)) = timeout_at(end, receiver.recv()).await else {
            break;
        };
        rows += next.item.rows.len();
        batch.push(next);
    }
    batch
}

/// Splits captures, in their order, into batches of at most [`ROWS_LIMIT`] rows in all; a capture with more rows gets a batch of its own.
fn split(waiting: Vec<QueuedCapture>) -> Vec<Vec<QueuedCapture>> {
    let mut batches: Vec<Vec<QueuedCapture>> = Vec::new();
    let mut rows = 0;
    for next in waiting {
        let more = next.item.part.rows;
        match batches.last_mut() {
            Some(batch) if rows + more <= ROWS_LIMIT => {
                batch.push(next);
                rows += more;
            }
            _ => {
                batches.push(vec![next]);
                rows = more;
            }
        }
    }
    batches
}
