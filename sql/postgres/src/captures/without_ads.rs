//! Captures that show no ad: without them, "no ads" and "not searched" look the same.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::types::Json;
use sqlx::{PgExecutor, Row};
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

/// The same added up over all terms: captures without an ad by weekday and hour.
const BY_HOUR: &str = concat!(
    "select \"weekday!\" as weekday, \"hour!\" as hour, sum(\"captures!\")::bigint as captures from (",
    include_str!("../../queries/captures_without_ads.sql"),
    ") as of_terms group by 1, 2"
);

/// How many captures of all terms stored no ad in one hour of the week, over the whole period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SilentHourOfAll {
    /// 1 for Monday to 7 for Sunday.
    pub weekday: u8,
    /// 0 to 23.
    pub hour: u8,
    /// Captures in that hour.
    pub captures: u64,
}

/// Counts the captures of [`count_silent_hours`] by weekday and hour alone, in no order.
pub async fn count_silent_hours_of_all(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    query: &CaptureQuery,
) -> Result<Vec<SilentHourOfAll>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query(BY_HOUR)
        .bind(bounds.brands)
        .bind(bounds.terms)
        .bind(query.from)
        .bind(query.to)
        .bind(Json(&query.tests))
        .bind(&query.zone)
        .fetch_all(executor)
        .await?;
    rows.iter()
        .map(|row| {
            Ok(SilentHourOfAll {
                weekday: u8::try_from(row.try_get::<i32, _>("weekday")?).unwrap_or_default(),
                hour: u8::try_from(row.try_get::<i32, _>("hour")?).unwrap_or_default(),
                captures: u64::try_from(row.try_get::<i64, _>("captures")?).unwrap_or_default(),
            })
        })
        .collect()
}
