//! Moves rows from the time of their slot to the time their page was received.
//!
//! A month is copied to a staging table day by day and put in place of the original in one step. Rows inserted into the month meanwhile
//! would be lost, so the caller keeps inserts away.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::{DateTime, Datelike, NaiveDate};
use clickhouse::Row;
use futures::TryStreamExt;
use serde::Deserialize;
use uuid::Uuid;

use super::correcting::{delete_rows, id};
use super::replacing::{STAGING_TABLE, create_staging, put_in_place};
use super::{AdRow, MOST_ROWS, ON_EVERY_SHARD, SECONDS_OF_DAY, insert_block};
use crate::statement::{Statement, Value};
use crate::{Client, Error};

/// A capture that has stored ads whose time is that of its slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Row, Deserialize)]
pub struct UntimedCapture {
    /// Id of the capture.
    #[serde(with = "clickhouse::serde::uuid")]
    pub capture: Uuid,
    /// The time that its ads have, in seconds since 1970.
    pub slot_time: u32,
}

/// The months (UTC) that have results, as their first days, ascending.
pub async fn months(client: &Client) -> Result<Vec<NaiveDate>, Error> {
    let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/months_of_results.sql"));
    let days: Vec<u16> = client.fetch_all(statement).await?;
    Ok(days
        .into_iter()
        .filter_map(|day| NaiveDate::from_epoch_days(day.into()))
        .collect())
}

/// The captures with ads on a UTC day whose time is that of their slot.
pub async fn untimed(client: &Client, day: NaiveDate) -> Result<Vec<UntimedCapture>, Error> {
    client
        .fetch_all(of_day(include_str!("../../../sql/clickhouse/queries/untimed.sql"), day))
        .await
}

/// A month that is being copied to the staging table with new times.
pub struct Retiming {
    month: NaiveDate,
    /// Rows that now belong to another month: their captures were due in one and received in the next.
    moved: BTreeMap<NaiveDate, Vec<AdRow>>,
    days: BTreeSet<u32>,
}

impl Retiming {
    /// Creates an empty staging table for the month that begins with `month`, in place of one that an interrupted run left. Results are not changed
    /// before [`Retiming::put_in_place`].
    pub async fn begin(client: &Client, month: NaiveDate) -> Result<Self, Error> {
        create_staging(client).await?;
        Ok(Self {
            month,
            moved: BTreeMap::new(),
            days: BTreeSet::new(),
        })
    }

    /// Copies the rows of a UTC day of the month to the staging table. Rows whose capture and slot time are in `times` get the time found there, in
    /// seconds since 1970, unless their time is no longer that of the slot. Rows that now belong to another month are kept in memory until
    /// [`Retiming::put_in_place`].
    pub async fn day(
        &mut self,
        client: &Client,
        day: NaiveDate,
        times: &HashMap<UntimedCapture, u32>,
    ) -> Result<(), Error> {
        let statement = of_day(include_str!("../../../sql/clickhouse/queries/rows_of_day.sql"), day)
            .fill("columns", &AdRow::COLUMN_NAMES.join(", "));
        let failed = |error| client.error(error);
        let insert = client.database().insert::<AdRow>(STAGING_TABLE).await.map_err(failed)?;
        let mut insert = insert.with_setting(ON_EVERY_SHARD.0, ON_EVERY_SHARD.1);
        let mut rows = std::pin::pin!(client.stream::<AdRow>(statement));
        self.days.insert(u32::try_from(day.to_epoch_days()).unwrap_or(0));
        while let Some(mut row) = rows.try_next().await? {
            let untimed = UntimedCapture {
                capture: row.capture_id,
                slot_time: row.slot_time,
            };
            if let Some(seen_at) = times.get(&untimed).filter(|_| row.seen_at == row.slot_time) {
                row.seen_at = *seen_at;
                self.days.insert(seen_at / SECONDS_OF_DAY);
            }
            let month = month_of(row.seen_at);
            if month == self.month {
                insert.write(&row).await.map_err(failed)?;
            } else {
                self.moved.entry(month).or_default().push(row);
            }
        }
        insert.end().await.map_err(failed)
    }

    /// Moves rows that now belong to another month into that one, then puts the staged month in place of the original: results of a day that was not
    /// copied are lost. After an interruption moved rows may be stored twice, which another attempt mends. `number` names the attempt and must never
    /// be used again.
    pub async fn put_in_place(self, client: &Client, number: u64) -> Result<(), Error> {
        for (month, rows) in &self.moved {
            for (part, rows) in rows.chunks(MOST_ROWS).enumerate() {
                let ids: Vec<u64> = rows.iter().map(|row| id(row.batch, row.row)).collect();
                client.change(delete_rows(*month, &ids)).await?;
                let token = format!("retiming#{number}#{month}#{part}");
                insert_block(client, "ad_results", Some(token), rows).await?;
            }
        }
        put_in_place(client, self.month, &self.days).await
    }
}

/// A statement with the parameter `day`.
fn of_day(file: &str, day: NaiveDate) -> Statement {
    Statement::new(file).with("day", Value::Integer(day.to_epoch_days().into()))
}

/// The first day of the UTC month of a time in seconds since 1970.
fn month_of(seconds: u32) -> NaiveDate {
    let day = DateTime::from_timestamp(seconds.into(), 0)
        .unwrap_or_default()
        .date_naive();
    day.with_day(1).unwrap_or(day)
}
