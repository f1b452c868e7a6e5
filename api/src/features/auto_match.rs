//! Matching terms with brands by the patterns of the brands (decision D95): `POST /Brands/{id}/autoMatch`, and `POST /Brands/matchPreview`, which
//! shows what patterns would do.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use chrono::{DateTime, Utc};
use postgres::audit::{self, AuditedChange, Event};
use postgres::auto_match::{self, RebrandedTerm, TermToMatch};
use postgres::brands;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Body, json};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use vocabulary::resources::Value;
use vocabulary::resources::models::{BRAND, TERM};
use vocabulary::{
    BrandChange, BrandId, BrandMatch, BrandPatterns, BrandPatternsError, Judgement, Locale, MatchDecision,
    PatternedBrand, TermId, TextRange,
};

use crate::access::{Administrator, Caller};
use crate::extract::{self, Path};
use crate::failure::{ApiError, FailureBody, FieldProblem};
use crate::resources;
use crate::state::ApiState;

const INCLUDE: &str = "autoMatchRegExp";
const EXCLUDE: &str = "autoMatchExcludeRegExp";
/// Terms of each list of a preview.
const EXAMPLES: usize = 20;
/// Terms that one match changes at most, like other changes of many rows.
const MOST_CHANGED: usize = 10_000;
/// How long patterns run over all terms: within their limits some still take long for each term.
const PATIENCE: Duration = Duration::from_secs(3);
/// Terms between two looks at the clock.
const TERMS_A_LOOK: usize = 64;
/// Stands for a brand that is not stored yet: no brand has this id.
const NEW_BRAND: BrandId = BrandId(0);

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(match_terms))
        .routes(routes!(preview_match))
}

/// Which terms are matched.
#[derive(Debug, Deserialize, ToSchema)]
struct MatchRequest {
    options: Option<MatchOptions>,
}

/// Which terms are matched.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct MatchOptions {
    /// All terms, those of other brands among them; and those of this brand that no longer match are released. Otherwise only terms without a brand.
    #[serde(default)]
    rematch_all: bool,
}

/// What a match changed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct MatchedView {
    /// Terms that the patterns match, of those looked at.
    matching: usize,
    /// Terms that the brand got.
    linked: usize,
    /// Those of them that another brand had.
    taken: usize,
    /// Terms that the brand gave up.
    released: usize,
    /// Terms that match and went to no brand or stayed with another one, whose claim is better.
    lost: usize,
}

/// Patterns of a brand as somebody writes them.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct MatchPreviewRequest {
    /// The brand they are for; none for a new one.
    #[serde(default)]
    brand_id: Option<i32>,
    /// The pattern, without slashes.
    #[serde(default)]
    auto_match_reg_exp: Option<String>,
    /// The pattern of what is excluded, without slashes.
    #[serde(default)]
    auto_match_exclude_reg_exp: Option<String>,
}

/// What patterns would do.
#[derive(Serialize, ToSchema)]
struct MatchPreviewView {
    data: MatchCountsView,
    meta: MatchExamplesView,
}

/// How many terms patterns would do what to.
#[derive(Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct MatchCountsView {
    /// All terms that have words.
    total: usize,
    /// Terms that match and are not excluded.
    matching: usize,
    /// Those of them that the brand has already.
    already_linked: usize,
    /// Those that have no brand and would get this one.
    linked: usize,
    /// Those that another brand has and would lose to this one in a match of all terms.
    taken: usize,
    /// Those that another brand has, or has a claim on, whoever gets them.
    contested: usize,
    /// Terms that match and are excluded.
    excluded: usize,
    /// Terms of the brand that no longer match: it would give them up in a match of all terms.
    released: usize,
}

/// The first terms of each kind, at most 20.
#[derive(Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct MatchExamplesView {
    newly_linked: Vec<MatchedTermView>,
    contested: Vec<ContestedTermView>,
    excluded: Vec<ExcludedTermView>,
    already_linked: Vec<MatchedTermView>,
    released: Vec<MatchedTermView>,
}

/// A term, and where its words match.
#[derive(Serialize, ToSchema)]
struct MatchedTermView {
    id: i32,
    /// The words it searches.
    term: String,
    /// ISO 3166 code of the country it is searched in.
    country: Option<String>,
    /// Where the pattern is found in the words: start and end in UTF-16 code units.
    at: Vec<[usize; 2]>,
}

/// A term that another brand has, or has a claim on.
#[derive(Serialize, ToSchema)]
struct ContestedTermView {
    id: i32,
    /// The words it searches.
    term: String,
    /// ISO 3166 code of the country it is searched in.
    country: Option<String>,
    brand: RivalView,
    /// Whether it would go to this brand, or stay with it: its matched text is longer, or as long and the brand older.
    wins: bool,
    /// Where the pattern is found in the words: start and end in UTF-16 code units.
    at: Vec<[usize; 2]>,
}

/// The other brand with the best claim.
#[derive(Serialize, ToSchema)]
struct RivalView {
    id: i32,
    label: Option<String>,
}

/// A term that is kept out.
#[derive(Serialize, ToSchema)]
struct ExcludedTermView {
    id: i32,
    /// The words it searches.
    term: String,
    /// ISO 3166 code of the country it is searched in.
    country: Option<String>,
    /// Where the pattern is found in the words: start and end in UTF-16 code units.
    at: Vec<[usize; 2]>,
    /// Where the pattern of exclusion is.
    by: Vec<[usize; 2]>,
}

/// Matches terms with a brand: those that its patterns match become its terms, unless a validated brand has a better claim, by a longer matched text
/// or, of equal length, by its age.
#[utoipa::path(
    post, path = "/Brands/{id}/autoMatch", tag = "Brand",
    params(("id" = i32, Path, description = "Id of the brand")),
    request_body = MatchRequest,
    responses(
        (status = 200, body = MatchedView, description = "What changed"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such brand"),
        (status = 422, body = FailureBody, description = "The brand has no pattern, or its patterns take too long"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn match_terms(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Path(id): Path<i32>,
    headers: HeaderMap,
    extract::Body(bytes): extract::Body,
) -> Result<Json<MatchedView>, ApiError> {
    let given = resources::body_fields(&headers, &bytes)?;
    let MatchRequest { options } =
        serde_json::from_value(Body::Object(given)).map_err(|error| ApiError::BadRequest(error.to_string()))?;
    let matches_all = options.unwrap_or_default().rematch_all;
    let brand = BrandId(id);
    let mut transaction = postgres::begin(&state.postgres).await?;
    let stored = auto_match::lock_brand(&mut transaction, &caller.scope, brand).await?;
    let stored = stored.ok_or_else(|| ApiError::NoRow(format!("could not find a model with id {id}")))?;
    if stored.include.as_ref().is_none_or(|include| include.trim().is_empty()) {
        return Err(refused(INCLUDE, "presence", "can't be blank"));
    }
    let brands = auto_match::patterned_brands(&mut *transaction, &caller.scope, Some(brand)).await?;
    let terms = auto_match::terms(&mut *transaction, &caller.scope, !matches_all).await?;
    let decided = decide(stored, brands, terms).await?;
    let changing = |change: BrandChange| -> Vec<(TermId, Option<BrandId>)> {
        let changed = decided.iter().filter(|(_, decision)| decision.change == Some(change));
        changed.map(|(term, _)| (term.id, term.brand)).collect()
    };
    let (link, release) = (changing(BrandChange::Link), changing(BrandChange::Release));
    if link.len() + release.len() > MOST_CHANGED {
        return Err(ApiError::BadRequest(format!(
            "This would change more than {MOST_CHANGED} terms. Match by a narrower pattern first."
        )));
    }
    let now = state.clock.now();
    let linked = auto_match::set_brand(&mut transaction, &caller.scope, &link, Some(brand), now).await?;
    let released = auto_match::set_brand(&mut transaction, &caller.scope, &release, None, now).await?;
    let mut entries: Vec<AuditedChange> = linked.iter().map(|term| entry(term, Some(brand), now)).collect();
    entries.extend(released.iter().map(|term| entry(term, None, now)));
    audit::record(&mut *transaction, &caller.audit_actor(), &entries).await?;
    transaction.commit().await.map_err(postgres::Error::from)?;
    let matching = decided
        .iter()
        .filter(|(_, decision)| matches!(decision.judgement, Judgement::Matches { .. }));
    let lost = matching
        .clone()
        .filter(|(term, decision)| decision.change.is_none() && term.brand != Some(brand));
    Ok(Json(MatchedView {
        matching: matching.count(),
        lost: lost.count(),
        taken: linked.iter().filter(|term| term.was.is_some()).count(),
        linked: linked.len(),
        released: released.len(),
    }))
}

/// What patterns would do to the present terms, before they are saved: a match of all terms, and of those without a brand.
#[utoipa::path(
    post, path = "/Brands/matchPreview", tag = "Brand", request_body = MatchPreviewRequest,
    responses(
        (status = 200, body = MatchPreviewView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such brand"),
        (status = 422, body = FailureBody, description = "A pattern that is invalid, too large, or takes too long"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn preview_match(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    extract::Json(request): extract::Json<MatchPreviewRequest>,
) -> Result<Json<MatchPreviewView>, ApiError> {
    let brand = PatternedBrand {
        id: request.brand_id.map_or(NEW_BRAND, BrandId),
        validated: true,
        include: request.auto_match_reg_exp,
        exclude: request.auto_match_exclude_reg_exp,
    };
    // Before anything is read, so that a hostile pattern costs nothing.
    BrandPatterns::parse(brand.include.as_deref(), brand.exclude.as_deref()).map_err(invalid)?;
    let own = brand.id;
    let brands = auto_match::patterned_brands(&state.postgres, &caller.scope, Some(own)).await?;
    if own != NEW_BRAND && brands.iter().all(|stored| stored.id != own) {
        return Err(ApiError::NoRow(format!("could not find a model with id {own}")));
    }
    let terms = auto_match::terms(&state.postgres, &caller.scope, false).await?;
    let total = terms.len();
    let decided = decide(brand, brands, terms).await?;
    let labels = labels_of_rivals(&state, &caller, &decided).await?;
    Ok(Json(preview(own, total, decided, &labels)))
}

/// What a match decides for each term, without those that its patterns have nothing to do with. `Refused` when that takes longer than [`PATIENCE`].
async fn decide(
    brand: PatternedBrand,
    brands: Vec<PatternedBrand>,
    terms: Vec<TermToMatch>,
) -> Result<Vec<(TermToMatch, MatchDecision)>, ApiError> {
    let decided = tokio::task::spawn_blocking(move || {
        let began = Instant::now();
        let of_brand = BrandMatch::new(brand, brands).map_err(invalid)?;
        let mut decided = Vec::new();
        for (place, term) in terms.into_iter().enumerate() {
            if place % TERMS_A_LOOK == 0 && began.elapsed() > PATIENCE {
                return Err(refused(INCLUDE, "pattern.slow", "takes too long over all terms"));
            }
            let decision = of_brand.decide(&term.words, term.brand);
            if decision.judgement != Judgement::Apart || decision.change.is_some() {
                decided.push((term, decision));
            }
        }
        Ok(decided)
    });
    decided.await.map_err(ApiError::internal)?
}

/// The entry of a changed term in the audit log, with its brand and date of update before and after.
fn entry(term: &RebrandedTerm, becomes: Option<BrandId>, now: DateTime<Utc>) -> AuditedChange {
    let state = |brand: Option<BrandId>, updated: Option<DateTime<Utc>>| json!({ "brandId": brand, "updatedDate": updated.map(|at| Value::Date(at).to_json()) });
    AuditedChange {
        event: Event::Change,
        model: TERM.name,
        target: term.id.to_string(),
        details: json!({ "before": state(term.was, term.updated_before), "after": state(becomes, Some(now)) }),
    }
}

/// The labels (else the names) of the brands that are rivals in `decided`, by id. Brands that the caller does not see are left out.
async fn labels_of_rivals(
    state: &ApiState,
    caller: &Caller,
    decided: &[(TermToMatch, MatchDecision)],
) -> Result<HashMap<BrandId, Option<String>>, ApiError> {
    let mut rivals: Vec<BrandId> = decided.iter().filter_map(|(_, decision)| decision.rival).collect();
    rivals.sort_unstable();
    rivals.dedup();
    let found = brands::by_ids(&state.postgres, &caller.scope, &rivals).await?;
    Ok(found
        .into_iter()
        .map(|brand| (brand.id, brand.label.or(brand.name)))
        .collect())
}

/// Counts the terms of each kind, of which a term may be several, and keeps the first [`EXAMPLES`] of each. `labels` are the labels of rivals by id;
/// a rival without one is shown without.
fn preview(
    own: BrandId,
    total: usize,
    decided: Vec<(TermToMatch, MatchDecision)>,
    labels: &HashMap<BrandId, Option<String>>,
) -> MatchPreviewView {
    let mut data = MatchCountsView {
        total,
        ..MatchCountsView::default()
    };
    let mut meta = MatchExamplesView::default();
    for (term, decision) in decided {
        let holds = term.brand == Some(own);
        let country = country(&term);
        let id = term.id.0;
        let shown = |at: &[TextRange]| MatchedTermView {
            id,
            term: term.words.clone(),
            country: country.clone(),
            at: pairs(at),
        };
        if decision.change == Some(BrandChange::Release) {
            data.released += 1;
            push(&mut meta.released, || shown(&[]));
        }
        match decision.judgement {
            Judgement::Apart => {}
            Judgement::Excluded { at, by } => {
                data.excluded += 1;
                push(&mut meta.excluded, || ExcludedTermView {
                    id,
                    term: term.words.clone(),
                    country: country.clone(),
                    at: pairs(&at),
                    by: pairs(&by),
                });
            }
            Judgement::Matches { at } => {
                data.matching += 1;
                let joins = decision.change == Some(BrandChange::Link);
                if holds {
                    data.already_linked += 1;
                    push(&mut meta.already_linked, || shown(&at));
                } else if joins && term.brand.is_none() {
                    data.linked += 1;
                    push(&mut meta.newly_linked, || shown(&at));
                } else if joins {
                    data.taken += 1;
                }
                if let Some(rival) = decision.rival {
                    data.contested += 1;
                    push(&mut meta.contested, || ContestedTermView {
                        id,
                        term: term.words.clone(),
                        country: country.clone(),
                        brand: RivalView {
                            id: rival.0,
                            label: labels.get(&rival).cloned().flatten(),
                        },
                        wins: joins || holds,
                        at: pairs(&at),
                    });
                }
            }
        }
    }
    MatchPreviewView { data, meta }
}

/// Adds an example unless there are [`EXAMPLES`] already.
fn push<T>(list: &mut Vec<T>, example: impl FnOnce() -> T) {
    if list.len() < EXAMPLES {
        list.push(example());
    }
}

/// Ranges as clients get them: start and end, in the unit of [`TextRange`].
fn pairs(ranges: &[TextRange]) -> Vec<[usize; 2]> {
    ranges.iter().map(|range| [range.start, range.end]).collect()
}

/// The country a term is searched in; `None` without a readable locale.
fn country(term: &TermToMatch) -> Option<String> {
    let locale: Locale = term.locale.as_deref()?.parse().ok()?;
    Some(locale.country().to_owned())
}

/// The failure of an invalid pattern.
fn invalid(error: BrandPatternsError) -> ApiError {
    let (field, error) = match error {
        BrandPatternsError::Include(error) => (INCLUDE, error),
        BrandPatternsError::Exclude(error) => (EXCLUDE, error),
    };
    refused(field, error.code(), error.text())
}

/// The failure of a field of a brand.
fn refused(field: &'static str, code: &'static str, text: &str) -> ApiError {
    ApiError::Refused {
        model: BRAND.name,
        problems: vec![FieldProblem::new(field, code, text, "the pattern".to_owned())],
    }
}
