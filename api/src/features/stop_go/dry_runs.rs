//! What would have happened: `POST /stop-go/lane/dryRun`.

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, TimeDelta, Utc};
use postgres::stop_go::{days, lanes, readings};
use serde::{Deserialize, Serialize};
use stop_go::live;
use stop_go::{DryRun, LaneHistory, Rates, Settings, TypedAverages, dry_run, typed_saving};
use utoipa::ToSchema;
use vocabulary::SystemScope;

use super::{decide, failure, no_row, switches};
use crate::access::Administrator;
use crate::extract;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// The longest period of a dry run: pages are kept as long.
const LONGEST: TimeDelta = TimeDelta::days(180);
/// Readings of a period: half a year of six captures an hour.
const MOST_READINGS: i64 = 30_000;
/// The stops of the slider, in hours (decision D194).
const SPANS: [u16; 9] = [2, 4, 6, 8, 10, 12, 18, 24, 36];
const SCOPE: SystemScope = SystemScope::new("a dry run of a lane");

/// The period of a dry run.
#[derive(Deserialize, ToSchema)]
pub(super) struct DryRunBody {
    /// Id of the lane.
    #[serde(rename = "ID")]
    id: i32,
    from: DateTime<Utc>,
    /// 180 days after `from` at most.
    until: DateTime<Utc>,
}

/// What would have happened, for each position of the slider.
#[derive(Serialize, ToSchema)]
pub(super) struct DryRunsView {
    data: Vec<DryRunView>,
    meta: DryRunMeta,
}

/// What a dry run is made of.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct DryRunMeta {
    /// Captures of the period.
    readings: usize,
    /// Those among them whose organic place is unknown; they count as unsure.
    organic_unknown: usize,
    /// The position that the lane has.
    stop_span_hours: u16,
}

/// What would have happened at one position of the slider.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct DryRunView {
    /// Hours that clean captures span before a stop.
    stop_span_hours: u16,
    stopped_hours: f64,
    toggles: u32,
    /// Hours in which a rival was seen while the lane was stopped.
    harm_hours: f64,
    /// The most hours in which a rival may have been there unseen.
    unseen_hours: f64,
    /// Stops that a rival ended.
    rival_goes: u32,
    /// The saving at least, by typed averages; null without them.
    saving_low: Option<f64>,
    /// The saving at most.
    saving_high: Option<f64>,
    /// States, one after the other.
    spans: Vec<DrySpan>,
}

/// A span of a dry run.
#[derive(Serialize, ToSchema)]
struct DrySpan {
    from: DateTime<Utc>,
    until: DateTime<Utc>,
    state: String,
    reason: String,
}

/// Runs the rule over the stored captures of a lane, as if it had stopped by itself, for every position of the slider. The lane keeps that a person has seen it.
#[utoipa::path(
    post, path = "/stop-go/lane/dryRun", tag = "StopGo", request_body = DryRunBody,
    responses(
        (status = 200, body = DryRunsView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such lane"),
        (status = 422, body = FailureBody, description = "No such period"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn run_dry(
    State(state): State<ApiState>,
    Administrator(_caller): Administrator,
    extract::Json(body): extract::Json<DryRunBody>,
) -> Result<Json<DryRunsView>, ApiError> {
    if body.until <= body.from || body.until - body.from > LONGEST {
        return Err(ApiError::of_field("until", "is after from, by 180 days at most"));
    }
    let now = state.clock.now();
    let mut tx = postgres::begin(&state.postgres).await?;
    let mut stored = lanes::lock(&mut tx, &SCOPE, body.id)
        .await?
        .ok_or_else(|| no_row(body.id))?;
    stored.dry_run_seen_at = Some(now);
    lanes::save(&mut tx, &SCOPE, &stored).await?;
    let lane = live::load(&mut tx, stored, switches(&state), now)
        .await
        .map_err(failure)?;
    let period = (body.from, body.until.min(now));
    let seen = readings::between(&mut *tx, &SCOPE, body.id, period, MOST_READINGS).await?;
    let typed = days::typed_averages(&mut *tx, &SCOPE, body.id).await?;
    // The last guard may be satisfied now: the lane need not wait for its next capture.
    decide(&state, &mut tx, &[body.id]).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    let organic_unknown = seen.iter().filter(|reading| reading.organic_first.is_none()).count();
    let stored = seen
        .iter()
        .map(live::reading_of)
        .collect::<Result<Vec<_>, _>>()
        .map_err(failure)?;
    let history = LaneHistory {
        sources: lane.lane.sources.clone(),
        readings: stored,
    };
    let settings = lane.settings.clone();
    let runs = tokio::task::spawn_blocking(move || {
        let run = |hours| {
            dry_run(
                &history,
                period,
                &Settings {
                    stop_span_hours: hours,
                    ..settings.clone()
                },
            )
        };
        SPANS.map(|hours| (hours, run(hours)))
    });
    let runs = runs.await.map_err(ApiError::internal)?;
    Ok(Json(DryRunsView {
        data: runs.into_iter().map(|(hours, run)| view(hours, &run, typed)).collect(),
        meta: DryRunMeta {
            readings: seen.len(),
            organic_unknown,
            stop_span_hours: lane.settings.stop_span_hours,
        },
    }))
}

fn view(stop_span_hours: u16, run: &DryRun, typed: Option<(f64, f64, f64)>) -> DryRunView {
    let hours = |span: TimeDelta| span.as_seconds_f64() / 3_600.0;
    let saving = typed.map(|(ctr_percent, cpc, monthly_searches)| {
        let averages = TypedAverages {
            ctr_percent,
            cpc,
            monthly_searches,
        };
        typed_saving(&averages, hours(run.stopped - run.harm), &Rates::default())
    });
    DryRunView {
        stop_span_hours,
        stopped_hours: hours(run.stopped),
        toggles: run.toggles,
        harm_hours: hours(run.harm),
        unseen_hours: hours(run.unseen),
        rival_goes: run.rival_goes,
        saving_low: saving.map(|saving| saving.net_low),
        saving_high: saving.map(|saving| saving.net_high),
        spans: run
            .spans
            .iter()
            .map(|span| DrySpan {
                from: span.from,
                until: span.until,
                state: span.state.to_string(),
                reason: span.reason.to_string(),
            })
            .collect(),
    }
}
