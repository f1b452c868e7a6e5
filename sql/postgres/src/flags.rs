//! Feature flags (decision D7).

use std::collections::BTreeMap;

use sqlx::PgExecutor;
use vocabulary::{Role, UserId};

use crate::Result;

/// Every flag with whether it is on for this user: by default, by a role, or by name.
pub async fn of_user(executor: impl PgExecutor<'_>, user: UserId, roles: &[Role]) -> Result<BTreeMap<String, bool>> {
    let roles: Vec<String> = roles.iter().map(ToString::to_string).collect();
    let rows = sqlx::query!(
        r#"select key, (default_on or roles && $2 or user_ids @> array[$1::int]) as "is_on!" from feature_flag"#,
        user.0,
        &roles
    )
    .fetch_all(executor)
    .await?;
    Ok(rows.into_iter().map(|row| (row.key, row.is_on)).collect())
}
