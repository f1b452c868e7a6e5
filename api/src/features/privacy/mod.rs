//! Personal data of those whom mails are exchanged with (decision D216): export and erasure by address, for staff and in the audit log.

mod erase;
mod export;

use postgres::audit::{self, AuditedChange, Event};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use vocabulary::is_mail_address;

use crate::access::Caller;
use crate::failure::ApiError;
use crate::state::ApiState;

/// What the audit log calls what is stored about an address. It names it by its digest.
const MODEL: &str = "PersonalData";

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(export::export_personal_data))
        .routes(routes!(erase::erase_personal_data))
}

/// An address in lower case; a 422 at the field for what is no address.
fn read_address(text: &str) -> Result<String, ApiError> {
    let address = text.trim().to_lowercase();
    if !is_mail_address(&address) {
        return Err(ApiError::of_field("address", "is no e-mail address"));
    }
    Ok(address)
}

/// Writes to the audit log that what is stored about an address was exported or erased, without the address itself.
async fn record(
    connection: &mut postgres::Connection,
    caller: &Caller,
    event: Event,
    address: &str,
    details: Value,
) -> Result<(), ApiError> {
    let change = AuditedChange {
        event,
        model: MODEL,
        target: hex::encode(Sha256::digest(address)),
        details,
    };
    Ok(audit::record(connection, &caller.audit_actor(), &[change]).await?)
}
