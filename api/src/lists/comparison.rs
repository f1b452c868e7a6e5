//! What the figures of a period are compared with, as responses say it.

use analytics::filter::Comparison;
use serde::Serialize;
use utoipa::ToSchema;

/// As much of a period as is over, and the time that it is compared with. Both ends are included.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ComparisonView {
    start: String,
    end: String,
    previous_start: String,
    previous_end: String,
    /// The day that is not over yet, `YYYY-MM-DD` in the time zone asked for; null where the period is over.
    unfinished_day: Option<String>,
}

impl From<Comparison> for ComparisonView {
    /// The period and the earlier one that it is compared with, as instants in ISO 8601 in UTC, to the second; the unfinished day, if any, as a date.
    fn from(compared: Comparison) -> Self {
        let instant = |at: chrono::DateTime<chrono::Utc>| at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
        Self {
            start: instant(compared.from),
            end: instant(compared.until),
            previous_start: instant(compared.earlier_from),
            previous_end: instant(compared.earlier_until),
            unfinished_day: compared.unfinished_day.map(|day| day.to_string()),
        }
    }
}
