//! `POST /privacy/erase`: nothing is stored about an address any more.

use axum::Json;
use axum::extract::State;
use postgres::audit::Event;
use postgres::privacy::{self, Erased};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::{read_address, record};
use crate::access::Staff;
use crate::extract;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Whose data is to be erased.
#[derive(Deserialize, ToSchema)]
pub(super) struct ErasureBody {
    /// An e-mail address, in any case.
    address: String,
}

/// The answer to an erasure.
#[derive(Serialize, ToSchema)]
pub(super) struct ErasureAnswer {
    data: ErasureView,
}

/// What was erased.
#[derive(Serialize, ToSchema)]
struct ErasureView {
    /// Contacts that were deleted.
    contacts: u64,
    /// Mails that have no texts and attachments any more.
    mails: u64,
    /// Deliveries that no longer name the address.
    deliveries: u64,
    /// Mails whose source, as they came in, was deleted.
    received: u64,
    /// Notes that no longer name it.
    notes: u64,
}

impl From<&Erased> for ErasureView {
    fn from(erased: &Erased) -> Self {
        Self {
            contacts: erased.contacts,
            mails: erased.mails,
            deliveries: erased.deliveries,
            received: erased.received,
            notes: erased.notes,
        }
    }
}

/// Erases what is stored about an address, for good: its contacts, and the texts and attachments of mails to, from or naming it. Histories and counts
/// stay, and a digest of the address, so that it is never written to again.
#[utoipa::path(
    post, path = "/privacy/erase", tag = "Privacy", request_body = ErasureBody,
    responses(
        (status = 200, body = ErasureAnswer),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 422, body = FailureBody, description = "No e-mail address"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn erase_personal_data(
    State(state): State<ApiState>,
    Staff(caller): Staff,
    extract::Json(body): extract::Json<ErasureBody>,
) -> Result<Json<ErasureAnswer>, ApiError> {
    let address = read_address(&body.address)?;
    let now = state.clock.now();
    let mut transaction = postgres::begin(&state.postgres).await?;
    let erased = privacy::erase(&mut transaction, &caller.scope, &address, now).await?;
    let erased = erased.ok_or(ApiError::Forbidden)?;
    let data = ErasureView::from(&erased);
    record(&mut transaction, &caller, Event::Erase, &address, json!(data)).await?;
    transaction.commit().await.map_err(postgres::Error::from)?;
    // After the rows: what a failure leaves is a file that nothing names.
    for file in &erased.files {
        if !privacy::is_used(&state.postgres, file).await? {
            state.blobs.delete_kept_before(file, now).await?;
        }
    }
    Ok(Json(ErasureAnswer { data }))
}
