//! Equal queries that run at the same time are sent once.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures::future::{BoxFuture, FutureExt, Shared, WeakShared};

use crate::Error;

type SharedRows<T> = Result<Arc<Vec<T>>, Error>;
type SharedQuery<T> = Shared<BoxFuture<'static, SharedRows<T>>>;

/// The queries that run now, by the type of their rows and their whole text. The reader's scope is part of the text, so rows never reach a
/// reader who may not see them.
///
/// Only the callers hold a query: when the last of them goes away, it is dropped and the engine ends it.
#[derive(Clone, Default)]
pub(crate) struct InFlight(Arc<Mutex<HashMap<Key, Box<dyn RunningQuery>>>>);

type Key = (TypeId, String);

trait RunningQuery: Any + Send {
    fn runs(&self) -> bool;
    fn as_any(&self) -> &dyn Any;
}

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
    /// The rows of an equal query that runs already, else of `run`.
    pub(crate) async fn join<T>(
        &self,
        question: String,
        ask: impl Future<Output = Result<Vec<T>, Error>> + Send + 'static,
    ) -> Result<Vec<T>, Error>
    where
        T: Clone + Send + Sync + 'static,
    {
        let asking = self.asking((TypeId::of::<T>(), question), ask);
        Ok(Arc::unwrap_or_clone(asking.await?))
    }

    fn asking<T>(&self, key: Key, ask: impl Future<Output = Result<Vec<T>, Error>> + Send + 'static) -> SharedQuery<T>
    where
        T: Clone + Send + Sync + 'static,
    {
        let mut questions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let running = questions
            .get(&key)
            .and_then(|known| known.as_any().downcast_ref::<TypedQuery<T>>()?.0.upgrade());
        if let Some(running) = running {
            return running;
        }
        questions.retain(|_, asked| asked.runs());
        let asking = async move { ask.await.map(Arc::new) }.boxed().shared();
        if let Some(weak) = asking.downgrade() {
            questions.insert(key, Box::new(TypedQuery(weak)));
        }
        asking
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn equal_questions_share_one_answer_while_it_is_awaited() {
        let questions = InFlight::default();
        let asked = Arc::new(AtomicUsize::new(0));
        let (answer, awaited) = oneshot::channel::<u8>();
        let count = Arc::clone(&asked);
        let first = questions.join("q".to_owned(), async move {
            count.fetch_add(1, Ordering::SeqCst);
            Ok(vec![awaited.await.unwrap()])
        });
        let second = questions.join::<u8>("q".to_owned(), async { panic!("asked twice") });
        let other = questions.join("another".to_owned(), async { Ok(vec![2_u8]) });
        let release = async {
            answer.send(1).unwrap();
            Ok(Vec::<u8>::new())
        };
        let release = questions.join("release".to_owned(), release);
        let (first, second, other, _) = tokio::join!(first, second, other, release);
        assert_eq!(
            (first.unwrap(), second.unwrap(), other.unwrap()),
            (vec![1], vec![1], vec![2])
        );
        assert_eq!(asked.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn a_question_ends_with_the_last_who_waits_for_it() {
        struct DropSignal(Option<oneshot::Sender<()>>);
        impl Drop for DropSignal {
            fn drop(&mut self) {
                let _ = self.0.take().unwrap().send(());
            }
        }
        let questions = InFlight::default();
        let (told, mut ended) = oneshot::channel();
        let told = DropSignal(Some(told));
        let endless = async move {
            let _told = told;
            std::future::pending::<Result<Vec<u8>, Error>>().await
        };
        let mut first = Box::pin(questions.join("q".to_owned(), endless));
        let mut second = Box::pin(questions.join::<u8>("q".to_owned(), async { panic!("asked twice") }));
        assert!(futures::poll!(&mut first).is_pending());
        assert!(futures::poll!(&mut second).is_pending());
        drop(first);
        assert!(futures::poll!(&mut second).is_pending());
        assert!(ended.try_recv().is_err());
        drop(second);
        assert_eq!(ended.await, Ok(()));
        let again = questions.join("q".to_owned(), async { Ok(vec![3_u8]) }).await;
        assert_eq!(again.unwrap(), [3]);
    }
}
