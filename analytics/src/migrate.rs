//! Forward-only migrations of the ClickHouse schema.

use clickhouse::Row;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::layout::identifier;
use crate::statement::{Statement, Value};
use crate::{Client, Error};

/// One version of the schema, as two files of statements.
struct Migration {
    version: u32,
    name: &'static str,
    /// The tables that hold rows.
    tables: &'static str,
    /// The Distributed tables above them on a cluster.
    above: &'static str,
}

macro_rules! migrations {
    ($($version:literal $name:literal),+ $(,)?) => {
        [$(Migration {
            version: $version,
            name: $name,
            tables: include_str!(concat!("../../sql/clickhouse/migrations/", $name, ".sql")),
            above: include_str!(concat!("../../sql/clickhouse/migrations/cluster/", $name, ".sql")),
        }),+]
    };
}

static MIGRATIONS: [Migration; 11] = migrations![
    1 "0001_ad_results",
    2 "0002_creatives",
    3 "0003_ad_days",
    4 "0004_learnt_domains",
    5 "0005_sems_by_hand",
    6 "0006_ad_weeks",
    7 "0007_seen_at",
    8 "0008_ad_marks",
    9 "0009_creatives_stored_at",
    10 "0010_ad_signals",
    11 "0011_host_days",
];

/// What earlier versions of this program recorded for the same migrations: FNV-1a over comments too. 0006 has two, since a first text
/// of it put the texts of ads into the projections; readers see no difference.
const FORMER_CHECKSUMS: [(u32, u64); 10] = [
    (1, 0xb0db_46d0_fb7d_39d3),
    (2, 0xbc88_7844_04d1_684f),
    (3, 0x9333_a74b_8dd6_0aba),
    (4, 0x35fa_7372_1f85_eb14),
    (5, 0x3d4f_c4d2_ab32_97ce),
    (6, 0xaa17_00ea_3a45_ae45),
    (6, 0x081f_0938_ca4e_684a),
    (7, 0xeb9d_f670_e325_5aba),
    (8, 0xba24_f4f2_0091_82eb),
    (9, 0xe1c4_d8aa_d393_0908),
];

/// A migration that the store has recorded.
#[derive(Row, Deserialize)]
struct Applied {
    version: u32,
    checksum: u64,
}

/// Creates the database if it is missing and applies the missing migrations in order. Each statement can be repeated, so an interrupted migration
/// runs again from its start. Returns the names of the migrations applied now, none if the schema is up to date.
///
/// # Errors
/// [`Error::NewerSchema`] when a newer version has migrated the store, [`Error::ChangedMigration`] when an applied migration was changed; other
/// errors when a statement fails.
pub async fn run(client: &Client) -> Result<Vec<&'static str>, Error> {
    run_to(client, newest()).await
}

/// The newest migration that this program knows.
pub fn newest() -> u32 {
    MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or(0)
}

/// A text made of the versions and checksums of this program's migrations. It is the same for programs with the same migrations.
pub fn schema_version() -> String {
    let steps = MIGRATIONS.iter().map(|migration| {
        let checksum = checksum(&[migration.tables, migration.above]);
        format!("{}:{checksum:016x};", migration.version)
    });
    steps.collect()
}

/// The newest migration that the store has recorded, 0 if there is none; an error without a database.
pub async fn last_applied(client: &Client) -> Result<u32, Error> {
    let applied = recorded_migrations(client).await?;
    Ok(applied.iter().map(|row| row.version).max().unwrap_or(0))
}

/// Does as [`run`], but leaves out the migrations after `version`: for a backup that an earlier version of this program made.
pub async fn run_to(client: &Client, version: u32) -> Result<Vec<&'static str>, Error> {
    let create = Statement::new("CREATE DATABASE IF NOT EXISTS ${database} ${on_cluster}")
        .fill("database", &identifier(client.layout().database()));
    let create = client.layout().fill(create);
    let created = client.server().query_raw(&create.sql).execute();
    client
        .while_alive(async { created.await.map_err(|error| client.error(error)) })
        .await?;
    execute_all(client, include_str!("../../sql/clickhouse/migrations/journal.sql")).await?;

    let applied = recorded_migrations(client).await?;
    let known = newest();
    if let Some(newer) = applied
        .iter()
        .map(|row| row.version)
        .max()
        .filter(|found| *found > known)
    {
        return Err(Error::NewerSchema { found: newer, known });
    }
    let mut names = Vec::new();
    for migration in MIGRATIONS.iter().filter(|migration| migration.version <= version) {
        let checksum = checksum(&[migration.tables, migration.above]);
        match applied.iter().find(|row| row.version == migration.version) {
            Some(row) if row.checksum == checksum => {}
            Some(row) if FORMER_CHECKSUMS.contains(&(row.version, row.checksum)) => {
                replace_checksum(client, migration, checksum).await?;
            }
            Some(_) => return Err(Error::ChangedMigration(migration.name.to_owned())),
            None => {
                apply_migration(client, migration).await?;
                record_applied(client, migration, checksum).await?;
                names.push(migration.name);
            }
        }
    }
    Ok(names)
}

/// How many migrations of this program the store does not have yet: 0 when its schema is up to date, all of them without a database.
pub async fn pending(client: &Client) -> Result<usize, Error> {
    const UNKNOWN_TABLE: u32 = 60;
    const UNKNOWN_DATABASE: u32 = 81;
    let applied = match recorded_migrations(client).await {
        Err(error) if matches!(error.code(), Some(UNKNOWN_TABLE | UNKNOWN_DATABASE)) => Vec::new(),
        applied => applied?,
    };
    let is_applied = |migration: &&Migration| applied.iter().any(|row| row.version == migration.version);
    Ok(MIGRATIONS.len() - MIGRATIONS.iter().filter(is_applied).count())
}

/// The migrations that the store has recorded; an error if there is no database yet.
async fn recorded_migrations(client: &Client) -> Result<Vec<Applied>, Error> {
    client
        .fetch_all(Statement::new(include_str!(
            "../../sql/clickhouse/queries/applied_migrations.sql"
        )))
        .await
}

/// Runs the statements of a migration, on a cluster then also those of the Distributed tables. Does not record it; the first error ends it.
async fn apply_migration(client: &Client, migration: &Migration) -> Result<(), Error> {
    execute_all(client, migration.tables).await?;
    if client.layout().is_cluster() {
        execute_all(client, migration.above).await?;
    }
    tracing::info!(migration = migration.name, "applied to ClickHouse");
    Ok(())
}

/// Records that a migration was applied.
async fn record_applied(client: &Client, migration: &Migration, checksum: u64) -> Result<(), Error> {
    let row = Statement::new(include_str!("../../sql/clickhouse/queries/record_migration.sql"))
        .with("version", Value::Unsigned(migration.version.into()))
        .with("name", Value::Text(migration.name.to_owned()))
        .with("checksum", Value::Unsigned(checksum));
    client.change(row).await
}

/// Records this checksum for an applied migration, in place of the one that an earlier version recorded.
async fn replace_checksum(client: &Client, migration: &Migration, checksum: u64) -> Result<(), Error> {
    let row = Statement::new(include_str!("../../sql/clickhouse/queries/replace_checksum.sql"))
        .with("version", Value::Unsigned(migration.version.into()))
        .with("checksum", Value::Unsigned(checksum));
    client.change(row).await
}

/// Runs the statements of a file one after the other. Each ends with a semicolon at the end of a line.
async fn execute_all(client: &Client, file: &str) -> Result<(), Error> {
    for text in file.split(";\n").filter(|text| !text.trim().is_empty()) {
        client.change(Statement::new(text)).await?;
    }
    Ok(())
}

/// The first 64 bits of a SHA-256 over the lines, without white space at their ends, that are neither empty nor comments. A comment may be rewritten
/// after its migration was applied, a statement may not.
fn checksum(texts: &[&str]) -> u64 {
    let mut hasher = Sha256::new();
    for text in texts {
        for line in text.lines().map(str::trim_end) {
            if !line.is_empty() && !line.trim_start().starts_with("--") {
                hasher.update(line);
                hasher.update([b'\n']);
            }
        }
        hasher.update([0]);
    }
    hasher.finalize()[..8]
        .iter()
        .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;

    #[test]
    fn versions_ascend_and_match_their_names() {
        for (index, migration) in MIGRATIONS.iter().enumerate() {
            assert_eq!(migration.version as usize, index + 1);
            assert!(migration.name.starts_with(&format!("{:04}_", migration.version)));
        }
    }

    #[test]
    fn comments_may_change_and_statements_may_not() {
        let text = "-- Why.\nCREATE TABLE a\n(\n    -- What.\n    b UInt8\n);\n";
        let other_comments = "CREATE TABLE a\n(\n    -- Another.\n    -- And another.\n    b UInt8\n);\n";
        assert_eq!(checksum(&[text, ""]), checksum(&[other_comments, ""]));
        for changed in [text.replace("UInt8", "UInt16"), text.replace("    b", "b")] {
            assert_ne!(checksum(&[text, ""]), checksum(&[&changed, ""]), "{changed}");
        }
        assert_ne!(checksum(&[text, ""]), checksum(&["", text]));
    }

    /// Of the released migrations: where one differs, every store that has it is refused.
    const RECORDED: [&str; 11] = [
        "0c0fac7b2b1ec88e",
        "2c8d3d31a06d40c5",
        "536741f4bb807a3e",
        "ba765875c6ac5436",
        "95993f32ff8465f8",
        "b9ea68fb13fac8d9",
        "7a35a38d63890b4c",
        "00caa00fc2b56883",
        "71c58b53399d081d",
        "0b15234c48a39a4c",
        "2e69b77462b19e24",
    ];

    #[test]
    fn recorded_checksums_stay() {
        let checksums: Vec<String> = MIGRATIONS
            .iter()
            .map(|migration| format!("{:016x}", checksum(&[migration.tables, migration.above])))
            .collect();
        assert_eq!(checksums, RECORDED);
    }

    #[test]
    fn every_placeholder_is_filled_on_a_node_and_on_a_cluster() {
        for cluster in [None, Some("two`shards".to_owned())] {
            let layout = Layout::new("vigie".to_owned(), cluster.clone());
            for migration in &MIGRATIONS {
                let above = if cluster.is_some() { migration.above } else { "" };
                for text in [migration.tables, above] {
                    let sql = layout.fill(Statement::new(text)).sql;
                    let body: String = sql.lines().filter(|line| !line.starts_with("--")).collect();
                    assert!(!body.contains("${"), "{}: {sql}", migration.name);
                    assert_eq!(cluster.is_some() && !above.is_empty(), sql.contains("`two\\`shards`"));
                }
            }
        }
    }
}
