//! `GET /home/shareOfVoice`: who has how much of all views, and how that changed.

use std::collections::BTreeMap;

use analytics::reports::domains::DomainsPage;
use analytics::reports::share_of_voice::{self, DayOfDomain};
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::question::{HomeQuestion, most_viewed, own_hosts};
use crate::access::Caller;
use crate::ad_filters::AdFilter;
use crate::extract::Pairs;
use crate::failure::{ApiError, FailureBody};
use crate::lists::{ComparisonView, FilterParams};
use crate::state::ApiState;

/// Other advertisers that are shown one by one.
const LEADERS: usize = 4;
/// Rows that are read to find as many beside the brands' own.
const CANDIDATES: u32 = 60;

/// Views of a period by advertiser and day.
#[derive(Serialize, ToSchema)]
pub(super) struct ShareOfVoiceView {
    /// The brands' own hosts as one, where any was seen in either time; then the others with most views.
    data: Vec<VoiceView>,
    meta: VoiceMetaView,
}

/// The views of one advertiser, or of the brands' own hosts together.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct VoiceView {
    /// Its hosts: the values of the filter `domain` on the list behind the figures.
    domains: Vec<String>,
    /// Whether these are the brands' own.
    own: bool,
    views: u64,
    /// Views of the time before.
    previous_views: u64,
    /// Days with views, ascending, of the period.
    days: Vec<VoiceDayView>,
    /// The same of the time before.
    previous_days: Vec<VoiceDayView>,
}

/// Views of one day.
#[derive(Serialize, ToSchema)]
struct VoiceDayView {
    /// `YYYY-MM-DD` in the time zone asked for.
    date: String,
    views: u64,
}

/// All views of one day.
#[derive(Serialize, ToSchema)]
struct AllVoicesDayView {
    /// `YYYY-MM-DD` in the time zone asked for.
    date: String,
    views: u64,
    /// Views of text ads.
    ads: u64,
    /// Views of shopping ads.
    shopping: u64,
}

/// Totals of both times.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct VoiceMetaView {
    total: VoiceTotalsView,
    previous: VoiceTotalsView,
    /// Days with views, ascending, of the period.
    days: Vec<AllVoicesDayView>,
    /// The same of the time before.
    previous_days: Vec<AllVoicesDayView>,
    compared: ComparisonView,
}

/// What a list of domains says of all its pages.
#[derive(Serialize, ToSchema)]
struct VoiceTotalsView {
    domains: u64,
    ads: u64,
    views: u64,
}

impl From<&DomainsPage> for VoiceTotalsView {
    /// The totals of the whole list.
    fn from(page: &DomainsPage) -> Self {
        Self {
            domains: page.total,
            ads: page.total_ads,
            views: page.total_views,
        }
    }
}

/// The share of voice of the brands' own domains and of the advertisers with most views, by day, beside the time that the period is compared with.
/// Totals are those of the list of domains under the same filters.
#[utoipa::path(
    get, path = "/home/shareOfVoice", tag = "Monitoring",
    params(
        FilterParams<AdFilter>,
        ("timeZone" = Option<String>, Query, description = "Where days begin, such as Europe/Paris; that of the settings by default"),
    ),
    responses(
        (status = 200, body = ShareOfVoiceView),
        (status = 400, body = FailureBody, description = "No period, or a value that cannot be read"),
        (status = 401, body = FailureBody),
        (status = 408, body = FailureBody, description = "Too many results; narrow the filters"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn read_share_of_voice(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
) -> Result<Json<ShareOfVoiceView>, ApiError> {
    let question = HomeQuestion::read(&state, &caller, &pairs).await?;
    let (scope, compared) = (&caller.scope, &question.compared);
    let before = question.filters.within(compared.earlier_from, compared.earlier_until);
    let (seen, earlier, own, own_earlier) = tokio::try_join!(
        most_viewed(&state, scope, question.filters.clone(), CANDIDATES),
        most_viewed(&state, scope, before.clone(), 1),
        own_hosts(&state, scope, &question.filters),
        own_hosts(&state, scope, &before),
    )?;
    let mut voices = Vec::with_capacity(1 + LEADERS);
    let mut own: Vec<String> = own.into_iter().map(|row| row.domain).collect();
    for row in own_earlier {
        if !own.contains(&row.domain) {
            own.push(row.domain);
        }
    }
    let others = seen.rows.iter().filter(|row| !own.contains(&row.domain)).take(LEADERS);
    let others: Vec<String> = others.map(|row| row.domain.clone()).collect();
    let names: Vec<String> = own.iter().chain(&others).cloned().collect();
    let found = share_of_voice::by_day(
        &state.analytics,
        scope,
        &question.filters,
        &names,
        (compared, question.zone),
    )
    .await?;
    let first = compared.from.with_timezone(&question.zone).date_naive();
    let (days, previous): (Vec<_>, Vec<_>) = found.into_iter().partition(|day| day.local_day >= first);
    if !own.is_empty() {
        voices.push(voice(own, true, &days, &previous));
    }
    voices.extend(
        others
            .into_iter()
            .map(|domain| voice(vec![domain], false, &days, &previous)),
    );
    Ok(Json(ShareOfVoiceView {
        data: voices,
        meta: VoiceMetaView {
            total: (&seen).into(),
            previous: (&earlier).into(),
            days: all_voices(&days),
            previous_days: all_voices(&previous),
            compared: (*compared).into(),
        },
    }))
}

/// The views of these domains together, of the days of both times.
fn voice(domains: Vec<String>, own: bool, days: &[DayOfDomain], previous: &[DayOfDomain]) -> VoiceView {
    let by_day = |days: &[DayOfDomain]| -> Vec<VoiceDayView> {
        let mut sums = BTreeMap::new();
        for day in days.iter().filter(|day| domains.contains(&day.name)) {
            *sums.entry(day.local_day).or_default() += day.text_ads + day.shopping_ads;
        }
        let views = sums.into_iter().map(|(day, views)| VoiceDayView {
            date: day.to_string(),
            views,
        });
        views.collect()
    };
    let (days, previous_days) = (by_day(days), by_day(previous));
    let sum = |days: &[VoiceDayView]| days.iter().map(|day| day.views).sum();
    VoiceView {
        own,
        views: sum(&days),
        previous_views: sum(&previous_days),
        days,
        previous_days,
        domains,
    }
}

/// All views by day.
fn all_voices(days: &[DayOfDomain]) -> Vec<AllVoicesDayView> {
    let mut sums: BTreeMap<_, (u64, u64)> = BTreeMap::new();
    for day in days {
        let sum = sums.entry(day.local_day).or_default();
        sum.0 += day.text_ads;
        sum.1 += day.shopping_ads;
    }
    let days = sums.into_iter().map(|(day, (ads, shopping))| AllVoicesDayView {
        date: day.to_string(),
        views: ads + shopping,
        ads,
        shopping,
    });
    days.collect()
}
