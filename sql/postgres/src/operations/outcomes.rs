//! How slots ended, over time.

use std::time::Duration;

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{Engine, SlotState};

use crate::Result;
use crate::stored::{interval, parse};

/// Slots that ended the same way in the same span of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The beginning of the span.
    pub start: DateTime<Utc>,
    /// Engine of their terms.
    pub engine: Engine,
    /// How they ended.
    pub state: SlotState,
    /// The verdict on their pages, or why there is none.
    pub verdict: String,
    /// Number of slots.
    pub count: u64,
}

/// How many slots ended in the last `window`, by span, engine, state and verdict (why it failed or was missed, else that of its capture, else
/// `results`), ordered so. Spans are `step` long and aligned to 1970 (UTC); those without slots are absent. Slots of deleted terms are left out.
pub async fn over_time(executor: impl PgExecutor<'_>, window: Duration, step: Duration) -> Result<Vec<Outcome>> {
    let rows = sqlx::query!(
        r#"select date_bin($2, s.settled_at, timestamptz 'epoch') as "start!",
               coalesce(c.engine, lower(t.engine), 'google') as "engine!", s.state,
               coalesce(s.reason, c.verdict, 'results') as "verdict!", count(*) as "count!"
           from slot s join term t on t.id = s.term_id left join capture c on c.slot_id = s.id and c.slot_ts = s.slot_ts
           where s.settled_at >= now() - $1::interval and s.slot_ts >= now() - $1::interval - interval '35 days'
           group by 1, 2, 3, 4 order by 1, 2, 3, 4"#,
        interval(window),
        interval(step)
    )
    .fetch_all(executor)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(Outcome {
                start: row.start,
                engine: parse("capture.engine", &row.engine)?,
                state: parse("slot.state", &row.state)?,
                verdict: row.verdict,
                count: row.count.unsigned_abs(),
            })
        })
        .collect()
}
