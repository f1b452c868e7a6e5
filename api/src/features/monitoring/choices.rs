//! What the filters offer while somebody types: brands, tags, words of terms, domains and regions.

use analytics::filter::{Condition, Field, Filters, Operator};
use analytics::reports::suggest::{self, SuggestionKind};
use axum::Json;
use axum::extract::State;
use chrono::TimeDelta;
use postgres::{brands, categories};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use vocabulary::regions;

use super::views::{BrandView, DataView};
use crate::access::Caller;
use crate::extract::Query;
use crate::failure::{ApiError, FailureBody};
use crate::lists::TagView;
use crate::state::ApiState;

const CHOICES: u32 = 50;
const MOST_CHOICES: u32 = 100;
/// What was not seen for longer is not offered.
const OFFERED_FOR: TimeDelta = TimeDelta::days(90);

/// Words of a term.
#[derive(Serialize, ToSchema)]
pub(super) struct KeywordView {
    content: String,
}

/// A domain that was seen.
#[derive(Serialize, ToSchema)]
pub(super) struct SeenDomainView {
    domain: String,
}

/// A targeted place.
#[derive(Serialize, ToSchema)]
pub(super) struct RegionView {
    name: String,
}

/// A search among choices.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ChoiceParams {
    /// Part of the name; everything when empty.
    #[serde(default)]
    query: String,
    /// Choices at most: 50 by default, up to 100.
    limit: Option<u32>,
}

impl ChoiceParams {
    /// The choices to find: [`CHOICES`] unless given, and never more than [`MOST_CHOICES`].
    fn limit(&self) -> u32 {
        self.limit.unwrap_or(CHOICES).min(MOST_CHOICES)
    }
}

/// A search among tags.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct TagParams {
    /// Part of the label; everything when empty.
    #[serde(default)]
    query: String,
    /// `tag` for those of advertisers (default), `term` for those of keywords.
    scope: Option<String>,
    /// Choices at most: 50 by default, up to 100.
    limit: Option<u32>,
}

/// The country whose places are asked for.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct CountryParams {
    /// ISO 3166 code of two letters.
    country: String,
}

/// Brands of the reader whose label or name contains the text, ordered by name. A limit over 100 counts as 100.
#[utoipa::path(
    get, path = "/brand", tag = "Monitoring", params(ChoiceParams),
    responses((status = 200, body = DataView<BrandView>), (status = 401, body = FailureBody)),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn search_brands(
    State(state): State<ApiState>,
    caller: Caller,
    Query(search): Query<ChoiceParams>,
) -> Result<Json<DataView<BrandView>>, ApiError> {
    let found = brands::search(&state.postgres, &caller.scope, &search.query, search.limit().into()).await?;
    Ok(Json(DataView {
        data: found.into_iter().map(BrandView::from).collect(),
    }))
}

/// Tags that the reader sees whose label contains the text, ordered by label: those of advertisers, or with `scope=term` of terms. A limit over 100
/// counts as 100.
#[utoipa::path(
    get, path = "/advertiserTag/", tag = "Monitoring", params(TagParams),
    responses(
        (status = 200, body = DataView<TagView>),
        (status = 400, body = FailureBody, description = "An unknown scope"),
        (status = 401, body = FailureBody),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn search_tags(
    State(state): State<ApiState>,
    caller: Caller,
    Query(search): Query<TagParams>,
) -> Result<Json<DataView<TagView>>, ApiError> {
    let kind = match search.scope.as_deref() {
        None | Some("tag") => categories::CategoryKind::Dealers,
        Some("term") => categories::CategoryKind::Terms,
        Some(_) => return Err(ApiError::BadRequest("scope: it is tag or term".to_owned())),
    };
    let limit = search.limit.unwrap_or(CHOICES).min(MOST_CHOICES);
    let found = categories::search(&state.postgres, &caller.scope, kind, &search.query, limit.into()).await?;
    Ok(Json(DataView {
        data: found.into_iter().map(TagView::from).collect(),
    }))
}

/// Words of terms whose ads the reader sees, most seen in 90 days first. A limit over 100 counts as 100.
#[utoipa::path(
    get, path = "/monitoring/keywords", tag = "Monitoring", params(ChoiceParams),
    responses((status = 200, body = DataView<KeywordView>), (status = 401, body = FailureBody)),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn search_keywords(
    State(state): State<ApiState>,
    caller: Caller,
    Query(search): Query<ChoiceParams>,
) -> Result<Json<DataView<KeywordView>>, ApiError> {
    let found = most_seen(
        &state,
        &caller,
        SuggestionKind::Keywords,
        containing(Field::KeywordContent, &search.query)?,
        search.limit(),
    );
    let data = found.await?.into_iter().map(|content| KeywordView { content });
    Ok(Json(DataView { data: data.collect() }))
}

/// Domains whose ads the reader sees, most seen in 90 days first. A limit over 100 counts as 100.
#[utoipa::path(
    get, path = "/monitoring/domains", tag = "Monitoring", params(ChoiceParams),
    responses((status = 200, body = DataView<SeenDomainView>), (status = 401, body = FailureBody)),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn search_domains(
    State(state): State<ApiState>,
    caller: Caller,
    Query(search): Query<ChoiceParams>,
) -> Result<Json<DataView<SeenDomainView>>, ApiError> {
    let found = most_seen(
        &state,
        &caller,
        SuggestionKind::Domains,
        containing(Field::Domain, &search.query)?,
        search.limit(),
    );
    let data = found.await?.into_iter().map(|domain| SeenDomainView { domain });
    Ok(Json(DataView { data: data.collect() }))
}

/// Places that can be targeted in a country: those with ads that the reader sees, most seen in 90 days first, then the others by name.
#[utoipa::path(
    get, path = "/monitoring/regions", tag = "Monitoring", params(CountryParams),
    responses(
        (status = 200, body = DataView<RegionView>),
        (status = 400, body = FailureBody, description = "No country of two letters"),
        (status = 401, body = FailureBody),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_regions(
    State(state): State<ApiState>,
    caller: Caller,
    Query(params): Query<CountryParams>,
) -> Result<Json<DataView<RegionView>>, ApiError> {
    let of_country = condition(Field::Country, Operator::Inq, &params.country)?;
    let found = most_seen(&state, &caller, SuggestionKind::Regions, Some(of_country), MOST_CHOICES).await?;
    let others = regions(&params.country).iter().map(|region| region.name.to_owned());
    let others: Vec<String> = others.filter(|name| !found.contains(name)).collect();
    let names = found.into_iter().chain(others);
    Ok(Json(DataView {
        data: names.map(|name| RegionView { name }).collect(),
    }))
}

/// The values of a kind on ads of the last 90 days that the caller sees and that meet the condition, most seen first, `limit` at most.
async fn most_seen(
    state: &ApiState,
    caller: &Caller,
    subject: SuggestionKind,
    condition: Option<Condition>,
    limit: u32,
) -> Result<Vec<String>, ApiError> {
    let since = Condition::seen_between(Some(state.clock.now() - OFFERED_FOR), None);
    let filters: Filters = condition.into_iter().chain([since]).collect();
    let found = suggest::values(&state.analytics, &caller.scope, subject, &filters, limit).await?;
    Ok(found.into_iter().map(|value| value.text).collect())
}

/// The condition that a field contains a text; `None` for an empty one, which every row meets.
fn containing(field: Field, text: &str) -> Result<Option<Condition>, ApiError> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    condition(field, Operator::Contain, text).map(Some)
}

/// The condition on a field with one value; a `BadRequest` when the value does not fit.
fn condition(field: Field, operator: Operator, text: &str) -> Result<Condition, ApiError> {
    Condition::read(field, operator, &[text.to_owned()]).map_err(|bad| ApiError::BadRequest(bad.to_string()))
}
