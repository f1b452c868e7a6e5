//! Forward-only migrations of the schema.

use crate::{DirectPool, Pool, Result, months};

static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!("./migrations");

/// Applies the missing migrations and makes the tables of the months to come. Processes that start together take turns by an advisory lock.
/// A database with migrations that this program does not know is an error.
pub async fn migrate(direct: &DirectPool) -> Result<()> {
    MIGRATIONS.run(direct.pool()).await?;
    months::make(direct.pool()).await?;
    Ok(())
}

/// How many migrations of this program were not applied yet: 0 when the schema is up to date, all of them for an empty database. Waits for
/// no lock.
pub async fn pending_migrations(pool: &Pool) -> Result<usize> {
    let has_journal: bool = sqlx::query_scalar("select to_regclass('_sqlx_migrations') is not null")
        .fetch_one(pool)
        .await?;
    if !has_journal {
        return Ok(MIGRATIONS.iter().count());
    }
    let applied: Vec<i64> = sqlx::query_scalar("select version from _sqlx_migrations where success")
        .fetch_all(pool)
        .await?;
    Ok(MIGRATIONS
        .iter()
        .filter(|step| !applied.contains(&step.version))
        .count())
}

/// The newest migration that this program knows.
pub fn newest_migration() -> i64 {
    MIGRATIONS.iter().map(|step| step.version).max().unwrap_or(0)
}

/// A text made of the versions and checksums of this program's migrations. It is the same for programs with the same migrations.
pub fn schema_version() -> String {
    let steps = MIGRATIONS
        .iter()
        .map(|step| format!("{}:{:?};", step.version, step.checksum));
    steps.collect()
}
