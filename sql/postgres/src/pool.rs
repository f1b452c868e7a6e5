//! The connection to Postgres.

use std::str::FromStr;
use std::time::Duration;

use sqlx::Row;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::{Error, Result};

/// Connections to Postgres, shared by a process.
pub type Pool = sqlx::PgPool;

/// A transaction: what is done on it happens whole, at `commit`, or not at all.
pub type Tx = sqlx::Transaction<'static, sqlx::Postgres>;

const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];
/// How long a caller waits for a free connection before it gets an error.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
/// A connection used within this time is not checked: the check would cost as much as most queries.
const TRUSTED_FOR: Duration = Duration::from_secs(1);
/// Under the 60 s that a client of the API waits.
const STATEMENT_TIMEOUT: &str = "50s";
/// A connection that holds locks and does nothing is a fault; its locks must not outlive it for long.
const IDLE_IN_TRANSACTION_TIMEOUT: &str = "60s";

/// Opens a pool of at most `connections` connections, which Postgres lists under the name `program`. An address that is not of Postgres is
/// an error; otherwise nothing is connected before the first use, so that a process starts (and says so on `/readyz`) while the database is
/// down. Each connection is checked before it is used again: libraries begin transactions with `Pool::begin`, which must not be cancelled,
/// and are cancelled when a worker stops.
pub fn connect(address: &str, connections: u32, program: &str) -> Result<Pool> {
    let options = connect_options(address, program)?;
    let pool = lazy_pool(connections).before_acquire(|connection, _| Box::pin(is_at_rest(connection)));
    Ok(pool.connect_lazy_with(options))
}

/// Like [`connect`], for a process in which no library begins transactions: a connection is checked only when it was idle for `TRUSTED_FOR`
/// or longer.
pub fn connect_without_libraries(address: &str, connections: u32, program: &str) -> Result<Pool> {
    let options = connect_options(address, program)?;
    let pool = lazy_pool(connections).before_acquire(|connection, since| {
        Box::pin(async move { Ok(since.idle_for < TRUSTED_FOR || is_at_rest(connection).await?) })
    });
    Ok(pool.connect_lazy_with(options))
}

/// How each connection is made: with the timeouts of statements and idle transactions, and in UTC. [`Error::Address`], without the
/// password, for an address that is not of Postgres.
fn connect_options(address: &str, program: &str) -> Result<PgConnectOptions> {
    let refuse = |cause: String| Error::Address {
        address: without_password(address),
        cause,
    };
    if !SCHEMES.iter().any(|scheme| address.starts_with(scheme)) {
        return Err(refuse("it does not start with postgres://".to_owned()));
    }
    let options = PgConnectOptions::from_str(address).map_err(|cause| refuse(cause.to_string()))?;
    Ok(options.application_name(program).options([
        ("statement_timeout", STATEMENT_TIMEOUT),
        ("idle_in_transaction_session_timeout", IDLE_IN_TRANSACTION_TIMEOUT),
        ("timezone", "UTC"),
    ]))
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
