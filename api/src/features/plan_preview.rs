//! What a change of terms, or new ones, would cost, before it is made: `POST /Terms/planPreview`.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use postgres::term_dues::{self, TermToPlan};
use postgres::term_import::{self, TermKey};
use postgres::{Connection, brands, localizations};
use serde::{Deserialize, Serialize};
use serde_json::Value as Body;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use vocabulary::{
    BrandId, CompanyAccountId, Device, Engine, Frequency, LONGEST_WORDS, Locale, LocalizationId, Scope, TermState,
};

use crate::access::Administrator;
use crate::chosen_terms;
use crate::extract;
use crate::failure::{ApiError, FailureBody};
use crate::plan_cost::{self, CostedTerm, CountsFor, PlanCostView};
use crate::resources;
use crate::state::ApiState;

/// The share of searches that convert: 1 to 100 percent (decision D103).
const RATES: std::ops::RangeInclusive<f64> = 0.01..=1.0;
/// New terms of one request (decision D103).
const MOST_NEW: usize = 1_000;

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(preview_plan))
}

/// Terms and what is to change of them, or new terms.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PlanPreviewRequest {
    /// The terms by id, 10,000 at most.
    #[serde(default)]
    ids: Option<Vec<i32>>,
    /// The terms by a condition like that of `POST /Terms/update`; the first 10,000 count.
    #[serde(default, rename = "where")]
    #[schema(value_type = Option<HashMap<String, Body>>)]
    condition: Option<Body>,
    #[serde(default)]
    change: PlanChange,
    /// Terms that are not there yet, in place of those that are.
    #[serde(default)]
    new_terms: Option<NewTerms>,
}

/// What is to change; what is left out stays.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PlanChange {
    /// Milliseconds between captures; 0 is automatic.
    #[serde(default)]
    every: Option<i64>,
    /// The share of searches that the automatic frequency captures, from 0.01 to 1.
    #[serde(default)]
    search_convert_rate: Option<f64>,
    /// `enabled`, `disabled` or `archived`.
    #[serde(default)]
    state: Option<String>,
}

/// New terms that differ in their words alone.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NewTerms {
    /// The words of each, 1,000 at most.
    words: Vec<String>,
    /// `GOOGLE` or `BING`.
    engine: String,
    /// Where they are searched. Without it no term is known to be there already.
    #[serde(default)]
    localization_id: Option<i32>,
    #[serde(default)]
    region: Option<String>,
    /// `DESKTOP`, `MOBILE` or `TABLET`; none is desktop.
    #[serde(default)]
    devices: Vec<String>,
    /// Milliseconds between captures; 0 is automatic: daily, until the searches are read.
    every: i64,
    /// `enabled`, `disabled` or `archived`.
    state: String,
    /// Company accounts with access besides those of the brand.
    #[serde(default)]
    can_be_access_by: Vec<i32>,
}

/// What a change would cost.
#[derive(Serialize, ToSchema)]
struct PlanPreviewView {
    data: PlanCostView,
    /// What becomes of new terms; absent where none are asked about.
    #[serde(rename = "newTerms", skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    new_terms: Option<NewTermsView>,
}

/// What becomes of new terms.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NewTermsView {
    /// Those that are there already, and would be skipped.
    existing: Vec<ExistingTermView>,
    /// The brands that the others would join by their patterns, with most terms first.
    brands: Vec<JoinedBrandView>,
    /// The words that no brand matches.
    without_brand: Vec<String>,
}

/// A term that is there already.
#[derive(Serialize, ToSchema)]
struct ExistingTermView {
    id: i32,
    /// The words that were asked about.
    term: String,
}

/// A brand that new terms would join.
#[derive(Serialize, ToSchema)]
struct JoinedBrandView {
    id: i32,
    label: String,
    terms: usize,
}

/// For the chosen terms or new ones: how many captures they make a day before and after. For each of their engines: how much of what may be asked of it
/// all terms take before and after; the same for the quotas of company accounts. Terms are planned by the function that plans their slots; nothing is
/// saved.
#[utoipa::path(
    post, path = "/Terms/planPreview", tag = "Term", request_body = PlanPreviewRequest,
    responses(
        (status = 200, body = PlanPreviewView),
        (status = 400, body = FailureBody, description = "A value that cannot be read, or words that take too long to match with the patterns of all brands"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 422, body = FailureBody, description = "No terms are named, or a value that they cannot have"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn preview_plan(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    extract::Json(request): extract::Json<PlanPreviewRequest>,
) -> Result<Json<PlanPreviewView>, ApiError> {
    let change = read(&request.change)?;
    if let Some(new) = request.new_terms {
        let shared = read_shared(&new)?;
        let mut connection = state.postgres.acquire().await.map_err(postgres::Error::from)?;
        let (terms, view) = plan_new(&mut connection, &caller.scope, &new, &shared).await?;
        return Ok(Json(PlanPreviewView {
            data: plan_cost::cost(&state, &mut connection, &terms).await?,
            new_terms: Some(view),
        }));
    }
    let ids = chosen_terms::find_ids(&state, &caller, request.ids, request.condition).await?;
    let mut connection = state.postgres.acquire().await.map_err(postgres::Error::from)?;
    let terms = term_dues::to_plan(&mut *connection, &caller.scope, &ids).await?;
    let terms = terms.into_iter().map(|before| CostedTerm {
        after: changed(before.clone(), change),
        before: Some(before),
        counts_for: CountsFor::AsBefore,
    });
    let terms: Vec<CostedTerm> = terms.collect();
    Ok(Json(PlanPreviewView {
        data: plan_cost::cost(&state, &mut connection, &terms).await?,
        new_terms: None,
    }))
}

/// What changes of a term.
#[derive(Clone, Copy)]
struct TermChange {
    every: Option<Frequency>,
    convert_rate: Option<f64>,
    state: Option<TermState>,
}

/// Reads a change; 422 for a value that no term can have.
fn read(change: &PlanChange) -> Result<TermChange, ApiError> {
    let rate = change.search_convert_rate;
    if rate.is_some_and(|rate| !RATES.contains(&rate)) {
        return Err(ApiError::of_field("searchConvertRate", "is a share from 0.01 to 1"));
    }
    Ok(TermChange {
        every: change.every.map(frequency).transpose()?,
        convert_rate: rate,
        state: change.state.as_deref().map(state_of).transpose()?,
    })
}

fn frequency(millis: i64) -> Result<Frequency, ApiError> {
    Frequency::from_millis(millis).ok_or_else(|| ApiError::of_field("every", "is not a number of milliseconds"))
}

fn state_of(text: &str) -> Result<TermState, ApiError> {
    text.parse()
        .map_err(|_| ApiError::of_field("state", "is enabled, disabled or archived"))
}

/// The term after the change.
fn changed(mut planned: TermToPlan, change: TermChange) -> TermToPlan {
    if let Some(every) = change.every {
        planned.term.every = every;
    }
    if let Some(rate) = change.convert_rate {
        planned.term.convert_rate = Some(rate);
    }
    if let Some(state) = change.state {
        planned.term.is_capturable = planned.is_complete && state == TermState::Enabled;
    }
    planned
}

/// What all new terms have in common.
struct Shared {
    engine: Engine,
    devices: Vec<Device>,
    every: Frequency,
    state: TermState,
}

/// Reads what new terms have in common; 422 for a value that no term can have, or too many terms.
fn read_shared(new: &NewTerms) -> Result<Shared, ApiError> {
    if new.words.len() > MOST_NEW {
        return Err(ApiError::of_field("words", format!("{MOST_NEW} terms at most")));
    }
    if new.words.iter().any(|words| words.chars().count() > LONGEST_WORDS) {
        return Err(ApiError::of_field(
            "words",
            format!("{LONGEST_WORDS} characters at most"),
        ));
    }
    let engine = new.engine.parse();
    let devices = new.devices.iter().map(|device| device.parse());
    Ok(Shared {
        engine: engine.map_err(|_| ApiError::of_field("engine", "is GOOGLE or BING"))?,
        devices: devices
            .collect::<Result<_, _>>()
            .map_err(|_| ApiError::of_field("devices", "are DESKTOP, MOBILE or TABLET"))?,
        every: frequency(new.every)?,
        state: state_of(&new.state)?,
    })
}

/// New terms as they would be planned, without those that are there already, and what becomes of all of them.
async fn plan_new(
    connection: &mut Connection,
    scope: &Scope,
    new: &NewTerms,
    shared: &Shared,
) -> Result<(Vec<CostedTerm>, NewTermsView), ApiError> {
    let place = new.localization_id.map(LocalizationId);
    let locale = match place {
        None => None,
        Some(place) => {
            let place = localizations::by_id(&mut *connection, place).await?;
            place
                .ok_or_else(|| ApiError::of_field("localizationId", "does not exist"))?
                .locale
        }
    };
    let (existing, words) = without_existing(connection, scope, new, place, shared.engine).await?;
    let open = words.iter().cloned().enumerate().collect();
    let brands: BTreeMap<usize, BrandId> = resources::match_words(connection, scope, open)
        .await?
        .into_iter()
        .collect();
    // Where no place is chosen yet, any that there is can be searched from.
    let is_complete = place.is_none() || locale.as_deref().is_some_and(|locale| locale.parse::<Locale>().is_ok());
    let companies: Vec<CompanyAccountId> = new.can_be_access_by.iter().copied().map(CompanyAccountId).collect();
    let is_enabled = shared.state == TermState::Enabled;
    let mut planned = TermToPlan::new(shared.engine, locale, shared.every, is_complete, is_enabled);
    planned.term.devices.clone_from(&shared.devices);
    let terms = (0..words.len()).map(|place| CostedTerm {
        before: None,
        after: planned.clone(),
        counts_for: CountsFor::These {
            brand: brands.get(&place).copied(),
            companies: companies.clone(),
        },
    });
    let view = NewTermsView {
        existing,
        brands: joined(connection, scope, &brands).await?,
        without_brand: words
            .iter()
            .enumerate()
            .filter(|(place, _)| !brands.contains_key(place))
            .map(|(_, words)| words.clone())
            .collect(),
    };
    Ok((terms.collect(), view))
}

/// The new terms that are there already, and the words of the others.
async fn without_existing(
    connection: &mut Connection,
    scope: &Scope,
    new: &NewTerms,
    place: Option<LocalizationId>,
    engine: Engine,
) -> Result<(Vec<ExistingTermView>, Vec<String>), ApiError> {
    let Some(localization) = place else {
        return Ok((Vec::new(), new.words.clone()));
    };
    let keys = new.words.iter().map(|words| TermKey {
        words: words.clone(),
        engine: engine.to_string().to_uppercase(),
        localization,
        region: new.region.clone().unwrap_or_default(),
    });
    let keys: Vec<TermKey> = keys.collect();
    let found = term_import::find_keys(connection, scope, &keys).await?;
    let (mut existing, mut others) = (Vec::new(), Vec::new());
    for (words, found) in new.words.iter().zip(found) {
        match found.term {
            Some(id) => existing.push(ExistingTermView {
                id: id.0,
                term: words.clone(),
            }),
            None => others.push(words.clone()),
        }
    }
    Ok((existing, others))
}

/// The brands that terms would join, those with most terms first.
async fn joined(
    connection: &mut Connection,
    scope: &Scope,
    brand_of: &BTreeMap<usize, BrandId>,
) -> Result<Vec<JoinedBrandView>, ApiError> {
    let mut terms: BTreeMap<BrandId, usize> = BTreeMap::new();
    for brand in brand_of.values() {
        *terms.entry(*brand).or_default() += 1;
    }
    let ids: Vec<BrandId> = terms.keys().copied().collect();
    let found = brands::by_ids(connection, scope, &ids).await?.into_iter();
    let views = found.map(|brand| JoinedBrandView {
        id: brand.id.0,
        terms: terms.get(&brand.id).copied().unwrap_or_default(),
        label: brand
            .label
            .filter(|label| !label.is_empty())
            .or(brand.name)
            .unwrap_or_default(),
    });
    let mut views: Vec<JoinedBrandView> = views.collect();
    views.sort_by_key(|brand| std::cmp::Reverse(brand.terms));
    Ok(views)
}
