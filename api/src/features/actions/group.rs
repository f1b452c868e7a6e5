//! Events on a group of actions: on all of them or on none (decision D61).

use std::collections::BTreeSet;

use analytics::filter::Filters;
use axum::body::Bytes;
use axum::extract::State;
use axum::{Extension, Json};
use postgres::actions::events::{self, Applied};
use postgres::actions::list::{self, ActionRow};
use postgres::actions::notes::{self, NoteSubject};
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::path::{Operation, PathsBuilder};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use vocabulary::{ActionEvent, ActionId};

use super::events::OfferedEvent;
use super::links;
use super::search::{advertiser_views, figures, key_of};
use super::views::{ChangedView, OneOrMany};
use crate::access::Caller;
use crate::extract::Pairs;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Actions of a group: as many as a list can show.
const MOST_ACTIONS: usize = 10_000;

/// Characters of a note (decision D103).
const LONGEST_MESSAGE: usize = 5_000;
/// Actions whose present state a refusal has.
const MOST_FRESH: usize = 100;

/// The actions of a call; the address may name them too.
#[derive(Deserialize, ToSchema)]
pub(super) struct NamedActions {
    #[serde(rename = "actionID")]
    action_id: Option<OneOrManyIds>,
    /// Of `inprogress`: what becomes a note of each action.
    comments: Option<String>,
    /// Of `inprogress`: true, as mails are sent elsewhere.
    manual: Option<bool>,
}

/// An id or a list of them.
#[derive(Deserialize, ToSchema)]
#[serde(untagged)]
pub(super) enum OneOrManyIds {
    One(i32),
    Many(Vec<i32>),
}

/// The actions named by a call, and whether it named one alone.
pub(super) struct ActionSelection {
    ids: Vec<ActionId>,
    is_one: bool,
    comments: Option<String>,
    is_by_mail: bool,
}

impl ActionSelection {
    /// Reads the actions that the body and the pairs `actionID` name together, each once, ascending; a single one counts as named alone unless it is
    /// in a list. A `BadRequest` when none is named or an id is no number; an error of the field for more than [`MOST_ACTIONS`].
    pub(super) fn read(pairs: &[(String, String)], body: &Bytes) -> Result<Self, ApiError> {
        let wrong = || ApiError::BadRequest("actionID: name an action or a list of them, by their ids".to_owned());
        let mut ids = BTreeSet::new();
        let (mut is_list, mut comments, mut is_by_mail) = (false, None, false);
        if !body.is_empty() {
            let named: NamedActions = serde_json::from_slice(body).map_err(|_| wrong())?;
            match named.action_id {
                Some(OneOrManyIds::One(id)) => {
                    ids.insert(ActionId(id));
                }
                Some(OneOrManyIds::Many(many)) => {
                    is_list = true;
                    ids.extend(many.into_iter().map(ActionId));
                }
                None => {}
            }
            comments = named.comments;
            is_by_mail = named.manual == Some(false);
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
            comments,
            is_by_mail,
        })
    }

    /// Refuses, with 404, actions that are not among those found.
    pub(super) fn check_found(&self, rows: &[ActionRow]) -> Result<(), ApiError> {
        let found: BTreeSet<ActionId> = rows.iter().map(|row| row.id).collect();
        let unknown: Vec<ActionId> = self.ids.iter().copied().filter(|id| !found.contains(id)).collect();
        if unknown.is_empty() {
            Ok(())
        } else {
            Err(unknown_actions(&unknown))
        }
    }

    /// What is noted with a notification by other means; an error of the field for one that is too long, and for a notification by mail.
    fn comments(&self) -> Result<Option<String>, ApiError> {
        if self.is_by_mail {
            return Err(ApiError::of_field(
                "manual",
                "is true: a mail is sent from the mails of the action",
            ));
        }
        let said = self.comments.as_deref().filter(|comments| !comments.trim().is_empty());
        said.map(|comments| read_message("comments", comments)).transpose()
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

/// Applies an event to all actions that a call names, or to none of them: 404 for unknown ids, 403 for an event that the role may not cause, 409 when a
/// status does not allow it. Answers the changed actions with their figures; one that was named without a list comes alone.
#[utoipa::path(
    post, path = "/actions", tag = "Actions", request_body = Option<NamedActions>,
    params(("actionID" = Option<i32>, Query, description = "An action, where the body names none")),
    responses(
        (status = 200, body = ChangedView),
        (status = 401, body = FailureBody),
        (status = 403, body = FailureBody, description = "The role may not cause it, or the change came by cookie from another site"),
        (status = 404, body = FailureBody, description = "An action that is not there or out of the reader's scope"),
        (status = 409, body = FailureBody, description = "An action that refuses the event; nothing was changed"),
        (status = 422, body = FailureBody, description = "Too many actions, or a comment that is too long"),
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
    if !event.may_be_caused_by(&caller.user.known_roles()) {
        let rows = list::by_ids(&state.postgres, &caller.scope, group.ids()).await?;
        group.check_found(&rows)?;
        return Err(ApiError::Forbidden);
    }
    let comments = if event == ActionEvent::Manual {
        group.comments()?
    } else {
        None
    };
    let now = state.clock.now();
    let mut tx = postgres::begin(&state.postgres).await?;
    let applied = events::apply(&mut tx, &caller.scope, event, &group.ids, now).await?;
    if let (Applied::All, Some(comments)) = (&applied, &comments) {
        notes::add(
            &mut *tx,
            &caller.scope,
            &group.ids,
            (NoteSubject::Action, comments),
            now,
        )
        .await?;
    }
    settle(tx, &state, &caller, &group, applied).await?;
    answer(&state, &caller, &group).await
}

/// Commits a change of a group; or refuses it with 404 for actions that are not there, and with 409 and their present state for those that do not fit.
pub(super) async fn settle(
    tx: postgres::Tx,
    state: &ApiState,
    caller: &Caller,
    group: &ActionSelection,
    applied: Applied,
) -> Result<(), ApiError> {
    match applied {
        Applied::All => Ok(tx.commit().await.map_err(postgres::Error::from)?),
        Applied::Unknown(ids) => Err(unknown_actions(&ids)),
        Applied::Unfit(ids) => {
            drop(tx);
            let shown = &ids[..ids.len().min(MOST_FRESH)];
            let fresh = view(state, caller, shown, group.is_one).await?;
            let fresh = serde_json::to_value(fresh).map_err(ApiError::internal)?;
            Err(ApiError::TransitionNotAllowed { ids, fresh })
        }
    }
}

/// The answer to a change of a group: its actions as they are now.
pub(super) async fn answer(
    state: &ApiState,
    caller: &Caller,
    group: &ActionSelection,
) -> Result<Json<ChangedView>, ApiError> {
    let data = view(state, caller, &group.ids, group.is_one).await?;
    Ok(Json(ChangedView { data }))
}

/// Actions as they are now, with their figures; one alone, which has all links of its page, where one was named.
async fn view(state: &ApiState, caller: &Caller, ids: &[ActionId], is_one: bool) -> Result<OneOrMany, ApiError> {
    let rows = list::by_ids(&state.postgres, &caller.scope, ids).await?;
    let of_rows = rows.iter().filter_map(key_of).collect();
    let figures = figures(state, &caller.scope, &of_rows, &Filters::none()).await;
    let one = rows.first().filter(|_| is_one).cloned();
    let mut views = advertiser_views(state, caller, rows, figures.as_ref()).await?;
    let Some((row, mut view)) = one.and_then(|row| Some((row, views.pop()?))) else {
        return Ok(OneOrMany::Many(views));
    };
    if let Some(subjects) = notes::subjects(&state.postgres, &caller.scope, row.id).await? {
        view.case.links.extend(links::of_story(&row, subjects));
    }
    Ok(OneOrMany::One(Box::new(view)))
}

/// The text of a note, trimmed; a 422 at the field for one that says nothing or is longer than [`LONGEST_MESSAGE`].
pub(super) fn read_message(field: &str, text: &str) -> Result<String, ApiError> {
    let message = text.trim();
    if message.is_empty() {
        return Err(ApiError::of_field(field, "can't be blank"));
    }
    if message.chars().count() > LONGEST_MESSAGE {
        return Err(ApiError::of_field(
            field,
            format!("{LONGEST_MESSAGE} characters at most"),
        ));
    }
    Ok(message.to_owned())
}

/// The refusal of actions that are not there.
pub(super) fn unknown_actions(ids: &[ActionId]) -> ApiError {
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    ApiError::NoRow(format!("Unknown \"Action\" id \"{}\".", ids.join(", ")))
}
