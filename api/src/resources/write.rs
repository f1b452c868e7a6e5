//! Writes of a resource.

use std::collections::BTreeSet;

use axum::Json as Answer;
use axum::response::{IntoResponse, Response};
use postgres::resources::ReachedFrom;
use serde_json::{Value as Json, json};
use vocabulary::resources::models::{CATEGORY, TERM, USER_ACCOUNT};
use vocabulary::resources::{Condition, Filter, Model, Relation, Usage, Value, ValueTest};

use super::body::{self, Fields, Rows};
use super::call::{Call, Id};
use super::record::{self, Author, RowValues, WriteKind};
use super::store::Association;
use super::{accounts, arguments, read, store, tags};
use crate::failure::{ApiError, FieldProblem};

/// How many rows of a create were there already (decision D90).
const SKIPPED: &str = "x-skipped";

/// `POST /X`: creates a row, or those of a list.
pub(super) async fn create(call: &Call, model: &'static Model) -> Result<Response, ApiError> {
    match body::rows(call.json()?)? {
        Rows::One(fields) => Ok(Answer(create_one(call, model, fields, None).await?).into_response()),
        Rows::Many(list) => {
            let mut records = Vec::with_capacity(list.len());
            for fields in list {
                records.push(prepare(call, model, fields, WriteKind::Create).await?);
            }
            let asked = records.len();
            let made = store_all(call, model, records, model.name == TERM.name, None).await?;
            if made.is_empty() && asked > 0 {
                return Err(ApiError::Conflict(format!("There is such a {} already.", model.name)));
            }
            let skipped = asked - made.len();
            Ok(([(SKIPPED, skipped.to_string())], Answer(made)).into_response())
        }
    }
}

/// Creates one row with its association.
pub(super) async fn create_one(
    call: &Call,
    model: &'static Model,
    fields: Fields,
    tie: Option<Association>,
) -> Result<Json, ApiError> {
    let record = prepare(call, model, fields, WriteKind::Create).await?;
    store_all(call, model, vec![record], false, tie)
        .await?
        .pop()
        .ok_or_else(|| ApiError::internal("a row that was stored has no id"))
}

/// Reads what is given for a row; what is special about accounts is done here.
pub(super) async fn prepare(
    call: &Call,
    model: &'static Model,
    mut fields: Fields,
    purpose: WriteKind,
) -> Result<RowValues, ApiError> {
    let giver = Author {
        administers: call.caller.scope.administers(),
        now: call.state.clock.now(),
    };
    if model.name == USER_ACCOUNT.name {
        return accounts::prepare(call, &mut fields, purpose, giver).await;
    }
    if model.name == CATEGORY.name && purpose == WriteKind::Create {
        tags::name_by_label(&mut fields);
    }
    let record = record::read(model, &fields, purpose, giver)?;
    if model.name == CATEGORY.name {
        tags::parent_in_sight(call, &record).await?;
    }
    for (relation, ids) in &record.links {
        in_sight(call, model, relation, ids).await?;
    }
    Ok(record)
}

/// Refuses to join a new row with what the caller does not see.
async fn in_sight(
    call: &Call,
    model: &'static Model,
    relation: &'static Relation,
    ids: &[i64],
) -> Result<(), ApiError> {
    let wanted: BTreeSet<i64> = ids.iter().copied().collect();
    let these = ValueTest::OneOf(wanted.iter().copied().map(Value::Whole).collect());
    let condition = Condition::test(relation.target.id(), these);
    let seen = store::count(call, relation.target, ReachedFrom::Anywhere, condition).await?;
    if usize::try_from(seen) == Ok(wanted.len()) {
        return Ok(());
    }
    Err(ApiError::Refused {
        model: model.name,
        problems: vec![FieldProblem::new(
            relation.name,
            "reference",
            "does not exist",
            record::shown(Some(&json!(ids))),
        )],
    })
}

async fn store_all(
    call: &Call,
    model: &'static Model,
    list: Vec<RowValues>,
    skip_duplicates: bool,
    tie: Option<Association>,
) -> Result<Vec<Json>, ApiError> {
    let ids = store::insert(call, model, &list, skip_duplicates, tie).await?;
    let mut made = Vec::with_capacity(list.len());
    for (record, id) in list.into_iter().zip(ids) {
        if let Some(id) = id {
            made.push(record.answered(model, &json!(id)));
        }
    }
    Ok(made)
}

/// `PATCH /X`: changes the row with the id of the body, or creates one without an id.
pub(super) async fn patch_or_create(call: &Call, model: &'static Model) -> Result<Response, ApiError> {
    let fields = call.fields()?;
    let row = match given_id(model, &fields) {
        None => create_one(call, model, fields, None).await?,
        Some(id) => {
            let missing = || {
                ApiError::NotFound(format!(
                    "Could not update attributes. Object with id {} does not exist!",
                    id.text
                ))
            };
            patch(call, model, ReachedFrom::Anywhere, &id, fields)
                .await?
                .ok_or_else(missing)?
        }
    };
    Ok(Answer(row).into_response())
}

/// `PUT /X` and `POST /X/replaceOrCreate`.
pub(super) async fn replace_or_create(call: &Call, model: &'static Model) -> Result<Response, ApiError> {
    let fields = call.fields()?;
    let row = match given_id(model, &fields) {
        None => create_one(call, model, fields, None).await?,
        Some(id) => replace(call, model, &id, fields).await?,
    };
    Ok(Answer(row).into_response())
}

/// `PATCH /X/{id}`: changes what is given.
pub(super) async fn patch_by_id(call: &Call, model: &'static Model, id: &Id) -> Result<Response, ApiError> {
    let fields = call.fields()?;
    if let Some(other) = given_id(model, &fields).filter(|other| other.text != id.text) {
        if !store::exists(call, model, id).await? {
            return Err(read::not_found(id));
        }
        return Err(ApiError::BadRequest(format!(
            "id cannot be updated from {} to {} when forceId is set to true",
            id.text, other.text
        )));
    }
    let row = patch(call, model, ReachedFrom::Anywhere, id, fields).await?;
    row.map(|row| Answer(row).into_response())
        .ok_or_else(|| read::not_found(id))
}

/// `PUT /X/{id}` and `POST /X/{id}/replace`.
pub(super) async fn replace_by_id(call: &Call, model: &'static Model, id: &Id) -> Result<Response, ApiError> {
    let fields = call.fields()?;
    if let Some(other) = given_id(model, &fields).filter(|other| other.text != id.text) {
        if !store::exists(call, model, id).await? {
            return Err(cannot_replace(id));
        }
        return Err(ApiError::BadRequest(format!(
            "id property (id) cannot be updated from {} to {}",
            id.text, other.text
        )));
    }
    Ok(Answer(replace(call, model, id, fields).await?).into_response())
}

/// Changes what is given of a row; `None` when there is none within sight.
pub(super) async fn patch(
    call: &Call,
    model: &'static Model,
    within: ReachedFrom<'_>,
    id: &Id,
    fields: Fields,
) -> Result<Option<Json>, ApiError> {
    if !is_there(call, model, within, id).await? {
        return Ok(None);
    }
    accounts::check_old_password(call, model, id, &fields).await?;
    let mut record = prepare(call, model, fields, WriteKind::Patch).await?;
    let signed_out = accounts::before_change(call, model, id, &mut record).await?;
    let condition = Condition::test(model.id(), id_equals(id));
    let changed = store::update(call, model, within, condition, &record.values, signed_out).await?;
    let Some(row) = changed.into_iter().next() else {
        return Err(ApiError::Forbidden);
    };
    Ok(Some(row))
}

async fn replace(call: &Call, model: &'static Model, id: &Id, fields: Fields) -> Result<Json, ApiError> {
    if !store::exists(call, model, id).await? {
        return Err(cannot_replace(id));
    }
    accounts::check_may_replace(call, model)?;
    accounts::check_old_password(call, model, id, &fields).await?;
    let mut record = prepare(call, model, fields, WriteKind::Replace).await?;
    let signed_out = accounts::before_change(call, model, id, &mut record).await?;
    let condition = Condition::test(model.id(), id_equals(id));
    let changed = store::update(
        call,
        model,
        ReachedFrom::Anywhere,
        condition,
        &record.values,
        signed_out,
    )
    .await?;
    if changed.is_empty() {
        return Err(ApiError::Forbidden);
    }
    Ok(record.answered(model, &id.json()))
}

/// `POST /X/update`: changes every row that meets the condition.
pub(super) async fn update_all(call: &Call, model: &'static Model) -> Result<Response, ApiError> {
    let condition = changing(call, model).await?;
    let fields = call.fields()?;
    let record = bulk_record(call, model, &fields).await?;
    let changed = store::update(call, model, ReachedFrom::Anywhere, condition, &record.values, None).await?;
    Ok(Answer(json!({ "count": changed.len() })).into_response())
}

/// What changes many rows at once: no secrets, and nothing that must be different in each.
async fn bulk_record(call: &Call, model: &'static Model, fields: &Fields) -> Result<RowValues, ApiError> {
    let mut fields = fields.clone();
    fields.remove("id");
    let of_one_account = ["password", "verificationToken", "email"];
    if model.name == USER_ACCOUNT.name && of_one_account.iter().any(|name| fields.contains_key(*name)) {
        return Err(ApiError::BadRequest(
            "Passwords, tokens and addresses are changed one account at a time.".to_owned(),
        ));
    }
    prepare(call, model, fields, WriteKind::Patch).await
}

/// `POST /X/upsertWithWhere`: changes the one row that meets the condition, or creates one.
pub(super) async fn upsert_with_where(call: &Call, model: &'static Model) -> Result<Response, ApiError> {
    let condition = changing(call, model).await?;
    let fields = call.fields()?;
    let filter = Filter {
        limit: 2,
        ..Filter::from_condition(condition)
    };
    let found = store::find(call, model, ReachedFrom::Anywhere, filter).await?;
    let row = match found.as_slice() {
        [] => create_one(call, model, fields, None).await?,
        [only] => {
            let id = Id::of_json(model, &only.get("id").unwrap_or_default());
            let mut fields = fields;
            if given_id(model, &fields).is_some_and(|other| other.text != id.text) {
                return Err(ApiError::BadRequest("The id of a row cannot be changed.".to_owned()));
            }
            fields.remove("id");
            patch(call, model, ReachedFrom::Anywhere, &id, fields)
                .await?
                .ok_or_else(|| read::not_found(&id))?
        }
        _ => {
            return Err(ApiError::BadRequest(
                "There are multiple instances found.Upsert Operation will not be performed!".to_owned(),
            ));
        }
    };
    Ok(Answer(row).into_response())
}

/// `DELETE /X/{id}`: deletes the row.
pub(super) async fn delete_by_id(call: &Call, model: &'static Model, id: &Id) -> Result<Response, ApiError> {
    let mut count = 0;
    if store::exists(call, model, id).await? {
        count = store::remove(
            call,
            model,
            ReachedFrom::Anywhere,
            Condition::test(model.id(), id_equals(id)),
        )
        .await?
        .len();
        if count == 0 {
            return Err(ApiError::Forbidden);
        }
    }
    Ok(Answer(json!({ "count": count })).into_response())
}

/// `DELETE /X`: deletes every row that meets the condition.
pub(super) async fn delete_all(call: &Call, model: &'static Model) -> Result<Response, ApiError> {
    let condition = changing(call, model).await?;
    let count = store::remove(call, model, ReachedFrom::Anywhere, condition)
        .await?
        .len();
    Ok(Answer(json!({ "count": count })).into_response())
}

/// The condition of a change of many rows. One that means all needs an administrator who says so.
async fn changing(call: &Call, model: &'static Model) -> Result<Condition, ApiError> {
    let condition = arguments::condition(model, &call.pairs, Usage::Change)?;
    let confirmed = call.caller.scope.administers() && arguments::says(&call.pairs, "confirm", "all");
    let means_some = confirmed
        || (condition.restricts()
            && (condition.names_rows() || !store::holds_for_all(call, model, condition.clone()).await?));
    if means_some {
        Ok(condition)
    } else {
        Err(ApiError::BadRequest(
            "This where means every row. Say which rows, or add confirm=all (administrators) to mean all.".to_owned(),
        ))
    }
}

/// Whether a row can be reached; what is not within sight is not there.
pub(super) async fn is_there(
    call: &Call,
    model: &'static Model,
    within: ReachedFrom<'_>,
    id: &Id,
) -> Result<bool, ApiError> {
    if id.value.is_none() {
        return Ok(false);
    }
    Ok(store::count(call, model, within, Condition::test(model.id(), id_equals(id))).await? > 0)
}

/// The test that a row has this id.
pub(super) fn id_equals(id: &Id) -> ValueTest {
    id.value.clone().map_or(ValueTest::OneOf(Vec::new()), ValueTest::Equals)
}

/// The id in a body.
fn given_id(model: &Model, fields: &Fields) -> Option<Id> {
    fields
        .get("id")
        .filter(|id| !id.is_null())
        .map(|id| Id::of_json(model, id))
}

fn cannot_replace(id: &Id) -> ApiError {
    ApiError::NotFound(format!("Could not replace. Object with id {} does not exist!", id.text))
}
