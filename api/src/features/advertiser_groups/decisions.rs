//! `POST /advertiserGroups/decide`: what a person says of two domains.

use attribution::Verdict;
use axum::extract::State;
use axum::http::StatusCode;
use postgres::advertiser_links;
use postgres::audit::Event;
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;
use vocabulary::WebHost;

use super::found;
use crate::access::{Caller, Staff};
use crate::extract;
use crate::failure::{ApiError, FailureBody, FieldFault};
use crate::state::ApiState;

const MODEL: &str = "AdvertiserLink";

/// What a person says of two domains.
#[derive(Deserialize, ToSchema)]
pub(super) struct LinkDecisionBody {
    one: String,
    other: String,
    /// `same` where one advertiser is behind both, `different` where not; null takes back what was said.
    verdict: Option<String>,
}

/// Says whether one advertiser is behind two domains, or takes back what was said. Nothing else changes: figures, lists and cases stay those of each
/// domain. Staff only, of domains whose ads it sees.
#[utoipa::path(
    post, path = "/advertiserGroups/decide", tag = "Monitoring", request_body = LinkDecisionBody,
    responses(
        (status = 204, description = "It is said"),
        (status = 401, body = FailureBody),
        (status = 403, body = FailureBody, description = "Not staff"),
        (status = 422, body = FailureBody, description = "No domains, one and the same, one whose ads were not seen, or an unknown verdict"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn decide_link(
    State(state): State<ApiState>,
    Staff(caller): Staff,
    extract::Json(body): extract::Json<LinkDecisionBody>,
) -> Result<StatusCode, ApiError> {
    let one = read_domain("one", &body.one)?;
    let other = read_domain("other", &body.other)?;
    if one == other {
        return Err(FieldFault::new("other", "fields:sameDomain").into());
    }
    let verdict: Option<Verdict> = match body.verdict.as_deref() {
        None => None,
        Some(named) => {
            let read = named.parse();
            Some(read.map_err(|_| FieldFault::new("verdict", "fields:linkVerdict"))?)
        }
    };
    let now = state.clock.now();
    for (field, domain) in [("one", &one), ("other", &other)] {
        if !found::is_seen(&state, &caller.scope, domain, now).await? {
            return Err(FieldFault::new(field, "fields:noAds").with("days", found::DAYS).into());
        }
    }
    let pair = if one < other {
        (&*one, &*other)
    } else {
        (&*other, &*one)
    };
    write(&state, &caller, pair, verdict).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Stores or forgets what is said of two domains, and writes it to the audit log.
async fn write(
    state: &ApiState,
    caller: &Caller,
    pair: (&str, &str),
    verdict: Option<Verdict>,
) -> Result<(), ApiError> {
    let mut tx = postgres::begin(&state.postgres).await?;
    let said = |verdict: &str| json!({ "one": pair.0, "other": pair.1, "verdict": verdict });
    match verdict {
        Some(verdict) => {
            let verdict = verdict.to_string();
            let at = state.clock.now();
            let id = advertiser_links::decide(&mut tx, pair, &verdict, (caller.user.id, at)).await?;
            caller
                .record(&mut tx, (Event::Link, MODEL), id.into(), said(&verdict))
                .await?;
        }
        None => {
            if let Some((id, verdict)) = advertiser_links::forget(&mut tx, pair).await? {
                caller
                    .record(&mut tx, (Event::Unlink, MODEL), id.into(), said(&verdict))
                    .await?;
            }
        }
    }
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(())
}

/// The registrable domain that a field names.
fn read_domain(field: &'static str, text: &str) -> Result<String, ApiError> {
    let host = WebHost::parse(text).ok_or_else(|| FieldFault::new(field, "fields:domain"))?;
    Ok(host.master().to_string())
}
