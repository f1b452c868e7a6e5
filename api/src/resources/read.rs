//! Reads of a resource.

use axum::Json as Answer;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use postgres::resources::ReachedFrom;
use serde_json::{Map, Value as Json, json};
use vocabulary::UserId;
use vocabulary::resources::models::USER_ACCOUNT;
use vocabulary::resources::{Condition, Filter, Model, Usage, Value};

use super::call::{Call, Id};
use super::row::Row;
use super::store::ReadConnection;
use super::{arguments, include, store};
use crate::failure::ApiError;
use crate::state::ApiState;

/// Answers `GET /X`, or the rows of a relation: the rows that the caller sees and that `filter` asks for, in its order, with what it includes; 100
/// unless it has a limit, `MAX_ROWS` at most.
pub(super) async fn find(
    reader: &mut ReadConnection<'_>,
    model: &'static Model,
    within: ReachedFrom<'_>,
) -> Result<Response, ApiError> {
    let filter = arguments::filter(model, &reader.call.pairs)?;
    let state = reader.shown_state(model).await?;
    Ok(state.on(Row::answer(&list(reader, model, within, filter).await?)?))
}

/// Answers `GET /Actions/findRequest`: the actions in status requested that `filter` asks for. Without an `include`, brand and dealer are included
/// (decision D168).
pub(super) async fn find_requested(
    reader: &mut ReadConnection<'_>,
    model: &'static Model,
) -> Result<Response, ApiError> {
    let mut given = match arguments::object(&reader.call.pairs, "filter")? {
        Json::Object(fields) => fields,
        _ => Map::new(),
    };
    given.entry("include").or_insert(json!(["brand", "dealer"]));
    let mut filter = Filter::parse(model, &Json::Object(given))?;
    let requested = Condition::parse(model, &json!({ "status": "requested" }), Usage::Read)?;
    filter.condition = filter.condition.and(requested);
    Row::answer(&list(reader, model, ReachedFrom::Anywhere, filter).await?)
}

/// Answers `GET /X/findOne`: the first row that `filter` asks for; 404 when there is none.
pub(super) async fn find_one(reader: &mut ReadConnection<'_>, model: &'static Model) -> Result<Response, ApiError> {
    let mut filter = arguments::filter(model, &reader.call.pairs)?;
    filter.limit = 1;
    let state = reader.shown_state(model).await?;
    let found = list(reader, model, ReachedFrom::Anywhere, filter).await?.pop();
    found
        .map(|row| state.on(row))
        .ok_or_else(|| unknown(model, "undefined"))
}

/// The row for `GET /X/{id}`, with the fields and relations that `filter` asks for; its `where` is ignored. 404 when the caller sees no such row.
pub(super) async fn find_by_id(
    reader: &mut ReadConnection<'_>,
    model: &'static Model,
    id: &Id,
) -> Result<Row, ApiError> {
    let filter = arguments::filter(model, &reader.call.pairs)?;
    one(reader, model, id, filter)
        .await?
        .ok_or_else(|| unknown(model, &id.text))
}

/// Answers `HEAD /X/{id}`: 200 where the caller sees the row, else 404.
pub(super) async fn head(call: &Call, model: &'static Model, id: &Id) -> Result<Response, ApiError> {
    let found = store::exists(call, model, id).await?;
    Ok(if found { StatusCode::OK } else { StatusCode::NOT_FOUND }.into_response())
}

/// Answers `GET /X/{id}/exists` with `{"exists": …}`: whether the caller sees the row.
pub(super) async fn exists(call: &Call, model: &'static Model, id: &Id) -> Result<Response, ApiError> {
    Ok(Answer(json!({ "exists": store::exists(call, model, id).await? })).into_response())
}

/// Answers `GET /X/count`, or the count of a relation, with `{"count": …}`: how many rows that the caller sees meet `where`.
pub(super) async fn count(call: &Call, model: &'static Model, within: ReachedFrom<'_>) -> Result<Response, ApiError> {
    let condition = arguments::condition(model, &call.pairs, Usage::Read)?;
    Ok(Answer(json!({ "count": store::count(call, model, within, condition).await? })).into_response())
}

/// The account of the caller, as `GET /UserAccounts/{id}` answers it.
pub(crate) async fn account(call: &Call) -> Result<Row, ApiError> {
    let id = Id::known(Value::Whole(call.caller.user.id.0.into()));
    find_by_id(&mut ReadConnection::new(call), &USER_ACCOUNT, &id).await
}

/// The account that the id in the path names; `me` is the caller's. 404 when the caller does not see it.
pub(crate) async fn account_in_path(call: &Call) -> Result<UserId, ApiError> {
    let id = call.id(&USER_ACCOUNT)?;
    let row = store::by_id(call, &USER_ACCOUNT, &id, Filter::everything())
        .await?
        .ok_or_else(|| not_found(&id))?;
    let number = row
        .get("id")
        .and_then(Json::as_i64)
        .and_then(|number| i32::try_from(number).ok());
    Ok(UserId(number.ok_or_else(|| not_found(&id))?))
}

/// The account of a user who just signed in, found by the digest of the new token, with the fields and relations of `filter`. Null when the user does
/// not see it; `NotSignedIn` when there is no such token.
pub(crate) async fn own_account(state: &ApiState, digest: &[u8; 32], filter: Filter) -> Result<Json, ApiError> {
    let (token, user) = postgres::tokens::find(&state.postgres, digest)
        .await?
        .ok_or(ApiError::NotSignedIn)?;
    let id = Id::known(Value::Whole(user.id.0.into()));
    let call = Call::of_session(state.clone(), token, user);
    let row = one(&mut ReadConnection::new(&call), &USER_ACCOUNT, &id, filter).await?;
    Ok(row.map(|row| row.json()).unwrap_or_default())
}

/// The rows that a filter asks for and the caller sees, in its order, with the related rows that it includes.
pub(super) async fn list(
    reader: &mut ReadConnection<'_>,
    model: &'static Model,
    within: ReachedFrom<'_>,
    mut filter: Filter,
) -> Result<Vec<Row>, ApiError> {
    let includes = std::mem::take(&mut filter.include);
    let found = reader.find(model, within, filter).await?;
    let mut rows: Vec<Row> = found.into_iter().map(|(_, row)| row).collect();
    include::fill(reader, &mut rows, includes).await?;
    Ok(rows)
}

/// The row with this id, with the related rows that the filter includes; `None` when the caller sees no such row.
pub(super) async fn one(
    reader: &mut ReadConnection<'_>,
    model: &'static Model,
    id: &Id,
    mut filter: Filter,
) -> Result<Option<Row>, ApiError> {
    let includes = std::mem::take(&mut filter.include);
    let Some(mut row) = reader.by_id(model, id, filter).await? else {
        return Ok(None);
    };
    include::fill(reader, std::slice::from_mut(&mut row), includes).await?;
    Ok(Some(row))
}

/// The error 404 of a read: no row has this id, or the caller does not see it.
pub(super) fn unknown(model: &Model, id: &str) -> ApiError {
    ApiError::NoRow(format!("Unknown \"{}\" id \"{id}\".", model.name))
}

/// The error 404 of writes and relations: no row has this id, or the caller does not see it.
pub(super) fn not_found(id: &Id) -> ApiError {
    ApiError::NoRow(format!("could not find a model with id {}", id.text))
}
