//! `POST /exportTickets`: what a link to a file carries instead of the session's token (decision D23).

use axum::Json;
use axum::extract::State;
use postgres::tokens::NewToken;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::access::{Caller, export_tickets, tokens};
use crate::extract;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(make_ticket))
}

/// What is to be downloaded.
#[derive(Deserialize, ToSchema)]
struct TicketRequest {
    /// A link `exportCSV` of an answer, with its query.
    link: String,
}

/// A ticket for one download.
#[derive(Serialize, ToSchema)]
struct TicketView {
    /// To be added to the link as `access_token`.
    access_token: String,
    /// Seconds it can be used, once.
    ttl: i64,
}

/// A ticket for one download: this link with this query, once, within two minutes. A `link` that is no `exportCSV` of this API is refused.
#[utoipa::path(
    post, path = "/exportTickets", tag = "Exports", request_body = TicketRequest,
    responses(
        (status = 200, body = TicketView),
        (status = 400, body = FailureBody, description = "A link that leads to no file of this API"),
        (status = 401, body = FailureBody, description = "No valid session"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn make_ticket(
    State(state): State<ApiState>,
    caller: Caller,
    extract::Json(request): extract::Json<TicketRequest>,
) -> Result<Json<TicketView>, ApiError> {
    let scope = export_tickets::scope_of(&request.link)
        .ok_or_else(|| ApiError::BadRequest("link: it is an exportCSV of an answer of this API".to_owned()))?;
    let token = tokens::fresh();
    let new = NewToken {
        digest: &tokens::digest(&token),
        user: caller.user.id,
        ttl: export_tickets::TTL_SECONDS,
        scopes: Some(&[scope]),
        created: state.clock.now(),
        made_in: Some((&caller.session).into()),
        impersonated_by: caller.session.impersonated_by,
        user_agent: None,
    };
    postgres::tokens::create(&state.postgres, &new).await?;
    Ok(Json(TicketView {
        access_token: token,
        ttl: export_tickets::TTL_SECONDS,
    }))
}
