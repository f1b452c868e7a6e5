//! How often something was looked for: captures of pages with ads and without. The store of ads knows the former alone, so the latter are
//! counted in Postgres; a capture is in one of the two.

use analytics::filter::Filters;
use analytics::reports::hours;
use chrono_tz::Tz;
use postgres::captures::count_silent_hours;
use vocabulary::{Scope, TermId};

use crate::coverage::capture_query;
use crate::failure::ApiError;
use crate::state::ApiState;

/// Valid captures of a term in one hour of every week.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ValidCaptures {
    pub(crate) term: TermId,
    /// 1 for Monday to 7 for Sunday.
    pub(crate) weekday: u8,
    pub(crate) hour: u8,
    pub(crate) count: u64,
}

/// Valid captures under the filters, counted by term and hour of the week in `zone`; filters on ads are ignored. A term and hour can come twice, for
/// captures with ads and for those without.
pub(crate) async fn count(
    state: &ApiState,
    scope: &Scope,
    filters: &Filters,
    zone: Tz,
) -> Result<Vec<ValidCaptures>, ApiError> {
    let query = capture_query(filters, zone);
    let (with, without) = tokio::try_join!(
        async { Ok::<_, ApiError>(hours::captures_with_ads(&state.analytics, scope, filters, zone).await?) },
        async { Ok::<_, ApiError>(count_silent_hours(&state.postgres, scope, &query).await?) },
    )?;
    let with = with.into_iter().map(|hour| ValidCaptures {
        term: TermId(hour.term.cast_signed()),
        weekday: hour.weekday,
        hour: hour.hour,
        count: hour.captures,
    });
    let without = without.into_iter().map(|hour| ValidCaptures {
        term: hour.term,
        weekday: hour.weekday,
        hour: hour.hour,
        count: hour.captures,
    });
    Ok(with.chain(without).collect())
}
