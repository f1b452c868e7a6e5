//! `/FeatureFlags`: which features are on for the reader (decision D7), and those that an administrator gives to a user by name.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use postgres::audit::{self, AuditedChange, Event};
use postgres::flags;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use vocabulary::UserId;

use crate::access::{Administrator, Caller};
use crate::extract::{self, Path};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(list_flags))
        .routes(routes!(list_flags_of_user, give_flags))
}

/// Every flag of the client; one that the database does not know is off.
#[derive(Serialize, ToSchema)]
struct FlagsView {
    /// The switch of workspaces in the header, and the actions workspace.
    header_workspaces_switch: bool,
    /// The Stop and Go dashboard.
    stopgo_dashboard: bool,
}

/// The flags of the signed-in user. `userId` is accepted for older clients and has no effect: a user reads the own flags only.
#[utoipa::path(
    get,
    path = "/FeatureFlags",
    tag = "FeatureFlags",
    params(("userId" = Option<i32>, Query, description = "No effect")),
    responses(
        (status = 200, body = FlagsView, description = "The flags"),
        (status = 401, body = FailureBody, description = "No valid session"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn list_flags(State(state): State<ApiState>, caller: Caller) -> Result<Json<FlagsView>, ApiError> {
    let known = flags::of_user(&state.postgres, caller.user.id, &caller.user.known_roles()).await?;
    let on = |key: &str| known.get(key).copied().unwrap_or(false);
    Ok(Json(FlagsView {
        header_workspaces_switch: on("header_workspaces_switch"),
        stopgo_dashboard: on("stopgo_dashboard"),
    }))
}

/// A flag of a user, and what decides it: it is on when either does.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct GivenFlagView {
    key: String,
    /// On by default, or by a role of the user.
    by_role: bool,
    /// Given to the user by name.
    by_name: bool,
}

/// The flags of a user.
#[derive(Serialize, ToSchema)]
struct GivenFlagsView {
    data: Vec<GivenFlagView>,
}

/// Flags by name.
#[derive(Deserialize, ToSchema)]
struct FlagsChange {
    /// Whether each is given by name; one that is not named stays as it is.
    flags: BTreeMap<String, bool>,
}

/// The flags of a user, and what decides each.
#[utoipa::path(
    get,
    path = "/FeatureFlags/users/{id}",
    tag = "FeatureFlags",
    params(("id" = i32, Path, description = "Id of the user")),
    responses(
        (status = 200, body = GivenFlagsView, description = "The flags"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such user"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn list_flags_of_user(
    State(state): State<ApiState>,
    _: Administrator,
    Path(id): Path<i32>,
) -> Result<Json<GivenFlagsView>, ApiError> {
    let mut connection = state.postgres.acquire().await.map_err(postgres::Error::from)?;
    Ok(Json(view(flags_of(&mut connection, id).await?)))
}

/// Gives flags to a user by name, or takes them back; what a role gives stays. An unknown flag changes nothing and is refused. Answers all flags of
/// the user.
#[utoipa::path(
    put,
    path = "/FeatureFlags/users/{id}",
    tag = "FeatureFlags",
    params(("id" = i32, Path, description = "Id of the user")),
    request_body = FlagsChange,
    responses(
        (status = 200, body = GivenFlagsView, description = "The flags as they are now"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such user"),
        (status = 422, body = FailureBody, description = "A flag that does not exist"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn give_flags(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Path(id): Path<i32>,
    extract::Json(change): extract::Json<FlagsChange>,
) -> Result<Json<GivenFlagsView>, ApiError> {
    let mut tx = postgres::begin(&state.postgres).await?;
    let before = flags_of(&mut tx, id).await?;
    if let Some(unknown) = change
        .flags
        .keys()
        .find(|key| before.iter().all(|flag| flag.key != **key))
    {
        return Err(ApiError::of_field("flags", format!("there is no flag '{unknown}'")));
    }
    let named = |on: bool| -> Vec<String> {
        let flags = change.flags.iter().filter(|(_, is_on)| **is_on == on);
        flags.map(|(key, _)| key.clone()).collect()
    };
    flags::give(&mut tx, UserId(id), &named(true), &named(false)).await?;
    let after = flags_of(&mut tx, id).await?;
    let by_name = |flags: &[flags::FlagGrant]| -> BTreeMap<String, bool> {
        flags.iter().map(|flag| (flag.key.clone(), flag.by_name)).collect()
    };
    let (was, is) = (by_name(&before), by_name(&after));
    if was != is {
        let done = AuditedChange {
            event: Event::Change,
            model: "FeatureFlag",
            target: id.to_string(),
            details: json!({ "before": was, "after": is }),
        };
        audit::record(&mut *tx, &caller.audit_actor(), &[done]).await?;
    }
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(Json(view(after)))
}

/// Every flag with what decides it for this user; 404 when there is no such user.
async fn flags_of(connection: &mut postgres::Connection, id: i32) -> Result<Vec<flags::FlagGrant>, ApiError> {
    let found = flags::grants(connection, UserId(id)).await?;
    found.ok_or_else(|| ApiError::NotFound(format!("There is no user {id}")))
}

/// The flags as answered, in their order; each says whether a role or its default gives it, and whether it is given to the user by name.
fn view(flags: Vec<flags::FlagGrant>) -> GivenFlagsView {
    let data = flags.into_iter().map(|flag| GivenFlagView {
        key: flag.key,
        by_role: flag.by_role,
        by_name: flag.by_name,
    });
    GivenFlagsView { data: data.collect() }
}
