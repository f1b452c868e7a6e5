//! The webhook of mail servers: `POST /Emails/inbound`.

use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use postgres::case_mails::inbound::{self, Arrival, Origin};
use serde::Serialize;
use subtle::ConstantTimeEq;
use utoipa::ToSchema;

use crate::extract::Body;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

const ENVELOPE_FROM: &str = "x-envelope-from";
const ENVELOPE_TO: &str = "x-envelope-to";

/// A mail server that knows the secret of the settings. Without one in the settings the webhook does not exist.
pub(super) struct MailServer;

impl FromRequestParts<ApiState> for MailServer {
    type Rejection = ApiError;

    /// Compares the secret in constant time, before anything of the body is read.
    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, ApiError> {
        let secret = state.settings.inbound.secret.as_ref();
        let Some(secret) = secret.map(runtime::Secret::expose).filter(|secret| !secret.is_empty()) else {
            return Err(ApiError::NotFound("No mail is taken here".to_owned()));
        };
        let given = parts
            .headers
            .get(header::AUTHORIZATION)
            .and_then(|value| value.as_bytes().strip_prefix(b"Bearer "))
            .unwrap_or_default();
        if bool::from(given.ct_eq(secret.as_bytes())) {
            Ok(Self)
        } else {
            Err(ApiError::Coded(
                StatusCode::UNAUTHORIZED,
                "AUTHORIZATION_REQUIRED",
                "The secret is not that of VIGIE__INBOUND__SECRET".to_owned(),
            ))
        }
    }
}

/// A mail is stored.
#[derive(Serialize, ToSchema)]
pub(super) struct StoredView {}

/// Stores a mail that has come in, as it is (RFC 5322); it is read a moment later. The same mail twice is stored once.
#[utoipa::path(
    post, path = "/Emails/inbound", tag = "Emails",
    params(
        ("X-Envelope-From" = Option<String>, Header, description = "The sender of the envelope; empty for reports of mail servers"),
        ("X-Envelope-To" = Option<String>, Header, description = "The recipients of the envelope, with commas between them"),
    ),
    request_body(content = String, content_type = "message/rfc822", description = "The mail, at most 10 MB"),
    responses(
        (status = 200, body = StoredView, description = "It is stored, now or before"),
        (status = 401, body = FailureBody, description = "Without the secret of the settings as bearer token"),
        (status = 404, body = FailureBody, description = "The settings have no secret"),
        (status = 413, body = FailureBody, description = "Over 10 MB"),
    ),
)]
pub(super) async fn take_mail(
    _server: MailServer,
    State(state): State<ApiState>,
    headers: HeaderMap,
    Body(raw): Body,
) -> Result<Json<StoredView>, ApiError> {
    let envelope_to: Vec<String> = headers
        .get_all(ENVELOPE_TO)
        .iter()
        .flat_map(|value| {
            let list = String::from_utf8_lossy(value.as_bytes()).into_owned();
            list.split(',')
                .map(|address| address.trim().to_owned())
                .collect::<Vec<_>>()
        })
        .filter(|address| !address.is_empty())
        .collect();
    let envelope_from = headers.get(ENVELOPE_FROM).map(|value| {
        String::from_utf8_lossy(value.as_bytes())
            .trim_matches(['<', '>', ' '])
            .to_owned()
    });
    let arrival = Arrival {
        raw: &raw,
        envelope_to: &envelope_to,
        envelope_from: envelope_from.as_deref(),
        source: Origin::Webhook,
    };
    let mut transaction = postgres::begin(&state.postgres).await?;
    let received = inbound::receive(&mut transaction, &arrival, state.clock.now()).await?;
    transaction.commit().await.map_err(postgres::Error::from)?;
    tracing::info!(?received, bytes = raw.len(), "a mail has come in");
    Ok(Json(StoredView {}))
}
