//! Gauges of the ledger, the same in every process.

use std::time::Duration;

use chrono::{DateTime, Utc};
use postgres::case_mails::brakes;
use postgres::operations::outcomes::{self, Outcome};
use postgres::operations::pauses;
use postgres::operations::reviews::{self, ReviewKind};
use postgres::{Pool, mails, slots};
use strum::VariantArray;
use vocabulary::{Engine, SlotState, SystemScope, Verdict};

const SCOPE: SystemScope = SystemScope::new("measuring what holds mails");
const HOUR: Duration = Duration::from_hours(1);

/// Sets the gauges: unsettled and due slots, paused engines, how the runs of the last hour ended, captures to review, waiting mails, the age of
/// the oldest due slot and mail, and whether bounces hold the mails that Vigie writes by itself. The first error ends it.
pub async fn measure(postgres: &Pool, now: DateTime<Utc>) -> Result<(), postgres::Error> {
    let unsettled = slots::unsettled(postgres).await?;
    for state in SlotState::VARIANTS.iter().filter(|state| !has_ended(**state)) {
        let found = unsettled.iter().find(|(of, _)| of == state);
        let count = found.map_or(0, |(_, count)| count.unsigned_abs());
        metrics::gauge!("vigie_slots", "state" => state.to_string()).set(number(count));
    }
    let (due, oldest_seconds) = slots::backlog(postgres).await?;
    metrics::gauge!("vigie_slots_due").set(number(due.unsigned_abs()));
    metrics::gauge!("vigie_oldest_due_seconds").set(oldest_seconds);

    let paused = pauses::all(postgres).await?;
    let hour = outcomes::over_time(postgres, HOUR, HOUR).await?;
    for engine in Engine::VARIANTS {
        let is_paused = paused.iter().any(|pause| pause.engine == *engine);
        metrics::gauge!("vigie_engine_paused", "engine" => engine.to_string()).set(f64::from(u8::from(is_paused)));
        for end in RunEnd::VARIANTS {
            let count = hour
                .iter()
                .filter(|outcome| outcome.engine == *engine && RunEnd::from_outcome(outcome) == *end);
            let count = count.map(|outcome| outcome.count).sum();
            metrics::gauge!("vigie_runs_last_hour", "engine" => engine.to_string(), "end" => end.to_string())
                .set(number(count));
        }
    }
    for kind in ReviewKind::VARIANTS {
        let open = reviews::count_open(postgres, *kind).await?;
        metrics::gauge!("vigie_captures_to_review", "kind" => kind.to_string()).set(number(open as u64));
    }
    let waiting = mails::waiting(postgres).await?;
    metrics::gauge!("vigie_mails_waiting").set(number(waiting.count.unsigned_abs()));
    metrics::gauge!("vigie_oldest_mail_seconds").set(waiting.oldest.as_secs_f64());
    let bounces = brakes::too_many_bounces(postgres, &SCOPE, now).await?;
    metrics::gauge!("vigie_mails_bounce").set(f64::from(u8::from(bounces)));
    Ok(())
}

/// How a run can end.
#[derive(Clone, Copy, PartialEq, Eq, strum::Display, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
enum RunEnd {
    Results,
    Doubtful,
    Failed,
    Missed,
}

impl RunEnd {
    /// How runs with this outcome ended: everything neither failed, missed nor doubtful counts as results, even without ads.
    fn from_outcome(outcome: &Outcome) -> Self {
        match outcome.state {
            SlotState::Failed => Self::Failed,
            SlotState::Missed => Self::Missed,
            _ if outcome.verdict == Verdict::Doubtful.to_string() => Self::Doubtful,
            _ => Self::Results,
        }
    }
}

/// Whether a slot in this state never runs again.
const fn has_ended(state: SlotState) -> bool {
    matches!(state, SlotState::Verified | SlotState::Failed | SlotState::Missed)
}

#[expect(clippy::cast_precision_loss, reason = "gauges are floating point")]
const fn number(count: u64) -> f64 {
    count as f64
}
