//! The calendar and the volumes of now, or those that this process read a moment ago.

use std::sync::Arc;
use std::time::Instant;

use super::calendar::Calendar;
use super::volume::Volumes;
use crate::statement::{Statement, Value};
use crate::{Client, Error};

/// The calendar, at most 5 seconds old: the one that this process read last, or else read now from the store and kept.
pub(crate) async fn recent_calendar(client: &Client) -> Result<Arc<Calendar>, Error> {
    if let Some(calendar) = client.calendar().fresh() {
        return Ok(calendar);
    }
    let began = Instant::now();
    let calendar = Arc::new(read(client).await?);
    client.calendar().put(Some((began, Arc::clone(&calendar))));
    Ok(calendar)
}

/// Reads the calendar from the store.
pub(super) async fn read(client: &Client) -> Result<Calendar, Error> {
    let calendar = Statement::new(include_str!("../../../sql/clickhouse/queries/calendar.sql"));
    Ok(Calendar::from_newest(client.fetch_all(calendar).await?))
}

/// How many results the newest rolled up day has: of these brands, or of all. 0 when no day is rolled up. Some minutes old: an estimate.
pub(crate) async fn results_a_day(client: &Client, brands: Option<&[u32]>) -> Result<u64, Error> {
    let volumes = volumes(client).await?;
    Ok(match brands {
        None => volumes.values().sum(),
        Some(brands) => brands.iter().filter_map(|brand| volumes.get(brand)).sum(),
    })
}

/// The results of the newest rolled up day by brand, as this process read them in the last 10 minutes; otherwise reads and keeps them. Empty when no
/// day is rolled up.
async fn volumes(client: &Client) -> Result<Volumes, Error> {
    if let Some(volumes) = client.volumes().fresh() {
        return Ok(volumes);
    }
    let calendar = recent_calendar(client).await?;
    let Some((day, build)) = calendar.days().last_key_value() else {
        return Ok(Volumes::default());
    };
    let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/views_of_day.sql"))
        .with("day", Value::Integer((*day).into()))
        .with("build", Value::Unsigned(*build));
    let volumes: Volumes = Arc::new(client.fetch_all::<(u32, u64)>(statement).await?.into_iter().collect());
    client.volumes().put(&volumes);
    Ok(volumes)
}
