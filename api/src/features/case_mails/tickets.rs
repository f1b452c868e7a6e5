//! Tickets of frames: `POST /actions/emails/ticket` (decision D177).

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use postgres::tokens::NewToken;
use serde::Serialize;
use utoipa::ToSchema;

use super::{OfCase, check_staff, unknown_case};
use crate::access::{Caller, mail_tickets, tokens};
use crate::extract::Query;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// A ticket of a frame.
#[derive(Serialize, ToSchema)]
pub(super) struct MailTicketView {
    data: FrameTicketView,
}

/// A ticket for the mails of one case.
#[derive(Serialize, ToSchema)]
struct FrameTicketView {
    /// To be sent as the token of a session is; it opens nothing else.
    token: String,
    /// In five minutes.
    expires: String,
}

/// A ticket for a frame that shows the mails of one case, made by a session alone.
#[utoipa::path(
    post, path = "/actions/emails/ticket", tag = "Emails", params(OfCase),
    responses(
        (status = 200, body = MailTicketView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "No such case within sight"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn make_ticket(
    State(state): State<ApiState>,
    caller: Caller,
    Query(of): Query<OfCase>,
) -> Result<Json<MailTicketView>, ApiError> {
    let action = vocabulary::ActionId(of.action_id);
    let mut connection = state.postgres.acquire().await.map_err(postgres::Error::from)?;
    let found = postgres::case_mails::contacts::advertiser(&mut connection, &caller.scope, action).await?;
    found.ok_or_else(|| unknown_case(action))?;
    check_staff(&caller)?;
    let (token, now) = (tokens::fresh(), state.clock.now());
    let new = NewToken {
        digest: &tokens::digest(&token),
        user: caller.user.id,
        ttl: mail_tickets::TTL_SECONDS,
        scopes: Some(&[mail_tickets::scope_of(action)]),
        created: now,
        made_in: Some((&caller.session).into()),
        impersonated_by: caller.session.impersonated_by,
        user_agent: None,
    };
    postgres::tokens::create(&mut *connection, &new).await?;
    let expires: DateTime<Utc> = now + TimeDelta::seconds(mail_tickets::TTL_SECONDS);
    Ok(Json(MailTicketView {
        data: FrameTicketView {
            token,
            expires: expires.to_rfc3339_opts(SecondsFormat::Millis, true),
        },
    }))
}
