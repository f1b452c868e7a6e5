//! The results of closed days, added up by ad (`ad_days`), by host (`host_days`) and by capture (`capture_days`), weeks of ads (`ad_weeks`), and the
//! proof that they are right.
//!
//! Hosts and captures of a day are built after its ads, as a build of their own.
//!
//! A day is built as a whole under a new build number, compared with the results, and then sealed one version after the one it had before
//! the build began to read. Whatever changes the results of a day opens it with a version that is later still. Lists read open days from
//! the results.

mod calendar;
mod current;
mod volume;

use std::collections::BTreeSet;

use chrono::NaiveDate;
use clickhouse::Row;
use serde::Deserialize;

use crate::statement::{Statement, Value};
use crate::{Client, Error};

pub(crate) use calendar::{Build, CalendarCache, Coverage};
pub(crate) use current::{recent_calendar, results_a_day};
pub(crate) use volume::VolumeCache;

/// Days built or checked by one statement: bounds its memory.
const DAYS_AT_ONCE: usize = 8;
/// Weeks built by one statement; they are made of fewer rows than the results of a day.
const WEEKS_AT_ONCE: usize = 4;

/// A day whose roll-up differs from its results, or the first sealed day of a week that differs from its days.
#[derive(Clone, Debug, PartialEq, Eq, Row, Deserialize)]
pub struct RollUpMismatch {
    /// The day, in UTC.
    #[serde(with = "clickhouse::serde::chrono::date")]
    pub day: NaiveDate,
    /// Results of the day, or views of the week's days.
    pub results: u64,
    /// Results that the roll-up has added up.
    pub rolled_up: u64,
}

/// Builds and seals every UTC day that is over and not sealed, the weeks made of such days, and the hosts and captures of sealed days, and drops builds
/// that no longer count. A day is over
/// ten minutes after its end. Safe to run in several processes at once and to interrupt. Returns the number of days built; one whose results changed
/// meanwhile is not sealed.
pub async fn seal_closed_days(client: &Client) -> Result<usize, Error> {
    let open = open_closed_days(client).await?;
    for days in open.chunks(DAYS_AT_ONCE) {
        build_days(client, days).await?;
    }
    build_weeks(client).await?;
    build_hosts(client).await?;
    drop_superseded(client).await?;
    client.calendar().forget();
    Ok(open.len())
}

/// Returns the sealed days whose roll-ups differ from the results in any view, rank, key, text, hour or host of a capture, and the weeks that differ
/// from their days, each as its first day, ascending; a week with a day whose ads are wrong is not checked. Changes nothing.
pub async fn check(client: &Client) -> Result<Vec<RollUpMismatch>, Error> {
    let calendar = current::read(client).await?;
    let days: Vec<Build> = calendar.days().iter().map(|(day, build)| (*day, *build)).collect();
    let mut differences = Vec::new();
    for days in days.chunks(DAYS_AT_ONCE) {
        let statement = check_of(include_str!("../../../sql/clickhouse/queries/check_ad_days.sql"), days);
        differences.extend(client.fetch_all::<RollUpMismatch>(statement).await?);
    }
    // What is wrong in a day is wrong in its week, and both are rebuilt.
    let wrong: Vec<u16> = differences
        .iter()
        .map(|difference| u16::try_from(difference.day.to_epoch_days()).unwrap_or(0))
        .collect();
    for (week, build) in calendar.weeks() {
        let days = calendar.days_of_week(*week);
        if days.iter().any(|(day, _)| wrong.contains(day)) {
            continue;
        }
        let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/check_ad_weeks.sql"))
            .with("week", Value::Integer((*week).into()))
            .with("build", Value::Unsigned(*build))
            .with("days", Value::Builds(days));
        differences.extend(client.fetch_all::<RollUpMismatch>(statement).await?);
    }
    let with_hosts = calendar.days_with_hosts();
    let with_hosts: Vec<Build> = with_hosts.iter().map(|(day, build)| (*day, *build)).collect();
    for days in with_hosts.chunks(DAYS_AT_ONCE) {
        for file in [
            include_str!("../../../sql/clickhouse/queries/check_host_days.sql"),
            include_str!("../../../sql/clickhouse/queries/check_capture_days.sql"),
        ] {
            differences.extend(client.fetch_all::<RollUpMismatch>(check_of(file, days)).await?);
        }
    }
    differences.sort_by_key(|difference| difference.day);
    differences.dedup_by_key(|difference| difference.day);
    Ok(differences)
}

/// A check of these days.
fn check_of(file: &str, days: &[Build]) -> Statement {
    let numbers = days.iter().map(|(day, _)| i64::from(*day)).collect();
    Statement::new(file)
        .fill("views_before_hours", &views_before_hours())
        .with("days", Value::Integers(numbers))
        .with("sealed", Value::Builds(days.to_vec()))
}

/// Opens a UTC day: it is read from the results until it is built and sealed again.
pub async fn open(client: &Client, day: NaiveDate) -> Result<(), Error> {
    let number = day.to_epoch_days().try_into().unwrap_or(0);
    open_days(client, number, number).await
}

/// Opens the days from `first` to `last`, both included, as numbers since 1970: they are read from the results until they are built again. Today and
/// later days cannot be sealed and are left alone.
pub(crate) async fn open_days(client: &Client, first: u32, last: u32) -> Result<(), Error> {
    let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/open_days.sql"))
        .with("first", Value::Unsigned(first.into()))
        .with("count", Value::Unsigned(u64::from(last.saturating_sub(first)) + 1));
    client.change(statement).await?;
    client.calendar().forget();
    Ok(())
}

/// Opens just these days, as numbers since 1970, adjacent ones together. Open days are slower to read, so none between them is opened.
pub(crate) async fn open_each(client: &Client, days: &BTreeSet<u32>) -> Result<(), Error> {
    let mut spans: Vec<(u32, u32)> = Vec::new();
    for day in days {
        match spans.last_mut() {
            Some((_, last)) if *last + 1 == *day => *last = *day,
            _ => spans.push((*day, *day)),
        }
    }
    for (first, last) in spans {
        open_days(client, first, last).await?;
    }
    Ok(())
}

/// Opens every day that was ever built, so that lists read its results, not its roll-up, until it is built again; forgets the cached calendar.
pub(crate) async fn open_all(client: &Client) -> Result<(), Error> {
    client
        .change(Statement::new(include_str!(
            "../../../sql/clickhouse/queries/open_all_days.sql"
        )))
        .await?;
    client.calendar().forget();
    Ok(())
}

/// Builds and seals days: numbers since 1970, with the versions that opened them. A day that was opened again since then, or whose views do not add
/// up, stays open.
async fn build_days(client: &Client, days: &[(u16, i64)]) -> Result<(), Error> {
    let numbers = Value::Integers(days.iter().map(|(day, _)| i64::from(*day)).collect());
    let versions = Value::Integers(days.iter().map(|(_, version)| *version).collect());
    let build = new_build(client).await?;
    let rows = Statement::new(include_str!("../../../sql/clickhouse/queries/build_ad_days.sql"))
        .with("days", numbers.clone())
        .with("build", Value::Unsigned(build));
    client.change(rows).await?;
    let seals = Statement::new(include_str!("../../../sql/clickhouse/queries/seal_days.sql"))
        .with("days", numbers)
        .with("versions", versions)
        .with("build", Value::Unsigned(build));
    client.change(seals).await
}

/// The days with results that are over and not sealed, ascending, with the versions that opened them.
async fn open_closed_days(client: &Client) -> Result<Vec<(u16, i64)>, Error> {
    let open = include_str!("../../../sql/clickhouse/queries/open_closed_days.sql");
    client.fetch_all(Statement::new(open)).await
}

/// Builds the weeks that are over and made of sealed days, unless they have a build of just these days. A week whose views do not add up does not
/// count.
async fn build_weeks(client: &Client) -> Result<(), Error> {
    let today: u16 = client
        .fetch_one(Statement::new("SELECT toUInt16(toDate(now('UTC') - 600))"))
        .await?;
    let calendar = current::read(client).await?;
    // Read after the calendar, so that a day that is in neither has no results.
    let open: Vec<u16> = open_closed_days(client)
        .await?
        .into_iter()
        .map(|(day, _)| day)
        .collect();
    for weeks in calendar.weeks_to_build(&open, today).chunks(WEEKS_AT_ONCE) {
        let days = weeks.concat();
        let build = new_build(client).await?;
        let made_of = |file: &str| {
            Statement::new(file)
                .with("build", Value::Unsigned(build))
                .with(
                    "first",
                    Value::Integer(days.first().map_or(0, |(day, _)| i64::from(*day))),
                )
                .with(
                    "last",
                    Value::Integer(days.last().map_or(0, |(day, _)| i64::from(*day))),
                )
                .with("sealed", Value::Builds(days.clone()))
        };
        let rows = made_of(include_str!("../../../sql/clickhouse/queries/build_ad_weeks.sql"));
        client.change(rows).await?;
        let seals = made_of(include_str!("../../../sql/clickhouse/queries/seal_weeks.sql"));
        client.change(seals).await?;
    }
    Ok(())
}

/// Builds the hosts and captures of the sealed days that lack them, the newest first. A day that was opened meanwhile, or whose views do not add up,
/// stays without.
async fn build_hosts(client: &Client) -> Result<(), Error> {
    let lacking = include_str!("../../../sql/clickhouse/queries/days_without_hosts.sql");
    let lacking: Vec<(u16, i64, u64)> = client.fetch_all(Statement::new(lacking)).await?;
    for days in lacking.chunks(DAYS_AT_ONCE) {
        let build = new_build(client).await?;
        let numbers = days.iter().map(|(day, ..)| i64::from(*day)).collect();
        let of_days = |file: &str| {
            Statement::new(file)
                .fill("views_before_hours", &views_before_hours())
                .with("days", Value::Integers(Vec::clone(&numbers)))
                .with("build", Value::Unsigned(build))
        };
        for file in [
            include_str!("../../../sql/clickhouse/queries/build_host_days.sql"),
            include_str!("../../../sql/clickhouse/queries/build_capture_days.sql"),
        ] {
            client.change(of_days(file)).await?;
        }
        let versions = days.iter().map(|(_, version, _)| *version).collect();
        let builds = days.iter().map(|(.., build)| *build).collect();
        let seals = of_days(include_str!("../../../sql/clickhouse/queries/seal_hosts.sql"))
            .with("versions", Value::Integers(versions))
            .with("builds", Value::Unsigneds(builds));
        client.change(seals).await?;
    }
    Ok(())
}

/// The counts of results before each full hour of their day, separated by commas.
fn views_before_hours() -> String {
    let counts: Vec<String> = (1..24)
        .map(|hour| format!("countIf(toHour(seen_at) < {hour})"))
        .collect();
    counts.join(", ")
}

/// A number for a build, higher than all before it: the microseconds since 1970.
async fn new_build(client: &Client) -> Result<u64, Error> {
    client
        .fetch_one(Statement::new("SELECT toUInt64(toUnixTimestamp64Micro(now64(6)))"))
        .await
}

/// Deletes builds of days, of weeks and of hosts that nothing reads any more, an hour after they were replaced. The first error ends it.
async fn drop_superseded(client: &Client) -> Result<(), Error> {
    for (found, tables) in [
        (
            include_str!("../../../sql/clickhouse/queries/superseded_days.sql"),
            ["ad_days"].as_slice(),
        ),
        (
            include_str!("../../../sql/clickhouse/queries/superseded_weeks.sql"),
            &["ad_weeks"],
        ),
        (
            include_str!("../../../sql/clickhouse/queries/superseded_hosts.sql"),
            &["host_days", "capture_days"],
        ),
    ] {
        let stale: Vec<u64> = client.fetch_all(Statement::new(found)).await?;
        if stale.is_empty() {
            continue;
        }
        for table in tables {
            let drop = Statement::new(include_str!("../../../sql/clickhouse/queries/drop_builds.sql"))
                .fill("table", table)
                .with("builds", Value::Unsigneds(stale.clone()));
            client.change(drop).await?;
        }
    }
    Ok(())
}
