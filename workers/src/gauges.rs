//! The backlog as gauges. Every process measures the same ledger.

use records::{Pool, slots};
use strum::VariantArray;
use vocabulary::SlotState;

/// Measures the slots that are not settled, by state, and those whose time has come.
pub async fn measure(records: &Pool) -> Result<(), records::Error> {
    let unsettled = slots::unsettled(records).await?;
    let ended = [SlotState::Verified, SlotState::Failed, SlotState::Missed];
    for state in SlotState::VARIANTS.iter().filter(|state| !ended.contains(state)) {
        let found = unsettled.iter().find(|(of, _)| of == state);
        let count = found.map_or(0, |(_, count)| *count);
        metrics::gauge!("vigie_slots", "state" => state.to_string()).set(number(count));
    }
    let (due, oldest_seconds) = slots::backlog(records).await?;
    metrics::gauge!("vigie_slots_due").set(number(due));
    metrics::gauge!("vigie_oldest_due_seconds").set(oldest_seconds);
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "gauges are floating point")]
const fn number(count: i64) -> f64 {
    count as f64
}
