//! The people on the page of a case, as far as others may know of them.

use sqlx::PgExecutor;
use vocabulary::{ActionId, Scope, UserId};

use crate::Result;
use crate::scoped::ScopeLists;

/// Those of these cases that the scope sees.
pub async fn visible(executor: impl PgExecutor<'_>, scope: &Scope, cases: &[ActionId]) -> Result<Vec<ActionId>> {
    let bounds = ScopeLists::from_scope(scope);
    let ids: Vec<i32> = cases.iter().map(|case| case.0).collect();
    let found = sqlx::query_scalar!(
        "select id from action where id = any($2) and ($1::int[] is null or brand_id = any($1)) order by id",
        bounds.brands as Option<Vec<i32>>,
        &ids
    )
    .fetch_all(executor)
    .await?;
    Ok(found.into_iter().map(ActionId).collect())
}

/// The names of those of these users that the scope may know of: everybody for staff, else the people of the same company account.
pub async fn names(executor: impl PgExecutor<'_>, scope: &Scope, users: &[UserId]) -> Result<Vec<(UserId, String)>> {
    let ids: Vec<i32> = users.iter().map(|user| user.0).collect();
    let rows = sqlx::query!(
        r#"select id, coalesce(nullif(concat_ws(' ', nullif(first_name, ''), nullif(last_name, '')), ''), email) as "name!"
           from user_account where id = any($1) and ($2 or company_account_id = $3) order by 2, id"#,
        &ids,
        scope.is_everything(),
        scope.company().map(|company| company.0)
    )
    .fetch_all(executor)
    .await?;
    Ok(rows.into_iter().map(|row| (UserId(row.id), row.name)).collect())
}
