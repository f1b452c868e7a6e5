//! Equal queries that run at the same time are sent once.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures::future::{BoxFuture, FutureExt, Shared, WeakShared};

use crate::Error;

/// The rows of a query, which its callers share.
type SharedRows<T> = Result<Arc<Vec<T>>, Error>;
/// A running query that several callers await.
type SharedQuery<T> = Shared<BoxFuture<'static, SharedRows<T>>>;

/// The queries that run now, by the type of their rows and their whole text. The scope is part of the text, so rows never reach a user
/// who may not see them.
///
/// Only the callers hold a query: when the last of them goes away, it is dropped and the engine ends it.
#[derive(Clone, Default)]
pub(crate) struct InFlight(Arc<Mutex<HashMap<Key, Box<dyn RunningQuery>>>>);

/// The type of the rows, and the whole text of the query.
type Key = (TypeId, String);

/// A query that runs, whatever its rows are.
trait RunningQuery: Any + Send {
    /// Whether a caller still holds the query.
    fn runs(&self) -> bool;
    fn as_any(&self) -> &dyn Any;
}

/// A query that runs as long as a caller holds it, with rows of one type.
struct TypedQuery<T>(WeakShared<BoxFuture<'static, SharedRows<T>>>);

impl<T: Send + Sync + 'static> RunningQuery for TypedQuery<T> {
    fn runs(&self) -> bool {
        self.0.upgrade().is_some()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl InFlight {
    /// The rows of an equal query that is running, or else of `run`, which is then shared with equal queries until it ends. `query` is the whole text
    /// with all parameters.
    pub(crate) async fn join<T>(
        &self,
        query: String,
        run: impl Future<Output = Result<Vec<T>, Error>> + Send + 'static,
    ) -> Result<Vec<T>, Error>
    where
        T: Clone + Send + Sync + 'static,
    {
        let shared = self.shared((TypeId::of::<T>(), query), run);
        Ok(Arc::unwrap_or_clone(shared.await?))
    }

    /// The query under this key that a caller still holds, or else `run`, which is kept under the key until its callers are gone and begins when it
    /// is first polled. Forgets the queries that no caller holds any more.
    fn shared<T>(&self, key: Key, run: impl Future<Output = Result<Vec<T>, Error>> + Send + 'static) -> SharedQuery<T>
    where
        T: Clone + Send + Sync + 'static,
    {
        let mut queries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let running = queries
            .get(&key)
            .and_then(|known| known.as_any().downcast_ref::<TypedQuery<T>>()?.0.upgrade());
        if let Some(running) = running {
            return running;
        }
        queries.retain(|_, query| query.runs());
        let shared = async move { run.await.map(Arc::new) }.boxed().shared();
        if let Some(weak) = shared.downgrade() {
            queries.insert(key, Box::new(TypedQuery(weak)));
        }
        shared
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn equal_queries_share_one_result_while_it_is_awaited() {
        let queries = InFlight::default();
        let runs = Arc::new(AtomicUsize::new(0));
        let (rows, awaited) = oneshot::channel::<u8>();
        let count = Arc::clone(&runs);
        let first = queries.join("q".to_owned(), async move {
            count.fetch_add(1, Ordering::SeqCst);
            Ok(vec![awaited.await.unwrap()])
        });
        let second = queries.join::<u8>("q".to_owned(), async { panic!("sent twice") });
        let other = queries.join("another".to_owned(), async { Ok(vec![2_u8]) });
        let release = async {
            rows.send(1).unwrap();
            Ok(Vec::<u8>::new())
        };
        let release = queries.join("release".to_owned(), release);
        let (first, second, other, _) = tokio::join!(first, second, other, release);
        assert_eq!(
            (first.unwrap(), second.unwrap(), other.unwrap()),
            (vec![1], vec![1], vec![2])
        );
        assert_eq!(runs.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn a_query_ends_with_its_last_caller() {
        struct DropSignal(Option<oneshot::Sender<()>>);
        impl Drop for DropSignal {
            fn drop(&mut self) {
                let _ = self.0.take().unwrap().send(());
            }
        }
        let queries = InFlight::default();
        let (signal, mut ended) = oneshot::channel();
        let signal = DropSignal(Some(signal));
        let endless = async move {
            let _signal = signal;
            std::future::pending::<Result<Vec<u8>, Error>>().await
        };
        let mut first = Box::pin(queries.join("q".to_owned(), endless));
        let mut second = Box::pin(queries.join::<u8>("q".to_owned(), async { panic!("sent twice") }));
        assert!(futures::poll!(&mut first).is_pending());
        assert!(futures::poll!(&mut second).is_pending());
        drop(first);
        assert!(futures::poll!(&mut second).is_pending());
        assert!(ended.try_recv().is_err());
        drop(second);
        assert_eq!(ended.await, Ok(()));
        let again = queries.join("q".to_owned(), async { Ok(vec![3_u8]) }).await;
        assert_eq!(again.unwrap(), [3]);
    }
}
