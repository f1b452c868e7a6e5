//! Rows of a brand that staff adds, changes and removes one by one, such as its partners and its registered marks.

use postgres::audit::{self, AuditedChange, Event};
use postgres::{Connection, Tx, brands};
use serde_json::{Map, Value};
use vocabulary::{BrandId, Scope};

use crate::access::Caller;
use crate::failure::ApiError;
use crate::state::ApiState;

/// A row of a brand.
pub(crate) trait BrandRow: Sized + Send + Sync {
    /// What the audit log calls it.
    const MODEL: &'static str;
    /// Rows of a brand at most.
    const MOST: usize;

    /// The number that paths and the audit log name it by.
    fn id(&self) -> i32;

    /// Its values as the audit log has them.
    fn described(&self, brand: BrandId) -> Value;

    /// At most `limit` rows of a brand, in the order of the answer; none for a brand out of scope.
    fn of_brand(
        connection: &mut Connection,
        scope: &Scope,
        brand: BrandId,
        limit: i64,
    ) -> impl Future<Output = postgres::Result<Vec<Self>>> + Send;
}

/// The rows of a brand; `NoRow` for a brand that the caller does not see.
pub(crate) async fn all<Row: BrandRow>(
    state: &ApiState,
    caller: &Caller,
    brand: BrandId,
) -> Result<Vec<Row>, ApiError> {
    let mut connection = state.postgres.acquire().await.map_err(postgres::Error::from)?;
    if brands::by_ids(&mut *connection, &caller.scope, &[brand])
        .await?
        .is_empty()
    {
        return Err(unknown(brand.0));
    }
    Ok(Row::of_brand(&mut connection, &caller.scope, brand, most::<Row>()).await?)
}

/// Begins a transaction in which nobody else changes such rows of a brand, and returns it with these. `NoRow` for a brand that the caller does not see,
/// `Forbidden` for a caller who is no staff.
pub(crate) async fn begin<Row: BrandRow>(
    state: &ApiState,
    caller: &Caller,
    brand: BrandId,
) -> Result<(Tx, Vec<Row>), ApiError> {
    let mut transaction = postgres::begin(&state.postgres).await?;
    if !brands::lock(&mut transaction, &caller.scope, brand).await? {
        return Err(unknown(brand.0));
    }
    // Both roles give rights to every brand.
    if caller.user.known_roles().is_empty() {
        return Err(ApiError::Forbidden);
    }
    let found = Row::of_brand(&mut transaction, &caller.scope, brand, most::<Row>()).await?;
    Ok((transaction, found))
}

/// The row with this id; `NoRow` without one.
pub(crate) fn find<Row: BrandRow>(all: &[Row], id: i32) -> Result<&Row, ApiError> {
    all.iter().find(|row| row.id() == id).ok_or_else(|| unknown(id))
}

/// Writes a change of a row of a brand to the audit log: what it was and is.
pub(crate) async fn record<Row: BrandRow>(
    connection: &mut Connection,
    caller: &Caller,
    event: Event,
    brand: BrandId,
    (before, after): (Option<&Row>, Option<&Row>),
) -> Result<(), ApiError> {
    let mut details = Map::new();
    for (name, row) in [("before", before), ("after", after)] {
        details.extend(row.map(|row| (name.to_owned(), row.described(brand))));
    }
    let change = AuditedChange {
        event,
        model: Row::MODEL,
        target: after.or(before).map(|row| row.id().to_string()).unwrap_or_default(),
        details: details.into(),
    };
    Ok(audit::record(connection, &caller.audit_actor(), &[change]).await?)
}

/// [`BrandRow::MOST`] as a limit.
fn most<Row: BrandRow>() -> i64 {
    i64::try_from(Row::MOST).unwrap_or(i64::MAX)
}

/// The failure of a brand or a row that is not there.
fn unknown(id: i32) -> ApiError {
    ApiError::NoRow(format!("could not find a model with id {id}"))
}
