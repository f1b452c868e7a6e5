//! Writing sems by hand. A captured ad is what was seen; it is not changed here.

use serde_json::Value as Json;
use vocabulary::Scope;
use vocabulary::resources::{Condition, Field, Fields, Filter, MAX_ROWS, Value};

use super::row::{HandRow, SemRow};
use super::{Origin, select};
use crate::{Client, Error};

/// A field and its new value.
pub type Change = (&'static Field, Value);

/// The brands of terms that have one.
pub type Brands = std::collections::BTreeMap<i64, i32>;

/// Numbers of this many rows follow each other under one number of a manifest.
const ROWS_OF_NUMBER: i64 = 8_192;

/// Stores rows under a number that nothing else has, and answers their ids. `brands` tells whose the terms are.
pub async fn insert(client: &Client, number: i64, rows: &[Vec<Change>], brands: &Brands) -> Result<Vec<i64>, Error> {
    let ids: Vec<i64> = (number * ROWS_OF_NUMBER..).take(rows.len()).collect();
    let version = u64::try_from(number).unwrap_or_default();
    let made = ids.iter().zip(rows).map(|(id, values)| {
        let mut row = HandRow::empty(u64::try_from(*id).unwrap_or_default(), version);
        for (field, value) in values {
            row.set(field.column, value, brands);
        }
        row
    });
    store(client, made.collect()).await?;
    Ok(ids)
}

/// Changes the rows that meet a condition, under a number higher than any before, and answers them as they are then.
pub async fn update(
    client: &Client,
    scope: &Scope,
    origin: Origin<'_>,
    condition: &Condition,
    number: i64,
    changes: &[Change],
    brands: &Brands,
) -> Result<Vec<Json>, Error> {
    let found = by_hand(client, scope, origin, condition).await?;
    let version = u64::try_from(number).unwrap_or_default();
    let ids: Vec<_> = found
        .iter()
        .map(|row| Value::Whole(i64::try_from(row.id).unwrap_or(i64::MAX)))
        .collect();
    let next = found.into_iter().map(|row| {
        let mut row = HandRow::of(row, version);
        for (field, value) in changes {
            row.set(field.column, value, brands);
        }
        row
    });
    store(client, next.collect()).await?;
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let those = Condition::test(
        vocabulary::resources::models::SEM.id(),
        vocabulary::resources::Test::OneOf(ids),
    );
    let filter = Filter {
        limit: MAX_ROWS,
        ..Filter::of(those)
    };
    let rows = select(client, scope, origin, &filter).await?;
    Ok(rows.iter().map(|row| row.json(&Fields::All)).collect())
}

/// Takes the rows away that meet a condition, under a number higher than any before, and answers their ids.
pub async fn remove(
    client: &Client,
    scope: &Scope,
    origin: Origin<'_>,
    condition: &Condition,
    number: i64,
) -> Result<Vec<Json>, Error> {
    let found = by_hand(client, scope, origin, condition).await?;
    let version = u64::try_from(number).unwrap_or_default();
    let ids = found.iter().map(|row| Json::from(row.id)).collect();
    store(
        client,
        found
            .into_iter()
            .map(|row| HandRow::of(row, version).removed())
            .collect(),
    )
    .await?;
    Ok(ids)
}

/// The rows that meet a condition; refuses when one of them was captured.
async fn by_hand(
    client: &Client,
    scope: &Scope,
    origin: Origin<'_>,
    condition: &Condition,
) -> Result<Vec<SemRow>, Error> {
    let filter = Filter {
        limit: MAX_ROWS,
        ..Filter::of(condition.clone())
    };
    let found = select(client, scope, origin, &filter).await?;
    if found.iter().any(|row| row.by_hand == 0) {
        Err(Error::Captured)
    } else {
        Ok(found)
    }
}

async fn store(client: &Client, rows: Vec<HandRow>) -> Result<(), Error> {
    if rows.is_empty() {
        return Ok(());
    }
    let failed = |error| client.error(error);
    let mut insert = client
        .database()
        .insert::<HandRow>("sems_by_hand")
        .await
        .map_err(failed)?;
    for row in &rows {
        insert.write(row).await.map_err(failed)?;
    }
    insert.end().await.map_err(failed)
}
