//! What readers do with a group of actions: all of it or nothing (decision D61).

use std::collections::BTreeSet;

use analytics::filter::Filters;
use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use postgres::actions::events::{self, Applied};
use postgres::actions::list;
use serde::Deserialize;
use utoipa::ToSchema;
use vocabulary::{ActionEvent, ActionId};

use super::search::{figures, seen, views};
use super::views::{ChangedView, OneOrMany};
use crate::access::Caller;
use crate::extract::Pairs;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Actions of a group: as many as a list can show.
const MOST_ACTIONS: usize = 10_000;

/// The actions of a call; they may stand in the address too.
#[derive(Deserialize, ToSchema)]
pub(super) struct NamedActions {
    #[serde(rename = "actionID")]
    action_id: OneOrManyIds,
}

/// An id or a list of them.
#[derive(Deserialize, ToSchema)]
#[serde(untagged)]
enum OneOrManyIds {
    One(i32),
    Many(Vec<i32>),
}

/// The actions named by a call, and whether it named one alone.
pub(super) struct ActionSelection {
    ids: Vec<ActionId>,
    is_one: bool,
}

impl ActionSelection {
    pub(super) fn read(pairs: &[(String, String)], body: &Bytes) -> Result<Self, ApiError> {
        let wrong = || ApiError::BadRequest("actionID: name an action or a list of them, by their ids".to_owned());
        let mut ids = BTreeSet::new();
        let mut is_list = false;
        if !body.is_empty() {
            let named: NamedActions = serde_json::from_slice(body).map_err(|_| wrong())?;
            match named.action_id {
                OneOrManyIds::One(id) => {
                    ids.insert(ActionId(id));
                }
                OneOrManyIds::Many(many) => {
                    is_list = true;
                    ids.extend(many.into_iter().map(ActionId));
                }
            }
        }
        for (key, value) in pairs {
            if let "actionID" | "actionID[]" | "actionId" = key.as_str() {
                is_list |= key == "actionID[]";
                ids.insert(value.parse().map_err(|_| wrong())?);
            }
        }
        if ids.is_empty() {
            return Err(wrong());
        }
        if ids.len() > MOST_ACTIONS {
            return Err(ApiError::of_field(
                "actionID",
                format!("{MOST_ACTIONS} actions at most"),
            ));
        }
        Ok(Self {
            is_one: !is_list && ids.len() == 1,
            ids: ids.into_iter().collect(),
        })
    }

    /// The actions, ascending.
    pub(super) fn ids(&self) -> &[ActionId] {
        &self.ids
    }
}

async fn apply(
    state: &ApiState,
    caller: &Caller,
    event: ActionEvent,
    group: Result<ActionSelection, ApiError>,
) -> Result<Json<ChangedView>, ApiError> {
    let group = group?;
    let mut tx = postgres::begin(&state.postgres).await?;
    match events::apply(&mut tx, &caller.scope, event, &group.ids, state.clock.now()).await? {
        Applied::All => tx.commit().await.map_err(postgres::Error::from)?,
        Applied::Unknown(ids) => {
            return Err(ApiError::NoRow(format!("Unknown \"Action\" id \"{}\".", written(&ids))));
        }
        Applied::Unfit(ids) => return Err(ApiError::Unfit(ids)),
    }
    let rows = list::by_ids(&state.postgres, &caller.scope, &group.ids).await?;
    let of_rows = rows.iter().filter_map(seen).collect();
    let figures = figures(state, &caller.scope, &of_rows, &Filters::none()).await;
    let mut changed = views(state, caller, rows, figures.as_ref()).await?;
    let data = match changed.pop() {
        Some(one) if group.is_one => OneOrMany::One(Box::new(one)),
        last => {
            changed.extend(last);
            OneOrMany::Many(changed)
        }
    };
    Ok(Json(ChangedView { data }))
}

fn written(ids: &[ActionId]) -> String {
    ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Asks the team to deal with actions that are new or have appeared again.
#[utoipa::path(
    post, path = "/actions/requested", tag = "Actions", request_body = Option<NamedActions>,
    params(("actionID" = Option<i32>, Query, description = "An action, where the body names none")),
    responses(
        (status = 200, body = ChangedView),
        (status = 401, body = FailureBody),
        (status = 404, body = FailureBody, description = "An action that is not there or out of the reader's scope"),
        (status = 409, body = FailureBody, description = "An action whose status does not allow it; nothing was changed"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn request_actions(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
    body: Bytes,
) -> Result<Json<ChangedView>, ApiError> {
    apply(
        &state,
        &caller,
        ActionEvent::Request,
        ActionSelection::read(&pairs, &body),
    )
    .await
}

/// Takes requests back: the actions are new again.
#[utoipa::path(
    post, path = "/actions/cancelRequested", tag = "Actions", request_body = Option<NamedActions>,
    params(("actionID" = Option<i32>, Query, description = "An action, where the body names none")),
    responses(
        (status = 200, body = ChangedView),
        (status = 401, body = FailureBody),
        (status = 404, body = FailureBody, description = "An action that is not there or out of the reader's scope"),
        (status = 409, body = FailureBody, description = "An action that is not requested; nothing was changed"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn cancel_requests(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
    body: Bytes,
) -> Result<Json<ChangedView>, ApiError> {
    apply(
        &state,
        &caller,
        ActionEvent::CancelRequest,
        ActionSelection::read(&pairs, &body),
    )
    .await
}

/// Sets actions aside that are neither requested nor ignored.
#[utoipa::path(
    post, path = "/actions/ignored", tag = "Actions", request_body = Option<NamedActions>,
    params(("actionID" = Option<i32>, Query, description = "An action, where the body names none")),
    responses(
        (status = 200, body = ChangedView),
        (status = 401, body = FailureBody),
        (status = 404, body = FailureBody, description = "An action that is not there or out of the reader's scope"),
        (status = 409, body = FailureBody, description = "An action whose status does not allow it; nothing was changed"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn ignore_actions(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
    body: Bytes,
) -> Result<Json<ChangedView>, ApiError> {
    apply(
        &state,
        &caller,
        ActionEvent::Ignore,
        ActionSelection::read(&pairs, &body),
    )
    .await
}

/// Takes ignored actions up again: they are new.
#[utoipa::path(
    post, path = "/actions/cancelIgnore", tag = "Actions", request_body = Option<NamedActions>,
    params(("actionID" = Option<i32>, Query, description = "An action, where the body names none")),
    responses(
        (status = 200, body = ChangedView),
        (status = 401, body = FailureBody),
        (status = 404, body = FailureBody, description = "An action that is not there or out of the reader's scope"),
        (status = 409, body = FailureBody, description = "An action that is not ignored; nothing was changed"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn cancel_ignoring(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
    body: Bytes,
) -> Result<Json<ChangedView>, ApiError> {
    apply(
        &state,
        &caller,
        ActionEvent::CancelIgnore,
        ActionSelection::read(&pairs, &body),
    )
    .await
}
