//! The last runs of terms, whatever became of them.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{CaptureId, Device, Engine, Scope, SlotState};

use crate::Result;
use crate::scoped::ScopeLists;
use crate::stored::parse;

/// One run of a term on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureRun {
    /// The name of its capture, taken or not.
    pub capture: CaptureId,
    /// The words it searched.
    pub term: String,
    /// Where it is searched.
    pub engine: Engine,
    /// On which device.
    pub device: Device,
    /// `language_COUNTRY`; `None` for a term without a place.
    pub locale: Option<String>,
    /// How far it came.
    pub state: SlotState,
    /// Why it failed or was missed.
    pub reason: Option<String>,
    /// When it was due.
    pub slot_time: DateTime<Utc>,
    /// When its page was received; `None` while none was.
    pub taken_at: Option<DateTime<Utc>>,
    /// Text and shopping ads read off its page; `None` while no page was read.
    pub ads: Option<(u32, u32)>,
}

/// The runs of terms in scope that were due in the last 35 days, in any state, newest first, at most `limit`. A run without a read page has no number
/// of ads.
pub async fn last(executor: impl PgExecutor<'_>, scope: &Scope, limit: i64) -> Result<Vec<CaptureRun>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query_file!(
        "queries/last_runs.sql",
        bounds.brands as Option<Vec<i32>>,
        bounds.terms as Option<Vec<i32>>,
        limit
    )
    .fetch_all(executor)
    .await?;
    rows.into_iter()
        .map(|row| {
            let counted = |count: i32| u32::try_from(count).unwrap_or_default();
            Ok(CaptureRun {
                capture: CaptureId(row.capture_id),
                term: row.term,
                engine: parse("term.engine", &row.engine)?,
                device: parse("slot.device", &row.device)?,
                locale: row.locale,
                state: parse("slot.state", &row.state)?,
                reason: row.reason,
                slot_time: row.slot_ts,
                taken_at: row.taken_at,
                ads: row
                    .text_ads
                    .zip(row.shopping_ads)
                    .map(|(text, shopping)| (counted(text), counted(shopping))),
            })
        })
        .collect()
}
