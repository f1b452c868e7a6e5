//! Giving stored rows of a term to another brand, one month at a time: a query sees all of a month before the change, or all of it after.

use chrono::{Datelike, NaiveDate};
use clickhouse::Row;

use super::AdRow;
use super::replacing::{self, StagingMonth};
use crate::statement::{Statement, Value};
use crate::{Client, Error};

/// The brand and kind of words that rows belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The brand; 0: none.
    pub brand: u32,
    /// As [`vocabulary::KeywordType`] displays.
    pub keyword_type: String,
}

/// Gives all stored rows of a term to this owner, keeping their numbers, and returns how many months had rows of another owner. After an
/// interruption, another call completes it. The caller keeps everything else from storing and replacing rows meanwhile.
pub async fn reattribute(client: &Client, term: u32, owner: &Owner) -> Result<usize, Error> {
    let of = |text: &str| {
        Statement::new(text)
            .with("term", Value::Unsigned(term.into()))
            .with("brand", Value::Unsigned(owner.brand.into()))
            .with("keyword_type", Value::Text(owner.keyword_type.clone()))
    };
    let days: Vec<(u16, u16)> = client
        .fetch_all(of(include_str!("../../../sql/clickhouse/queries/days_of_others.sql")))
        .await?;
    for (first, last) in &days {
        let day = NaiveDate::from_epoch_days(i32::from(*first)).unwrap_or_default();
        let month = day.with_day(1).unwrap_or(day);
        let staging = StagingMonth::copy(client, month).await?;
        client
            .change(of(include_str!(
                "../../../sql/clickhouse/queries/staging_delete_term.sql"
            )))
            .await?;
        let columns = AdRow::COLUMN_NAMES;
        let expressions = columns.iter().map(|column| match *column {
            "brand_id" => "{brand:UInt32}",
            "keyword_type" => "{keyword_type:String}",
            other => other,
        });
        let insert = of(include_str!("../../../sql/clickhouse/queries/staging_insert_term.sql"))
            .fill("columns", &columns.join(", "))
            .fill("expressions", &expressions.collect::<Vec<_>>().join(", "))
            .with("month", Value::Unsigned(month_number(month)));
        client.change(insert).await?;
        let count = of(include_str!("../../../sql/clickhouse/queries/staging_count_term.sql"))
            .with("month", Value::Unsigned(month_number(month)));
        let (were, are): (u64, u64) = client.fetch_one(count).await?;
        if were != are {
            return Err(Error::BadBatch("the rows of its term did not arrive"));
        }
        staging.swap(&(u32::from(*first)..=u32::from(*last)).collect()).await?;
    }
    replacing::drop_staging(client).await?;
    Ok(days.len())
}

/// The month as a number, as in 202611.
fn month_number(month: NaiveDate) -> u64 {
    u64::from(month.year().unsigned_abs()) * 100 + u64::from(month.month())
}
