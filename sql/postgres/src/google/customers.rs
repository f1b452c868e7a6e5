//! Customers of Google Ads.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{Scope, SystemScope};

use crate::{Connection, Result};

/// A customer that a grant reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundCustomer {
    /// Id of the grant.
    pub grant: i64,
    /// Its id, in digits.
    pub id: String,
    /// The account above it that the grant reaches by itself.
    pub manager: String,
    /// The name of that account.
    pub manager_name: String,
    /// Name of the customer.
    pub name: String,
    /// Whether it is a manager, which has no ads.
    pub is_manager: bool,
    /// Whether it is open.
    pub is_enabled: bool,
    /// How far below the manager it is.
    pub level: i32,
    /// ISO 4217 code of its currency.
    pub currency: Option<String>,
    /// Time zone of its dates.
    pub time_zone: Option<String>,
}

/// Replaces what a grant reaches.
pub async fn replace(
    connection: &mut Connection,
    _system: &SystemScope,
    grant: i64,
    customers: &[FoundCustomer],
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!("delete from google_customer where grant_id = $1", grant)
        .execute(&mut *connection)
        .await?;
    for customer in customers {
        sqlx::query!(
            "insert into google_customer (grant_id, customer_id, manager_id, name, is_manager, is_enabled, level, currency, time_zone, seen_at)
             values ($1, $2, $3, left($4, 255), $5, $6, $7, $8, $9, $10) on conflict do nothing",
            grant,
            customer.id,
            customer.manager,
            customer.name,
            customer.is_manager,
            customer.is_enabled,
            customer.level,
            customer.currency,
            customer.time_zone,
            now
        )
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

/// The open customers with ads that a manager account reaches and that no item has (decision D121), by name; none for a scope that does
/// not see everything.
pub async fn available(executor: impl PgExecutor<'_>, scope: &Scope) -> Result<Vec<FoundCustomer>> {
    Ok(sqlx::query_as!(
        FoundCustomer,
        r#"select distinct on (c.name, c.customer_id) c.grant_id as "grant", c.customer_id as id, c.manager_id as manager,
             coalesce(m.name, '') as "manager_name!", c.name, c.is_manager, c.is_enabled, c.level, c.currency, c.time_zone
           from google_customer c join google_grant g on g.id = c.grant_id
             left join google_customer m on m.grant_id = c.grant_id and m.customer_id = c.manager_id
           where $1 and g.kind = 'manager' and g.status <> 'revoked' and not c.is_manager and c.is_enabled
             and not exists (select from google_connect i where i.customer_id = c.customer_id)
           order by c.name, c.customer_id, c.level"#,
        scope.is_everything()
    )
    .fetch_all(executor)
    .await?)
}
