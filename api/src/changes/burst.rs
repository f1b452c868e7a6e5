//! Changes of one table, merged.

use std::collections::{BTreeMap, BTreeSet};

use postgres::changes::Change;
use serde_json::{Value as Json, json};
use tokio::sync::OnceCell;
use vocabulary::{BrandId, Scope};

use super::seen::SeenBySight;

/// The brand that each row has now.
type Brands = BTreeMap<i64, Option<BrandId>>;

/// Several notifications merged: the columns each row had before the first of them, the ids that may exist after the last, and those of rows that did
/// not change but in their links.
#[derive(Debug, Default)]
pub(crate) struct Burst {
    was: BTreeMap<i64, Json>,
    is: BTreeSet<i64>,
    relinked: BTreeSet<i64>,
    brands: OnceCell<Option<Brands>>,
    pub(crate) seen: SeenBySight,
}

impl Burst {
    /// Merges notifications in their order: the ids of rows that are there, and rows as they were before the first change. A row that is created and
    /// deleted within them leaves no trace; changes of rights are skipped.
    pub(super) fn from_changes<'a>(changes: impl Iterator<Item = &'a Change>) -> Self {
        let mut burst = Self::default();
        let id = |row: &Json| row.get("id").and_then(Json::as_i64);
        let mut made = BTreeSet::new();
        for change in changes {
            match change {
                Change::Create { ids } => {
                    made.extend(ids);
                    burst.is.extend(ids);
                }
                Change::Update { was } => {
                    for (id, row) in was.iter().filter_map(|row| Some((id(row)?, row))) {
                        burst.is.insert(id);
                        burst.relinked.remove(&id);
                        burst.keep(&made, id, row);
                    }
                }
                Change::Links { was } => {
                    for (id, row) in was.iter().filter_map(|row| Some((id(row)?, row))) {
                        if burst.is.insert(id) {
                            burst.relinked.insert(id);
                        }
                        burst.keep(&made, id, row);
                    }
                }
                Change::Remove { row } => {
                    if let Some(id) = id(row) {
                        burst.is.remove(&id);
                        burst.relinked.remove(&id);
                        burst.keep(&made, id, row);
                    }
                }
                Change::Rights { .. } => {}
            }
        }
        burst
    }

    /// Keeps the oldest known columns of a row, and its oldest known links; a row created in this burst had none.
    fn keep(&mut self, made: &BTreeSet<i64>, id: i64, row: &Json) {
        if made.contains(&id) {
            return;
        }
        let was = self.was.entry(id).or_insert_with(|| json!({}));
        if let (Json::Object(was), Json::Object(row)) = (was, row) {
            for (name, value) in row {
                was.entry(name).or_insert_with(|| value.clone());
            }
        }
    }

    /// Whether the burst changed the row with this id.
    pub(crate) fn names(&self, id: i64) -> bool {
        self.was.contains_key(&id) || self.is.contains(&id)
    }

    /// The ids of the rows that the burst changed; some come twice.
    pub(crate) fn ids(&self) -> impl Iterator<Item = i64> {
        self.was.keys().chain(&self.is).copied()
    }

    /// Whether nothing changed.
    pub(crate) fn is_empty(&self) -> bool {
        self.was.is_empty() && self.is.is_empty()
    }

    /// Whether the row with this id did not change but in its links.
    pub(crate) fn is_relinked(&self, id: i64) -> bool {
        self.relinked.contains(&id)
    }

    /// The rows as they were, and the ids of those that may be there now.
    pub(crate) fn whole(&self) -> (Vec<Json>, Vec<i64>) {
        (self.was.values().cloned().collect(), self.is.iter().copied().collect())
    }

    /// As [`Burst::whole`], without rows that a scope sees neither before nor after, of a table whose rows are seen by their brand. `brands_now` finds the
    /// brands that rows have now; without them, every row may be seen now.
    pub(crate) async fn of_brands<F>(
        &self,
        scope: &Scope,
        brands_now: impl FnOnce(Vec<i64>) -> F,
    ) -> (Vec<Json>, Vec<i64>)
    where
        F: Future<Output = Option<Brands>>,
    {
        if scope.brands().is_none() {
            return self.whole();
        }
        let brands = self
            .brands
            .get_or_init(|| brands_now(self.is.iter().copied().collect()))
            .await;
        let is_seen = |brand: Option<BrandId>| brand.is_some_and(|brand| scope.sees_brand(brand));
        let seen_now = |id: &i64| match brands {
            Some(brands) => brands.get(id).is_some_and(|brand| is_seen(*brand)),
            None => true,
        };
        // Of a very long row the brand may be missing.
        let seen_before = |row: &Json| row.get("brand_id").is_none_or(|brand| is_seen(brand_of(brand)));
        let now = self
            .is
            .iter()
            .copied()
            .filter(|id| seen_now(id) || self.was.get(id).is_some_and(seen_before));
        (
            self.was.values().filter(|row| seen_before(row)).cloned().collect(),
            now.collect(),
        )
    }
}

fn brand_of(value: &Json) -> Option<BrandId> {
    i32::try_from(value.as_i64()?).ok().map(BrandId)
}

#[cfg(test)]
mod tests {
    use vocabulary::UserId;

    use super::*;

    #[tokio::test]
    async fn rows_are_left_out_whose_brand_was_and_is_out_of_sight() {
        let was = |id: i64, brand: i64| json!({ "id": id, "brand_id": brand });
        let changes = [
            Change::Update {
                // The first stays out of sight, the second comes into it, the third leaves it, the fourth stays, and of the fifth it is not known.
                was: vec![was(1, 8), was(2, 8), was(3, 7), was(4, 7), json!({ "id": 5 })],
            },
            Change::Create { ids: vec![6, 7] },
            Change::Remove { row: was(8, 8) },
            Change::Remove { row: was(9, 7) },
        ];
        let scope = Scope::within(UserId(1), vec![BrandId(7)], Vec::new());
        let now = [(1, 8), (2, 7), (3, 8), (4, 7), (5, 8), (6, 7), (7, 8)];
        let now = now.map(|(id, brand)| (id, Some(BrandId(brand)))).into_iter().collect();

        let burst = Burst::from_changes(changes.iter());
        let (before, after) = burst.of_brands(&scope, async |_| Some(now)).await;
        let before: Vec<i64> = before.iter().filter_map(|row| row["id"].as_i64()).collect();
        assert_eq!((before, after), (vec![3, 4, 5, 9], vec![2, 3, 4, 5, 6]));

        let burst = Burst::from_changes(changes.iter());
        let (before, after) = burst.of_brands(&scope, async |_| None).await;
        assert_eq!((before.len(), after), (4, vec![1, 2, 3, 4, 5, 6, 7]));
        let everything = Scope::everything(UserId(1));
        assert_eq!(burst.of_brands(&everything, async |_| None).await, burst.whole());
    }
}
