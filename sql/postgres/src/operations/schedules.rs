//! The grids of enabled terms, with their next and last runs.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{CaptureId, Device, Engine, Scope, SlotState, TermId};

use crate::Result;
use crate::stored::{parse, parse_some};

/// When a term runs on a device, and how that went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Id of the term.
    pub term_id: TermId,
    /// Words of the term.
    pub term: String,
    /// The name of its brand.
    pub brand: Option<String>,
    /// Where it is searched.
    pub engine: Engine,
    /// On which device.
    pub device: Device,
    /// As in `fr_FR`; `None` for a term without a localization.
    pub locale: Option<String>,
    /// Milliseconds between runs.
    pub every_millis: i64,
    /// When it runs next.
    pub next_run: DateTime<Utc>,
    /// Its last run; `None` before the first.
    pub last: Option<LastRun>,
    /// Runs due in the last seven days.
    pub runs: u64,
    /// Those of them that failed.
    pub failures: u64,
    /// Those of them that were missed.
    pub missed: u64,
}

/// The last run of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastRun {
    /// The id of its capture, taken or not.
    pub capture: CaptureId,
    /// When it was due.
    pub at: DateTime<Utc>,
    /// How far it came.
    pub state: SlotState,
    /// Why it failed or was missed.
    pub reason: Option<String>,
}

/// Which schedules to list.
#[derive(Clone, Debug, Default)]
pub struct SchedulesQuery<'a> {
    /// Part of the words; everything when empty.
    pub text: &'a str,
    /// Those of one engine.
    pub engine: Option<Engine>,
    /// Those with a failure in the last seven days.
    pub failing: bool,
    /// Rows at most.
    pub limit: i64,
    /// Rows before them.
    pub offset: i64,
}

/// A page of the schedules that match, ordered by their next run, and how many match in all. Empty, with 0, unless the scope administers.
pub async fn list(
    executor: impl PgExecutor<'_> + Copy,
    scope: &Scope,
    query: &SchedulesQuery<'_>,
) -> Result<(Vec<Schedule>, u64)> {
    if !scope.administers() {
        return Ok((Vec::new(), 0));
    }
    let engine = query.engine.map(|engine| engine.to_string());
    let total = sqlx::query_file_scalar!("queries/count_schedules.sql", query.text, engine, query.failing)
        .fetch_one(executor)
        .await?;
    let rows = sqlx::query_file!(
        "queries/schedules.sql",
        query.text,
        engine,
        query.failing,
        query.limit,
        query.offset
    )
    .fetch_all(executor)
    .await?;
    let schedules: Result<Vec<Schedule>> = rows
        .into_iter()
        .map(|row| {
            let state = parse_some("slot.state", row.last_state.as_deref())?;
            let last = row.last_capture.zip(row.last_at).zip(state);
            Ok(Schedule {
                term_id: TermId(row.term_id),
                term: row.term,
                brand: row.brand,
                engine: parse("term.engine", &row.engine)?,
                device: parse("term_due.device", &row.device)?,
                locale: row.locale,
                every_millis: row.every_ms,
                next_run: row.next_slot,
                last: last.map(|((capture, at), state)| LastRun {
                    capture: CaptureId(capture),
                    at,
                    state,
                    reason: row.last_reason,
                }),
                runs: row.runs.unsigned_abs(),
                failures: row.failures.unsigned_abs(),
                missed: row.missed.unsigned_abs(),
            })
        })
        .collect();
    Ok((schedules?, total.unsigned_abs()))
}
