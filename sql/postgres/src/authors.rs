//! Authors of acts, as far as a reader may know them.

use serde::{Deserialize, Serialize};
use sqlx::{Postgres, QueryBuilder};
use vocabulary::{Actor, Scope};

/// What a reader may know of an author.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AuthorKind {
    /// A person, by name.
    Person,
    /// Somebody of Vigie's staff; no more.
    Staff,
    /// Somebody of a company account, by the name of that.
    Company,
    /// An account that is gone.
    Gone,
}

/// An author as a reader may know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownAuthor {
    /// What the reader may know.
    pub kind: AuthorKind,
    /// Name of the person or company account; for administrators the address of an account that is gone, if it was recorded.
    pub name: Option<String>,
    /// Name of the user that an administrator worked as; for administrators only.
    #[serde(rename = "as")]
    pub acting_as: Option<String>,
}

/// Appends an expression for an author as the scope's user may know it, JSON of a [`KnownAuthor`], null if it may not know of the author at all.
/// Administrators know everybody, and who worked as whom. Others know themselves by name and staff as staff, which is also who works as somebody else.
/// Operators know the others by their company accounts, company users know colleagues by name and nobody else. `columns` are the ids of the author
/// and of whom that worked as, and the addresses that were recorded of both, separated by commas.
pub(crate) fn push_known_author(sql: &mut QueryBuilder<Postgres>, scope: &Scope, columns: &'static str) {
    let reader = match scope.actor() {
        Actor::User(user) => Some(user.0),
        Actor::System(_) => None,
    };
    sql.push("known_author(")
        .push_bind(reader)
        .push(", ")
        .push_bind(scope.company().map(|company| company.0))
        .push(", ")
        .push_bind(scope.is_everything())
        .push(", ")
        .push_bind(scope.administers())
        .push(", ")
        .push(columns)
        .push(")");
}
