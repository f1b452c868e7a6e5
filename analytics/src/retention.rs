//! Dropping whole months of results whose retention is over (decision D145).

use chrono::{Datelike, Months, NaiveDate};

use crate::statement::{Statement, Value};
use crate::{Client, Error, roll_up};

/// Drops the results and roll-ups of all UTC months before the one that holds `day`, made-up results included, and returns those months as their
/// first days, ascending. The texts of ads belong to no month: see [`forget_before`]. After an interruption, another call drops the rest.
pub async fn drop_months_before(client: &Client, day: NaiveDate) -> Result<Vec<NaiveDate>, Error> {
    let first_kept = first_of_month(day);
    let before = Value::Integer(first_kept.to_epoch_days().into());
    let found = Statement::new(include_str!("../../sql/clickhouse/queries/months_before.sql")).with("before", before);
    let numbers: Vec<u32> = client.fetch_all(found).await?;
    let mut months = Vec::with_capacity(numbers.len());
    for number in numbers {
        let Some(month) = i32::try_from(number / 100)
            .ok()
            .and_then(|year| NaiveDate::from_ymd_opt(year, number % 100, 1))
        else {
            continue;
        };
        drop_month(client, month, number).await?;
        months.push(month);
    }
    Ok(months)
}

/// Deletes the texts of ads that were last stored before the month that holds `day`, and sems entered by hand that are dated before it or were
/// removed, 10,000 of these at a time; sems without a date stay. Keeps one day more for processes that remember what they stored. Returns how many
/// texts and sems were deleted.
pub async fn forget_before(client: &Client, day: NaiveDate) -> Result<u64, Error> {
    // A process remembers for an hour what it has stored.
    let before = first_of_month(day).pred_opt().unwrap_or(day);
    let of = |text: &str| Statement::new(text).with("before", Value::Integer(before.to_epoch_days().into()));
    let texts: u64 = client
        .fetch_one(of(include_str!("../../sql/clickhouse/queries/old_texts.sql")))
        .await?;
    if texts > 0 {
        client
            .change(of(include_str!("../../sql/clickhouse/queries/forget_texts.sql")))
            .await?;
    }
    // Deletes by id, all versions at once: a condition on versions would see some of them deleted already. Rows over the query's limit go
    // the next time.
    let by_hand: Vec<u64> = client
        .fetch_all(of(include_str!("../../sql/clickhouse/queries/old_by_hand.sql")))
        .await?;
    let rows = u64::try_from(by_hand.len()).unwrap_or(u64::MAX);
    if !by_hand.is_empty() {
        let forget = Statement::new(include_str!("../../sql/clickhouse/queries/forget_by_hand.sql"));
        client.change(forget.with("ids", Value::Unsigneds(by_hand))).await?;
    }
    Ok(texts.saturating_add(rows))
}

/// Drops the results, then the roll-ups, of a month, and opens its days. `month` is its first day, `number` the same month as in 202611. The first
/// error ends it.
async fn drop_month(client: &Client, month: NaiveDate, number: u32) -> Result<(), Error> {
    let partition = |table: &str| {
        Statement::new(include_str!("../../sql/clickhouse/queries/drop_month.sql"))
            .fill("table", table)
            .with("month", Value::Text(number.to_string()))
    };
    // Before the change, since no roll-up may hold what the results do not, and after it, for a day that was rolled up meanwhile.
    open_month(client, month).await?;
    client.change(partition("ad_results")).await?;
    open_month(client, month).await?;
    for table in ["ad_days", "host_days", "capture_days"] {
        client.change(partition(table)).await?;
    }
    client.change(partition("ad_weeks")).await
}

/// Opens the roll-ups of all days of a month.
async fn open_month(client: &Client, month: NaiveDate) -> Result<(), Error> {
    let next = month.checked_add_months(Months::new(1)).unwrap_or(month);
    let number = |day: NaiveDate| u32::try_from(day.to_epoch_days()).unwrap_or(0);
    roll_up::open_days(client, number(month), number(next) - 1).await
}

/// The first day of the month of a day. Months are those of the partitions: of UTC days.
fn first_of_month(day: NaiveDate) -> NaiveDate {
    day.with_day(1).unwrap_or(day)
}
