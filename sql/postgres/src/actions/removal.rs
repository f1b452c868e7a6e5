//! Removing the actions of brands, for when the ads behind them are deleted.

use sqlx::PgExecutor;
use vocabulary::{BrandId, SystemScope};

use crate::Result;

/// Removes all actions of brands with their history and notes, and answers how many there were.
pub async fn remove_all(executor: impl PgExecutor<'_>, _system: &SystemScope, brands: &[BrandId]) -> Result<u64> {
    let brands: Vec<i32> = brands.iter().map(|brand| brand.0).collect();
    let done = sqlx::query!("delete from action where brand_id = any($1)", &brands)
        .execute(executor)
        .await?;
    Ok(done.rows_affected())
}
