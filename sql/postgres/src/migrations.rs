//! Forward-only migrations of the schema.

use crate::{Pool, Result, months};

static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!("./migrations");

/// Brings the schema up to date, with the tables of the months to come. Processes that start together take turns (an advisory lock). A
/// database newer than the program is refused.
pub async fn migrate(pool: &Pool) -> Result<()> {
    MIGRATIONS.run(pool).await?;
    months::make(pool).await?;
    Ok(())
}

/// How many migrations of this program the database does not have yet; 0 when it is up to date.
pub async fn pending_migrations(pool: &Pool) -> Result<usize> {
    let journal: bool = sqlx::query_scalar("select to_regclass('_sqlx_migrations') is not null")
        .fetch_one(pool)
        .await?;
    if !journal {
        return Ok(MIGRATIONS.iter().count());
    }
    let done: Vec<i64> = sqlx::query_scalar("select version from _sqlx_migrations where success")
        .fetch_all(pool)
        .await?;
    Ok(MIGRATIONS.iter().filter(|step| !done.contains(&step.version)).count())
}

/// A text that differs between programs with different migrations.
pub fn schema_version() -> String {
    let steps = MIGRATIONS
        .iter()
        .map(|step| format!("{}:{:?};", step.version, step.checksum));
    steps.collect()
}
