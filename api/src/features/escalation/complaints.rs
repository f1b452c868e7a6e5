//! What speaks against a complaint about a case, and the numbers that the engine gave to those that were made.

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use postgres::audit::{self, AuditedChange, Event};
use postgres::trademarks::{self, Complaint, Trademark};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;
use vocabulary::ActionId;

use super::case::{self, Founded};
use crate::access::Caller;
use crate::extract::{self, Path};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Characters of the number of a complaint.
const LONGEST_NUMBER: usize = 80;
/// What the audit log calls the case.
const MODEL: &str = "Action";

/// The answer about complaints.
#[derive(Serialize, ToSchema)]
pub(super) struct EscalationAnswer {
    data: EscalationView,
}

/// Whether a complaint about the ads of a case can be made.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct EscalationView {
    /// What speaks against one: `no-trademark`, `partner`, `not-in-country`, `no-ad`, `not-in-text` or `no-authorisation`; null if nothing does.
    obstacle: Option<String>,
    /// The marks that it would be founded on.
    marks: Vec<MarkView>,
    /// Distinct ads that have one of them in their text.
    ads: usize,
    /// The number of the complaint that was made; null without one.
    complaint_number: Option<String>,
    /// All numbers there were, the newest first.
    complaints: Vec<ComplaintView>,
}

/// A mark that a complaint is founded on.
#[derive(Serialize, ToSchema)]
struct MarkView {
    mark: String,
    office: String,
    number: String,
}

impl From<Trademark> for MarkView {
    fn from(mark: Trademark) -> Self {
        Self {
            mark: mark.facts.mark,
            office: mark.facts.office,
            number: mark.facts.number,
        }
    }
}

/// A number that was written down.
#[derive(Serialize, ToSchema)]
struct ComplaintView {
    /// Null where the one before was taken back.
    number: Option<String>,
    date: DateTime<Utc>,
    /// The name of the author; null where the account is gone.
    by: Option<String>,
}

impl From<Complaint> for ComplaintView {
    fn from(complaint: Complaint) -> Self {
        let name = complaint
            .by
            .map(|(first, last)| [first, last].into_iter().flatten().collect::<Vec<_>>().join(" "));
        Self {
            number: complaint.number,
            date: complaint.at,
            by: name,
        }
    }
}

/// Whether a complaint about the ads of a case can be made, on what it would be founded, and the numbers of those that were made.
#[utoipa::path(
    get, path = "/actions/{id}/escalation", tag = "Actions",
    params(("id" = i32, Path, description = "Id of the action")),
    responses(
        (status = 200, body = EscalationAnswer),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "No such action, or one out of the reader's scope"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn show_escalation(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<i32>,
) -> Result<Json<EscalationAnswer>, ApiError> {
    let founded = case::found(&state, &caller, id).await?;
    let complaints = trademarks::complaints(&state.postgres, &caller.scope, ActionId(id)).await?;
    Ok(Json(EscalationAnswer {
        data: EscalationView::new(founded, complaints),
    }))
}

impl EscalationView {
    /// The answer about a case with the numbers there were, the newest first.
    fn new(founded: Founded, complaints: Vec<Complaint>) -> Self {
        Self {
            obstacle: founded.obstacle.map(|obstacle| obstacle.to_string()),
            ads: founded.ads.len(),
            marks: founded.marks.into_iter().map(MarkView::from).collect(),
            complaint_number: complaints.first().and_then(|newest| newest.number.clone()),
            complaints: complaints.into_iter().map(ComplaintView::from).collect(),
        }
    }
}

/// The number of a complaint.
#[derive(Deserialize, ToSchema)]
pub(super) struct ComplaintBody {
    /// 80 characters at most; null takes the number back.
    number: Option<String>,
}

/// Writes down the number that the engine gave to a complaint about a case. Those before it stay in the history.
#[utoipa::path(
    put, path = "/actions/{id}/complaint", tag = "Actions",
    params(("id" = i32, Path, description = "Id of the action")),
    request_body = ComplaintBody,
    responses(
        (status = 200, body = EscalationAnswer),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "No such action, or one out of the reader's scope"),
        (status = 422, body = FailureBody, description = "A number that is too long"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn record_complaint(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<i32>,
    extract::Json(body): extract::Json<ComplaintBody>,
) -> Result<Json<EscalationAnswer>, ApiError> {
    let founded = case::found(&state, &caller, id).await?;
    let number = body
        .number
        .map(|number| number.trim().to_owned())
        .filter(|number| !number.is_empty());
    if number
        .as_ref()
        .is_some_and(|number| number.chars().count() > LONGEST_NUMBER || number.chars().any(char::is_control))
    {
        return Err(ApiError::of_field(
            "number",
            format!("{LONGEST_NUMBER} characters at most"),
        ));
    }
    let action = ActionId(id);
    let mut transaction = postgres::begin(&state.postgres).await?;
    let before = trademarks::complaints(&mut *transaction, &caller.scope, action).await?;
    let before = before.first().and_then(|newest| newest.number.clone());
    if before != number {
        let now = state.clock.now();
        trademarks::complain(&mut transaction, &caller.scope, action, number.as_deref(), now).await?;
        let change = AuditedChange {
            event: Event::Change,
            model: MODEL,
            target: action.to_string(),
            details: json!({"before": {"complaintNumber": before}, "after": {"complaintNumber": number}}),
        };
        audit::record(&mut *transaction, &caller.audit_actor(), &[change]).await?;
    }
    let complaints = trademarks::complaints(&mut *transaction, &caller.scope, action).await?;
    transaction.commit().await.map_err(postgres::Error::from)?;
    Ok(Json(EscalationAnswer {
        data: EscalationView::new(founded, complaints),
    }))
}
