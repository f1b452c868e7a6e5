//! Writes of sems. One entered by hand gets another version; a captured one is corrected (see `corrections`).

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

/// Stores sems by hand and answers their ids.
pub(super) async fn insert(call: &Call, list: &[RowValues]) -> Result<Vec<i64>, ApiError> {
    let postgres = &call.state.postgres;
    let values: Vec<_> = list.iter().map(|record| record.values.clone()).collect();
    let number = postgres::sems::take_number(postgres).await?;
    let terms: Vec<i64> = values.iter().filter_map(|values| term_id(values)).collect();
    let brands = postgres::sems::brands_of_terms(postgres, &terms).await?;
    let made = sems::insert(&call.state.analytics, number, &values, &brands).await?;
    let mut trail = AuditTrail::new(call, &SEM);
    for (id, values) in made.iter().zip(&values) {
        trail.made(*id, values);
    }
    trail.store(postgres).await?;
    notify_of_sems(&call.state.postgres, Happening::Create { ids: made.clone() }).await;
    Ok(made)
}

/// Changes the sems that meet a condition and answers them as they are then.
pub(super) async fn update(
    call: &Call,
    origin: Origin<'_>,
    condition: &Condition,
    changes: &[Assignment],
) -> Result<Vec<Json>, ApiError> {
    let Some((turn, met)) = meet(call, origin, condition).await? else {
        return Ok(Vec::new());
    };
    // What cannot be done with a captured one leaves those by hand as they are, too.
    let corrections = match &turn {
        Some(turn) => changed(call, turn, &met, changes).await?,
        None => Vec::new(),
    };
    let captured = met.captured_rows();
    let was = met.rows_by_hand().iter().chain(&captured).map(short).collect();
    let mut rows = update_by_hand(call, &met, changes).await?;
    if let Some(turn) = turn {
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
        correct(call, turn, trail, differ.collect()).await?;
        rows.extend(answered);
    }
    notify_of_sems(&call.state.postgres, Happening::Update { was }).await;
    Ok(rows)
}

/// Deletes the sems that meet a condition and answers their ids.
pub(super) async fn remove(call: &Call, origin: Origin<'_>, condition: &Condition) -> Result<Vec<Json>, ApiError> {
    let Some((turn, met)) = meet(call, origin, condition).await? else {
        return Ok(Vec::new());
    };
    let corrections = match &turn {
        Some(turn) => {
            let ads = captured(call, turn, &met).await?;
            let removed = |before| Correction { before, after: None };
            ads.into_iter().map(removed).collect()
        }
        None => Vec::new(),
    };
    let mut removed = remove_by_hand(call, &met).await?;
    let mut gone = met.rows_by_hand();
    if let Some(turn) = turn {
        let before = met.captured_rows();
        let ids = ids(&before);
        let mut trail = AuditTrail::new(call, &SEM);
        trail.removed(&ids, &before);
        correct(call, turn, trail, corrections).await?;
        removed.extend(ids);
        gone.extend(before);
    }
    for row in gone {
        notify_of_sems(&call.state.postgres, Happening::Remove { row: short(&row) }).await;
    }
    Ok(removed)
}

/// What a write meets, and the turn to correct where that is captured. `None` where it meets nothing.
async fn meet(
    call: &Call,
    origin: Origin<'_>,
    condition: &Condition,
) -> Result<Option<(Option<CorrectionLock>, MatchedSems)>, ApiError> {
    let (client, scope) = (&call.state.analytics, &call.caller.scope);
    let met = sems::matching(client, scope, origin, condition).await?;
    if met.is_empty() {
        return Ok(None);
    }
    if met.captured().is_empty() {
        return Ok(Some((None, met)));
    }
    if met.captured().len() > CORRECTED_AT_ONCE {
        return Err(ApiError::BadRequest(format!(
            "More than {CORRECTED_AT_ONCE} captured Sems meet this. Correct fewer at once."
        )));
    }
    let stores = Stores {
        postgres: call.state.postgres.clone(),
        analytics: client.clone(),
    };
    let turn = CorrectionLock::acquire(&stores)
        .await?
        .ok_or(ApiError::Throttled(TRY_AGAIN))?;
    // Again, those alone: somebody else may have corrected them meanwhile.
    let these = met.is_captured().and(condition.clone());
    let again = sems::matching(client, scope, origin, &these).await?;
    Ok(Some((Some(turn), met.with_captured_of(again))))
}

/// The captured ones, as they are stored.
async fn captured(call: &Call, turn: &CorrectionLock, met: &MatchedSems) -> Result<Vec<AdRow>, ApiError> {
    let ads = ingest::rows(&call.state.analytics, &met.captured()).await?;
    if turn.are_settled(&ads).await? {
        Ok(ads)
    } else {
        Err(ApiError::Throttled(TRY_AGAIN))
    }
}

/// The captured ones, as they become.
async fn changed(
    call: &Call,
    turn: &CorrectionLock,
    met: &MatchedSems,
    changes: &[Assignment],
) -> Result<Vec<Correction>, ApiError> {
    let terms = terms(call, changes).await?;
    let mut corrections = Vec::new();
    for before in captured(call, turn, met).await? {
        let changes = sem_names::without_echoes(call, &before, changes).await?;
        let after = sems::corrected(&before, &changes, &terms).map_err(|unfit| refused(&changes, unfit))?;
        corrections.push(Correction {
            before,
            after: Some(after),
        });
    }
    Ok(corrections)
}

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

/// Corrects, and has it in the audit log from the moment on from which it is sure to come.
async fn correct(
    call: &Call,
    turn: CorrectionLock,
    trail: AuditTrail<'_>,
    corrections: Vec<Correction>,
) -> Result<(), ApiError> {
    if corrections.is_empty() {
        return Ok(());
    }
    let mut transaction = postgres::begin(&call.state.postgres).await?;
    turn.note(&mut transaction, &corrections).await?;
    trail.store(&mut *transaction).await?;
    transaction.commit().await.map_err(postgres::Error::from)?;
    Ok(turn.carry_out().await?)
}

async fn update_by_hand(call: &Call, met: &MatchedSems, changes: &[Assignment]) -> Result<Vec<Json>, ApiError> {
    let before = met.rows_by_hand();
    if before.is_empty() {
        return Ok(Vec::new());
    }
    let postgres = &call.state.postgres;
    let terms: Vec<i64> = term_id(changes).into_iter().collect();
    let brands = postgres::sems::brands_of_terms(postgres, &terms).await?;
    let number = postgres::sems::take_number(postgres).await?;
    let rows = sems::update(&call.state.analytics, met, number, changes, &brands).await?;
    let mut trail = AuditTrail::new(call, &SEM);
    trail.changed(&before, &rows, changes);
    trail.store(postgres).await?;
    Ok(rows)
}

async fn remove_by_hand(call: &Call, met: &MatchedSems) -> Result<Vec<Json>, ApiError> {
    let before = met.rows_by_hand();
    if before.is_empty() {
        return Ok(Vec::new());
    }
    let postgres = &call.state.postgres;
    let number = postgres::sems::take_number(postgres).await?;
    sems::remove(&call.state.analytics, met, number).await?;
    let ids = ids(&before);
    let mut trail = AuditTrail::new(call, &SEM);
    trail.removed(&ids, &before);
    trail.store(postgres).await?;
    Ok(ids)
}

/// What a notification says of a deleted Sem: its term decides who saw it.
fn short(row: &Json) -> Json {
    json!({ "id": row.get("id"), "termId": row.get("termId") })
}

fn ids(rows: &[Json]) -> Vec<Json> {
    rows.iter().filter_map(|row| row.get("id").cloned()).collect()
}

/// The facts of the term that a change names.
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

fn term_id(values: &[Assignment]) -> Option<i64> {
    values.iter().find_map(|(field, value)| match value {
        Value::Whole(id) if field.name == "termId" => Some(*id),
        _ => None,
    })
}
