//! What changes replaced, for the moment in which their author can undo them.

use chrono::{DateTime, Utc};
use serde_json::Value as Json;
use sqlx::PgExecutor;
use uuid::Uuid;
use vocabulary::SystemScope;

use crate::Result;
use crate::audit::AuditActor;

/// An operation of one author: what its calls changed is undone as one.
#[derive(Clone, Copy, Debug)]
pub struct Operation<'a> {
    /// Its author; the id of the request does not matter.
    pub author: &'a AuditActor,
    /// The name that the author's client gave it.
    pub name: Uuid,
}

/// What one change replaced in one row.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptChange {
    /// The kind of row.
    pub model: String,
    /// The id of the changed row.
    pub row: i32,
    /// An object: the changed fields before.
    pub before: Json,
    /// An object: the same fields after.
    pub after: Json,
}

/// A kept change, and when it was made.
#[derive(Clone, Debug, PartialEq)]
pub struct TakenChange {
    /// When the change was made.
    pub at: DateTime<Utc>,
    /// What it replaced.
    pub change: KeptChange,
}

/// Keeps what an operation replaced at an instant. Call it in the transaction of the changes.
pub async fn keep(
    executor: impl PgExecutor<'_>,
    operation: Operation<'_>,
    at: DateTime<Utc>,
    changes: &[KeptChange],
) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let models: Vec<String> = changes.iter().map(|change| change.model.clone()).collect();
    let rows: Vec<i32> = changes.iter().map(|change| change.row).collect();
    let before: Vec<Json> = changes.iter().map(|change| change.before.clone()).collect();
    let after: Vec<Json> = changes.iter().map(|change| change.after.clone()).collect();
    sqlx::query!(
        "insert into kept_change (actor_id, acting_as_id, operation, at, model, row_id, before, after)
         select $1, $2, $3, $4, kept.*
         from unnest($5::text[], $6::int[], $7::jsonb[], $8::jsonb[]) as kept",
        operation.author.actor.0,
        operation.author.acting_as.map(|user| user.0),
        operation.name,
        at,
        &models,
        &rows,
        &before,
        &after
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Takes what an operation replaced out of what is kept, oldest first; empty if its author has no such operation. Of two transactions that take the same
/// at once the second waits for the first, and finds nothing if that commits.
pub async fn take(executor: impl PgExecutor<'_>, operation: Operation<'_>) -> Result<Vec<TakenChange>> {
    let rows = sqlx::query!(
        r#"with taken as (
               delete from kept_change
               where actor_id = $1 and acting_as_id is not distinct from $2 and operation = $3
               returning *
           )
           select at as "at!", model as "model!", row_id as "row_id!", before as "before!", after as "after!"
           from taken order by id"#,
        operation.author.actor.0,
        operation.author.acting_as.map(|user| user.0),
        operation.name
    )
    .fetch_all(executor)
    .await?;
    let taken = rows.into_iter().map(|row| TakenChange {
        at: row.at,
        change: KeptChange {
            model: row.model,
            row: row.row_id,
            before: row.before,
            after: row.after,
        },
    });
    Ok(taken.collect())
}

/// Forgets what was replaced before an instant. Returns how many changes of rows.
pub async fn forget_before(executor: impl PgExecutor<'_>, _system: &SystemScope, before: DateTime<Utc>) -> Result<u64> {
    let done = sqlx::query!("delete from kept_change where at < $1", before)
        .execute(executor)
        .await?;
    Ok(done.rows_affected())
}
