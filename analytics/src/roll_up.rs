//! The results of closed days, added up (`ad_days`), and the proof that they are right.
//!
//! A day is built as a whole under a new build number, compared with the results, and then sealed one version after the one it had before
//! the build began to read. Whatever changes the results of a day opens it with a version that is later still. Lists read open days from
//! the results.

use chrono::NaiveDate;
use clickhouse::Row;
use serde::Deserialize;

use crate::statement::{Statement, Value};
use crate::{Client, Error};

/// Days built or checked by one statement: bounds its memory.
const DAYS_AT_ONCE: usize = 8;

/// A day whose roll-up does not say what the results say.
#[derive(Clone, Debug, PartialEq, Eq, Row, Deserialize)]
pub struct Difference {
    /// The day, in UTC.
    #[serde(with = "clickhouse::serde::chrono::date")]
    pub day: NaiveDate,
    /// Rows of the results.
    pub results: u64,
    /// Rows the roll-up stands for.
    pub rolled_up: u64,
}

/// Builds and seals every closed day that is open, and takes away builds that no longer count. Safe to run in several processes at
/// once and to interrupt. Returns the number of days built.
pub async fn seal_closed_days(client: &Client) -> Result<usize, Error> {
    let open: Vec<(u16, i64)> = client
        .fetch_all(Statement::new(include_str!(
            "../../sql/clickhouse/queries/open_closed_days.sql"
        )))
        .await?;
    for days in open.chunks(DAYS_AT_ONCE) {
        build(client, days).await?;
    }
    drop_superseded(client).await?;
    Ok(open.len())
}

/// The sealed days whose roll-up differs from the results in any view, rank or key.
pub async fn check(client: &Client) -> Result<Vec<Difference>, Error> {
    let days: Vec<u16> = client
        .fetch_all(Statement::new(include_str!(
            "../../sql/clickhouse/queries/sealed_days.sql"
        )))
        .await?;
    let mut differences = Vec::new();
    for days in days.chunks(DAYS_AT_ONCE) {
        let days = Value::Integers(days.iter().copied().map(i64::from).collect());
        let statement =
            Statement::new(include_str!("../../sql/clickhouse/queries/check_ad_days.sql")).with("days", days);
        differences.extend(client.fetch_all::<Difference>(statement).await?);
    }
    Ok(differences)
}

/// Makes a day be read from the results until it is built again.
pub async fn open(client: &Client, day: NaiveDate) -> Result<(), Error> {
    let number = day.to_epoch_days().try_into().unwrap_or(0);
    open_days(client, number, number).await
}

/// Makes the days from `first` to `last` (numbers of days since 1970) be read from the results until they are built again.
pub(crate) async fn open_days(client: &Client, first: u32, last: u32) -> Result<(), Error> {
    let statement = Statement::new(include_str!("../../sql/clickhouse/queries/open_days.sql"))
        .with("first", Value::Unsigned(first.into()))
        .with("count", Value::Unsigned(u64::from(last.saturating_sub(first)) + 1));
    client.change(statement).await
}

/// The same for every day that was ever built.
pub(crate) async fn open_all(client: &Client) -> Result<(), Error> {
    client
        .change(Statement::new(include_str!(
            "../../sql/clickhouse/queries/open_all_days.sql"
        )))
        .await
}

/// `days` are numbers of days since 1970 with the versions that opened them.
async fn build(client: &Client, days: &[(u16, i64)]) -> Result<(), Error> {
    let numbers = Value::Integers(days.iter().map(|(day, _)| i64::from(*day)).collect());
    let versions = Value::Integers(days.iter().map(|(_, version)| *version).collect());
    let number = Statement::new("SELECT toUInt64(toUnixTimestamp64Micro(now64(6)))");
    let build: u64 = client.fetch_one(number).await?;
    let rows = Statement::new(include_str!("../../sql/clickhouse/queries/build_ad_days.sql"))
        .with("days", numbers.clone())
        .with("build", Value::Unsigned(build));
    client.change(rows).await?;
    let seals = Statement::new(include_str!("../../sql/clickhouse/queries/seal_days.sql"))
        .with("days", numbers)
        .with("versions", versions)
        .with("build", Value::Unsigned(build));
    client.change(seals).await
}

async fn drop_superseded(client: &Client) -> Result<(), Error> {
    let stale: Vec<u64> = client
        .fetch_all(Statement::new(include_str!(
            "../../sql/clickhouse/queries/superseded_builds.sql"
        )))
        .await?;
    if stale.is_empty() {
        return Ok(());
    }
    let builds = Value::Unsigneds(stale);
    client
        .change(Statement::new(include_str!("../../sql/clickhouse/queries/drop_builds.sql")).with("builds", builds))
        .await
}
