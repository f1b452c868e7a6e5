//! `GET /advertiserTag/action`: the tags of actions.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use records::actions::list;
use records::categories;
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::DealerId;

use super::group::Group;
use crate::access::Caller;
use crate::extract::Pairs;
use crate::failure::{Failure, FailureBody};
use crate::state::ApiState;

/// A tag of an action.
#[derive(Serialize, ToSchema)]
pub(super) struct ActionTagView {
    /// The tag.
    #[serde(rename = "ID")]
    id: i32,
    #[serde(rename = "actionID")]
    action_id: i32,
    /// Its name on screens.
    label: String,
}

/// The tags that the reader sees on the dealers of actions, by label. Actions out of sight have none.
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
) -> Result<Json<Vec<ActionTagView>>, Failure> {
    let named = Group::read(&pairs, &Bytes::new())?;
    let rows = list::by_ids(&state.records, &caller.scope, named.ids()).await?;
    let dealers: Vec<DealerId> = rows.iter().filter_map(|row| Some(row.advertiser.as_ref()?.0)).collect();
    let tags = categories::tags_of_dealers(&state.records, &caller.scope, &dealers).await?;
    let of_rows = rows.iter().flat_map(|row| {
        let of_row = row.advertiser.as_ref().and_then(|(dealer, _)| tags.get(dealer));
        of_row.into_iter().flatten().map(|tag| ActionTagView {
            id: tag.id.0,
            action_id: row.id.0,
            label: tag.label.clone().unwrap_or_default(),
        })
    });
    Ok(Json(of_rows.collect()))
}
