//! How much brands show a day, to choose what a list is read from. An estimate: it changes no figure.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::statement::{Statement, Value};
use crate::{Client, Error};

/// Brands grow slowly.
const USED_FOR: Duration = Duration::from_mins(10);

type ByBrand = Arc<HashMap<u32, u64>>;

/// The volumes that a process read last. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Volumes(Arc<Mutex<Option<(Instant, ByBrand)>>>);

/// Results of the newest rolled up day: of some brands, or of all. 0 when no day is rolled up.
pub(crate) async fn results_a_day(client: &Client, brands: Option<&[u32]>) -> Result<u64, Error> {
    let volumes = current(client).await?;
    Ok(match brands {
        None => volumes.values().sum(),
        Some(brands) => brands.iter().filter_map(|brand| volumes.get(brand)).sum(),
    })
}

async fn current(client: &Client) -> Result<ByBrand, Error> {
    let kept = || client.volumes().0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((read, volumes)) = kept().as_ref()
        && read.elapsed() < USED_FOR
    {
        return Ok(Arc::clone(volumes));
    }
    let calendar = super::current(client).await?;
    let Some((day, build)) = calendar.days().last_key_value() else {
        return Ok(ByBrand::default());
    };
    let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/views_of_day.sql"))
        .with("day", Value::Integer((*day).into()))
        .with("build", Value::Unsigned(*build));
    let volumes: ByBrand = Arc::new(client.fetch_all::<(u32, u64)>(statement).await?.into_iter().collect());
    *kept() = Some((Instant::now(), Arc::clone(&volumes)));
    Ok(volumes)
}
