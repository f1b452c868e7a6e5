//! `GET /search`: domains, terms, brands, cases and users by a part of their names, for the search in the header.

use analytics::filter::{Condition, Field, Filters, Operator};
use analytics::reports::suggest::{self, Suggestion};
use axum::Json;
use axum::extract::State;
use chrono::TimeDelta;
use postgres::brands;
use postgres::global_search::{self, FoundCase, FoundTerm, FoundUser};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::access::Caller;
use crate::extract::Query;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Found of each kind at most.
const FOUND: u32 = 6;
/// With fewer characters nearly everything would be found.
const SHORTEST: usize = 2;
/// More characters than any name has.
const LONGEST: usize = 253;
/// Domains that were not seen for longer are not offered.
const OFFERED_FOR: TimeDelta = TimeDelta::days(90);

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(find_everything))
}

/// What is looked for.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct EverythingParams {
    /// A part of a name, from two characters on.
    query: String,
}

/// What was found, six of each kind at most.
#[derive(Serialize, ToSchema)]
struct EverythingView {
    data: EverythingFoundView,
}

/// What was found by kind.
#[derive(Default, Serialize, ToSchema)]
struct EverythingFoundView {
    /// Hosts of advertisers that were seen in 90 days: those that begin with the text first, then the most seen.
    domains: Vec<FoundDomainView>,
    /// Those that begin with the text first, then by their words.
    terms: Vec<FoundTermView>,
    /// In the order of their names.
    brands: Vec<FoundBrandView>,
    /// The most viewed first.
    cases: Vec<FoundCaseView>,
    /// By address; none for readers who may not see accounts.
    users: Vec<FoundUserView>,
}

/// An advertiser's host.
#[derive(Serialize, ToSchema)]
struct FoundDomainView {
    domain: String,
    /// In 90 days.
    views: u64,
}

/// A term whose words hold the text.
#[derive(Serialize, ToSchema)]
struct FoundTermView {
    id: i32,
    words: String,
    engine: Option<String>,
    /// ISO 3166 code of two letters.
    country: Option<String>,
    /// Null where the reader does not see it.
    brand: Option<String>,
}

/// A brand whose name or label holds the text.
#[derive(Serialize, ToSchema)]
struct FoundBrandView {
    id: i32,
    label: String,
}

/// A case whose domain holds the text.
#[derive(Serialize, ToSchema)]
struct FoundCaseView {
    id: i32,
    domain: String,
    brand: Option<String>,
    /// ISO 3166 code of two letters.
    country: Option<String>,
    engine: Option<String>,
    status: String,
}

/// A user whose name or address holds the text.
#[derive(Serialize, ToSchema)]
struct FoundUserView {
    id: i32,
    /// Empty where it is not known.
    name: String,
    email: String,
}

/// Domains, terms, brands, cases and, for administrators, users whose names contain the text, as far as the reader sees them. A text of one character
/// finds nothing.
#[utoipa::path(
    get, path = "/search", tag = "Monitoring", params(EverythingParams),
    responses(
        (status = 200, body = EverythingView),
        (status = 400, body = FailureBody, description = "A text that is too long"),
        (status = 401, body = FailureBody),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn find_everything(
    State(state): State<ApiState>,
    caller: Caller,
    Query(params): Query<EverythingParams>,
) -> Result<Json<EverythingView>, ApiError> {
    let text = params.query.trim();
    let length = text.chars().count();
    if length > LONGEST {
        return Err(ApiError::BadRequest(format!("query: at most {LONGEST} characters")));
    }
    let data = if length < SHORTEST {
        EverythingFoundView::default()
    } else {
        find(&state, &caller, text).await?
    };
    Ok(Json(EverythingView { data }))
}

/// What the caller sees of a text.
async fn find(state: &ApiState, caller: &Caller, text: &str) -> Result<EverythingFoundView, ApiError> {
    let (postgres, scope, most) = (&state.postgres, &caller.scope, i64::from(FOUND));
    let (domains, terms, brands, cases, users) = tokio::try_join!(
        domains(state, caller, text),
        async { Ok::<_, ApiError>(global_search::terms(postgres, scope, text, most).await?) },
        async { Ok(brands::search(postgres, scope, text, most).await?) },
        async { Ok(global_search::cases(postgres, scope, text, most).await?) },
        async { Ok(global_search::users(postgres, scope, text, most).await?) },
    )?;
    Ok(EverythingFoundView {
        domains: domains.into_iter().map(FoundDomainView::from).collect(),
        terms: terms.into_iter().map(FoundTermView::from).collect(),
        brands: brands
            .into_iter()
            .map(|brand| FoundBrandView {
                id: brand.id.0,
                label: brand.label.or(brand.name).unwrap_or_default(),
            })
            .collect(),
        cases: cases.into_iter().map(FoundCaseView::from).collect(),
        users: users.into_iter().map(FoundUserView::from).collect(),
    })
}

/// The hosts that the caller saw in [`OFFERED_FOR`].
async fn domains(state: &ApiState, caller: &Caller, text: &str) -> Result<Vec<Suggestion>, ApiError> {
    let holds = Condition::read(Field::Domain, Operator::Contain, &[text.to_owned()])
        .map_err(|bad| ApiError::BadRequest(bad.to_string()))?;
    let since = Condition::seen_between(Some(state.clock.now() - OFFERED_FOR), None);
    let filters: Filters = [since, holds].into_iter().collect();
    Ok(suggest::domains(&state.analytics, &caller.scope, &filters, text, FOUND).await?)
}

impl From<Suggestion> for FoundDomainView {
    /// The host with its views.
    fn from(found: Suggestion) -> Self {
        Self {
            domain: found.text,
            views: found.views,
        }
    }
}

impl From<FoundTerm> for FoundTermView {
    /// The term as it is.
    fn from(term: FoundTerm) -> Self {
        Self {
            id: term.id.0,
            words: term.words,
            engine: term.engine,
            country: term.country,
            brand: term.brand,
        }
    }
}

impl From<FoundCase> for FoundCaseView {
    /// The case as it is.
    fn from(case: FoundCase) -> Self {
        Self {
            id: case.id.0,
            domain: case.domain,
            brand: case.brand,
            country: case.country,
            engine: case.engine,
            status: case.status.to_string(),
        }
    }
}

impl From<FoundUser> for FoundUserView {
    /// The user as it is.
    fn from(user: FoundUser) -> Self {
        Self {
            id: user.id.0,
            name: user.name,
            email: user.email,
        }
    }
}
