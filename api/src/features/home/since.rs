//! `GET /home/changes`: what a reader should know first of a period.

use analytics::reports::newcomers;
use analytics::reports::share_of_voice::{self, Voices};
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

/// What changed most.
#[derive(Serialize, ToSchema)]
pub(super) struct ChangesOfWeekView {
    data: ChangesView,
    meta: ChangesMetaView,
}

/// What changed most; each is null where there is nothing of it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ChangesView {
    /// The advertiser, none of the brands' own, whose share of views grew most.
    gained: Option<GainView>,
    /// The new advertiser on most terms.
    #[schema(inline)]
    appeared: Option<AppearedView>,
}

/// A share of views that grew.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct GainView {
    domain: String,
    views: u64,
    total_views: u64,
    previous_views: u64,
    previous_total_views: u64,
    /// The country in which most of it was gained; null where the reader asked for one.
    country: Option<String>,
    /// The device on which most of it was gained.
    device: Option<String>,
}

/// An advertiser that is new.
#[derive(Serialize, ToSchema)]
struct AppearedView {
    domain: String,
    /// Terms it was seen on.
    terms: u64,
}

/// The times that are compared.
#[derive(Serialize, ToSchema)]
struct ChangesMetaView {
    compared: ComparisonView,
}

/// The largest gain of a share of views in the period, where most of it was gained, and the new advertiser on most terms.
#[utoipa::path(
    get, path = "/home/changes", tag = "Monitoring",
    params(
        FilterParams<AdFilter>,
        ("timeZone" = Option<String>, Query, description = "Where days begin, such as Europe/Paris; that of the settings by default"),
    ),
    responses(
        (status = 200, body = ChangesOfWeekView),
        (status = 400, body = FailureBody, description = "No period, or a value that cannot be read"),
        (status = 401, body = FailureBody),
        (status = 408, body = FailureBody, description = "Too many results; narrow the filters"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn read_changes_of_week(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
) -> Result<Json<ChangesOfWeekView>, ApiError> {
    let question = HomeQuestion::read(&state, &caller, &pairs).await?;
    let (scope, compared) = (&caller.scope, &question.compared);
    let (voices, newcomers) = tokio::try_join!(voices(&state, scope, &question), async {
        Ok(newcomers::list(&state.analytics, scope, &question.filters, question.ends).await?)
    },)?;
    let mut gained = largest_gain(&voices);
    if let Some(gain) = &mut gained {
        let places =
            share_of_voice::by_place(&state.analytics, scope, &question.filters, &gain.domain, compared).await?;
        let most = places
            .into_iter()
            .max_by_key(|place| i128::from(place.now_views) - i128::from(place.earlier_views));
        if let Some(place) = most {
            gain.country = Some(place.in_country);
            gain.device = Some(place.on_device);
        }
    }
    // Without anything before, everybody is new, and nobody news.
    let is_known = voices.earlier.views > 0;
    let is_own = |domain: &str| voices.hosts.iter().any(|host| host.is_own && host.domain == domain);
    let appeared = newcomers
        .into_iter()
        .find(|newcomer| is_known && newcomer.away.is_none() && !is_own(&newcomer.domain));
    Ok(Json(ChangesOfWeekView {
        data: ChangesView {
            gained,
            appeared: appeared.map(|newcomer| AppearedView {
                domain: newcomer.domain,
                terms: newcomer.terms,
            }),
        },
        meta: ChangesMetaView {
            compared: (*compared).into(),
        },
    }))
}

/// The host, none of the own, whose share of all views grew most; `None` where none grew, or one of the times has no views.
fn largest_gain(voices: &Voices) -> Option<GainView> {
    let (total, earlier_total) = (u128::from(voices.period.views), u128::from(voices.earlier.views));
    if total == 0 || earlier_total == 0 {
        return None;
    }
    let others = voices.hosts.iter().filter(|host| !host.is_own);
    let gains = others.filter_map(|host| {
        // Both shares over one denominator.
        let (share, earlier) = (
            u128::from(host.views) * earlier_total,
            u128::from(host.earlier_views) * total,
        );
        let gain = share.checked_sub(earlier)?;
        (gain > 0).then_some((gain, host))
    });
    let (_, host) = gains.max_by_key(|(gain, _)| *gain)?;
    Some(GainView {
        domain: host.domain.clone(),
        views: host.views,
        total_views: voices.period.views,
        previous_views: host.earlier_views,
        previous_total_views: voices.earlier.views,
        country: None,
        device: None,
    })
}
