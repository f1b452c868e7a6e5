//! The journal of what administrators did.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{CaptureId, Engine, SlotId, UserId};

use crate::Result;
use crate::stored::parse;

/// Something an administrator can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum OperatorAction {
    /// Stopped an engine.
    Pause,
    /// Let it go on.
    Resume,
    /// Asked for a capture again.
    Retry,
    /// Set a capture aside.
    Discard,
}

/// The administrator who acts.
#[derive(Clone, Copy, Debug)]
pub struct Operator<'a> {
    /// The administrator's account.
    pub user: UserId,
    /// The user's name, which outlives the account.
    pub name: &'a str,
}

/// An entry of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalEntry {
    /// Its number; later entries have higher ones.
    pub id: i64,
    /// When it was done.
    pub at: DateTime<Utc>,
    /// Name of the administrator.
    pub by: String,
    /// What was done.
    pub act: OperatorAction,
    /// On which engine.
    pub engine: Engine,
    /// On which capture.
    pub capture: Option<CaptureId>,
    /// The words it searched.
    pub term: Option<String>,
    /// What was said about it.
    pub note: Option<String>,
}

/// The run that an action concerns.
pub(super) struct ReviewedRun<'a> {
    pub(super) slot: SlotId,
    pub(super) capture: CaptureId,
    pub(super) engine: Engine,
    pub(super) term: &'a str,
}

/// The newest entries of the journal, newest first, at most `limit`. Does not ask for a scope.
pub async fn last(executor: impl PgExecutor<'_>, limit: i64) -> Result<Vec<JournalEntry>> {
    let rows = sqlx::query!(
        "select id, at, user_name, act, engine, capture_id, term, note from operator_act order by id desc limit $1",
        limit
    )
    .fetch_all(executor)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(JournalEntry {
                id: row.id,
                at: row.at,
                by: row.user_name,
                act: parse("operator_act.act", &row.act)?,
                engine: parse("operator_act.engine", &row.engine)?,
                capture: row.capture_id.map(CaptureId),
                term: row.term,
                note: row.note,
            })
        })
        .collect()
}

/// Writes an entry about an engine. Call it in the transaction of the action.
pub(super) async fn record_on_engine(
    executor: impl PgExecutor<'_>,
    by: &Operator<'_>,
    act: OperatorAction,
    engine: Engine,
    note: Option<&str>,
) -> Result<()> {
    sqlx::query!(
        "insert into operator_act (user_id, user_name, act, engine, note) values ($1, $2, $3, $4, $5)",
        by.user.0,
        by.name,
        act.to_string(),
        engine.to_string(),
        note
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Writes an entry about a run, which thereby counts as handled. Call it in the transaction of the action.
pub(super) async fn record_on_capture(
    executor: impl PgExecutor<'_>,
    by: &Operator<'_>,
    act: OperatorAction,
    run: &ReviewedRun<'_>,
) -> Result<()> {
    sqlx::query!(
        "insert into operator_act (user_id, user_name, act, engine, slot_id, capture_id, term)
         values ($1, $2, $3, $4, $5, $6, $7)",
        by.user.0,
        by.name,
        act.to_string(),
        run.engine.to_string(),
        run.slot.0,
        run.capture.0,
        run.term
    )
    .execute(executor)
    .await?;
    Ok(())
}
