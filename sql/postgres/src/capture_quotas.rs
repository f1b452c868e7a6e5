//! What is planned and captured for each company account in a month, and its quota. The terms of an account are those of its brands, and those that it
//! was given access to (decision D94); a term of several accounts counts for each.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{BrandId, CompanyAccountId, Device, Frequency, Scope, SystemScope, TermId};

use crate::stored::parse;
use crate::term_dues::StaleTerm;
use crate::{Connection, Result};

/// A company account and what it may plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountQuota {
    /// Id of the account.
    pub account: CompanyAccountId,
    /// Its name on screens.
    pub name: String,
    /// Captures that may be planned in a month; `None` without a limit.
    pub captures: Option<u64>,
}

/// Enabled terms of one account that are captured equally often.
#[derive(Clone, Debug, PartialEq)]
pub struct AlikeTerms {
    /// The account that they count for.
    pub account: CompanyAccountId,
    /// One of them, without its present grids and captures, on which the number of its slots does not depend.
    pub term: StaleTerm,
    /// How many they are.
    pub terms: u32,
}

/// What a transaction changed, as far as more may be planned than before.
#[derive(Clone, Copy, Debug)]
pub enum TouchedPlans<'a> {
    /// Terms that were made or changed.
    Terms(&'a [TermId]),
    /// An account that got a brand or a term.
    Account(CompanyAccountId),
    /// Terms or links of any kind, of whatever account.
    Any,
}

/// Whether any account has a quota.
pub async fn exist(executor: impl PgExecutor<'_>, _system: &SystemScope) -> Result<bool> {
    let exist = sqlx::query_scalar!(
        r#"select exists (select from company_account where capture_quota is not null) as "exist!""#
    );
    Ok(exist.fetch_one(executor).await?)
}

/// Waits until no other transaction holds the quotas, and holds them until this one ends. Take no other lock after it.
pub async fn hold(connection: &mut Connection, _system: &SystemScope) -> Result<()> {
    sqlx::query!("select pg_advisory_xact_lock(7104, 0)::text as held")
        .fetch_one(connection)
        .await?;
    Ok(())
}

/// The accounts with a quota, ordered by id, that may have more captures planned after the change `touched`: those that see the changed terms or
/// their brands, the one account, or all.
pub async fn touched(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    touched: TouchedPlans<'_>,
) -> Result<Vec<AccountQuota>> {
    let (terms, account): (Option<Vec<i32>>, Option<i32>) = match touched {
        TouchedPlans::Terms(terms) => (Some(terms.iter().map(|term| term.0).collect()), None),
        TouchedPlans::Account(account) => (None, Some(account.0)),
        TouchedPlans::Any => (None, None),
    };
    let rows = sqlx::query!(
        r#"select c.id, coalesce(nullif(c.label, ''), c.name, '') as "name!", c.capture_quota
           from company_account c
           where c.capture_quota is not null and ($2::int is null or c.id = $2)
               and ($1::int[] is null or c.id in (
                   select company_account_id from term_company_account where term_id = any($1)
                   union all
                   select b.company_account_id from brand_company_account b
                   where b.brand_id in (select brand_id from term where id = any($1))
               ))
           order by c.id"#,
        terms as Option<Vec<i32>>,
        account
    )
    .fetch_all(executor)
    .await?;
    let accounts = rows.into_iter().map(|row| AccountQuota {
        account: CompanyAccountId(row.id),
        name: row.name,
        captures: row.capture_quota.and_then(|quota| u64::try_from(quota).ok()),
    });
    Ok(accounts.collect())
}

/// The accounts with a quota that each of these terms counts for; terms without any are left out.
pub async fn accounts_of_terms(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    terms: &[TermId],
) -> Result<HashMap<TermId, Vec<CompanyAccountId>>> {
    let ids: Vec<i32> = terms.iter().map(|term| term.0).collect();
    let rows = sqlx::query!(
        r#"with counted as (
               select t.id as term, b.company_account_id as account
               from term t join brand_company_account b on b.brand_id = t.brand_id where t.id = any($1)
               union
               select term_id, company_account_id from term_company_account where term_id = any($1)
           )
           select term as "term!", account as "account!"
           from counted join company_account c on c.id = account where c.capture_quota is not null"#,
        &ids
    )
    .fetch_all(executor)
    .await?;
    let mut accounts: HashMap<TermId, Vec<CompanyAccountId>> = HashMap::new();
    for row in rows {
        accounts
            .entry(TermId(row.term))
            .or_default()
            .push(CompanyAccountId(row.account));
    }
    Ok(accounts)
}

/// The accounts with a quota that see all terms of each of these brands; brands without any are left out.
pub async fn accounts_of_brands(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    brands: &[BrandId],
) -> Result<HashMap<BrandId, Vec<CompanyAccountId>>> {
    let ids: Vec<i32> = brands.iter().map(|brand| brand.0).collect();
    let rows = sqlx::query!(
        r#"select b.brand_id, b.company_account_id
           from brand_company_account b join company_account c on c.id = b.company_account_id
           where b.brand_id = any($1) and c.capture_quota is not null"#,
        &ids
    )
    .fetch_all(executor)
    .await?;
    let mut accounts: HashMap<BrandId, Vec<CompanyAccountId>> = HashMap::new();
    for row in rows {
        accounts
            .entry(BrandId(row.brand_id))
            .or_default()
            .push(CompanyAccountId(row.company_account_id));
    }
    Ok(accounts)
}

/// The company accounts that a reader sees, by id: a company user the own one, others all.
pub async fn visible(executor: impl PgExecutor<'_>, scope: &Scope) -> Result<Vec<AccountQuota>> {
    let rows = sqlx::query!(
        r#"select id, coalesce(nullif(label, ''), name, '') as "name!", capture_quota
           from company_account where $1 or id = $2 order by id"#,
        scope.is_everything(),
        scope.company().map(|account| account.0)
    )
    .fetch_all(executor)
    .await?;
    let accounts = rows.into_iter().map(|row| AccountQuota {
        account: CompanyAccountId(row.id),
        name: row.name,
        captures: row.capture_quota.and_then(|quota| u64::try_from(quota).ok()),
    });
    Ok(accounts.collect())
}

/// The terms of some accounts that are captured, those that are captured equally often together.
pub async fn captured_terms(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    accounts: &[CompanyAccountId],
) -> Result<Vec<AlikeTerms>> {
    let ids: Vec<i32> = accounts.iter().map(|account| account.0).collect();
    let rows = sqlx::query_file!("queries/captured_terms_of_accounts.sql", &ids)
        .fetch_all(executor)
        .await?;
    rows.into_iter()
        .map(|row| {
            let devices: Result<Vec<Device>> = row.devices.iter().map(|text| parse("term.devices", text)).collect();
            Ok(AlikeTerms {
                account: CompanyAccountId(row.account),
                term: StaleTerm {
                    id: TermId(row.term),
                    is_capturable: true,
                    devices: devices?,
                    every: row.every.and_then(Frequency::from_millis).unwrap_or(Frequency::AUTO),
                    monthly_searches: row.monthly_searches,
                    convert_rate: row.search_convert_rate,
                    grids: Vec::new(),
                    captured: Vec::new(),
                },
                terms: u32::try_from(row.terms).unwrap_or(u32::MAX),
            })
        })
        .collect()
}

/// How many captures of the terms of some accounts were stored, of slots since `since`, the beginning of a UTC day; accounts without any are left out.
/// Terms are taken as they are now.
pub async fn used(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    accounts: &[CompanyAccountId],
    since: DateTime<Utc>,
) -> Result<Vec<(CompanyAccountId, u64)>> {
    let ids: Vec<i32> = accounts.iter().map(|account| account.0).collect();
    let rows = sqlx::query_file!("queries/captures_of_accounts.sql", &ids, since)
        .fetch_all(executor)
        .await?;
    let used = rows
        .into_iter()
        .map(|row| (CompanyAccountId(row.account), row.captures.unsigned_abs()));
    Ok(used.collect())
}
