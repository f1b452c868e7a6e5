//! `GET /advertiserTag/action`: the tags of actions.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use postgres::actions::list;
use postgres::categories::DomainTag;
use serde::Serialize;
use utoipa::ToSchema;

use super::group::ActionSelection;
use super::search::tags_of;
use crate::access::Caller;
use crate::extract::Pairs;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// A tag of an action.
#[derive(Serialize, ToSchema)]
pub(super) struct ActionTagView {
    /// Id of the tag.
    #[serde(rename = "ID")]
    id: i32,
    #[serde(rename = "actionID")]
    action_id: i32,
    /// Its name on screens.
    label: String,
}

/// The tags that the reader sees on the domains of actions: the actions by id, the tags of each by label. Actions out of sight have none.
#[utoipa::path(
    get, path = "/advertiserTag/action", tag = "Actions",
    params(("actionID" = i32, Query, description = "An action; actionID[] names one of several")),
    responses(
        (status = 200, body = Vec<ActionTagView>),
        (status = 400, body = FailureBody, description = "No action is named"),
        (status = 401, body = FailureBody),
        (status = 422, body = FailureBody, description = "Too many actions at once"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn tags_of_actions(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
) -> Result<Json<Vec<ActionTagView>>, ApiError> {
    let named = ActionSelection::read(&pairs, &Bytes::new())?;
    let rows = list::by_ids(&state.postgres, &caller.scope, named.ids()).await?;
    let tags = tags_of(&state, &caller, &rows).await?;
    let of_rows = rows.iter().flat_map(|row| {
        let of_row = row.domain.as_ref().and_then(|domain| tags.get(domain));
        of_row.into_iter().flatten().map(|DomainTag { put, .. }| ActionTagView {
            id: put.tag.id.0,
            action_id: row.id.0,
            label: put.tag.label.clone().unwrap_or_default(),
        })
    });
    Ok(Json(of_rows.collect()))
}
