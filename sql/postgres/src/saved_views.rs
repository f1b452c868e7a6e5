//! Named states of lists: filters, order and columns, of a user or shared with the company account.

use serde_json::Value;
use sqlx::PgExecutor;
use vocabulary::{Actor, CompanyAccountId, Scope, UserId};

use crate::{Connection, Error, Result};

/// Views that one user keeps.
pub const MOST_OF_USER: i64 = 100;
/// Views of one list in one response: the signed-in user's own, and some that colleagues shared.
const MOST_OF_LIST: i64 = 300;

/// A stored view (its row).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SavedViewId(pub i32);

/// A view as the signed-in user who asks for it sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedView {
    /// Id of the view's row.
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
    /// Whether the signed-in user made it, and so may change it.
    pub own: bool,
    /// Name of its maker, else the address.
    pub owner: String,
}

/// What is stored of a view.
#[derive(Clone, Debug)]
pub struct NewSavedView<'a> {
    /// Unique among the views of one user on one list.
    pub name: &'a str,
    /// The list it belongs to.
    pub path: &'a str,
    /// The list's state.
    pub search: &'a Value,
    /// Hidden columns, order and widths; `None` leaves them as they are.
    pub columns: Option<&'a Value>,
    /// The company account it is shared with.
    pub shared_with: Option<CompanyAccountId>,
}

/// The views of the list `path`, ordered by name: those that the signed-in user made and those shared with `company`, which is not checked
/// against the scope. Of more than `MOST_OF_LIST`, the user's own and the newest shared ones. [`Error::OutOfReach`] for a system scope.
pub async fn of_list(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    company: Option<CompanyAccountId>,
    path: &str,
) -> Result<Vec<SavedView>> {
    let user = signed_in_user(scope)?;
    let rows = sqlx::query!(
        r#"select v.id, v.name, v.path, v.search, v.columns, v.company_account_id is not null as "shared!", v.user_id = $1 as "own!",
            coalesce(nullif(trim(concat_ws(' ', u.first_name, u.last_name)), ''), u.email) as "owner!"
        from (
            select * from saved_view where path = $3 and (user_id = $1 or company_account_id = $2)
            order by user_id = $1 desc, id desc limit $4
        ) v
        join user_account u on u.id = v.user_id
        order by lower(v.name), v.id"#,
        user.0,
        company.map(|company| company.0),
        path,
        MOST_OF_LIST
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

/// Stores a view for the signed-in user and returns its id; the user's view of the same name on the same list is replaced and keeps its id.
/// `None`, and nothing is stored, when the user has [`MOST_OF_USER`] other views. Locks the user's account until the transaction ends.
/// [`Error::OutOfReach`] for a system scope.
pub async fn save(connection: &mut Connection, scope: &Scope, new: &NewSavedView<'_>) -> Result<Option<SavedViewId>> {
    let user = signed_in_user(scope)?;
    // Concurrent saves of one user are counted one after the other.
    sqlx::query("select from user_account where id = $1 for no key update")
        .bind(user.0)
        .execute(&mut *connection)
        .await?;
    let others: i64 = sqlx::query_scalar(
        "select count(*) from saved_view where user_id = $1 and (path, name) is distinct from ($2, $3)",
    )
    .bind(user.0)
    .bind(new.path)
    .bind(new.name)
    .fetch_one(&mut *connection)
    .await?;
    if others >= MOST_OF_USER {
        return Ok(None);
    }
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
    .fetch_one(connection)
    .await?;
    Ok(Some(SavedViewId(id)))
}

/// Deletes a view that the signed-in user made. `false` when there is none of this id, or another user made it. [`Error::OutOfReach`] for a
/// system scope.
pub async fn remove(executor: impl PgExecutor<'_>, scope: &Scope, id: SavedViewId) -> Result<bool> {
    let user = signed_in_user(scope)?;
    let done = sqlx::query!("delete from saved_view where id = $1 and user_id = $2", id.0, user.0)
        .execute(executor)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// The signed-in user of a scope. [`Error::OutOfReach`] for a system scope, which has no views.
fn signed_in_user(scope: &Scope) -> Result<UserId> {
    match scope.actor() {
        Actor::User(user) => Ok(user),
        Actor::System(_) => Err(Error::OutOfReach),
    }
}
