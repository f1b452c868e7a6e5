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

/// Answers `POST /X`: creates the row of the body, or all rows of a list or none, and answers them. Terms of a list that exist already are skipped,
/// and a list of nothing else is a conflict. The header `x-skipped`, for lists only, counts the skipped.
pub(super) async fn create(call: &Call, model: &'static Model) -> Result<Response, ApiError> {
    match body::rows(call.json()?)? {
        Rows::One(fields) => Ok(Answer(create_one(call, model, fields, None).await?).into_response()),
        Rows::Many(list) => {
            let mut records = Vec::with_capacity(list.len());
            for fields in list {
                records.push(prepare(call, model, fields, WriteKind::Create).await?);
            }
            let given = records.len();
            let made = store_all(call, model, records, model.name == TERM.name, None).await?;
            if made.is_empty() && given > 0 {
                return Err(ApiError::Conflict(format!("There is such a {} already.", model.name)));
            }
            let skipped = given - made.len();
            Ok(([(SKIPPED, skipped.to_string())], Answer(made)).into_response())
        }
    }
}

/// Creates a row, links it as `association` says, and returns it as answered.
pub(super) async fn create_one(
    call: &Call,
    model: &'static Model,
    fields: Fields,
    association: Option<Association>,
) -> Result<Json, ApiError> {
    let record = prepare(call, model, fields, WriteKind::Create).await?;
    store_all(call, model, vec![record], false, association)
        .await?
        .pop()
        .ok_or_else(|| ApiError::internal("a row that was stored has no id"))
}

/// Turns the fields given for a row into the values to store, checked against the rules of its model and, for accounts and tags, their own; stores
/// nothing. `Refused` with all problems or, if there are none, for the first relation with a row that the caller does not see.
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
        tags::check_owner(call, &record)?;
        tags::check_parent(call, &record).await?;
    }
    for (relation, ids) in &record.links {
        check_in_sight(call, model, relation, ids).await?;
    }
    Ok(record)
}

/// Refuses, with one problem of the relation, to link a new row with `ids` of which any does not exist or is not visible to the caller.
async fn check_in_sight(
    call: &Call,
    model: &'static Model,
    relation: &'static Relation,
    ids: &[i64],
) -> Result<(), ApiError> {
    let distinct: BTreeSet<i64> = ids.iter().copied().collect();
    let these = ValueTest::OneOf(distinct.iter().copied().map(Value::Whole).collect());
    let condition = Condition::test(relation.target.id(), these);
    let visible = store::count(call, relation.target, ReachedFrom::Anywhere, condition).await?;
    if usize::try_from(visible) == Ok(distinct.len()) {
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

/// Stores rows, all or none, and returns them as answered, in their order, without those that were skipped as duplicates.
async fn store_all(
    call: &Call,
    model: &'static Model,
    mut list: Vec<RowValues>,
    skip_duplicates: bool,
    association: Option<Association>,
) -> Result<Vec<Json>, ApiError> {
    let ids = store::insert(call, model, &mut list, skip_duplicates, association).await?;
    let mut made = Vec::with_capacity(list.len());
    for (record, id) in list.into_iter().zip(ids) {
        if let Some(id) = id {
            made.push(record.answered(model, &json!(id)));
        }
    }
    Ok(made)
}

/// Answers `PATCH /X`: changes the given fields of the row with the id of the body, 404 when there is none; creates a row when the body has no id.
/// With a `where` it changes the rows that meet it, as [`update_all`] does.
pub(super) async fn patch_or_create(call: &Call, model: &'static Model) -> Result<Response, ApiError> {
    if call
        .pairs
        .iter()
        .any(|(key, _)| key == "where" || key.starts_with("where["))
    {
        return update_all(call, model).await;
    }
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

/// Answers `PUT /X` and `POST /X/replaceOrCreate`: replaces the row with the id of the body, 404 when there is none; creates a row when the body has
/// no id.
pub(super) async fn replace_or_create(call: &Call, model: &'static Model) -> Result<Response, ApiError> {
    let fields = call.fields()?;
    let row = match given_id(model, &fields) {
        None => create_one(call, model, fields, None).await?,
        Some(id) => replace(call, model, &id, fields).await?,
    };
    Ok(Answer(row).into_response())
}

/// Answers `PATCH /X/{id}`: changes the given fields and returns the changed row. A different id in the body is a `BadRequest`; 404 when the caller
/// sees no such row.
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

/// Answers `PUT /X/{id}` and `POST /X/{id}/replace`: fields that are not given become their default or null. A different id in the body is a
/// `BadRequest`; 404 when the caller sees no such row.
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

/// Changes the given fields of a row and returns it as it is then. `None` when the caller does not see it within `within`; `Forbidden` when the
/// caller sees it but may not change it, `Refused` for broken rules. A new password or address of an account ends its other sessions.
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

/// Replaces a row and returns it as answered: what is not given becomes the default or null. 404 when the caller does not see it; `Forbidden` when
/// the caller may not change it, `Refused` for broken rules. A new password or address of an account ends its other sessions.
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
    let Some(row) = changed.first() else {
        return Err(ApiError::Forbidden);
    };
    record.keep_from_creation(model, row);
    Ok(record.answered(model, &id.json()))
}

/// Answers `POST /X/update` with `{"count": …}`: changes every row that meets `where` and that the caller may change, within the limits of
/// [`bulk_condition`].
pub(super) async fn update_all(call: &Call, model: &'static Model) -> Result<Response, ApiError> {
    let condition = bulk_condition(call, model).await?;
    let fields = call.fields()?;
    let record = bulk_record(call, model, &fields).await?;
    let changed = store::update(call, model, ReachedFrom::Anywhere, condition, &record.values, None).await?;
    Ok(Answer(json!({ "count": changed.len() })).into_response())
}

/// The values that a change of many rows sets; an id is ignored. A `BadRequest` for passwords, verification tokens and addresses of accounts, which
/// are changed one account at a time.
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

/// Answers `POST /X/upsertWithWhere`: changes the one row that meets `where`, or creates one when none does. A `BadRequest` when several do, when the
/// body has the id of another row, or when [`bulk_condition`] refuses the `where`.
pub(super) async fn upsert_with_where(call: &Call, model: &'static Model) -> Result<Response, ApiError> {
    let condition = bulk_condition(call, model).await?;
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

/// Answers `DELETE /X/{id}` with `{"count": 1}`, or 0 when the caller sees no such row; `Forbidden` when the caller sees it but may not delete it.
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

/// Answers `DELETE /X` with `{"count": …}`: deletes every row that meets `where` and that the caller may delete, within the limits of
/// [`bulk_condition`].
pub(super) async fn delete_all(call: &Call, model: &'static Model) -> Result<Response, ApiError> {
    let condition = bulk_condition(call, model).await?;
    let count = store::remove(call, model, ReachedFrom::Anywhere, condition)
        .await?
        .len();
    Ok(Answer(json!({ "count": count })).into_response())
}

/// The condition `where` of a change of many rows; an absent one restricts nothing. A `BadRequest` when it restricts nothing, or when it names no
/// rows and the store says that it holds for every row now. With `confirm=all` an administrator gets either.
async fn bulk_condition(call: &Call, model: &'static Model) -> Result<Condition, ApiError> {
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

/// Whether the caller sees the row with this id among those that `within` reaches; false for an id that is none.
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

/// The test that the id of a row is this one; no row passes it when the id has no value.
pub(super) fn id_equals(id: &Id) -> ValueTest {
    id.value.clone().map_or(ValueTest::OneOf(Vec::new()), ValueTest::Equals)
}

/// The id in a body; `None` when it is absent or null.
fn given_id(model: &Model, fields: &Fields) -> Option<Id> {
    fields
        .get("id")
        .filter(|id| !id.is_null())
        .map(|id| Id::of_json(model, id))
}

/// The error 404 of a replace whose row does not exist.
fn cannot_replace(id: &Id) -> ApiError {
    ApiError::NotFound(format!("Could not replace. Object with id {} does not exist!", id.text))
}
