//! What readers see of changed rows, looked up once for all who see the same.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;
use vocabulary::Scope;
use vocabulary::resources::{Condition, Model};

/// What a stream is about: the rows of a model that a scope sees and that meet a condition.
#[derive(Clone, Debug)]
pub(crate) struct RowSight {
    pub(crate) scope: Scope,
    pub(crate) model: &'static Model,
    pub(crate) condition: Condition,
}

impl RowSight {
    /// Whether both show the same rows, whoever looks. Users are compared only where rows belong to them; what a condition joins never does, which a test
    /// of the models holds to.
    fn sees_like(&self, other: &Self) -> bool {
        self.model.name == other.model.name
            && self.condition == other.condition
            && if self.model.sight.is_of_user() {
                self.scope == other.scope
            } else {
                self.scope.reaches_like(&other.scope)
            }
    }
}

/// What is in sight of some changed rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeenRows {
    /// Rows that were in sight before the change.
    pub(crate) before: BTreeSet<i64>,
    /// Rows that are now, each with its id and as the text of its JSON.
    pub(crate) now: Vec<(i64, String)>,
    /// Rows that could not be read.
    pub(crate) unread: BTreeSet<i64>,
}

/// A look-up that is done or under way.
type LookUp = Arc<OnceCell<Arc<SeenRows>>>;

/// What was looked up, by sight.
#[derive(Debug, Default)]
pub(crate) struct SeenBySight(Mutex<Vec<(RowSight, LookUp)>>);

impl SeenBySight {
    /// Returns what is in this sight: what `look_up` finds, or what was found before for the same rows. A call meanwhile waits for the first one.
    pub(crate) async fn look_up_once(&self, sight: RowSight, look_up: impl Future<Output = SeenRows>) -> Arc<SeenRows> {
        let found = {
            let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, known)) = known.iter().find(|(other, _)| other.sees_like(&sight)) {
                Arc::clone(known)
            } else {
                let begun = LookUp::default();
                known.push((sight, Arc::clone(&begun)));
                begun
            }
        };
        Arc::clone(found.get_or_init(async || Arc::new(look_up.await)).await)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures::future::join_all;
    use vocabulary::resources::models::{ACCESS_TOKEN, ACTION};
    use vocabulary::{BrandId, UserId};

    use super::*;

    fn of_user(user: i32, brand: i32) -> Scope {
        Scope::within(UserId(user), vec![BrandId(brand)], Vec::new())
    }

    fn sight(scope: Scope, model: &'static Model) -> RowSight {
        RowSight {
            scope,
            model,
            condition: Condition::everything(),
        }
    }

    #[tokio::test]
    async fn what_readers_see_alike_is_looked_up_once_however_many_ask_at_once() {
        let (seen, look_ups) = (SeenBySight::default(), AtomicUsize::new(0));
        let ask = async |sight: RowSight, id: i64| {
            let look_up = async {
                look_ups.fetch_add(1, Ordering::SeqCst);
                tokio::task::yield_now().await;
                SeenRows {
                    before: BTreeSet::from([id]),
                    ..SeenRows::default()
                }
            };
            seen.look_up_once(sight, look_up).await.before.clone()
        };
        let alike = join_all((1..=50).map(|user| ask(sight(of_user(user, 1), &ACTION), 7))).await;
        assert!(alike.iter().all(|before| *before == BTreeSet::from([7])));
        assert_eq!(look_ups.load(Ordering::SeqCst), 1);

        let others = [
            sight(of_user(1, 2), &ACTION),
            sight(Scope::administrator(UserId(1)), &ACTION),
            sight(of_user(1, 1), &ACCESS_TOKEN),
            // Tokens belong to their user, whatever brands another one sees.
            sight(of_user(2, 1), &ACCESS_TOKEN),
        ];
        for (number, other) in (8..).zip(others) {
            assert_eq!(ask(other, number).await, BTreeSet::from([number]));
        }
        assert_eq!(look_ups.load(Ordering::SeqCst), 5);
    }

    #[tokio::test]
    async fn a_look_up_that_is_given_up_is_taken_over() {
        let seen = SeenBySight::default();
        let mut given_up = Box::pin(seen.look_up_once(sight(of_user(1, 1), &ACTION), std::future::pending()));
        assert!(futures::poll!(&mut given_up).is_pending());
        drop(given_up);
        let found = SeenRows {
            before: BTreeSet::from([3]),
            ..SeenRows::default()
        };
        let seen = seen.look_up_once(sight(of_user(2, 1), &ACTION), async { found }).await;
        assert_eq!(seen.before, BTreeSet::from([3]));
    }
}
