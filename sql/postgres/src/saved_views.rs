//! Named states of lists: filters, order and columns, of a user or shared with the company account.

use serde_json::Value;
use sqlx::PgExecutor;
use vocabulary::{Actor, CompanyAccountId, Scope, UserId};

use crate::{Error, Result};

/// A stored view (its row).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SavedViewId(pub i32);

/// A view as its reader finds it.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedView {
    /// The row.
    pub id: SavedViewId,
    /// Its name, unique among those of one user on one list.
    pub name: String,
    /// The list it belongs to.
    pub path: String,
    /// The list's state as the keys of its address.
    pub search: Value,
    /// Columns: hidden ones, order and widths; `None` leaves them as they are.
    pub columns: Option<Value>,
    /// Whether the company account sees it.
    pub shared: bool,
    /// Whether the reader made it, and so may change it.
    pub own: bool,
    /// Who made it: the name, else the address.
    pub owner: String,
}

/// What is stored of a view.
#[derive(Clone, Debug)]
pub struct NewSavedView<'a> {
    /// Its name.
    pub name: &'a str,
    /// The list.
    pub path: &'a str,
    /// The list's state.
    pub search: &'a Value,
    /// Columns.
    pub columns: Option<&'a Value>,
    /// The company account it is shared with.
    pub shared_with: Option<CompanyAccountId>,
}

/// The views of a list that the reader sees: the own ones and those shared with the own company account, by name.
pub async fn of_list(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    company: Option<CompanyAccountId>,
    path: &str,
) -> Result<Vec<SavedView>> {
    let user = reader(scope)?;
    let rows = sqlx::query!(
        r#"select v.id, v.name, v.path, v.search, v.columns, v.company_account_id is not null as "shared!", v.user_id = $1 as "own!",
            coalesce(nullif(trim(concat_ws(' ', u.first_name, u.last_name)), ''), u.email) as "owner!"
        from saved_view v
        join user_account u on u.id = v.user_id
        where v.path = $3 and (v.user_id = $1 or v.company_account_id = $2)
        order by lower(v.name), v.id"#,
        user.0,
        company.map(|company| company.0),
        path
    )
    .fetch_all(executor)
    .await?;
    let views = rows.into_iter().map(|row| SavedView {
        id: SavedViewId(row.id),
        name: row.name,
        path: row.path,
        search: row.search,
        columns: row.columns,
        shared: row.shared,
        own: row.own,
        owner: row.owner,
    });
    Ok(views.collect())
}

/// Keeps a view of the reader. One of the same name on the same list is written over.
pub async fn save(executor: impl PgExecutor<'_>, scope: &Scope, new: &NewSavedView<'_>) -> Result<SavedViewId> {
    let user = reader(scope)?;
    let id = sqlx::query_scalar!(
        "insert into saved_view (user_id, company_account_id, path, name, search, columns) values ($1, $2, $3, $4, $5, $6)
         on conflict (user_id, path, name) do update
         set company_account_id = excluded.company_account_id, search = excluded.search, columns = excluded.columns
         returning id",
        user.0,
        new.shared_with.map(|company| company.0),
        new.path,
        new.name,
        new.search,
        new.columns
    )
    .fetch_one(executor)
    .await?;
    Ok(SavedViewId(id))
}

/// Removes a view of the reader. `false` when there is none of this id, or it is somebody else's.
pub async fn remove(executor: impl PgExecutor<'_>, scope: &Scope, id: SavedViewId) -> Result<bool> {
    let user = reader(scope)?;
    let done = sqlx::query!("delete from saved_view where id = $1 and user_id = $2", id.0, user.0)
        .execute(executor)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Views are of people: a process has none.
fn reader(scope: &Scope) -> Result<UserId> {
    match scope.actor() {
        Actor::User(user) => Ok(user),
        Actor::System(_) => Err(Error::OutOfReach),
    }
}
