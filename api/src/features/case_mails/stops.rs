//! Stops of the mails to advertisers: `/mailStops`.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use postgres::audit::{self, AuditedChange, Event};
use postgres::brands;
use postgres::case_mails::brakes;
use postgres::case_mails::stops::{self, MailStop, NewStop, StopScope};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;
use vocabulary::{BrandId, CaseMailKind, SystemScope, WebHost};

use crate::access::{Caller, Staff};
use crate::extract::{self, Path};
use crate::failure::{ApiError, FailureBody, FieldFault};
use crate::state::ApiState;

/// Stops of an answer: more than anybody makes.
const MOST: i64 = 1_000;
/// Characters of a reason.
const LONGEST_REASON: usize = 500;
const SCOPE: SystemScope = SystemScope::new("showing what holds mails");
/// What the audit log calls a stop.
const MODEL: &str = "MailStop";

/// The stops that have not ended.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct MailStopsView {
    data: Vec<MailStopView>,
    /// Whether too many of the last mails bounced, so that those that Vigie writes by itself wait.
    bounces: bool,
}

/// A stop of mails to advertisers.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct MailStopView {
    id: i32,
    /// `all`, `brand`, `kind` or `domain`.
    scope: String,
    /// The id of the brand, the kind, or the domain; empty for all.
    subject: String,
    /// Name of the brand that it is about.
    brand: Option<String>,
    reason: String,
    /// The person who stopped them.
    by: Option<String>,
    at: DateTime<Utc>,
    /// When it ends by itself; null for when it is lifted.
    until: Option<DateTime<Utc>>,
    /// Mails that it holds.
    held: i64,
}

impl From<MailStop> for MailStopView {
    fn from(stop: MailStop) -> Self {
        Self {
            id: stop.id,
            scope: stop.scope.to_string(),
            subject: stop.subject,
            brand: stop.brand,
            reason: stop.reason,
            by: stop.by,
            at: stop.at,
            until: stop.until,
            held: stop.held,
        }
    }
}

/// The stops that have not ended, the newest first.
#[utoipa::path(
    get, path = "/mailStops", tag = "Mail stops",
    responses(
        (status = 200, body = MailStopsView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_mail_stops(
    State(state): State<ApiState>,
    Staff(caller): Staff,
) -> Result<Json<MailStopsView>, ApiError> {
    let now = state.clock.now();
    let found = stops::active(&state.postgres, &caller.scope, now, MOST).await?;
    Ok(Json(MailStopsView {
        bounces: brakes::too_many_bounces(&state.postgres, &SCOPE, now).await?,
        data: found.into_iter().map(MailStopView::from).collect(),
    }))
}

/// What is to be stopped.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct MailStopBody {
    /// `all`, `brand`, `kind` or `domain`.
    scope: String,
    /// The id of the brand, the kind (`notification`, `reminder` or `answer`), or the domain; empty for all.
    #[serde(default)]
    subject: String,
    /// Why: 500 characters at most.
    reason: String,
    /// When it ends by itself; null for when it is lifted.
    #[serde(default)]
    until: Option<DateTime<Utc>>,
}

/// Stops mails to advertisers that have not left; they wait until the stop ends. Mails to the holders of accounts are never stopped.
#[utoipa::path(
    post, path = "/mailStops", tag = "Mail stops", request_body = MailStopBody,
    responses(
        (status = 200, body = MailStopsView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 422, body = FailureBody, description = "A value that a stop cannot have"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn add_mail_stop(
    State(state): State<ApiState>,
    Staff(caller): Staff,
    extract::Json(body): extract::Json<MailStopBody>,
) -> Result<Json<MailStopsView>, ApiError> {
    let now = state.clock.now();
    let scope: StopScope = body
        .scope
        .parse()
        .map_err(|_| FieldFault::new("scope", "fields:stopScope"))?;
    let subject = subject_of(&state, &caller, scope, body.subject.trim()).await?;
    let reason = body.reason.trim();
    if reason.is_empty() || reason.chars().count() > LONGEST_REASON {
        return Err(FieldFault::new("reason", "fields:length")
            .with("most", LONGEST_REASON)
            .into());
    }
    if body.until.is_some_and(|until| until <= now) {
        return Err(FieldFault::new("until", "fields:past").into());
    }
    let stop = NewStop {
        scope,
        subject: &subject,
        reason,
        author: caller.user.id,
        until: body.until,
    };
    let mut tx = postgres::begin(&state.postgres).await?;
    let id = stops::add(&mut *tx, &caller.scope, &stop, now).await?;
    let details =
        json!({"after": {"scope": scope.to_string(), "subject": subject, "reason": reason, "until": body.until}});
    record(&mut tx, &caller, (Event::Create, id), details).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    list_mail_stops(State(state), Staff(caller)).await
}

/// Ends a stop; what it held leaves as far as nothing else holds it.
#[utoipa::path(
    delete, path = "/mailStops/{id}", tag = "Mail stops",
    params(("id" = i32, Path, description = "Id of the stop")),
    responses(
        (status = 204),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "No such stop, or one that has ended"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn lift_mail_stop(
    State(state): State<ApiState>,
    Staff(caller): Staff,
    Path(id): Path<i32>,
) -> Result<StatusCode, ApiError> {
    let mut tx = postgres::begin(&state.postgres).await?;
    if !stops::lift(&mut tx, &caller.scope, id, state.clock.now()).await? {
        return Err(ApiError::NoRow(format!("could not find a model with id {id}")));
    }
    record(&mut tx, &caller, (Event::Remove, id), json!({})).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(StatusCode::NO_CONTENT)
}

/// What a stop is about, as it is stored; a 422 for what there is not.
async fn subject_of(state: &ApiState, caller: &Caller, scope: StopScope, subject: &str) -> Result<String, ApiError> {
    let wrong = |key| ApiError::from(FieldFault::new("subject", key));
    match scope {
        StopScope::All if subject.is_empty() => Ok(String::new()),
        StopScope::All => Err(wrong("fields:emptyForAll")),
        StopScope::Kind => {
            let kind: CaseMailKind = subject.parse().map_err(|_| wrong("fields:mailKind"))?;
            Ok(kind.to_string())
        }
        StopScope::Domain => {
            let host = WebHost::parse(subject).ok_or_else(|| wrong("fields:domain"))?;
            Ok(host.as_str().to_owned())
        }
        StopScope::Brand => {
            let brand: BrandId = subject.parse().map_err(|_| wrong("fields:brand"))?;
            let found = brands::by_ids(&state.postgres, &caller.scope, &[brand]).await?;
            if found.is_empty() {
                return Err(wrong("fields:brand"));
            }
            Ok(brand.to_string())
        }
    }
}

/// Writes a change of a stop to the audit log.
async fn record(
    connection: &mut postgres::Connection,
    caller: &Caller,
    (event, id): (Event, i32),
    details: serde_json::Value,
) -> Result<(), ApiError> {
    let change = AuditedChange {
        event,
        model: MODEL,
        target: id.to_string(),
        details,
    };
    Ok(audit::record(connection, &caller.audit_actor(), &[change]).await?)
}
