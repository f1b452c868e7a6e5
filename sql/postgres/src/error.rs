//! What can go wrong between Vigie and Postgres.

use thiserror::Error;

/// `query_canceled`: the statement timeout ran out.
const CANCELLED: &str = "57014";

/// `lock_not_available`: the time to wait for a lock ran out.
const NOT_HAD: &str = "55P03";

/// A failure of a function of this crate.
#[derive(Debug, Error)]
pub enum Error {
    /// The database cannot be reached or refused the statement.
    #[error("Postgres: {0}")]
    Database(#[from] sqlx::Error),
    /// The schema could not be brought up to date.
    #[error("the migrations of Postgres could not be applied: {0}")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// The address of the database is not one.
    #[error("'{address}' is no address of a Postgres database (postgres://user@host:port/name): {cause}")]
    Address {
        /// The address without its password.
        address: String,
        /// What is wrong with it.
        cause: String,
    },
    /// A stored text is none of the values this version knows: the database is newer than the program, or was changed by hand.
    #[error("column {column} holds '{value}', which this version does not know")]
    Stored {
        /// The column, as `table.column`.
        column: &'static str,
        /// What it holds.
        value: String,
    },
    /// The query would have to look at more rows than it may.
    #[error("the query would look at too many rows")]
    TooMany,
    /// After the change the caller could no longer change the row.
    #[error("the row is out of the caller's reach")]
    OutOfReach,
}

impl Error {
    /// The unique constraint that refused the row, if one did.
    pub fn violated_key(&self) -> Option<&str> {
        match self {
            Self::Database(sqlx::Error::Database(error)) if error.is_unique_violation() => error.constraint(),
            _ => None,
        }
    }

    /// Whether a foreign key refused the change: the row refers to one that does not exist, or other rows still refer to it.
    pub fn violates_reference(&self) -> bool {
        matches!(self, Self::Database(sqlx::Error::Database(error)) if error.is_foreign_key_violation())
    }

    /// The column whose check constraint refused the row, if one did. For a check that is not named `<table>_<column>_check`, such as that
    /// of a type, the result is the constraint's name without `_check`.
    pub fn violated_check(&self, table: &str) -> Option<&str> {
        let error = self.refusal(|kind| matches!(kind, sqlx::error::ErrorKind::CheckViolation))?;
        let name = error.constraint()?.strip_suffix("_check")?;
        let column = name.strip_prefix(table).and_then(|rest| rest.strip_prefix('_'));
        Some(column.unwrap_or(name))
    }

    /// The column whose foreign key refused the row, if one did.
    pub fn violated_reference(&self) -> Option<&str> {
        let error = self.refusal(|kind| matches!(kind, sqlx::error::ErrorKind::ForeignKeyViolation))?;
        let name = error.constraint()?.strip_suffix("_fkey")?;
        name.strip_prefix(error.table()?)?.strip_prefix('_')
    }

    /// The column whose `not null` refused the row, if one did.
    pub fn violated_presence(&self) -> Option<&str> {
        let error = self.refusal(|kind| matches!(kind, sqlx::error::ErrorKind::NotNullViolation))?;
        error
            .try_downcast_ref::<sqlx::postgres::PgDatabaseError>()
            .and_then(sqlx::postgres::PgDatabaseError::column)
    }

    /// Whether a value does not fit its type (class 22: too large a number, a character that texts cannot hold).
    pub fn is_unfit_value(&self) -> bool {
        matches!(self, Self::Database(sqlx::Error::Database(error)) if error.code().is_some_and(|code| code.starts_with("22")))
    }

    /// The database's own error, if there is one of this kind.
    fn refusal(&self, is: impl Fn(sqlx::error::ErrorKind) -> bool) -> Option<&dyn sqlx::error::DatabaseError> {
        match self {
            Self::Database(sqlx::Error::Database(error)) if is(error.kind()) => Some(error.as_ref()),
            _ => None,
        }
    }

    /// Whether the statement was cancelled because it ran longer than the statement timeout.
    pub fn timed_out(&self) -> bool {
        matches!(self, Self::Database(sqlx::Error::Database(error)) if error.code().as_deref() == Some(CANCELLED))
    }

    /// Whether another transaction held a lock for longer than the lock timeout of this statement.
    pub(crate) fn lock_not_had(&self) -> bool {
        matches!(self, Self::Database(sqlx::Error::Database(error)) if error.code().as_deref() == Some(NOT_HAD))
    }

    /// Whether the transaction was ended because another one changes the same rows, by a deadlock or a serialization failure: a retry may succeed.
    pub fn is_contended(&self) -> bool {
        match self {
            Self::Database(sqlx::Error::Database(error)) => matches!(error.code().as_deref(), Some("40P01" | "40001")),
            _ => false,
        }
    }

    /// Whether the database cannot be reached, or has no free connections, memory or disk at present, so that the same call may work later. Waiting
    /// too long for a connection of the pool counts, the timeout of a statement does not.
    pub fn is_unreachable(&self) -> bool {
        match self {
            Self::Database(error) => match error {
                sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::Tls(_) => true,
                // Class 57: shutting down or starting up; class 53: too many connections, no disk or memory.
                sqlx::Error::Database(error) => error
                    .code()
                    .is_some_and(|code| code.starts_with("57P") || code.starts_with("53") || code.starts_with("08")),
                _ => false,
            },
            _ => false,
        }
    }
}
