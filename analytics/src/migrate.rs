//! Forward-only migrations of the ClickHouse schema.

use clickhouse::Row;
use serde::Deserialize;

use crate::layout::identifier;
use crate::statement::{Statement, Value};
use crate::{Client, Error};

struct Migration {
    version: u32,
    name: &'static str,
    /// The tables that hold rows.
    tables: &'static str,
    /// What stands above them on a cluster.
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

static MIGRATIONS: [Migration; 9] = migrations![
    1 "0001_ad_results",
    2 "0002_creatives",
    3 "0003_ad_days",
    4 "0004_learnt_domains",
    5 "0005_sems_by_hand",
    6 "0006_ad_weeks",
    7 "0007_seen_at",
    8 "0008_ad_marks",
    9 "0009_creatives_stored_at",
];

/// Checksums of other texts of a migration that stores were given, and that made the same for every reader: 0006 put the texts of ads
/// into its projections too.
const ALIKE: [(u32, u64); 1] = [(6, 0x081f_0938_ca4e_684a)];

#[derive(Row, Deserialize)]
struct Applied {
    version: u32,
    checksum: u64,
}

/// Makes the database and applies what is missing, in order; each statement may be repeated, so a migration that was interrupted is
/// run again from its start. Returns the names of those applied now.
pub async fn run(client: &Client) -> Result<Vec<&'static str>, Error> {
    let create = Statement::new("CREATE DATABASE IF NOT EXISTS ${database} ${on_cluster}")
        .fill("database", &identifier(client.layout().database()));
    let create = client.layout().fill(create);
    let made = client.server().query_raw(&create.sql).execute();
    client
        .while_alive(async { made.await.map_err(|error| client.error(error)) })
        .await?;
    execute_all(client, include_str!("../../sql/clickhouse/migrations/journal.sql")).await?;

    let applied = applied(client).await?;
    let known = MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or(0);
    if let Some(newer) = applied
        .iter()
        .map(|row| row.version)
        .max()
        .filter(|found| *found > known)
    {
        return Err(Error::NewerSchema { found: newer, known });
    }
    let mut done = Vec::new();
    for migration in &MIGRATIONS {
        let checksum = checksum(&[migration.tables, migration.above]);
        match applied.iter().find(|row| row.version == migration.version) {
            Some(row) if row.checksum == checksum || ALIKE.contains(&(row.version, row.checksum)) => {}
            Some(_) => return Err(Error::ChangedMigration(migration.name.to_owned())),
            None => {
                apply(client, migration).await?;
                record(client, migration, checksum).await?;
                done.push(migration.name);
            }
        }
    }
    Ok(done)
}

/// The migrations this program brings that the store does not have yet; 0 when its schema is up to date.
pub async fn pending(client: &Client) -> Result<usize, Error> {
    const UNKNOWN_TABLE: u32 = 60;
    const UNKNOWN_DATABASE: u32 = 81;
    let applied = match applied(client).await {
        Err(error) if matches!(error.code(), Some(UNKNOWN_TABLE | UNKNOWN_DATABASE)) => Vec::new(),
        applied => applied?,
    };
    let is_applied = |migration: &&Migration| applied.iter().any(|row| row.version == migration.version);
    Ok(MIGRATIONS.len() - MIGRATIONS.iter().filter(is_applied).count())
}

async fn applied(client: &Client) -> Result<Vec<Applied>, Error> {
    client
        .fetch_all(Statement::new(include_str!(
            "../../sql/clickhouse/queries/applied_migrations.sql"
        )))
        .await
}

async fn apply(client: &Client, migration: &Migration) -> Result<(), Error> {
    execute_all(client, migration.tables).await?;
    if client.layout().is_cluster() {
        execute_all(client, migration.above).await?;
    }
    tracing::info!(migration = migration.name, "applied to ClickHouse");
    Ok(())
}

async fn record(client: &Client, migration: &Migration, checksum: u64) -> Result<(), Error> {
    let row = Statement::new(include_str!("../../sql/clickhouse/queries/record_migration.sql"))
        .with("version", Value::Unsigned(migration.version.into()))
        .with("name", Value::Text(migration.name.to_owned()))
        .with("checksum", Value::Unsigned(checksum));
    client.change(row).await
}

/// Statements end with a semicolon at the end of a line.
async fn execute_all(client: &Client, file: &str) -> Result<(), Error> {
    for text in file.split(";\n").filter(|text| !text.trim().is_empty()) {
        client.change(Statement::new(text)).await?;
    }
    Ok(())
}

/// FNV-1a: tells whether a text changed, nothing more.
fn checksum(texts: &[&str]) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let bytes = texts.iter().flat_map(|text| text.bytes().chain([0]));
    bytes.fold(OFFSET, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
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
    fn every_place_is_filled_on_a_node_and_on_a_cluster() {
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
