//! `GET /home/shareOfVoice`: who has how much of all views, and how that changed.

use std::collections::BTreeMap;

use analytics::reports::share_of_voice::{self, DayOfVoice, VoiceTotals};
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::question::{HomeQuestion, voices};
use crate::access::Caller;
use crate::ad_filters::AdFilter;
use crate::extract::Pairs;
use crate::failure::{ApiError, FailureBody};
use crate::lists::{ComparisonView, FilterParams};
use crate::state::ApiState;

/// Other advertisers that are shown one by one.
const LEADERS: usize = 4;
/// The brands' own hosts that are added up, the most viewed first: as many as fit into a link to their list.
const MOST_OWN: usize = 100;

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

impl From<VoiceTotals> for VoiceTotalsView {
    fn from(totals: VoiceTotals) -> Self {
        Self {
            domains: totals.domains,
            ads: totals.ads,
            views: totals.views,
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
    let found = voices(&state, scope, &question).await?;
    let (own, others): (Vec<_>, Vec<_>) = found.hosts.into_iter().partition(|host| host.is_own);
    let own: Vec<String> = own.into_iter().take(MOST_OWN).map(|host| host.domain).collect();
    let leaders = others.into_iter().filter(|host| host.views > 0).take(LEADERS);
    let shown: Vec<(bool, Vec<String>)> = std::iter::once((true, own))
        .chain(leaders.map(|host| (false, vec![host.domain])))
        .filter(|(_, domains)| !domains.is_empty())
        .collect();
    let domains: Vec<Vec<String>> = shown.iter().map(|(_, domains)| domains.clone()).collect();
    let by_day = share_of_voice::by_day(
        &state.analytics,
        scope,
        &question.filters,
        &domains,
        (compared, question.zone),
    )
    .await?;
    let first = compared.from.with_timezone(&question.zone).date_naive();
    let (days, previous): (Vec<_>, Vec<_>) = by_day.into_iter().partition(|day| day.local_day >= first);
    let voices = shown.into_iter().zip(1..).map(|((own, domains), number)| {
        let (days, previous_days) = (of_voice(number, &days), of_voice(number, &previous));
        let sum = |days: &[VoiceDayView]| days.iter().map(|day| day.views).sum();
        VoiceView {
            domains,
            own,
            views: sum(&days),
            previous_views: sum(&previous_days),
            days,
            previous_days,
        }
    });
    Ok(Json(ShareOfVoiceView {
        data: voices.collect(),
        meta: VoiceMetaView {
            total: found.period.into(),
            previous: found.earlier.into(),
            days: all_voices(&days),
            previous_days: all_voices(&previous),
            compared: (*compared).into(),
        },
    }))
}

/// The views of the voice with this number by day.
fn of_voice(number: u16, days: &[DayOfVoice]) -> Vec<VoiceDayView> {
    let days = days.iter().filter(|day| day.voice == number);
    let views = days.map(|day| VoiceDayView {
        date: day.local_day.to_string(),
        views: day.text_ads + day.shopping_ads,
    });
    views.collect()
}

/// All views by day.
fn all_voices(days: &[DayOfVoice]) -> Vec<AllVoicesDayView> {
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
