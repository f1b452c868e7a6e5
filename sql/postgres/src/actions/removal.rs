//! Removing the actions of brands, for when the ads behind them are deleted.

use sqlx::PgExecutor;
use vocabulary::{BrandId, SystemScope};

use crate::Result;

/// Deletes all actions of brands with their history, notes and mails for good: unlike the deletion of a brand, nothing comes back. Returns how many actions
/// there were.
pub async fn remove_all(executor: impl PgExecutor<'_>, _system: &SystemScope, brands: &[BrandId]) -> Result<u64> {
    let brands: Vec<i32> = brands.iter().map(|brand| brand.0).collect();
    let done = sqlx::query!(
        "with mails as (delete from email e using action a where a.id = e.action_id and a.brand_id = any($1))
         delete from action where brand_id = any($1)",
        &brands
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected())
}
