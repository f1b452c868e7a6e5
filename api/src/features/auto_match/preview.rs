//! What patterns would do to the present terms, before they are saved: `POST /Brands/matchPreview`.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use postgres::auto_match::{self, TermToMatch};
use postgres::brands;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use vocabulary::{BrandChange, BrandId, BrandPatterns, Judgement, Locale, MatchDecision, PatternedBrand, TextRange};

use super::invalid;
use super::matching::{MatchProgress, decide};
use crate::access::{Administrator, Caller};
use crate::extract;
use crate::failure::{ApiError, FailureBody};
use crate::resources::PATTERN_PATIENCE;
use crate::state::ApiState;

/// Terms of each list of a preview.
const EXAMPLES: usize = 20;
/// Stands for a brand that is not stored yet: no brand has this id.
const NEW_BRAND: BrandId = BrandId(0);

/// The operations of this file.
pub(super) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(preview_match))
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

/// Counts, with examples, what new patterns of one brand would do to all present terms, and saves nothing: `linked` is what a match of terms without
/// a brand gives it, `taken` and `released` happen only in a match of all terms. 404 for an unknown brand, 422 for a pattern that is invalid, too
/// large or too slow.
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
    let decided = decide(
        brand,
        brands,
        terms,
        PATTERN_PATIENCE,
        &Arc::new(MatchProgress::default()),
    )
    .await?;
    let labels = labels_of_rivals(&state, &caller, &decided).await?;
    Ok(Json(preview(own, total, decided, &labels)))
}

/// The labels of all rivals, by id.
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
