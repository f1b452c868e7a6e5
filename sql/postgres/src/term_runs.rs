//! The next and the last run of terms, for the rows of a list.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{CaptureId, Device, Scope, SlotState, TermId, Verdict};

use crate::Result;
use crate::scoped::ScopeLists;
use crate::stored::{parse, parse_some};

/// When a term runs next on a device, and how its last run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermRuns {
    /// Id of the term.
    pub term: TermId,
    /// On which device.
    pub device: Device,
    /// `None` for a term that is paused or cannot be captured.
    pub next_run: Option<DateTime<Utc>>,
    /// Whether a run waits or is under way.
    pub is_under_way: bool,
    /// Its last run that ended; `None` without one in the last 70 days.
    pub last: Option<EndedRun>,
}

/// A run that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedRun {
    /// The id of its capture, taken or not.
    pub capture: CaptureId,
    /// When its page was received, else when it was due.
    pub at: DateTime<Utc>,
    /// `Verified`, `Failed` or `Missed`.
    pub state: SlotState,
    /// Why it failed or was missed.
    pub reason: Option<String>,
    /// What its page is; `None` while none was read.
    pub verdict: Option<Verdict>,
    /// Text and shopping ads read off its page.
    pub ads: Option<u32>,
}

/// The runs of the visible terms among `terms` by term and device, for each device that has a next or a last run.
pub async fn of_terms(executor: impl PgExecutor<'_>, scope: &Scope, terms: &[TermId]) -> Result<Vec<TermRuns>> {
    let bounds = ScopeLists::from_scope(scope);
    let ids: Vec<i32> = terms.iter().map(|term| term.0).collect();
    let rows = sqlx::query_file!(
        "queries/term_runs.sql",
        bounds.brands as Option<Vec<i32>>,
        bounds.terms as Option<Vec<i32>>,
        &ids
    )
    .fetch_all(executor)
    .await?;
    rows.into_iter()
        .map(|row| {
            let state: Option<SlotState> = parse_some("slot.state", row.last_state.as_deref())?;
            let verdict = parse_some("capture.verdict", row.last_verdict.as_deref())?;
            let ads = row.last_text_ads.zip(row.last_shopping_ads);
            let last = row.last_capture.zip(row.last_at).zip(state);
            Ok(TermRuns {
                term: TermId(row.term_id),
                device: parse("term_due.device", &row.device)?,
                next_run: row.next_slot,
                is_under_way: row.is_under_way,
                last: last.map(|((capture, at), state)| EndedRun {
                    capture: CaptureId(capture),
                    at,
                    state,
                    reason: row.last_reason,
                    verdict,
                    ads: ads.map(|(text, shopping)| (text + shopping).unsigned_abs()),
                }),
            })
        })
        .collect()
}
