//! What sems entered by hand need of this store: numbers that no captured ad has, and whose their terms are.

use std::collections::BTreeMap;

use sqlx::PgExecutor;

use crate::Result;

/// A number of a manifest that no manifest has: ids made of it meet those of no captured ad, and it is higher than any before.
pub async fn take_number(executor: impl PgExecutor<'_>) -> Result<i64> {
    Ok(
        sqlx::query_scalar("select nextval(pg_get_serial_sequence('manifest', 'id'))")
            .fetch_one(executor)
            .await?,
    )
}

/// The brands of terms, for those that have one.
pub async fn brands_of_terms(executor: impl PgExecutor<'_>, terms: &[i64]) -> Result<BTreeMap<i64, i32>> {
    if terms.is_empty() {
        return Ok(BTreeMap::new());
    }
    let rows: Vec<(i64, i32)> =
        sqlx::query_as("select id::int8, brand_id from term where id = any($1) and brand_id is not null")
            .bind(terms)
            .fetch_all(executor)
            .await?;
    Ok(rows.into_iter().collect())
}
