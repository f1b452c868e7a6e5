//! `GET /home/cases`: cases by status, and how fast they move.

use analytics::filter::{Fact, Field};
use axum::Json;
use axum::extract::State;
use chrono::{SecondsFormat, TimeDelta};
use postgres::actions::pace::{self, StatusPace};
use postgres::actions::{Condition, DateField};
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::{ActionStatus, BrandId, Engine};

use super::question::HomeQuestion;
use crate::access::Caller;
use crate::ad_filters::AdFilter;
use crate::extract::Pairs;
use crate::failure::{ApiError, FailureBody};
use crate::lists::FilterParams;
use crate::state::ApiState;

/// Statuses in which a case is open, in the order of its life.
const OPEN: [ActionStatus; 6] = [
    ActionStatus::New,
    ActionStatus::Requested,
    ActionStatus::Inprogress,
    ActionStatus::Reminded,
    ActionStatus::Reappearance,
    ActionStatus::Blocked,
];

/// Open cases by status, and those that have gone.
#[derive(Serialize, ToSchema)]
pub(super) struct PaceOfCasesView {
    /// Every status in which a case is open, in the order of its life.
    data: Vec<PaceOfStatusView>,
    meta: PaceOfCasesMetaView,
}

/// The cases of one status.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PaceOfStatusView {
    status: String,
    cases: u64,
    /// Days that half of them have been in it at least; null without any.
    median_days: Option<f64>,
    /// Since when the one that has been for longest.
    oldest: Option<String>,
}

/// What has gone, and what waits.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PaceOfCasesMetaView {
    /// Cases seen first in the period.
    opened: u64,
    /// Cases with mails that nobody has read.
    unread: u64,
    /// Cases that were found to have gone in the period.
    gone: u64,
    /// Days from the request that half of these took at most; null where none was requested.
    gone_in_days: Option<f64>,
    /// The same of the time before.
    previous_gone_in_days: Option<f64>,
}

/// Open cases by status with their age, and those that have gone in the period. Filters on anything but brand, country and engine are ignored: a case
/// has no other place.
#[utoipa::path(
    get, path = "/home/cases", tag = "Actions",
    params(
        FilterParams<AdFilter>,
        ("timeZone" = Option<String>, Query, description = "Where days begin, such as Europe/Paris; that of the settings by default"),
    ),
    responses(
        (status = 200, body = PaceOfCasesView),
        (status = 400, body = FailureBody, description = "No period, or a value that cannot be read"),
        (status = 401, body = FailureBody),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn read_pace_of_cases(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
) -> Result<Json<PaceOfCasesView>, ApiError> {
    let question = HomeQuestion::read(&state, &caller, &pairs).await?;
    let conditions: Vec<Condition> = question
        .filters
        .facts_of_captures()
        .iter()
        .filter_map(condition)
        .collect();
    let (compared, now) = (question.compared, state.clock.now());
    let gone_before: Vec<Condition> = conditions
        .iter()
        .cloned()
        .chain([
            Condition::Statuses(true, vec![ActionStatus::Disappeared]),
            Condition::Between(
                DateField::DisappearedDate,
                Some(compared.earlier_from),
                Some(compared.earlier_until),
            ),
        ])
        .collect();
    let opened: Vec<Condition> = conditions
        .iter()
        .cloned()
        .chain([Condition::Between(
            DateField::CreatedDate,
            Some(question.ends.0),
            Some(question.ends.1),
        )])
        .collect();
    let of = |conditions, ends| pace::by_status(&state.postgres, &caller.scope, conditions, ends, now);
    let earlier_ends = (compared.earlier_from, compared.earlier_until);
    let (found, before, opened) = tokio::try_join!(
        of(&conditions, question.ends),
        of(&gone_before, earlier_ends),
        postgres::actions::list::count(&state.postgres, &caller.scope, &opened),
    )?;
    let gone = found.iter().find(|pace| pace.status == ActionStatus::Disappeared);
    Ok(Json(PaceOfCasesView {
        data: OPEN
            .map(|status| of_status(status, found.iter().find(|pace| pace.status == status)))
            .into(),
        meta: PaceOfCasesMetaView {
            opened: opened.values().sum(),
            unread: found.iter().map(|pace| pace.unread).sum(),
            gone: gone.map_or(0, |pace| pace.gone),
            gone_in_days: gone.and_then(|pace| pace.gone_in).map(days),
            previous_gone_in_days: before.first().and_then(|pace| pace.gone_in).map(days),
        },
    }))
}

/// The cases of a status; none without a pace.
fn of_status(status: ActionStatus, pace: Option<&StatusPace>) -> PaceOfStatusView {
    let oldest = pace.and_then(|pace| pace.oldest);
    PaceOfStatusView {
        status: status.to_string(),
        cases: pace.map_or(0, |pace| pace.cases),
        median_days: pace.and_then(|pace| pace.median).map(days),
        oldest: oldest.map(|at| at.to_rfc3339_opts(SecondsFormat::Secs, true)),
    }
}

/// Days with their fraction.
#[expect(clippy::cast_precision_loss, reason = "seconds are far below 2^52")]
fn days(lasting: TimeDelta) -> f64 {
    lasting.num_seconds() as f64 / TimeDelta::days(1).num_seconds() as f64
}

/// The condition on cases that a fact of captures is; `None` for facts that cases do not have.
fn condition(fact: &Fact) -> Option<Condition> {
    let Fact { include, texts, .. } = fact;
    match fact.field {
        Field::Brand => {
            let ids = texts.iter().filter_map(|id| id.parse().ok().map(BrandId));
            Some(Condition::Brands(*include, ids.collect()))
        }
        Field::Country => Some(Condition::Countries(*include, texts.clone())),
        Field::Engine => {
            let engines = texts.iter().map(|engine| engine.parse::<Engine>().ok());
            Some(Condition::Engines(*include, engines.collect()))
        }
        _ => None,
    }
}
