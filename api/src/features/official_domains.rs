//! A change of a brand's official domains, `POST /Brands/{id}/officialDomains`, and what it does to cases before it is saved,
//! `POST /Brands/{id}/officialDomainsPreview`.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use chrono::{DateTime, Utc};
use postgres::actions::covered::{self, CaseOfHost, HostCases};
use postgres::actions::events;
use postgres::brands;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use vocabulary::{ActionStatus, BrandId, Officials};

use crate::access::Caller;
use crate::extract::{self, Path};
use crate::failure::{ApiError, FailureBody};
use crate::resources::{self, OfficialDomainsChange, read_official_domains};
use crate::state::ApiState;

/// Ignored cases that are listed; how many there are is said besides.
const MOST_LISTED: i64 = 50;

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(preview_official_domains))
        .routes(routes!(change_official_domains))
}

/// Domains that are to become official, and such as are to be official no longer.
#[derive(Deserialize, ToSchema)]
struct OfficialDomainsRequest {
    /// 500 at most.
    #[serde(default)]
    added: Vec<String>,
    /// 500 at most.
    #[serde(default)]
    removed: Vec<String>,
}

/// What a change of official domains does to cases.
#[derive(Serialize, ToSchema)]
struct OfficialDomainsView {
    data: RejudgedView,
    meta: RejudgedCasesView,
}

/// How many cases a change of official domains is about.
#[derive(Serialize, ToSchema)]
struct RejudgedView {
    /// New and reappeared cases against the added domains, which become ignored.
    open: i64,
    /// Ignored cases against the removed domains, which stay ignored; without those that another official domain covers.
    ignored: i64,
}

/// The cases behind the figures.
#[derive(Serialize, ToSchema)]
struct RejudgedCasesView {
    /// The ignored cases, those ignored last first, at most 50.
    ignored: Vec<CaseView>,
}

/// A case that stays ignored.
#[derive(Serialize, ToSchema)]
struct CaseView {
    id: i32,
    /// The advertiser's host.
    domain: String,
    /// Its registrable domain.
    master: String,
    /// Country of the searches, two letters.
    country: Option<String>,
    /// `google` or `bing`.
    engine: Option<String>,
    /// Since when it is ignored.
    since: Option<DateTime<Utc>>,
}

impl From<CaseOfHost> for CaseView {
    fn from(case: CaseOfHost) -> Self {
        Self {
            id: case.id.0,
            domain: case.domain,
            master: case.master,
            country: case.country,
            engine: case.engine.map(|engine| engine.to_string()),
            since: case.since,
        }
    }
}

/// What a change of a brand's official domains does to its cases, before it is saved. Open cases against added domains, and the hosts below them,
/// become ignored; ignored cases against removed ones stay so, since nothing reopens them by itself.
#[utoipa::path(
    post, path = "/Brands/{id}/officialDomainsPreview", tag = "Brand",
    params(("id" = i32, Path, description = "Id of the brand")),
    request_body = OfficialDomainsRequest,
    responses(
        (status = 200, body = OfficialDomainsView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 404, body = FailureBody, description = "No such brand"),
        (status = 422, body = FailureBody, description = "Too many domains, or a text that is no domain"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn preview_official_domains(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<i32>,
    extract::Json(request): extract::Json<OfficialDomainsRequest>,
) -> Result<Json<OfficialDomainsView>, ApiError> {
    let (postgres, scope) = (&state.postgres, &caller.scope);
    let brand = BrandId(id);
    if brands::by_ids(postgres, scope, &[brand]).await?.is_empty() {
        return Err(ApiError::NoRow(format!("could not find a model with id {brand}")));
    }
    let added = read_official_domains("added", &request.added)?;
    let removed = read_official_domains("removed", &request.removed)?;
    let stored = brands::official_domains(postgres, scope, &[brand]).await?;
    let kept = stored.into_iter().map(|(_, domain)| domain);
    let remaining = kept
        .filter(|domain| !removed.contains(domain))
        .chain(added.iter().cloned());
    let (remaining, added, removed) = (
        remaining.collect::<Officials>(),
        added.iter().cloned().collect::<Officials>(),
        removed.iter().cloned().collect::<Officials>(),
    );
    let open = covered::hosts_with_cases(postgres, scope, brand, &events::SET_ASIDE).await?;
    let ignored = covered::hosts_with_cases(postgres, scope, brand, &[ActionStatus::Ignored]).await?;
    let open = open.into_iter().filter(|host| added.cover(&host.domain));
    let ignored = ignored
        .into_iter()
        .filter(|host| removed.cover(&host.domain) && !remaining.cover(&host.domain));
    let ignored: Vec<HostCases> = ignored.collect();
    let hosts: Vec<String> = ignored.iter().map(|host| host.domain.clone()).collect();
    let listed = covered::cases_of_hosts(postgres, scope, brand, &hosts, ActionStatus::Ignored, MOST_LISTED).await?;
    Ok(Json(OfficialDomainsView {
        data: RejudgedView {
            open: open.map(|host| host.cases).sum(),
            ignored: ignored.iter().map(|host| host.cases).sum(),
        },
        meta: RejudgedCasesView {
            ignored: listed.into_iter().map(CaseView::from).collect(),
        },
    }))
}

/// What a change of official domains did.
#[derive(Serialize, ToSchema)]
struct ChangedOfficialsView {
    /// Domains that the brand has now, and had not.
    added: usize,
    /// Domains that it has no longer.
    removed: usize,
    /// Cases that became ignored.
    ignored: usize,
}

/// Changes the official domains of a brand, all or none. Open cases against the added domains, and the hosts below them, become ignored. With `X-Operation` it
/// can be undone, and these cases are as before then.
#[utoipa::path(
    post, path = "/Brands/{id}/officialDomains", tag = "Brand",
    params(("id" = i32, Path, description = "Id of the brand")),
    request_body = OfficialDomainsRequest,
    responses(
        (status = 200, body = ChangedOfficialsView),
        (status = 400, body = FailureBody, description = "X-Operation is no UUID"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 404, body = FailureBody, description = "No such brand"),
        (status = 422, body = FailureBody, description = "Too many domains, or a text that is no domain"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn change_official_domains(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<i32>,
    headers: HeaderMap,
    extract::Json(request): extract::Json<OfficialDomainsRequest>,
) -> Result<Json<ChangedOfficialsView>, ApiError> {
    let added: Vec<String> = read_official_domains("added", &request.added)?.into_iter().collect();
    let removed: Vec<String> = read_official_domains("removed", &request.removed)?
        .into_iter()
        .collect();
    let change = OfficialDomainsChange {
        brand: BrandId(id),
        added: &added,
        removed: &removed,
    };
    let changed = resources::change_official_domains((state, caller), headers, change).await?;
    Ok(Json(ChangedOfficialsView {
        added: changed.made.len(),
        removed: changed.ended.len(),
        ignored: changed.set_aside.len(),
    }))
}
