//! Feature flags (decision D7).

use std::collections::BTreeMap;

use sqlx::{PgConnection, PgExecutor};
use vocabulary::{Role, UserId};

use crate::Result;

/// Every feature flag, by its key, with whether it is on for this user: by default, by one of `roles` (the user's stored roles are not read), or
/// because it names the user.
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

/// Why a flag is on for one user; it is off if neither applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlagGrant {
    /// Key of the flag.
    pub key: String,
    /// By default or by a role.
    pub by_role: bool,
    /// By naming the user.
    pub by_name: bool,
}

/// Every flag, ordered by key, with what turns it on for a user; `None` when there is no such user. The roles are read from the database.
pub async fn grants(connection: &mut PgConnection, user: UserId) -> Result<Option<Vec<FlagGrant>>> {
    let known = sqlx::query_scalar!(
        r#"select exists (select from user_account where id = $1) as "known!""#,
        user.0
    )
    .fetch_one(&mut *connection)
    .await?;
    if !known {
        return Ok(None);
    }
    let rows = sqlx::query_as!(
        FlagGrant,
        r#"select f.key,
                  (f.default_on or f.roles && array(
                      select r.name from role_mapping m join role r on r.id = m.role_id
                      where m.principal_id = $1::int::text and coalesce(m.principal_type, 'USER') = 'USER')) as "by_role!",
                  f.user_ids @> array[$1::int] as "by_name!"
           from feature_flag f order by f.key"#,
        user.0
    )
    .fetch_all(connection)
    .await?;
    Ok(Some(rows))
}

/// Turns the flags `on` on for a user by name, and removes the user from the flags `off`; a key in both is turned on. Unknown keys are
/// ignored. A flag that is on by default or by role stays on.
pub async fn give(connection: &mut PgConnection, user: UserId, on: &[String], off: &[String]) -> Result<()> {
    sqlx::query!(
        "update feature_flag
         set user_ids = case when key = any($2) then array_append(array_remove(user_ids, $1), $1) else array_remove(user_ids, $1) end
         where key = any($2) or key = any($3)",
        user.0,
        on,
        off
    )
    .execute(connection)
    .await?;
    Ok(())
}
