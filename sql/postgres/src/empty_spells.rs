//! Times during which an engine finds nothing at all for a term.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{Device, Engine, TermId};

use crate::Result;

/// Days without results, while other terms had some, that confirm a spell.
const CONFIRMING_DAYS: i32 = 3;

/// A capture on whose page nothing was found.
#[derive(Clone, Copy, Debug)]
pub struct EmptyCapture<'a> {
    /// The term that was searched.
    pub term: TermId,
    /// Where it was searched.
    pub device: Device,
    /// Engine that sent the page.
    pub engine: Engine,
    /// How the engine was reached.
    pub way: &'a str,
    /// The text of the page, without the words of the term.
    pub said: &'a str,
    /// When the page was received.
    pub at: DateTime<Utc>,
    /// Whether other terms had results over this route at that time.
    pub others_had_results: bool,
}

/// What is known of a spell after a capture was counted in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpellState {
    /// Whether the term had results on this device before.
    pub had_results: bool,
    /// Whether it was empty on enough days to be believed.
    pub is_confirmed: bool,
}

/// Counts an empty capture in the open spell of its term, device and route; without an open one, a spell begins with it. Its UTC day counts
/// towards confirmation only if other terms had results, and `CONFIRMING_DAYS` such days confirm the spell. Returns the state after it.
pub async fn note(executor: impl PgExecutor<'_>, nothing: &EmptyCapture<'_>) -> Result<SpellState> {
    let day = nothing.others_had_results.then(|| nothing.at.date_naive());
    let spell = sqlx::query_file_as!(
        SpellState,
        "queries/note_empty_spell.sql",
        nothing.term.0,
        nothing.device.to_string(),
        nothing.engine.to_string(),
        nothing.way,
        nothing.said,
        nothing.at,
        day,
        CONFIRMING_DAYS
    )
    .fetch_one(executor)
    .await?;
    Ok(spell)
}

/// How many terms have an open spell on this capture's engine and route whose last page had the same text and came at or after `since`. The term of
/// the capture counts too.
pub async fn count_terms_with_same_text(
    executor: impl PgExecutor<'_>,
    nothing: &EmptyCapture<'_>,
    since: DateTime<Utc>,
) -> Result<i64> {
    let count = sqlx::query_scalar!(
        r#"select count(distinct term_id) as "count!" from empty_spell
           where engine = $1 and way = $2 and said = $3 and last_at >= $4 and ended_at is null"#,
        nothing.engine.to_string(),
        nothing.way,
        nothing.said,
        since
    )
    .fetch_one(executor)
    .await?;
    Ok(count)
}

/// Ends the open spells of a term on a device, on every route, at `at`, when it had results, or at their last empty capture if that is later.
pub async fn end(executor: impl PgExecutor<'_>, term: TermId, device: Device, at: DateTime<Utc>) -> Result<()> {
    sqlx::query!(
        "update empty_spell set ended_at = greatest($3, last_at) where term_id = $1 and device = $2::text and ended_at is null",
        term.0,
        device.to_string(),
        at
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Whether the term had a spell on this device at time `at` that was confirmed by then and had not ended.
pub async fn was_confirmed_at(
    executor: impl PgExecutor<'_>,
    term: TermId,
    device: Device,
    at: DateTime<Utc>,
) -> Result<bool> {
    let confirmed = sqlx::query_scalar!(
        r#"select exists (select from empty_spell where term_id = $1 and device = $2::text and confirmed_at <= $3
               and (ended_at is null or ended_at > $3)) as "confirmed!""#,
        term.0,
        device.to_string(),
        at
    )
    .fetch_one(executor)
    .await?;
    Ok(confirmed)
}
