//! The connection to Postgres.

use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, Row};

use crate::{Error, Result};

/// Connections to Postgres, shared by a process.
pub type Pool = sqlx::PgPool;

/// Connections to the server itself, without a pooler in transaction mode between: what is locked, set or listened to on one lasts as long as it does.
#[derive(Clone, Debug)]
pub struct DirectPool(Pool);

impl DirectPool {
    /// The connections of a pool that does not go through a pooler.
    pub const fn new(pool: Pool) -> Self {
        Self(pool)
    }

    /// The pool of these connections.
    pub const fn pool(&self) -> &Pool {
        &self.0
    }
}

/// A transaction: what is done on it happens whole, at `commit`, or not at all.
pub type Tx = sqlx::Transaction<'static, sqlx::Postgres>;

const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];
/// How long a caller waits for a free connection before it gets an error.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
/// A connection used within this time is not checked: the check would cost as much as most queries.
const TRUSTED_FOR: Duration = Duration::from_secs(1);
/// Of each connection. A client of the API waits 60 s for a statement. A connection that holds locks and does nothing is a fault; its locks must not
/// outlive it for long.
const LIMITS: [(&str, &str); 2] = [
    ("statement_timeout", "50s"),
    ("idle_in_transaction_session_timeout", "60s"),
];
/// The server gives up a client that it does not reach any more after a minute, with its locks. By its defaults it would keep them for two hours.
const SILENCE: [(&str, &str); 4] = [
    ("tcp_keepalives_idle", "30"),
    ("tcp_keepalives_interval", "10"),
    ("tcp_keepalives_count", "3"),
    // Of what was sent and nobody has taken; there are no keepalives meanwhile.
    ("tcp_user_timeout", "60000"),
];

/// Opens a pool of at most `connections` connections, which Postgres lists under the name `program`. An address that is not of Postgres is
/// an error; otherwise nothing is connected before the first use, so that a process starts (and says so on `/readyz`) while the database is
/// down. Each connection is checked before it is used again: libraries begin transactions with `Pool::begin`, which must not be cancelled,
/// and are cancelled when a worker stops.
pub fn connect(address: &str, connections: u32, program: &str) -> Result<Pool> {
    let options = with_limits(connect_options(address, program)?);
    let pool = lazy_pool(connections).before_acquire(|connection, _| Box::pin(is_at_rest(connection)));
    Ok(pool.connect_lazy_with(options))
}

/// Like [`connect`], for a process in which no library begins transactions: a connection is checked only when it was idle for `TRUSTED_FOR`
/// or longer.
pub fn connect_without_libraries(address: &str, connections: u32, program: &str) -> Result<Pool> {
    let options = with_limits(connect_options(address, program)?);
    let pool = lazy_pool(connections).before_acquire(|connection, since| {
        Box::pin(async move { Ok(since.idle_for < TRUSTED_FOR || is_at_rest(connection).await?) })
    });
    Ok(pool.connect_lazy_with(options))
}

/// Like [`connect`], through a pooler in transaction mode (PgBouncer 1.21 or later): each transaction may have another connection of the server, so
/// nothing that is set on a connection lasts, and the limits of statements are those that [`set_role_limits`] set.
pub fn connect_through_pooler(address: &str, connections: u32, program: &str) -> Result<Pool> {
    // A pooler refuses it, and PostgreSQL writes numbers exactly without it.
    let options = connect_options(address, program)?.extra_float_digits(None);
    let pool = lazy_pool(connections).before_acquire(|connection, _| Box::pin(is_at_rest(connection)));
    Ok(pool.connect_lazy_with(options))
}

/// Where to connect, and under which name. [`Error::Address`], without the password, for an address that is not of Postgres.
fn connect_options(address: &str, program: &str) -> Result<PgConnectOptions> {
    let refuse = |cause: String| Error::Address {
        address: without_password(address),
        cause,
    };
    if !SCHEMES.iter().any(|scheme| address.starts_with(scheme)) {
        return Err(refuse("it does not start with postgres://".to_owned()));
    }
    let options = PgConnectOptions::from_str(address).map_err(|cause| refuse(cause.to_string()))?;
    Ok(options.application_name(program))
}

/// With the timeouts of statements, idle transactions and clients that are gone, and in UTC.
fn with_limits(options: PgConnectOptions) -> PgConnectOptions {
    options.options(LIMITS).options(SILENCE).options([("timezone", "UTC")])
}

/// Sets the limits of statements on the role of this pool, in its database: a connection through a pooler cannot carry its own. They hold for connections
/// that the server opens from now on.
pub async fn set_role_limits(pool: &Pool) -> Result<()> {
    let mut tx = begin(pool).await?;
    // Two at once would change the same row of the catalog.
    sqlx::query("select pg_advisory_xact_lock(hashtextextended('vigie limits of the role', 0))")
        .execute(&mut *tx)
        .await?;
    for (name, value) in LIMITS {
        let statement: String = sqlx::query_scalar(
            "select format('alter role %I in database %I set %I to %L', current_user, current_database(), $1::text, $2::text)",
        )
        .bind(name)
        .bind(value)
        .fetch_one(&mut *tx)
        .await?;
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut *tx).await?;
    }
    Ok(tx.commit().await?)
}

/// Whether statements on a connection of this pool have a limit of time.
pub async fn limits_statements(pool: &Pool) -> Result<bool> {
    let (name, _) = LIMITS[0];
    let limit: String = sqlx::query_scalar("select current_setting($1)")
        .bind(name)
        .fetch_one(pool)
        .await?;
    Ok(limit != "0")
}

/// A pool that is not connected yet. A caller waits at most `ACQUIRE_TIMEOUT` for a connection.
fn lazy_pool(connections: u32) -> PgPoolOptions {
    PgPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        // `is_at_rest` checks both that the server answers and that no transaction is open.
        .test_before_acquire(false)
}

/// Whether a reused connection is in no transaction; the pool closes one that is, or that does not answer. A transaction left open by a cancelled
/// `begin` has run nothing and holds no locks until then.
async fn is_at_rest(connection: &mut sqlx::PgConnection) -> std::result::Result<bool, sqlx::Error> {
    // Sent as a simple query: if it is a transaction of its own, both times are equal.
    let row = sqlx::raw_sql("select now() = statement_timestamp()")
        .fetch_one(connection)
        .await?;
    row.try_get(0)
}

/// Begins a transaction; it is rolled back unless it is committed.
///
/// It may be cancelled at any time. `Pool::begin` may not: dropped between the request and its response, it returns the connection with an
/// unnoticed open transaction, and whatever is written on that connection next is lost.
#[expect(clippy::disallowed_methods, reason = "nothing cancels it here")]
pub async fn begin(pool: &Pool) -> Result<Tx> {
    let pool = pool.clone();
    // The task outlives a cancelled caller; its transaction is then rolled back.
    let begun = tokio::spawn(async move { pool.begin().await }).await;
    Ok(begun.map_err(|_| sqlx::Error::PoolClosed)??)
}

/// Runs a trivial query: an error means that the database does not answer.
pub async fn ping(pool: &Pool) -> Result<()> {
    sqlx::query("select 1").execute(pool).await?;
    Ok(())
}

/// The address with the password left out, for messages. A text without `://` and an `@` after it is returned as it is.
fn without_password(address: &str) -> String {
    match (address.find("://"), address.rfind('@')) {
        (Some(scheme), Some(at)) if at > scheme => {
            let (front, back) = (&address[..scheme + 3], &address[at..]);
            let user = address[scheme + 3..at].split(':').next().unwrap_or_default();
            format!("{front}{user}{back}")
        }
        _ => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        assert_eq!(without_password("postgres://u:secret@h:1/d"), "postgres://u@h:1/d");
        assert_eq!(without_password("nonsense"), "nonsense");
    }

    #[test]
    fn a_bad_address_is_refused_with_the_form_of_a_good_one() {
        let error = connect("mysql://u:secret@h/d", 1, "test").unwrap_err().to_string();
        assert!(error.contains("postgres://user@host"), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }
}
