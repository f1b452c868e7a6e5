//! How many slots wait, and for how long.

use std::time::Duration;

use sqlx::PgExecutor;
use vocabulary::Engine;

use crate::Result;
use crate::stored::parse;

/// How many slots of one engine are unsettled, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backlog {
    /// Engine of their terms.
    pub engine: Engine,
    /// Slots that could run now and wait for a worker.
    pub waiting: u64,
    /// Slots that are to be tried again later.
    pub later: u64,
    /// Slots that a worker holds.
    pub under_way: u64,
    /// How long the longest waiting slot could have run already.
    pub oldest_wait: Duration,
    /// How long ago the oldest unsettled slot was due.
    pub oldest_age: Duration,
}

/// The backlog of each engine that has unsettled slots, ordered by the engine's name. A term without an engine counts as Google's.
pub async fn backlog(executor: impl PgExecutor<'_>) -> Result<Vec<Backlog>> {
    let rows = sqlx::query!(
        r#"select lower(coalesce(t.engine, 'GOOGLE')) as "engine!",
               count(*) filter (where s.lease_until is null and s.run_at <= now()) as "waiting!",
               count(*) filter (where s.lease_until is null and s.run_at > now()) as "later!",
               count(*) filter (where s.lease_until is not null) as "under_way!",
               coalesce(extract(epoch from now() - min(s.run_at) filter (where s.lease_until is null)), 0)::double precision
                   as "oldest_wait!",
               coalesce(extract(epoch from now() - min(s.slot_ts)), 0)::double precision as "oldest_age!"
           from slot s join term t on t.id = s.term_id
           where s.settled_at is null
           group by 1 order by 1"#
    )
    .fetch_all(executor)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(Backlog {
                engine: parse("term.engine", &row.engine)?,
                waiting: row.waiting.unsigned_abs(),
                later: row.later.unsigned_abs(),
                under_way: row.under_way.unsigned_abs(),
                oldest_wait: duration_of_seconds(row.oldest_wait),
                oldest_age: duration_of_seconds(row.oldest_age),
            })
        })
        .collect()
}

/// A number of seconds as a duration; zero for a negative number.
fn duration_of_seconds(value: f64) -> Duration {
    Duration::try_from_secs_f64(value).unwrap_or_default()
}
