//! Company accounts: the tenants.

use sqlx::PgExecutor;
use vocabulary::{BrandId, CompanyAccountId, SystemScope, UserId};

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

/// Whether there is such a company account.
pub async fn exists(executor: impl PgExecutor<'_>, company: CompanyAccountId) -> Result<bool> {
    let found = sqlx::query_scalar!(
        r#"select exists (select from company_account where id = $1) as "found!""#,
        company.0
    )
    .fetch_one(executor)
    .await?;
    Ok(found)
}

/// Locks a company account until the transaction ends; `false` where there is none.
pub async fn lock(executor: impl PgExecutor<'_>, company: CompanyAccountId) -> Result<bool> {
    let found = sqlx::query_scalar!(
        "select id from company_account where id = $1 for no key update",
        company.0
    )
    .fetch_optional(executor)
    .await?;
    Ok(found.is_some())
}

/// The account of the programs of a company; `None` before its first key.
pub async fn program_of(executor: impl PgExecutor<'_>, company: CompanyAccountId) -> Result<Option<UserId>> {
    let id = sqlx::query_scalar!("select id from user_account where program_of = $1", company.0)
        .fetch_optional(executor)
        .await?;
    Ok(id.map(UserId))
}

/// Makes the account of the programs of a company, with which nobody signs in. It ends with the company account.
pub async fn create_program(executor: impl PgExecutor<'_>, company: CompanyAccountId) -> Result<UserId> {
    let email = format!("programs-of-{company}@vigie.invalid");
    let id = sqlx::query_scalar!(
        "insert into user_account (email, email_at_creation, program_of, queries, dashboard_category_filters)
         values ($1, $1, $2, '[]', '[]') returning id",
        email,
        company.0
    )
    .fetch_one(executor)
    .await?;
    Ok(UserId(id))
}
