//! Which sems a write meets, and writing those entered by hand. [`super::correction`] corrects captured ones.

use serde_json::Value as Json;
use vocabulary::Scope;
use vocabulary::resources::models::SEM;
use vocabulary::resources::{Condition, Field, Fields, Filter, MAX_ROWS, Value, ValueTest};

use super::row::{ManualRow, SemRow};
use super::{Brands, Origin, select_rows};
use crate::{Client, Error};

/// A field of a sem and the value to set it to.
pub type Assignment = (&'static Field, Value);

/// How many ids one number of a manifest has: `number * 8192` and those after it.
const ROWS_OF_NUMBER: i64 = 8_192;

/// The sems that a write changes, as they are before it.
#[derive(Clone, Debug)]
pub struct MatchedSems {
    by_hand: Vec<SemRow>,
    captured: Vec<SemRow>,
}

impl MatchedSems {
    /// Whether no sem was matched.
    pub const fn is_empty(&self) -> bool {
        self.by_hand.is_empty() && self.captured.is_empty()
    }

    /// The ids of the captured sems.
    pub fn captured_ids(&self) -> Vec<u64> {
        self.captured.iter().map(|row| row.id).collect()
    }

    /// A condition that only the captured sems meet; none meets it if no captured sem was matched.
    pub fn captured_condition(&self) -> Condition {
        let ids = self.captured.iter();
        let ids = ids.map(|row| Value::Whole(i64::try_from(row.id).unwrap_or(i64::MAX)));
        Condition::test(SEM.id(), ValueTest::OneOf(ids.collect()))
    }

    /// These sems entered by hand, with the captured sems of `other`.
    #[must_use]
    pub fn with_captured_of(self, other: Self) -> Self {
        Self {
            captured: other.captured,
            ..self
        }
    }

    /// The captured sems with all fields, as clients get them.
    pub fn captured_rows(&self) -> Vec<Json> {
        rows_for_clients(&self.captured)
    }

    /// The sems entered by hand with all fields, as clients get them.
    pub fn rows_by_hand(&self) -> Vec<Json> {
        rows_for_clients(&self.by_hand)
    }
}

/// Rows with all fields, as clients get them.
fn rows_for_clients(rows: &[SemRow]) -> Vec<Json> {
    rows.iter().map(|row| row.json(&Fields::All)).collect()
}

/// The sems that the scope sees, that belong to `origin` and meet the condition: those that a write changes, at most [`MAX_ROWS`]. More are left out
/// without an error.
pub async fn matching(
    client: &Client,
    scope: &Scope,
    origin: Origin<'_>,
    condition: &Condition,
) -> Result<MatchedSems, Error> {
    let filter = Filter {
        limit: MAX_ROWS,
        ..Filter::from_condition(condition.clone())
    };
    let found = select_rows(client, scope, origin, &filter).await?;
    let (by_hand, captured) = found.into_iter().partition(|row| row.by_hand == 1);
    Ok(MatchedSems { by_hand, captured })
}

/// Stores rows entered by hand, at most 8,192, under a number that nothing else has, and returns their ids in order: `number * 8192` and those after
/// it. `brands` must have the brand of every term that they name, by the id of the term; a term that it lacks has none.
pub async fn insert_by_hand(
    client: &Client,
    number: i64,
    rows: &[Vec<Assignment>],
    brands: &Brands,
) -> Result<Vec<i64>, Error> {
    let ids: Vec<i64> = (number * ROWS_OF_NUMBER..).take(rows.len()).collect();
    let version = u64::try_from(number).unwrap_or_default();
    let stored_rows = ids.iter().zip(rows).map(|(id, values)| {
        let mut row = SemRow::empty(u64::try_from(*id).unwrap_or_default());
        for (field, value) in values {
            row.set(field.column, value, brands);
        }
        ManualRow::from_sem(row, version)
    });
    insert_versions(client, stored_rows.collect()).await?;
    Ok(ids)
}

/// Stores the matched sems that were entered by hand with these changes, under a number higher than any before, and returns them as changed, with all
/// fields. Captured ones are left alone. `brands` is as for [`insert_by_hand`].
pub async fn update_by_hand(
    client: &Client,
    met: &MatchedSems,
    number: i64,
    changes: &[Assignment],
    brands: &Brands,
) -> Result<Vec<Json>, Error> {
    let version = u64::try_from(number).unwrap_or_default();
    let mut next = met.by_hand.clone();
    for row in &mut next {
        for (field, value) in changes {
            row.set(field.column, value, brands);
        }
    }
    let shown_rows = rows_for_clients(&next);
    insert_versions(
        client,
        next.into_iter().map(|row| ManualRow::from_sem(row, version)).collect(),
    )
    .await?;
    Ok(shown_rows)
}

/// Deletes the matched sems that were entered by hand, under a number higher than any before. Captured ones are left alone.
pub async fn remove_by_hand(client: &Client, met: &MatchedSems, number: i64) -> Result<(), Error> {
    let version = u64::try_from(number).unwrap_or_default();
    let rows = met.by_hand.iter().cloned();
    insert_versions(
        client,
        rows.map(|row| ManualRow::from_sem(row, version).removed()).collect(),
    )
    .await
}

/// Inserts versions of sems entered by hand; of each id the highest version counts, so earlier ones are not changed. Without rows nothing is sent.
async fn insert_versions(client: &Client, rows: Vec<ManualRow>) -> Result<(), Error> {
    if rows.is_empty() {
        return Ok(());
    }
    let failed = |error| client.error(error);
    let inserted = async {
        let mut insert = client
            .database()
            .insert::<ManualRow>("sems_by_hand")
            .await
            .map_err(failed)?;
        for row in &rows {
            insert.write(row).await.map_err(failed)?;
        }
        insert.end().await.map_err(failed)
    };
    client.while_alive(inserted).await
}
