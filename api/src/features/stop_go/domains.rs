//! The official domains of a brand, which lanes share with everything else (decision D98).

use std::collections::BTreeSet;

use postgres::audit::Event;
use postgres::{Connection, brands, official_domains};
use serde_json::json;
use vocabulary::{BrandId, SystemScope};

use crate::access::Caller;
use crate::failure::ApiError;
use crate::resources::read_official_domains;
use crate::state::ApiState;

const MODEL: &str = "OfficialDomains";
const SCOPE: SystemScope = SystemScope::new("replacing official domains");

/// Makes these the official domains of a brand, in the transaction of the caller; open cases against added ones become ignored. A 422 at the field for too many,
/// and for a text that is no domain.
pub(super) async fn replace(
    state: &ApiState,
    connection: &mut Connection,
    caller: &Caller,
    brand: BrandId,
    wanted: &[String],
) -> Result<(), ApiError> {
    let wanted = read_official_domains("domains", wanted)?;
    let stored = brands::official_domains(&mut *connection, &SCOPE, &[brand]).await?;
    let stored: BTreeSet<String> = stored.into_iter().map(|(_, domain)| domain).collect();
    if stored == wanted {
        return Ok(());
    }
    let removed: Vec<String> = stored.difference(&wanted).cloned().collect();
    let added: Vec<String> = wanted.difference(&stored).cloned().collect();
    let now = state.clock.now();
    let changed = official_domains::change(connection, &caller.scope, brand, (&added, &removed), now).await?;
    changed.ok_or_else(|| ApiError::NoRow(format!("could not find a model with id {brand}")))?;
    let details = json!({ "before": stored, "after": wanted });
    caller
        .record(connection, (Event::Change, MODEL), brand.0.into(), details)
        .await
}
