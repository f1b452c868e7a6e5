//! Company accounts: the tenants.

use sqlx::PgExecutor;
use vocabulary::{BrandId, CompanyAccountId, SystemScope};

use crate::Result;

/// Makes a company account without brands and users, and returns its id. `name` is its slug, `label` its name on screens.
pub async fn create(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    name: &str,
    label: &str,
) -> Result<CompanyAccountId> {
    let id = sqlx::query_scalar!(
        "insert into company_account (name, label) values ($1, $2) returning id",
        name,
        label
    )
    .fetch_one(executor)
    .await?;
    Ok(CompanyAccountId(id))
}

/// Gives a brand to a company account, whose users then see it. Giving it twice changes nothing.
pub async fn link_brand(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    company: CompanyAccountId,
    brand: BrandId,
) -> Result<()> {
    sqlx::query!(
        "insert into brand_company_account (company_account_id, brand_id) values ($1, $2) on conflict do nothing",
        company.0,
        brand.0
    )
    .execute(executor)
    .await?;
    Ok(())
}
