//! Writes of sems. One entered by hand gets a new version; a captured one is corrected (see `corrections`).

use std::collections::BTreeMap;
use std::time::Duration;

use analytics::ingest::{self, AdRow};
use analytics::resources::{self as sems, CorrectionError, MatchedSems, Origin, TermFacts};
use corrections::{Correction, CorrectionLock, Stores};
use postgres::changes::Change as Happening;
use postgres::resources::Assignment;
use serde_json::{Value as Json, json};
use vocabulary::resources::models::SEM;
use vocabulary::resources::{Condition, Value};

use super::call::Call;
use super::record::{RowValues, shown};
use super::sem_names;
use super::trail::AuditTrail;
use crate::changes::notify_of_sems;
use crate::failure::{ApiError, FieldProblem};

/// Captured sems that one call corrects: a few seconds' work, during which no other ad is stored.
const CORRECTED_AT_ONCE: usize = 1_000;
/// How soon to try again while stored ads are read again, or these are being stored.
const TRY_AGAIN: Duration = Duration::from_secs(30);

/// Stores Sems entered by hand and returns their ids, in the order given. Then, not in one transaction, writes the audit log and notifies change
/// streams.
pub(super) async fn insert(call: &Call, list: &[RowValues]) -> Result<Vec<i64>, ApiError> {
    let postgres = &call.state.postgres;
    let values: Vec<_> = list.iter().map(|record| record.values.clone()).collect();
    let number = postgres::sems::take_number(postgres).await?;
    let terms: Vec<i64> = values.iter().filter_map(|values| term_id(values)).collect();
    let brands = postgres::sems::brands_of_terms(postgres, &terms).await?;
    let made = sems::insert_by_hand(&call.state.analytics, number, &values, &brands).await?;
    let mut trail = AuditTrail::new(call, &SEM);
    for (id, values) in made.iter().zip(&values) {
        trail.made(*id, values);
    }
    trail.store(postgres).await?;
    notify_of_sems(&call.state.postgres, Happening::Create { ids: made.clone() }).await;
    Ok(made)
}

/// Changes the Sems, entered by hand or captured, that the caller sees and that meet a condition, at most `MAX_ROWS`, and returns them as they are
/// then; writes the audit log and notifies change streams. Changes none when a captured one cannot take the changes (`Refused`), when more than
/// [`CORRECTED_AT_ONCE`] are captured (`BadRequest`) or while these cannot be corrected (`Throttled`).
pub(super) async fn update(
    call: &Call,
    origin: Origin<'_>,
    condition: &Condition,
    changes: &[Assignment],
) -> Result<Vec<Json>, ApiError> {
    let Some((lock, matched)) = match_and_lock(call, origin, condition).await? else {
        return Ok(Vec::new());
    };
    // What cannot be done with a captured one leaves those by hand as they are, too.
    let corrections = match &lock {
        Some(lock) => plan_corrections(call, lock, &matched, changes).await?,
        None => Vec::new(),
    };
    let captured = matched.captured_rows();
    let was = matched.rows_by_hand().iter().chain(&captured).map(short).collect();
    let mut rows = update_by_hand(call, &matched, changes).await?;
    if let Some(lock) = lock {
        let corrected: Vec<Json> = corrections
            .iter()
            .filter_map(|correction| correction.after.as_ref().map(sems::shown))
            .collect();
        let mut trail = AuditTrail::new(call, &SEM);
        // All fields, because some follow from others.
        let fields: Vec<Assignment> = SEM.fields.iter().map(|field| (field, Value::Null)).collect();
        trail.changed(&captured, &corrected, &fields);
        let answered = corrections
            .iter()
            .filter_map(|correction| correction.after.as_ref())
            .collect();
        let answered = sem_names::of_ads(call, answered).await?;
        let differ = corrections
            .into_iter()
            .filter(|correction| correction.after.as_ref() != Some(&correction.before));
        correct(call, lock, trail, differ.collect()).await?;
        rows.extend(answered);
    }
    notify_of_sems(&call.state.postgres, Happening::Update { was }).await;
    Ok(rows)
}

/// Deletes the Sems that the caller sees and that meet a condition, and returns their ids. Limits, `BadRequest` and `Throttled`, audit log and change
/// streams are as for [`update`].
pub(super) async fn remove(call: &Call, origin: Origin<'_>, condition: &Condition) -> Result<Vec<Json>, ApiError> {
    let Some((lock, matched)) = match_and_lock(call, origin, condition).await? else {
        return Ok(Vec::new());
    };
    let corrections = match &lock {
        Some(lock) => {
            let ads = settled_ads(call, lock, &matched).await?;
            let removed = |before| Correction { before, after: None };
            ads.into_iter().map(removed).collect()
        }
        None => Vec::new(),
    };
    let mut removed = remove_by_hand(call, &matched).await?;
    let mut gone = matched.rows_by_hand();
    if let Some(lock) = lock {
        let before = matched.captured_rows();
        let ids = ids(&before);
        let mut trail = AuditTrail::new(call, &SEM);
        trail.removed(&ids, &before);
        correct(call, lock, trail, corrections).await?;
        removed.extend(ids);
        gone.extend(before);
    }
    for row in gone {
        notify_of_sems(&call.state.postgres, Happening::Remove { row: short(&row) }).await;
    }
    Ok(removed)
}

/// Finds the Sems that a write is about; if some are captured, takes the correction lock and reads those again under it. `None` when nothing matches;
/// the lock is `None` when none is captured. A `BadRequest` for more than [`CORRECTED_AT_ONCE`] captured ones, `Throttled` when the lock is not free
/// in time.
async fn match_and_lock(
    call: &Call,
    origin: Origin<'_>,
    condition: &Condition,
) -> Result<Option<(Option<CorrectionLock>, MatchedSems)>, ApiError> {
    let (client, scope) = (&call.state.analytics, &call.caller.scope);
    let matched = sems::matching(client, scope, origin, condition).await?;
    if matched.is_empty() {
        return Ok(None);
    }
    if matched.captured_ids().is_empty() {
        return Ok(Some((None, matched)));
    }
    if matched.captured_ids().len() > CORRECTED_AT_ONCE {
        return Err(ApiError::BadRequest(format!(
            "More than {CORRECTED_AT_ONCE} captured Sems meet this. Correct fewer at once."
        )));
    }
    let stores = Stores {
        postgres: call.state.postgres.clone(),
        analytics: client.clone(),
    };
    let lock = CorrectionLock::acquire(&stores)
        .await?
        .ok_or(ApiError::Throttled(TRY_AGAIN))?;
    // Again, those alone: somebody else may have corrected them meanwhile.
    let these = matched.captured_condition().and(condition.clone());
    let again = sems::matching(client, scope, origin, &these).await?;
    Ok(Some((Some(lock), matched.with_captured_of(again))))
}

/// The stored ads of the captured Sems. `Throttled` while some of them cannot be corrected yet, because they are being stored or deleted.
async fn settled_ads(call: &Call, lock: &CorrectionLock, matched: &MatchedSems) -> Result<Vec<AdRow>, ApiError> {
    let ads = ingest::rows(&call.state.analytics, &matched.captured_ids()).await?;
    if lock.are_settled(&ads).await? {
        Ok(ads)
    } else {
        Err(ApiError::Throttled(TRY_AGAIN))
    }
}

/// The corrections that apply the changes to the captured Sems, one for each, also where nothing differs; nothing is written. `Refused` when one of
/// them cannot take a change, `Throttled` as for [`settled_ads`].
async fn plan_corrections(
    call: &Call,
    lock: &CorrectionLock,
    matched: &MatchedSems,
    changes: &[Assignment],
) -> Result<Vec<Correction>, ApiError> {
    let terms = terms(call, changes).await?;
    let mut corrections = Vec::new();
    for before in settled_ads(call, lock, matched).await? {
        let changes = sem_names::without_echoes(call, &before, changes).await?;
        let after = sems::corrected(&before, &changes, &terms).map_err(|unfit| refused(&changes, unfit))?;
        corrections.push(Correction {
            before,
            after: Some(after),
        });
    }
    Ok(corrections)
}

/// The `Refused` error for changes that a captured ad cannot take, with one problem for each of `unfit`.
fn refused(changes: &[Assignment], unfit: Vec<CorrectionError>) -> ApiError {
    let problem = |unfit: CorrectionError| {
        let given = changes.iter().find(|(field, _)| field.name == unfit.field.name);
        let given = given.map(|(_, value)| value.to_json());
        FieldProblem::new(unfit.field.name, unfit.code, unfit.text, shown(given.as_ref()))
    };
    ApiError::Refused {
        model: SEM.name,
        problems: unfit.into_iter().map(problem).collect(),
    }
}

/// Writes corrections to the journal and the trail to the audit log in one transaction, then carries them out and releases the lock. Without
/// corrections it writes nothing, the trail neither.
async fn correct(
    call: &Call,
    lock: CorrectionLock,
    trail: AuditTrail<'_>,
    corrections: Vec<Correction>,
) -> Result<(), ApiError> {
    if corrections.is_empty() {
        return Ok(());
    }
    let mut transaction = postgres::begin(&call.state.postgres).await?;
    lock.note(&mut transaction, &corrections).await?;
    trail.store(&mut *transaction).await?;
    transaction.commit().await.map_err(postgres::Error::from)?;
    Ok(lock.carry_out().await?)
}

/// Changes the matched Sems that were entered by hand, captured ones stay; returns the changed ones as they are then. The audit log is written
/// afterwards, so it may lack an entry if that fails.
async fn update_by_hand(call: &Call, matched: &MatchedSems, changes: &[Assignment]) -> Result<Vec<Json>, ApiError> {
    let before = matched.rows_by_hand();
    if before.is_empty() {
        return Ok(Vec::new());
    }
    let postgres = &call.state.postgres;
    let terms: Vec<i64> = term_id(changes).into_iter().collect();
    let brands = postgres::sems::brands_of_terms(postgres, &terms).await?;
    let number = postgres::sems::take_number(postgres).await?;
    let rows = sems::update_by_hand(&call.state.analytics, matched, number, changes, &brands).await?;
    let mut trail = AuditTrail::new(call, &SEM);
    trail.changed(&before, &rows, changes);
    trail.store(postgres).await?;
    Ok(rows)
}

/// Deletes the matched Sems that were entered by hand, captured ones stay; returns the ids of the deleted. The audit log is written afterwards, so it
/// may lack an entry if that fails.
async fn remove_by_hand(call: &Call, matched: &MatchedSems) -> Result<Vec<Json>, ApiError> {
    let before = matched.rows_by_hand();
    if before.is_empty() {
        return Ok(Vec::new());
    }
    let postgres = &call.state.postgres;
    let number = postgres::sems::take_number(postgres).await?;
    sems::remove_by_hand(&call.state.analytics, matched, number).await?;
    let ids = ids(&before);
    let mut trail = AuditTrail::new(call, &SEM);
    trail.removed(&ids, &before);
    trail.store(postgres).await?;
    Ok(ids)
}

/// The id and term of a Sem, which a notification carries: the term decides who saw it.
fn short(row: &Json) -> Json {
    json!({ "id": row.get("id"), "termId": row.get("termId") })
}

/// The ids of rows; a row without an id is left out.
fn ids(rows: &[Json]) -> Vec<Json> {
    rows.iter().filter_map(|row| row.get("id").cloned()).collect()
}

/// What a captured ad stores of the term that the changes name, by the term's id: missing values are empty or 0. Empty when the changes name no term,
/// or none that exists.
async fn terms(call: &Call, changes: &[Assignment]) -> Result<BTreeMap<i64, TermFacts>, ApiError> {
    let Some(term) = term_id(changes) else {
        return Ok(BTreeMap::new());
    };
    let found = postgres::sems::facts_of_terms(&call.state.postgres, &[term]).await?;
    let number = |id: Option<i32>| id.and_then(|id| u32::try_from(id).ok()).unwrap_or_default();
    let facts = found.into_iter().map(|facts| {
        let known = TermFacts {
            brand_id: number(facts.brand),
            keyword: facts.words.unwrap_or_default(),
            keyword_type: facts.keyword_type.unwrap_or_default(),
            localization_id: number(facts.localization),
            city: facts.city.unwrap_or_default(),
        };
        (i64::from(facts.id), known)
    });
    Ok(facts.collect())
}

/// The term that values name; `None` when they name none.
fn term_id(values: &[Assignment]) -> Option<i64> {
    values.iter().find_map(|(field, value)| match value {
        Value::Whole(id) if field.name == "termId" => Some(*id),
        _ => None,
    })
}
