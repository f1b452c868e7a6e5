//! Runs that an administrator should review: doubtful captures, and failures.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{BrandId, CaptureFailure, CaptureId, Device, Engine, Scope, SlotId, SlotState, TermState};

use super::journal::{self, Operator, OperatorAction, ReviewedRun};
use crate::captures::Digest;
use crate::slots::HeldSlot;
use crate::stored::{digest, parse, parse_some};
use crate::{Connection, Result};

/// Failures that come from the input or from Vigie, not from the engine: another attempt would not mend them.
const QUARANTINED: [CaptureFailure; 3] = [
    CaptureFailure::Poison,
    CaptureFailure::Unreadable,
    CaptureFailure::Refused,
];
/// No list is counted beyond this: more is 'many'.
const COUNTED: i64 = 1_000;

/// Why a run needs a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::EnumString, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum ReviewKind {
    /// Ads were read, but there may be more.
    Doubtful,
    /// Its page kills the workers, cannot be read, or its ads cannot be stored.
    Quarantined,
    /// It failed for another reason, after all its attempts.
    Failed,
}

/// A run to be reviewed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reviewed {
    /// Id of the slot.
    pub slot: SlotId,
    /// The id of its capture, taken or not.
    pub capture: CaptureId,
    /// Why; `None` for a run that is in order or not at its end.
    pub kind: Option<ReviewKind>,
    /// Whether an administrator has retried or discarded it since it ended.
    pub is_handled: bool,
    /// The words it searches.
    pub term: String,
    /// Whether the term is searched at all now.
    pub is_enabled: bool,
    /// Its brand, by name.
    pub brand: Option<String>,
    /// The brand its ads are kept under.
    pub brand_id: Option<BrandId>,
    /// Engine of the term.
    pub engine: Engine,
    /// On which device.
    pub device: Device,
    /// As in `fr_FR`; `None` for a term without a localization.
    pub locale: Option<String>,
    /// When it was due.
    pub slot_time: DateTime<Utc>,
    /// When the page of its capture was received.
    pub taken_at: Option<DateTime<Utc>>,
    /// When it ended.
    pub settled_at: Option<DateTime<Utc>>,
    /// Attempts made so far.
    pub attempts: u32,
    /// Why it failed, or the doubt about its reading.
    pub reason: Option<String>,
    /// Text and shopping ads read; `None` where no result page was.
    pub ads: Option<(u32, u32)>,
    /// Where the search ended, if anywhere.
    pub final_url: Option<String>,
    /// The viewing copy of the last page received, while it is kept.
    pub view: Option<Digest>,
    /// The screenshot of that page, while it is kept.
    pub screenshot: Option<Digest>,
}

impl Reviewed {
    /// What the journal notes of this run.
    fn run(&self) -> ReviewedRun<'_> {
        ReviewedRun {
            slot: self.slot,
            capture: self.capture,
            engine: self.engine,
            term: &self.term,
        }
    }
}

/// Up to `limit` runs of a kind from the last 30 days that no administrator has handled since they ended, the last ended first. If there are more,
/// the latest are taken: doubtful ones by when their page was received, failed ones by their end. Empty unless the scope administers.
pub async fn open(connection: &mut Connection, scope: &Scope, kind: ReviewKind, limit: i64) -> Result<Vec<Reviewed>> {
    let slots = open_slots(&mut *connection, kind, limit).await?;
    of_slots(connection, scope, &slots).await
}

/// How many runs of a kind are open as [`open`] says; at most `COUNTED`, which means that many or more. Does not ask for a scope.
pub async fn count_open(executor: impl PgExecutor<'_>, kind: ReviewKind) -> Result<usize> {
    Ok(open_slots(executor, kind, COUNTED).await?.len())
}

/// The slots of up to `limit` runs of a kind that are open as [`open`] says: doubtful ones by when their page was received, others by their end, the
/// latest first.
async fn open_slots(executor: impl PgExecutor<'_>, kind: ReviewKind, limit: i64) -> Result<Vec<i64>> {
    let slots = match kind {
        ReviewKind::Doubtful => {
            sqlx::query_file_scalar!("queries/open_doubtful.sql", limit)
                .fetch_all(executor)
                .await?
        }
        ReviewKind::Quarantined | ReviewKind::Failed => {
            let quarantined = QUARANTINED.map(|failure| failure.to_string());
            sqlx::query_file_scalar!(
                "queries/open_failed.sql",
                &quarantined[..],
                kind == ReviewKind::Quarantined,
                limit
            )
            .fetch_all(executor)
            .await?
        }
    };
    Ok(slots)
}

/// The run whose capture has this id, even if none was taken, whether or not it needs a review or was handled. `None` when no slot has the id or the
/// scope does not administer.
pub async fn by_capture(connection: &mut Connection, scope: &Scope, capture: CaptureId) -> Result<Option<Reviewed>> {
    let slot = sqlx::query_scalar!(
        "select id from slot where capture_id = $1 and slot_ts >= captures_from($1) and slot_ts < captures_until($1)",
        capture.0
    )
    .fetch_optional(&mut *connection)
    .await?;
    let Some(slot) = slot else { return Ok(None) };
    Ok(of_slots(connection, scope, &[slot]).await?.pop())
}

/// The runs of these slots, whatever their state, the last ended first, with their last page while it is kept. Empty unless the scope administers.
async fn of_slots(executor: impl PgExecutor<'_>, scope: &Scope, slots: &[i64]) -> Result<Vec<Reviewed>> {
    if !scope.administers() {
        return Ok(Vec::new());
    }
    let rows = sqlx::query_file!("queries/reviewed.sql", slots)
        .fetch_all(executor)
        .await?;
    rows.into_iter()
        .map(|row| {
            let state = parse("slot.state", &row.state)?;
            let counted = |count: i32| u32::try_from(count).unwrap_or_default();
            let term_state: Option<TermState> = parse_some("term.state", row.term_state.as_deref())?;
            Ok(Reviewed {
                slot: SlotId(row.id),
                capture: CaptureId(row.capture_id),
                kind: review_kind(state, row.reason.as_deref(), row.doubt.is_some()),
                is_handled: row.is_handled,
                term: row.term,
                is_enabled: term_state == Some(TermState::Enabled),
                brand: row.brand,
                brand_id: row.brand_id.map(BrandId),
                engine: parse("term.engine", &row.engine)?,
                device: parse("slot.device", &row.device)?,
                locale: row.locale,
                slot_time: row.slot_ts,
                taken_at: row.taken_at,
                settled_at: row.settled_at,
                attempts: counted(row.attempt),
                reason: row.reason.or(row.doubt),
                ads: row
                    .text_ads
                    .zip(row.shopping_ads)
                    .map(|(text, shopping)| (counted(text), counted(shopping))),
                final_url: row.final_url,
                view: row
                    .view
                    .map(|bytes| digest("capture.view_sha256", &bytes))
                    .transpose()?,
                screenshot: row
                    .screenshot
                    .map(|bytes| digest("capture.screenshot_sha256", &bytes))
                    .transpose()?,
            })
        })
        .collect()
}

/// Why a run in this state needs a review: failed for one of the `QUARANTINED` reasons, failed otherwise, or verified with a doubt. `None` for a run
/// in any other state.
fn review_kind(state: SlotState, reason: Option<&str>, is_doubted: bool) -> Option<ReviewKind> {
    match state {
        SlotState::Failed => {
            let failure = reason.and_then(|reason| reason.parse().ok());
            Some(if failure.is_some_and(|failure| QUARANTINED.contains(&failure)) {
                ReviewKind::Quarantined
            } else {
                ReviewKind::Failed
            })
        }
        SlotState::Verified if is_doubted => Some(ReviewKind::Doubtful),
        _ => None,
    }
}

/// Outcome of [`retry`] or [`discard`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handled {
    /// It was done.
    Done,
    /// A new run was made, with a capture id of its own. The caller enqueues its job on the same transaction.
    Again(HeldSlot, CaptureId),
    /// No run has this capture id.
    Unknown,
    /// The run is in order, has not ended, or was handled already.
    Closed,
    /// Its term is not searched at present.
    Disabled,
}

/// Searches the term of a run that needs a review again: adds a slot that is due now and journals the retry. The run itself stays as it ended.
/// [`Handled::Done`] when a slot of this very moment exists already; `Unknown`, `Closed` and `Disabled` change nothing. Call it in a transaction.
pub async fn retry(
    connection: &mut Connection,
    scope: &Scope,
    by: &Operator<'_>,
    capture: CaptureId,
) -> Result<Handled> {
    let reviewed = match lock_run(connection, scope, capture).await? {
        Ok(reviewed) => reviewed,
        Err(refused) => return Ok(refused),
    };
    if !reviewed.is_enabled {
        return Ok(Handled::Disabled);
    }
    let row = sqlx::query!(
        "insert into slot (term_id, device, slot_ts) select term_id, device, now() from slot
         where id = $1 and slot_ts >= slots_from($1) and slot_ts < slots_until($1)
         on conflict (term_id, device, slot_ts) do nothing
         returning id, attempt, capture_id",
        reviewed.slot.0
    )
    .fetch_optional(&mut *connection)
    .await?;
    journal::record_on_capture(connection, by, OperatorAction::Retry, &reviewed.run()).await?;
    Ok(row.map_or(Handled::Done, |row| {
        let held = HeldSlot {
            id: SlotId(row.id),
            attempt: row.attempt,
        };
        Handled::Again(held, CaptureId(row.capture_id))
    }))
}

/// Takes a run off the list of reviews by journaling that it was discarded; its slot and capture stay as they are. `Unknown` and `Closed` change
/// nothing. Call it in a transaction.
pub async fn discard(
    connection: &mut Connection,
    scope: &Scope,
    by: &Operator<'_>,
    capture: CaptureId,
) -> Result<Handled> {
    let reviewed = match lock_run(connection, scope, capture).await? {
        Ok(reviewed) => reviewed,
        Err(refused) => return Ok(refused),
    };
    journal::record_on_capture(connection, by, OperatorAction::Discard, &reviewed.run()).await?;
    Ok(Handled::Done)
}

/// Locks the slot of a run until the transaction ends, so that two administrators do not both act on it, and returns the run. The inner
/// error says why it cannot be handled: [`Handled::Unknown`] or [`Handled::Closed`].
async fn lock_run(
    connection: &mut Connection,
    scope: &Scope,
    capture: CaptureId,
) -> Result<std::result::Result<Reviewed, Handled>> {
    sqlx::query!(
        "select id from slot where capture_id = $1 and slot_ts >= captures_from($1) and slot_ts < captures_until($1)
         for no key update",
        capture.0
    )
    .fetch_optional(&mut *connection)
    .await?;
    let Some(reviewed) = by_capture(connection, scope, capture).await? else {
        return Ok(Err(Handled::Unknown));
    };
    if reviewed.kind.is_none() || reviewed.is_handled {
        return Ok(Err(Handled::Closed));
    }
    Ok(Ok(reviewed))
}
