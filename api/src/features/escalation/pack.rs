//! `GET /actions/{id}/escalationPack`: what a complaint needs, as one file.

use std::collections::BTreeSet;

use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use evidence::{EscalatedAd, EscalatedCase};
use postgres::trademarks;
use serde::Deserialize;
use utoipa::IntoParams;
use vocabulary::{ActionId, CaptureId, Language, SystemScope};

use super::case::{self, Founded};
use crate::access::Caller;
use crate::extract::{Path, Query};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Ads in a pack, each with the picture of a page: enough to show that it is no accident.
const MOST_ADS: usize = 5;
/// Files belong to users; the marks that name these were read in the caller's scope.
const SCOPE: SystemScope = SystemScope::new("packing authorisations");

/// How a pack is written.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct PackParams {
    /// Of the letter: `en` (unless given) or `fr`.
    language: Option<String>,
}

/// What a complaint about a trademark in the ads of a case needs, as one ZIP file: a letter, the text of each ad, the picture of its page as PNG, the
/// proof that the sender acts for the owner, and a manifest with capture, time, term, country and the SHA-256 of every file.
#[utoipa::path(
    get, path = "/actions/{id}/escalationPack", tag = "Actions",
    params(("id" = i32, Path, description = "Id of the action"), PackParams),
    responses(
        (status = 200, body = Vec<u8>, content_type = "application/zip"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "No such action, or one out of the reader's scope"),
        (status = 409, body = FailureBody, description = "Something speaks against a complaint (`ESCALATION_REFUSED`); the text names it"),
        (status = 422, body = FailureBody, description = "A language that there is no letter in"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn download_escalation_pack(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<i32>,
    Query(params): Query<PackParams>,
) -> Result<Response, ApiError> {
    let founded = case::found(&state, &caller, id).await?;
    let language = match params.language.as_deref() {
        None => Language::En,
        Some(text) => text
            .parse()
            .map_err(|_| ApiError::of_field("language", "is en or fr"))?,
    };
    if let Some(obstacle) = founded.obstacle {
        return Err(ApiError::Coded(
            StatusCode::CONFLICT,
            "ESCALATION_REFUSED",
            obstacle.to_string(),
        ));
    }
    let case = escalated(&state, &caller, founded).await?;
    let now = state.clock.now();
    let pack = evidence::escalation_pack(&state.postgres, &state.blobs, &case, language, now).await?;
    let disposition = format!("attachment; filename=\"{}\"", pack.name);
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/zip")),
        (
            header::CONTENT_DISPOSITION,
            HeaderValue::try_from(disposition).map_err(ApiError::internal)?,
        ),
    ];
    Ok((headers, pack.bytes).into_response())
}

/// The case as its pack names it, with [`MOST_ADS`] ads of different captures.
async fn escalated(state: &ApiState, caller: &Caller, founded: Founded) -> Result<EscalatedCase, ApiError> {
    let Founded { row, marks, ads, .. } = founded;
    let complaints = trademarks::complaints(&state.postgres, &caller.scope, row.id).await?;
    let mut authorisations = Vec::new();
    let files: BTreeSet<_> = marks.iter().filter_map(|mark| mark.facts.authorisation).collect();
    for file in files {
        let found = trademarks::authorisation(&state.postgres, &SCOPE, file).await?;
        authorisations.extend(found.map(|found| (found.name, found.sha256)));
    }
    let mut captures = BTreeSet::new();
    let ads = ads.into_iter().filter_map(|ad| {
        let capture = ad.capture.parse().map(CaptureId).ok()?;
        captures.insert(capture).then_some(EscalatedAd {
            capture,
            kind: ad.kind,
            title: ad.title,
            text: ad.description,
            display_url: ad.display_url,
            target_url: ad.target_url,
        })
    });
    Ok(EscalatedCase {
        action: ActionId(row.id.0),
        brand: row.brand_label.unwrap_or_default(),
        domain: row.domain.unwrap_or_default(),
        country: row.country.unwrap_or_default(),
        engine: row.engine.unwrap_or_default(),
        complaint: complaints.into_iter().next().and_then(|newest| newest.number),
        marks: marks.into_iter().map(|mark| mark.facts).collect(),
        ads: ads.take(MOST_ADS).collect(),
        authorisations,
    })
}
