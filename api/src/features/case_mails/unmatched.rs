//! Mails of which nobody knows the case: `/inboundMails`; for staff, who read them, give them to a case or put them away.

use axum::extract::State;
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use postgres::audit::{self, AuditedChange, Event};
use postgres::case_mails::unmatched::{self, Attached, InboundMail, SuggestedCase};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};
use vocabulary::{ActionId, MailVerdict};

use super::views::SenderView;
use crate::access::Staff;
use crate::extract::{Json, Path, Query};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Entries of a response, the newest.
const MOST: i64 = 200;
/// What the audit log calls a mail that came in.
const MODEL: &str = "InboundMail";

/// Which mails are listed.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct InboundParams {
    /// `unmatched` (unless given) or `unreadable`.
    verdict: Option<String>,
    /// How many of the newest mails to list: at most 200, which is also the default.
    limit: Option<u8>,
}

/// Mails without a case.
#[derive(Serialize, ToSchema)]
pub(super) struct InboundMailsView {
    data: Vec<InboundMailView>,
    /// How many are unmatched in all.
    unmatched: i64,
}

/// A mail without a case.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct InboundMailView {
    id: i64,
    received_date: DateTime<Utc>,
    /// `webhook` or `imap`.
    source: String,
    /// As the mail says it, which proves nothing.
    from: Option<SenderView>,
    subject: String,
    /// The beginning of its text.
    preview: String,
    /// The recipients of its envelope.
    to: Vec<String>,
    /// Why it could not be read.
    failure: Option<String>,
    /// Cases it may belong to, the likeliest first.
    suggestions: Vec<SuggestionView>,
}

/// A case that a mail may belong to.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SuggestionView {
    #[serde(rename = "actionID")]
    action_id: i32,
    domain: String,
    brand: String,
    country: String,
    engine: String,
    status: String,
    /// `contact` if the sender is one of the advertiser, else `domain`: its address is of the domain of the case.
    reason: &'static str,
}

impl From<SuggestedCase> for SuggestionView {
    fn from(case: SuggestedCase) -> Self {
        Self {
            action_id: case.action.0,
            domain: case.domain,
            brand: case.brand,
            country: case.country,
            engine: case.engine,
            status: case.status.to_string(),
            reason: if case.is_contact { "contact" } else { "domain" },
        }
    }
}

impl From<InboundMail> for InboundMailView {
    fn from(mail: InboundMail) -> Self {
        let name = mail.sender_name;
        Self {
            id: mail.id,
            received_date: mail.received_at,
            source: mail.source,
            from: mail.sender.map(|address| SenderView { address, name }),
            subject: mail.subject,
            preview: mail.preview,
            to: mail.envelope_to,
            failure: mail.failure,
            suggestions: mail.suggestions.into_iter().map(SuggestionView::from).collect(),
        }
    }
}

/// Mails whose case nobody knows, or that could not be read, the newest first.
#[utoipa::path(
    get, path = "/inboundMails", tag = "Emails", params(InboundParams),
    responses(
        (status = 200, body = InboundMailsView),
        (status = 400, body = FailureBody, description = "Another verdict"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_inbound_mails(
    State(state): State<ApiState>,
    Staff(caller): Staff,
    Query(params): Query<InboundParams>,
) -> Result<axum::Json<InboundMailsView>, ApiError> {
    let verdict = match params.verdict.as_deref() {
        None | Some("unmatched") => MailVerdict::Unmatched,
        Some("unreadable") => MailVerdict::Unreadable,
        Some(_) => return Err(ApiError::BadRequest("verdict is unmatched or unreadable".to_owned())),
    };
    let mut connection = state.postgres.acquire().await.map_err(postgres::Error::from)?;
    let mails = unmatched::list(
        &mut connection,
        &caller.scope,
        verdict,
        params.limit.map_or(MOST, i64::from).min(MOST),
    )
    .await?;
    let unmatched = unmatched::count(&mut *connection, &caller.scope).await?;
    Ok(axum::Json(InboundMailsView {
        data: mails.into_iter().map(InboundMailView::from).collect(),
        unmatched,
    }))
}

/// The case that a mail belongs to.
#[derive(Deserialize, ToSchema)]
pub(super) struct Attachment {
    #[serde(rename = "actionID")]
    action_id: i32,
}

/// A mail that a worker puts into its case.
#[derive(Serialize, ToSchema)]
pub(super) struct AttachedView {
    data: AttachedMailView,
}

/// The mail and its case.
#[derive(Serialize, ToSchema)]
struct AttachedMailView {
    id: i64,
    #[serde(rename = "actionID")]
    action_id: i32,
}

/// Puts a mail without a case into one. It is there after a few seconds, in which it can be taken back, like a mail that came in with the case's address.
#[utoipa::path(
    post, path = "/inboundMails/{id}/attach", tag = "Emails", request_body = Attachment,
    params(("id" = i64, Path, description = "The mail")),
    responses(
        (status = 200, body = AttachedView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "No such mail, or no such case"),
        (status = 409, body = FailureBody, description = "The mail belongs to another case by now, or is none of an advertiser"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn attach_inbound_mail(
    State(state): State<ApiState>,
    Staff(caller): Staff,
    Path(id): Path<i64>,
    Json(body): Json<Attachment>,
) -> Result<axum::Json<AttachedView>, ApiError> {
    let action = ActionId(body.action_id);
    let mut transaction = postgres::begin(&state.postgres).await?;
    let by = (caller.user.id, state.clock.now());
    match unmatched::attach(&mut transaction, &caller.scope, (id, action), by.0, by.1).await? {
        Attached::Yes => {
            let change = AuditedChange {
                event: Event::Change,
                model: MODEL,
                target: id.to_string(),
                details: json!({"before": {"actionID": null}, "after": {"actionID": action}}),
            };
            audit::record(&mut *transaction, &caller.audit_actor(), &[change]).await?;
            transaction.commit().await.map_err(postgres::Error::from)?;
        }
        Attached::Already => {}
        Attached::Unknown => return Err(ApiError::NotFound("Unknown mail or case".to_owned())),
        Attached::Settled => {
            let text = "The mail was dealt with meanwhile.".to_owned();
            return Err(ApiError::Coded(StatusCode::CONFLICT, "MAIL_SETTLED", text));
        }
    }
    Ok(axum::Json(AttachedView {
        data: AttachedMailView {
            id,
            action_id: action.0,
        },
    }))
}

/// Takes a mail back that was put into a case a few seconds ago.
#[utoipa::path(
    delete, path = "/inboundMails/{id}/attach", tag = "Emails",
    params(("id" = i64, Path, description = "The mail")),
    responses(
        (status = 204),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "Not the id of a mail"),
        (status = 409, body = FailureBody, description = "The mail is in the case by now, or was never put into one"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn detach_inbound_mail(
    State(state): State<ApiState>,
    Staff(caller): Staff,
    Path(id): Path<i64>,
) -> Result<StatusCode, ApiError> {
    let mut transaction = postgres::begin(&state.postgres).await?;
    if !unmatched::detach(&mut transaction, &caller.scope, id, state.clock.now()).await? {
        let text = "The mail was dealt with meanwhile.".to_owned();
        return Err(ApiError::Coded(StatusCode::CONFLICT, "MAIL_SETTLED", text));
    }
    let change = AuditedChange {
        event: Event::Change,
        model: MODEL,
        target: id.to_string(),
        details: json!({"after": {"actionID": null}}),
    };
    audit::record(&mut *transaction, &caller.audit_actor(), &[change]).await?;
    transaction.commit().await.map_err(postgres::Error::from)?;
    Ok(StatusCode::NO_CONTENT)
}

/// What a mail without a case says.
#[derive(Serialize, ToSchema)]
pub(super) struct InboundTextView {
    data: InboundMailText,
}

/// The text of a mail.
#[derive(Serialize, ToSchema)]
struct InboundMailText {
    body: String,
    /// As its sender laid it out, sanitised.
    html: Option<String>,
}

/// What a mail without a case says.
#[utoipa::path(
    get, path = "/inboundMails/{id}", tag = "Emails", params(("id" = i64, Path, description = "The mail")),
    responses(
        (status = 200, body = InboundTextView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "No such mail, or it has a case"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn read_inbound_mail(
    State(state): State<ApiState>,
    Staff(caller): Staff,
    Path(id): Path<i64>,
) -> Result<axum::Json<InboundTextView>, ApiError> {
    let found = unmatched::text(&state.postgres, &caller.scope, id).await?;
    let text = found.ok_or_else(|| ApiError::NotFound("Unknown mail".to_owned()))?;
    Ok(axum::Json(InboundTextView {
        data: InboundMailText {
            body: text.body,
            html: text.html,
        },
    }))
}

/// Whether a mail is put away.
#[derive(Deserialize, ToSchema)]
pub(super) struct DiscardBody {
    /// `false` brings it back.
    discarded: bool,
}

/// Puts a mail without a case away, or brings it back.
#[utoipa::path(
    post, path = "/inboundMails/{id}/discard", tag = "Emails", request_body = DiscardBody,
    params(("id" = i64, Path, description = "The mail")),
    responses(
        (status = 204),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "Not the id of a mail"),
        (status = 409, body = FailureBody, description = "There is no such mail without a case any more"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn discard_inbound_mail(
    State(state): State<ApiState>,
    Staff(caller): Staff,
    Path(id): Path<i64>,
    Json(body): Json<DiscardBody>,
) -> Result<StatusCode, ApiError> {
    let (by, now) = (caller.user.id, state.clock.now());
    let mut transaction = postgres::begin(&state.postgres).await?;
    if !unmatched::discard(&mut transaction, &caller.scope, (id, body.discarded), by, now).await? {
        let text = "The mail was dealt with meanwhile.".to_owned();
        return Err(ApiError::Coded(StatusCode::CONFLICT, "MAIL_SETTLED", text));
    }
    let change = AuditedChange {
        event: Event::Change,
        model: MODEL,
        target: id.to_string(),
        details: json!({"before": {"discarded": !body.discarded}, "after": {"discarded": body.discarded}}),
    };
    audit::record(&mut *transaction, &caller.audit_actor(), &[change]).await?;
    transaction.commit().await.map_err(postgres::Error::from)?;
    Ok(StatusCode::NO_CONTENT)
}
