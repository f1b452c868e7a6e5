//! Events on a group of actions: on all of them or on none (decision D61).

use std::collections::BTreeSet;

use analytics::filter::Filters;
use axum::body::Bytes;
use axum::extract::State;
use axum::{Extension, Json};
use postgres::actions::events::{self, Applied};
use postgres::actions::list;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::path::{Operation, PathsBuilder};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use vocabulary::{ActionEvent, ActionId};

use super::events::OfferedEvent;
use super::search::{advertiser_views, figures, key_of};
use super::views::{ChangedView, OneOrMany};
use crate::access::Caller;
use crate::extract::Pairs;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Actions of a group: as many as a list can show.
const MOST_ACTIONS: usize = 10_000;

/// The actions of a call; the address may name them too.
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
    /// Reads the actions that the body and the pairs `actionID` name together, each once, ascending; a single one counts as named alone unless it is
    /// in a list. A `BadRequest` when none is named or an id is no number; an error of the field for more than [`MOST_ACTIONS`].
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

/// The routes of the calls that change actions, one for each event of [`OFFERED`](super::events::OFFERED), with their descriptions.
pub(super) fn routes() -> OpenApiRouter<ApiState> {
    let (schemas, template, handler) = routes!(change_actions);
    let template = template.paths.into_values().next().unwrap_or_default();
    super::events::OFFERED
        .iter()
        .fold(OpenApiRouter::new(), |router, offered| {
            let mut item = template.clone();
            if let Some(operation) = &mut item.post {
                describe(operation, offered);
            }
            let paths = PathsBuilder::new()
                .path(format!("/actions/{}", offered.path), item)
                .build();
            router.routes((schemas.clone(), paths, handler.clone().layer(Extension(offered.event))))
        })
}

/// Puts the id, summary and refusal of one event into the description of the call.
fn describe(operation: &mut Operation, offered: &OfferedEvent) {
    operation.operation_id = Some(offered.operation_id.to_owned());
    operation.summary = Some(offered.summary.to_owned());
    if let Some(RefOr::T(conflict)) = operation.responses.responses.get_mut("409") {
        offered.conflict.clone_into(&mut conflict.description);
    }
}

/// Applies an event to all actions that a call names, or to none of them: 404 for unknown ids, 409 when a status does not allow it. Answers the
/// changed actions with their figures; one that was named without a list comes alone.
#[utoipa::path(
    post, path = "/actions", tag = "Actions", request_body = Option<NamedActions>,
    params(("actionID" = Option<i32>, Query, description = "An action, where the body names none")),
    responses(
        (status = 200, body = ChangedView),
        (status = 401, body = FailureBody),
        (status = 404, body = FailureBody, description = "An action that is not there or out of the reader's scope"),
        (status = 409, body = FailureBody, description = "An action that refuses the event; nothing was changed"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn change_actions(
    State(state): State<ApiState>,
    caller: Caller,
    Extension(event): Extension<ActionEvent>,
    Pairs(pairs): Pairs,
    body: Bytes,
) -> Result<Json<ChangedView>, ApiError> {
    let group = ActionSelection::read(&pairs, &body)?;
    let mut tx = postgres::begin(&state.postgres).await?;
    match events::apply(&mut tx, &caller.scope, event, &group.ids, state.clock.now()).await? {
        Applied::All => tx.commit().await.map_err(postgres::Error::from)?,
        Applied::Unknown(ids) => {
            return Err(ApiError::NoRow(format!("Unknown \"Action\" id \"{}\".", written(&ids))));
        }
        Applied::Unfit(ids) => return Err(ApiError::TransitionNotAllowed(ids)),
    }
    let rows = list::by_ids(&state.postgres, &caller.scope, &group.ids).await?;
    let of_rows = rows.iter().filter_map(key_of).collect();
    let figures = figures(&state, &caller.scope, &of_rows, &Filters::none()).await;
    let mut changed = advertiser_views(&state, &caller, rows, figures.as_ref()).await?;
    let data = match changed.pop() {
        Some(one) if group.is_one => OneOrMany::One(Box::new(one)),
        last => {
            changed.extend(last);
            OneOrMany::Many(changed)
        }
    };
    Ok(Json(ChangedView { data }))
}

/// The ids, joined by commas.
fn written(ids: &[ActionId]) -> String {
    ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
