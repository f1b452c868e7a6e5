//! `GET /privacy/export`: what is stored about an address.

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use postgres::audit::Event;
use postgres::privacy;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::IntoParams;

use super::{read_address, record};
use crate::access::Staff;
use crate::extract::Query;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Whose data is asked for.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ExportParams {
    /// An e-mail address, in any case.
    address: String,
}

/// Everything that is stored about an address: contacts, mails to, from or naming it, deliveries, attachments, mails as they came in, and notes.
#[utoipa::path(
    get, path = "/privacy/export", tag = "Privacy", params(ExportParams),
    responses(
        (status = 200, body = Object, description = "A file with what was found; its lists are empty for an address of which nothing is known"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 422, body = FailureBody, description = "No e-mail address"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn export_personal_data(
    State(state): State<ApiState>,
    Staff(caller): Staff,
    Query(params): Query<ExportParams>,
) -> Result<Response, ApiError> {
    let address = read_address(&params.address)?;
    let mut transaction = postgres::begin(&state.postgres).await?;
    let found = privacy::export(&mut *transaction, &caller.scope, &address, state.clock.now()).await?;
    let found = found.ok_or(ApiError::Forbidden)?;
    let count = |list: &str| found.get(list).and_then(Value::as_array).map_or(0, Vec::len);
    let details = json!({"contacts": count("contacts"), "mails": count("mails"), "notes": count("notes")});
    record(&mut transaction, &caller, Event::Export, &address, details).await?;
    transaction.commit().await.map_err(postgres::Error::from)?;
    let headers = [(
        header::CONTENT_DISPOSITION,
        "attachment; filename=\"personal-data.json\"",
    )];
    Ok((headers, Json(found)).into_response())
}
