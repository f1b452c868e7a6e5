//! `GET /audit`: who changed what, and on behalf of which account.

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use postgres::audit::{self, AuditEntry, AuditQuery, Event};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use vocabulary::UserId;

use crate::access::Administrator;
use crate::extract::Query;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

const ENTRIES: u32 = 50;
const MOST_ENTRIES: u32 = 500;

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list_audit))
}

/// Which entries are wanted.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
struct AuditParams {
    /// By this account, for itself or for another.
    actor_id: Option<i32>,
    /// On behalf of this account.
    acting_as_id: Option<i32>,
    /// `create`, `change`, `remove`, `return`, `link`, `unlink`, `impersonate`, `restore`, `request`, `export` or `erase`.
    event: Option<String>,
    /// About this kind of row, such as `UserAccount`.
    model: Option<String>,
    /// About the row with this id.
    target: Option<String>,
    /// Of the request with this id, as its log lines have it.
    request_id: Option<String>,
    /// From this instant on.
    from: Option<DateTime<Utc>>,
    /// Before this instant.
    to: Option<DateTime<Utc>>,
    /// Older than the entry with this id: the next page.
    before: Option<i64>,
    /// 50 by default, up to 500.
    limit: Option<u32>,
}

/// A page of the log.
#[derive(Serialize, ToSchema)]
struct AuditView {
    data: Vec<EntryView>,
    /// What to give as `before` for the next page; null on the last one.
    next: Option<i64>,
}

/// Something that was done.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct EntryView {
    id: i64,
    date: DateTime<Utc>,
    /// The account that acted.
    actor: Option<AccountView>,
    /// The account that an administrator worked as.
    acting_as: Option<AccountView>,
    event: String,
    model: Option<String>,
    target: Option<String>,
    /// What it was before and is now; never a secret.
    details: Value,
    request_id: Option<String>,
}

/// An account, as it was then.
#[derive(Serialize, ToSchema)]
struct AccountView {
    id: i32,
    /// The account's e-mail address at the time.
    email: Option<String>,
}

impl AccountView {
    fn from_account(id: Option<UserId>, email: Option<String>) -> Option<Self> {
        id.map(|id| Self { id: id.0, email })
    }
}

impl From<AuditEntry> for EntryView {
    /// The entry as the API shows it: accounts as id and name, null where there is none; the event by its name.
    fn from(entry: AuditEntry) -> Self {
        Self {
            id: entry.id,
            date: entry.at,
            actor: AccountView::from_account(entry.actor, entry.actor_name),
            acting_as: AccountView::from_account(entry.acting_as, entry.acting_as_name),
            event: entry.event.to_string(),
            model: entry.model,
            target: entry.target,
            details: entry.details,
            request_id: entry.request,
        }
    }
}

/// The audit log, newest first: changes made by administrators, those of terms, brands and tags by anybody, and everything asked for while working as
/// somebody else.
///
/// A `limit` outside 1 to 500 is moved to the nearest of the two. `next` is given when the page is full, even if no entry follows.
#[utoipa::path(
    get,
    path = "/audit",
    tag = "Audit",
    params(AuditParams),
    responses(
        (status = 200, body = AuditView, description = "The entries"),
        (status = 400, body = FailureBody, description = "A filter that cannot be read"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn list_audit(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Query(params): Query<AuditParams>,
) -> Result<Json<AuditView>, ApiError> {
    let event = params.event.as_deref().map(|event| {
        let unknown = || ApiError::BadRequest(format!("{event} is no event of the audit log"));
        event.parse::<Event>().map_err(|_| unknown())
    });
    let query = AuditQuery {
        actor: params.actor_id.map(UserId),
        acting_as: params.acting_as_id.map(UserId),
        event: event.transpose()?,
        model: params.model,
        target: params.target,
        from: params.from,
        to: params.to,
        request: params.request_id,
        before: params.before,
    };
    let limit = params.limit.unwrap_or(ENTRIES).clamp(1, MOST_ENTRIES);
    let entries = audit::list(&state.postgres, &caller.scope, &query, limit.into()).await?;
    let is_full = u32::try_from(entries.len()).is_ok_and(|count| count == limit);
    Ok(Json(AuditView {
        next: entries.last().map(|entry| entry.id).filter(|_| is_full),
        data: entries.into_iter().map(EntryView::from).collect(),
    }))
}
