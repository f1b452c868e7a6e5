//! Invitations: a link with which a brand's own staff consents to Search Console.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum_extra::extract::CookieJar;
use chrono::{DateTime, Utc};
use google::SEARCH_CONSOLE_SCOPE;
use postgres::audit::Event;
use postgres::google::{self as stored, Invited, SignIn};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::consent::{self, SignInView};
use super::customers::INVITED_FOR;
use super::grant_tokens::SCOPE;
use super::{item, no_item};
use crate::access::{Administrator, tokens};
use crate::extract::{self, Path};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// A new invitation.
#[derive(Serialize, ToSchema)]
pub(super) struct NewInvitationView {
    data: InvitationLinkView,
}

/// The link of an invitation. It is shown once: only its digest is kept.
#[derive(Serialize, ToSchema)]
struct InvitationLinkView {
    url: String,
    expiration: DateTime<Utc>,
}

/// Makes a new invitation for 30 days (decision D125); the link before is void.
#[utoipa::path(
    post, path = "/google/{id}/invitation", tag = "Google",
    params(("id" = i32, Path, description = "Id of the item")),
    responses(
        (status = 200, body = NewInvitationView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such item"),
        (status = 409, body = FailureBody, description = "The item has no domain whose site could be asked for"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn renew(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Path(id): Path<i32>,
) -> Result<Json<NewInvitationView>, ApiError> {
    if item(&state, &caller, id).await?.domain.is_none() {
        return Err(ApiError::Conflict("The item has no domain.".to_owned()));
    }
    let token = tokens::fresh();
    let until = state.clock.now() + INVITED_FOR;
    let mut tx = postgres::begin(&state.postgres).await?;
    if !stored::invite(&mut *tx, &caller.scope, id, (&tokens::digest(&token), until)).await? {
        return Err(no_item(id));
    }
    let details = json!({"after": {"until": until}});
    caller
        .record(&mut tx, (Event::Create, "GoogleInvitation"), id.into(), details)
        .await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    let mut url = state
        .settings
        .api
        .public_url
        .join("/google-invitation")
        .map_err(ApiError::internal)?;
    // After the hash, so that neither logs nor referrers keep it.
    url.set_fragment(Some(&token));
    Ok(Json(NewInvitationView {
        data: InvitationLinkView {
            url: url.to_string(),
            expiration: until,
        },
    }))
}

/// The token of an invitation.
#[derive(Deserialize, ToSchema)]
pub(super) struct InvitationBody {
    token: String,
}

/// An invitation that is open.
#[derive(Serialize, ToSchema)]
pub(super) struct GoogleInvitationView {
    data: InvitedView,
}

/// What somebody is asked for.
#[derive(Serialize, ToSchema)]
struct InvitedView {
    /// The brand that asks.
    brand: String,
    /// The domain of the site.
    domain: Option<String>,
    /// Until when it can be accepted.
    expiration: DateTime<Utc>,
    /// Addresses of what is asked for.
    scope: Vec<String>,
}

/// What the holder of an invitation is asked for.
#[utoipa::path(
    post, path = "/google/invitations/read", tag = "Google", request_body = InvitationBody,
    responses(
        (status = 200, body = GoogleInvitationView),
        (status = 404, body = FailureBody, description = "No such invitation: it was used or replaced, or never was"),
        (status = 409, body = FailureBody, description = "The invitation is over"),
    ),
)]
pub(super) async fn read(
    State(state): State<ApiState>,
    extract::Json(body): extract::Json<InvitationBody>,
) -> Result<Json<GoogleInvitationView>, ApiError> {
    let invited = invited(&state, &body.token).await?;
    Ok(Json(GoogleInvitationView {
        data: InvitedView {
            brand: invited.brand,
            domain: invited.domain,
            expiration: invited.until,
            scope: vec![SEARCH_CONSOLE_SCOPE.to_owned()],
        },
    }))
}

/// Accepts an invitation: the page of Google to send the browser to.
#[utoipa::path(
    post, path = "/google/invitations/accept", tag = "Google", request_body = InvitationBody,
    responses(
        (status = 200, body = SignInView),
        (status = 404, body = FailureBody, description = "No such invitation: it was used or replaced, or never was"),
        (status = 409, body = FailureBody, description = "The invitation is over, or the settings name no client of Google"),
    ),
)]
pub(super) async fn accept(
    State(state): State<ApiState>,
    cookies: CookieJar,
    extract::Json(body): extract::Json<InvitationBody>,
) -> Result<(CookieJar, Json<SignInView>), ApiError> {
    let invited = invited(&state, &body.token).await?;
    consent::begin(&state, cookies, &[SEARCH_CONSOLE_SCOPE], |verifier| SignIn {
        verifier,
        item: Some(invited.item),
        user: None,
    })
    .await
}

/// Declines an invitation, which is void then.
#[utoipa::path(
    post, path = "/google/invitations/decline", tag = "Google", request_body = InvitationBody,
    responses(
        (status = 204),
        (status = 404, body = FailureBody, description = "No such invitation: it was used or replaced, or never was"),
        (status = 409, body = FailureBody, description = "The invitation is over"),
    ),
)]
pub(super) async fn decline(
    State(state): State<ApiState>,
    extract::Json(body): extract::Json<InvitationBody>,
) -> Result<StatusCode, ApiError> {
    let invited = invited(&state, &body.token).await?;
    // Nobody knows the token of the new one.
    let nobodys = tokens::digest(&tokens::fresh());
    let now = state.clock.now();
    stored::invite(&state.postgres, &SCOPE, invited.item, (&nobodys, now)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The invitation with a token; `NotFound` for none, `Conflict` for one that is over.
async fn invited(state: &ApiState, token: &str) -> Result<Invited, ApiError> {
    let found = stored::invited(&state.postgres, &SCOPE, &tokens::digest(token)).await?;
    let found = found.ok_or_else(|| ApiError::NotFound("This invitation was used or replaced.".to_owned()))?;
    if found.until <= state.clock.now() {
        return Err(ApiError::Conflict("This invitation is over.".to_owned()));
    }
    Ok(found)
}
