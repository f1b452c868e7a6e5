//! Engines that an administrator has paused. They stay paused over restarts until they are resumed.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::Engine;

use super::journal::{self, Operator, OperatorAction};
use crate::stored::parse;
use crate::{Connection, Result};

/// An engine on which no capture starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pause {
    /// The paused engine.
    pub engine: Engine,
    /// When it was paused.
    pub since: DateTime<Utc>,
    /// Name of the administrator who paused it.
    pub by: String,
    /// Why, if it was said.
    pub reason: Option<String>,
}

/// The paused engines with who paused them, when and why, ordered by name.
pub async fn all(executor: impl PgExecutor<'_>) -> Result<Vec<Pause>> {
    let rows = sqlx::query!("select engine, since, user_name, reason from engine_pause order by engine")
        .fetch_all(executor)
        .await?;
    rows.into_iter()
        .map(|row| {
            Ok(Pause {
                engine: parse("engine_pause.engine", &row.engine)?,
                since: row.since,
                by: row.user_name,
                reason: row.reason,
            })
        })
        .collect()
}

/// Whether an administrator has paused this engine, as the database says now.
pub async fn is_paused(executor: impl PgExecutor<'_>, engine: Engine) -> Result<bool> {
    let found = sqlx::query_scalar!(
        r#"select exists (select from engine_pause where engine = $1) as "found!""#,
        engine.to_string()
    )
    .fetch_one(executor)
    .await?;
    Ok(found)
}

/// Pauses an engine for all workers and journals it. `false`, and nothing is written, when it is paused already. Call it in a transaction.
pub async fn pause(
    connection: &mut Connection,
    by: &Operator<'_>,
    engine: Engine,
    reason: Option<&str>,
) -> Result<bool> {
    let done = sqlx::query!(
        "insert into engine_pause (engine, user_id, user_name, reason) values ($1, $2, $3, $4) on conflict (engine) do nothing",
        engine.to_string(),
        by.user.0,
        by.name,
        reason
    )
    .execute(&mut *connection)
    .await?;
    if done.rows_affected() == 0 {
        return Ok(false);
    }
    journal::record_on_engine(connection, by, OperatorAction::Pause, engine, reason).await?;
    Ok(true)
}

/// Ends the pause of an engine and journals it. `false`, and nothing is written, when it is not paused. Call it in a transaction.
pub async fn resume(connection: &mut Connection, by: &Operator<'_>, engine: Engine) -> Result<bool> {
    let done = sqlx::query!("delete from engine_pause where engine = $1", engine.to_string())
        .execute(&mut *connection)
        .await?;
    if done.rows_affected() == 0 {
        return Ok(false);
    }
    journal::record_on_engine(connection, by, OperatorAction::Resume, engine, None).await?;
    Ok(true)
}
