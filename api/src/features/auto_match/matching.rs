//! A match of terms with a brand: what it decides for each term, and the change of the terms.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use postgres::audit::{self, AuditActor, AuditedChange, Event};
use postgres::auto_match::{self, RebrandedTerm, TermToMatch};
use postgres::capture_quotas::TouchedPlans;
use postgres::match_runs::{self, MatchRunId};
use serde_json::json;
use vocabulary::resources::Value;
use vocabulary::resources::models::TERM;
use vocabulary::{BrandChange, BrandId, BrandMatch, Judgement, MatchDecision, PatternedBrand, Scope};

use super::{INCLUDE, MatchedView, SLOW, invalid, refused};
use crate::failure::ApiError;
use crate::quotas;
use crate::state::ApiState;

/// Terms that one statement changes.
const BATCH: usize = 1_000;

/// A match to make.
#[derive(Clone, Debug)]
pub(super) struct MatchPlan {
    pub(super) brand: BrandId,
    /// Terms of other brands are matched too, and those of this brand that no longer match are released.
    pub(super) all_terms: bool,
    /// How long patterns may run over the terms.
    pub(super) patience: Duration,
    /// Terms that may change; more are refused.
    pub(super) most_changed: usize,
    /// The run in the background that this match is, to be ended with it.
    pub(super) run: Option<MatchRunId>,
}

/// How far a match is: patterns run over all terms once, and then some terms are changed.
#[derive(Debug, Default)]
pub(super) struct MatchProgress {
    terms: AtomicUsize,
    judged: AtomicUsize,
    changes: AtomicUsize,
    changed: AtomicUsize,
}

impl MatchProgress {
    /// What part is done, from 0 to 1; half of it is judging.
    pub(super) fn share(&self) -> f32 {
        let part = |done: &AtomicUsize, all: &AtomicUsize| match all.load(Ordering::Relaxed) {
            0 => 0.0,
            #[expect(clippy::cast_precision_loss, reason = "a share that people look at")]
            all => done.load(Ordering::Relaxed) as f32 / all as f32,
        };
        f32::midpoint(part(&self.judged, &self.terms), part(&self.changed, &self.changes)).min(1.0)
    }
}

/// Matches terms with a brand in one transaction, with an entry in the audit log for each changed term. Fails with `NoRow` for an unknown brand,
/// with `Refused` when it has no pattern or its patterns take too long, with `BadRequest` when too many terms would change, and with `Conflict` when
/// its patterns were changed meanwhile; then nothing is changed.
pub(super) async fn match_terms(
    state: &ApiState,
    scope: &Scope,
    author: &AuditActor,
    plan: &MatchPlan,
    progress: &Arc<MatchProgress>,
) -> Result<MatchedView, ApiError> {
    let brand = plan.brand;
    let brands = auto_match::patterned_brands(&state.postgres, scope, Some(brand)).await?;
    let stored = brands.iter().find(|stored| stored.id == brand).cloned();
    let stored = stored.ok_or_else(|| no_brand(brand))?;
    if stored.include.as_ref().is_none_or(|include| include.trim().is_empty()) {
        return Err(refused(INCLUDE, "presence", "can't be blank"));
    }
    let terms = auto_match::terms(&state.postgres, scope, !plan.all_terms).await?;
    let decided = decide(stored.clone(), brands, terms, plan.patience, progress).await?;
    let changing = |change: BrandChange| -> Vec<&TermToMatch> {
        let changed = decided.iter().filter(|(_, decision)| decision.change == Some(change));
        changed.map(|(term, _)| term).collect()
    };
    let (link, release) = (changing(BrandChange::Link), changing(BrandChange::Release));
    let changes = link.len() + release.len();
    if changes > plan.most_changed {
        return Err(ApiError::BadRequest(format!(
            "This would change more than {} terms. Match them in the background, or by a narrower pattern first.",
            plan.most_changed
        )));
    }
    progress.changes.store(changes, Ordering::Relaxed);

    let mut transaction = postgres::begin(&state.postgres).await?;
    let locked = auto_match::lock_brand(&mut transaction, scope, brand).await?;
    if locked.ok_or_else(|| no_brand(brand))? != stored {
        return Err(ApiError::Conflict(
            "The patterns of this brand were changed meanwhile.".to_owned(),
        ));
    }
    let now = state.clock.now();
    let (mut linked, mut released) = (Vec::new(), Vec::new());
    for (terms, becomes, changed) in [(&link, Some(brand), &mut linked), (&release, None, &mut released)] {
        for batch in terms.chunks(BATCH) {
            let done = auto_match::set_brand(&mut transaction, scope, batch, becomes, now).await?;
            let entries: Vec<AuditedChange> = done.iter().map(|term| entry(term, becomes, now)).collect();
            audit::record(&mut *transaction, author, &entries).await?;
            changed.extend(done);
            progress.changed.fetch_add(batch.len(), Ordering::Relaxed);
        }
    }
    let matched = counts(brand, &decided, &linked, &released);
    if let Some(run) = plan.run {
        let counts = serde_json::to_value(&matched).map_err(ApiError::internal)?;
        if !match_runs::end(&mut *transaction, scope, run, Ok(counts), now).await? {
            return Err(ApiError::Conflict("This match was given up meanwhile.".to_owned()));
        }
    }
    quotas::keep(state, &mut transaction, TouchedPlans::Any).await?;
    transaction.commit().await.map_err(postgres::Error::from)?;
    Ok(matched)
}

/// The failure of a brand that is not there.
fn no_brand(brand: BrandId) -> ApiError {
    ApiError::NoRow(format!("could not find a model with id {brand}"))
}

/// How many terms changed in which way.
fn counts(
    brand: BrandId,
    decided: &[(TermToMatch, MatchDecision)],
    linked: &[RebrandedTerm],
    released: &[RebrandedTerm],
) -> MatchedView {
    let matching = decided
        .iter()
        .filter(|(_, decision)| matches!(decision.judgement, Judgement::Matches { .. }));
    let lost = matching
        .clone()
        .filter(|(term, decision)| decision.change.is_none() && term.brand != Some(brand));
    MatchedView {
        matching: matching.count(),
        lost: lost.count(),
        taken: linked.iter().filter(|term| term.was.is_some()).count(),
        linked: linked.len(),
        released: released.len(),
    }
}

/// What a match decides for each term, without those that its patterns have nothing to do with. `Refused` when that takes longer than `patience`.
pub(super) async fn decide(
    brand: PatternedBrand,
    brands: Vec<PatternedBrand>,
    terms: Vec<TermToMatch>,
    patience: Duration,
    progress: &Arc<MatchProgress>,
) -> Result<Vec<(TermToMatch, MatchDecision)>, ApiError> {
    let progress = Arc::clone(progress);
    progress.terms.store(terms.len(), Ordering::Relaxed);
    let decided = tokio::task::spawn_blocking(move || {
        let began = Instant::now();
        let of_brand = BrandMatch::new(brand, brands).map_err(invalid)?;
        let mut decided = Vec::new();
        for term in terms {
            if began.elapsed() > patience {
                return Err(refused(INCLUDE, SLOW, "takes too long over all terms"));
            }
            progress.judged.fetch_add(1, Ordering::Relaxed);
            let decision = of_brand.decide(&term.words, term.brand);
            if decision.judgement != Judgement::Apart || decision.change.is_some() {
                decided.push((term, decision));
            }
        }
        Ok(decided)
    });
    decided.await.map_err(ApiError::internal)?
}

/// The entry of a changed term in the audit log.
fn entry(term: &RebrandedTerm, becomes: Option<BrandId>, now: DateTime<Utc>) -> AuditedChange {
    let state = |brand: Option<BrandId>, updated: Option<DateTime<Utc>>| json!({ "brandId": brand, "updatedDate": updated.map(|at| Value::Date(at).to_json()) });
    AuditedChange {
        event: Event::Change,
        model: TERM.name,
        target: term.id.to_string(),
        details: json!({ "before": state(term.was, term.updated_before), "after": state(becomes, Some(now)) }),
    }
}
