//! What the running grids of all terms ask of the engines in the next hours.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{Device, Engine, SystemScope, TermId};

use crate::stored::parse;
use crate::{Connection, Result};

/// What is planned on the engines from a moment on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpcomingCaptures {
    /// The database's time, at which the first of the hours begins.
    pub at: DateTime<Utc>,
    /// The grids with a slot in these hours.
    pub grids: Vec<UpcomingGrids>,
    /// The captures that wait for their turn already.
    pub waiting: Vec<WaitingCaptures>,
}

/// Grids of one engine, locale and interval whose next slots are in the same hour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpcomingGrids {
    /// The engine that is searched.
    pub engine: Engine,
    /// As in `fr_FR`; `None` for terms without a localization.
    pub locale: Option<String>,
    /// Milliseconds between slots.
    pub every_millis: i64,
    /// When the hour of the next slot begins; the next slot itself for intervals that are no whole hours. Before `at` where it is due already.
    pub next_slot: DateTime<Utc>,
    /// How many grids they are.
    pub grids: u64,
}

/// Captures that wait for their turn on one engine in one locale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingCaptures {
    /// The engine that is searched.
    pub engine: Engine,
    /// As in `fr_FR`; `None` for terms without a localization.
    pub locale: Option<String>,
    /// How many they are.
    pub captures: u64,
}

/// A grid that runs on an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineGrid {
    /// The term it runs for.
    pub term: TermId,
    /// The device it runs on.
    pub device: Device,
    /// As in `fr_FR`; `None` for terms without a localization.
    pub locale: Option<String>,
    /// Milliseconds between slots.
    pub every_millis: i64,
    /// The next slot; in the past where it is due already.
    pub next_slot: DateTime<Utc>,
}

/// The grids of all companies' terms on an engine.
pub async fn grids_of_engine(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    engine: Engine,
) -> Result<Vec<EngineGrid>> {
    let rows = sqlx::query!(
        r#"select d.term_id, d.device::text as "device!", d.every_ms, d.next_slot, l.locale as "locale?"
           from term_due d join term t on t.id = d.term_id left join localization l on l.id = t.localization_id
           where lower(coalesce(t.engine, 'GOOGLE')) = $1"#,
        engine.to_string()
    )
    .fetch_all(executor)
    .await?;
    let grids = rows.into_iter().map(|row| {
        Ok(EngineGrid {
            term: TermId(row.term_id),
            device: parse("term_due.device", &row.device)?,
            locale: row.locale,
            every_millis: row.every_ms,
            next_slot: row.next_slot,
        })
    });
    grids.collect()
}

/// The grids of all companies' terms with a slot in the next `hours`, and the captures that wait.
pub async fn upcoming(connection: &mut Connection, _system: &SystemScope, hours: i32) -> Result<UpcomingCaptures> {
    let at = sqlx::query_scalar!(r#"select now() as "now!""#)
        .fetch_one(&mut *connection)
        .await?;
    let rows = sqlx::query!(
        r#"select lower(coalesce(t.engine, 'GOOGLE')) as "engine!", l.locale as "locale?", d.every_ms,
               case when d.every_ms % 3600000 = 0
                   then $1::timestamptz + floor(extract(epoch from d.next_slot - $1::timestamptz) / 3600)::double precision * interval '1 hour'
                   else d.next_slot end as "next_slot!",
               count(*) as "grids!"
           from term_due d join term t on t.id = d.term_id left join localization l on l.id = t.localization_id
           where d.next_slot < $1::timestamptz + make_interval(hours => $2)
           group by 1, 2, 3, 4"#,
        at,
        hours
    )
    .fetch_all(&mut *connection)
    .await?;
    let grids = rows.into_iter().map(|row| {
        Ok(UpcomingGrids {
            engine: parse("term.engine", &row.engine)?,
            locale: row.locale,
            every_millis: row.every_ms,
            next_slot: row.next_slot,
            grids: row.grids.unsigned_abs(),
        })
    });
    let grids: Result<Vec<UpcomingGrids>> = grids.collect();
    let rows = sqlx::query!(
        r#"select lower(coalesce(t.engine, 'GOOGLE')) as "engine!", l.locale as "locale?", count(*) as "captures!"
           from slot s join term t on t.id = s.term_id left join localization l on l.id = t.localization_id
           where s.settled_at is null and s.state = 'queued'
           group by 1, 2"#
    )
    .fetch_all(connection)
    .await?;
    let waiting = rows.into_iter().map(|row| {
        Ok(WaitingCaptures {
            engine: parse("term.engine", &row.engine)?,
            locale: row.locale,
            captures: row.captures.unsigned_abs(),
        })
    });
    Ok(UpcomingCaptures {
        at,
        grids: grids?,
        waiting: waiting.collect::<Result<_>>()?,
    })
}
