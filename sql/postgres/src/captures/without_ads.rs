//! Captures that show no ad: without them, "no ads" and "not searched" look the same.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::PgExecutor;
use sqlx::types::Json;
use vocabulary::{Scope, TermId};

use crate::Result;
use crate::scoped::ScopeLists;

/// Which captures to count.
#[derive(Clone, Debug, Default)]
pub struct CaptureQuery {
    /// Received at this second or later.
    pub from: Option<DateTime<Utc>>,
    /// Received at this second or before.
    pub to: Option<DateTime<Utc>>,
    /// What must hold besides.
    pub tests: Vec<FactCondition>,
    /// The name of the time zone whose hours are counted.
    pub zone: String,
}

/// A condition on a fact of the capture.
#[derive(Clone, Debug, Serialize)]
pub struct FactCondition {
    /// `brandID`, `termId`, `country`, `language`, `region`, `engine`, `device`, `keywordType` or `keywordContent`.
    pub field: String,
    /// Whether one of the texts must fit, or none may.
    pub include: bool,
    /// Whether it is enough that the fact contains a text, whatever the case.
    pub contains: bool,
    /// The texts to look for.
    pub texts: Vec<String>,
}

/// How many captures of a term stored no ad in one hour of the week, over the whole period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SilentHour {
    /// The term; 0 once it was deleted.
    pub term: TermId,
    /// 1 for Monday to 7 for Sunday.
    pub weekday: u8,
    /// 0 to 23.
    pub hour: u8,
    /// Captures in that hour.
    pub captures: u64,
}

/// Counts, by term, weekday and hour in `query.zone`, the valid captures in scope that have no stored ad (none was read, or all were deleted by hand)
/// although their term saves ads. Hours without such a capture are absent; the order is not defined.
pub async fn count_silent_hours(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    query: &CaptureQuery,
) -> Result<Vec<SilentHour>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query_file!(
        "queries/captures_without_ads.sql",
        bounds.brands as Option<Vec<i32>>,
        bounds.terms as Option<Vec<i32>>,
        query.from,
        query.to,
        Json(&query.tests) as _,
        query.zone
    )
    .fetch_all(executor)
    .await?;
    let found = rows.into_iter().map(|row| SilentHour {
        term: TermId(row.term),
        weekday: u8::try_from(row.weekday).unwrap_or_default(),
        hour: u8::try_from(row.hour).unwrap_or_default(),
        captures: u64::try_from(row.captures).unwrap_or_default(),
    });
    Ok(found.collect())
}
