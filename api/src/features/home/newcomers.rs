//! `GET /home/newcomers`: advertisers that are new, and those that returned.

use std::collections::BTreeMap;

use analytics::reports::newcomers::{self, Newcomer};
use axum::Json;
use axum::extract::State;
use chrono::{Datelike, Days, SecondsFormat};
use chrono_tz::Tz;
use serde::Serialize;
use utoipa::ToSchema;

use super::question::HomeQuestion;
use crate::access::Caller;
use crate::ad_filters::AdFilter;
use crate::extract::Pairs;
use crate::failure::{ApiError, FailureBody};
use crate::lists::{ComparisonView, FilterParams};
use crate::state::ApiState;

/// Advertisers that are named.
const NAMED: usize = 5;

/// New and returning advertisers of a period.
#[derive(Serialize, ToSchema)]
pub(super) struct NewcomersView {
    /// Those on most terms.
    data: Vec<NewcomerView>,
    meta: NewcomersMetaView,
}

/// An advertiser that appeared in a period.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NewcomerView {
    domain: String,
    /// When it appeared.
    since: String,
    /// Days it had been away; null for one that is new.
    away_days: Option<i64>,
    /// Terms it was seen on in the period.
    terms: u64,
}

/// How many there are.
#[derive(Serialize, ToSchema)]
struct NewcomersMetaView {
    total: NewcomerCountsView,
    previous: NewcomerCountsView,
    /// By week of their appearance, ascending; weeks without any are left out.
    weeks: Vec<WeekOfNewcomersView>,
    compared: ComparisonView,
}

/// New and returning advertisers.
#[derive(Default, Serialize, ToSchema)]
struct NewcomerCountsView {
    /// Not seen in the year before.
    new: u64,
    /// Seen again after at least 30 days.
    returning: u64,
}

impl NewcomerCountsView {
    /// The counts of these newcomers.
    fn count(newcomers: &[Newcomer]) -> Self {
        let mut counts = Self::default();
        for newcomer in newcomers {
            counts.add(newcomer);
        }
        counts
    }

    /// Counts one more.
    fn add(&mut self, newcomer: &Newcomer) {
        if newcomer.away.is_some() {
            self.returning += 1;
        } else {
            self.new += 1;
        }
    }
}

/// New and returning advertisers of one week.
#[derive(Serialize, ToSchema)]
struct WeekOfNewcomersView {
    /// Its Monday, `YYYY-MM-DD` in the time zone asked for.
    monday: String,
    new: u64,
    returning: u64,
}

/// Advertisers that were not seen in the year before the period, and those that are back after at least 30 days, beside those of the time that the
/// period is compared with. The filter `appearance` shows them on the list of domains.
#[utoipa::path(
    get, path = "/home/newcomers", tag = "Monitoring",
    params(
        FilterParams<AdFilter>,
        ("timeZone" = Option<String>, Query, description = "Where weeks begin, such as Europe/Paris; that of the settings by default"),
    ),
    responses(
        (status = 200, body = NewcomersView),
        (status = 400, body = FailureBody, description = "No period, or a value that cannot be read"),
        (status = 401, body = FailureBody),
        (status = 408, body = FailureBody, description = "Too many results; narrow the filters"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn read_newcomers(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
) -> Result<Json<NewcomersView>, ApiError> {
    let question = HomeQuestion::read(&state, &caller, &pairs).await?;
    let compared = question.compared;
    let (scope, filters) = (&caller.scope, &question.filters);
    let found = newcomers::list_compared(&state.analytics, scope, filters, question.ends, &compared).await?;
    Ok(Json(NewcomersView {
        data: found.list.iter().take(NAMED).map(NewcomerView::from).collect(),
        meta: NewcomersMetaView {
            total: NewcomerCountsView::count(&found.list),
            previous: NewcomerCountsView {
                new: found.earlier_new,
                returning: found.earlier_returning,
            },
            weeks: by_week(&found.list, question.zone),
            compared: compared.into(),
        },
    }))
}

impl From<&Newcomer> for NewcomerView {
    /// The newcomer with whole days of absence and its time in ISO 8601 in UTC, to the second.
    fn from(newcomer: &Newcomer) -> Self {
        Self {
            domain: newcomer.domain.clone(),
            since: newcomer.since.to_rfc3339_opts(SecondsFormat::Secs, true),
            away_days: newcomer.away.map(|away| away.num_days()),
            terms: newcomer.terms,
        }
    }
}

/// The newcomers by week of a zone.
fn by_week(newcomers: &[Newcomer], zone: Tz) -> Vec<WeekOfNewcomersView> {
    let mut weeks: BTreeMap<_, NewcomerCountsView> = BTreeMap::new();
    for newcomer in newcomers {
        let day = newcomer.since.with_timezone(&zone).date_naive();
        let monday = day - Days::new(day.weekday().num_days_from_monday().into());
        weeks.entry(monday).or_default().add(newcomer);
    }
    let weeks = weeks.into_iter().map(|(monday, counts)| WeekOfNewcomersView {
        monday: monday.to_string(),
        new: counts.new,
        returning: counts.returning,
    });
    weeks.collect()
}
