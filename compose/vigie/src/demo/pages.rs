//! Captures of the newest days: each with the page that the simulated engine shows then, read and stored as by a worker.

use chrono::{DateTime, TimeDelta, Utc};
use postgres::terms::TermToCapture;
use schedules::grid;
use vocabulary::{Device, TermId};
use workers::intake::{self, IntakeTotals, ReceivedPage};
use workers::reread::Stores;

use super::DemoError;
use super::market::Market;
use super::world::WatchedTerm;

/// Pages made before they are read and stored; bounds memory.
const AT_ONCE: usize = 64;
/// A page arrives between these seconds after its slot was due.
const SOONEST_SECONDS: u64 = 15;
const SPREAD_SECONDS: u64 = 150;

/// A search that is due in a slot.
struct DueSearch<'a> {
    term: &'a TermToCapture,
    device: Device,
    slot_time: DateTime<Utc>,
    taken_at: DateTime<Utc>,
}

/// Stores the captures of all slots in `between` (the second instant excluded) whose pages arrive before `now`, the oldest first, and opens or
/// updates cases. Returns how many captures and ads were stored, and how many pages were refused, mostly because their slot exists already.
pub(super) async fn take_in(
    stores: &Stores,
    market: &Market,
    watched: &[WatchedTerm],
    between: (DateTime<Utc>, DateTime<Utc>),
    now: DateTime<Utc>,
) -> Result<IntakeTotals, DemoError> {
    let mut due: Vec<DueSearch<'_>> = watched
        .iter()
        .flat_map(|watched| slots_with_arrival(watched, between))
        .collect();
    due.retain(|due| due.taken_at < now);
    due.sort_by_key(|due| (due.taken_at, due.term.id));
    let mut all = IntakeTotals::default();
    for part in due.chunks(AT_ONCE) {
        let pages: Result<Vec<ReceivedPage>, DemoError> = part.iter().map(|due| simulated_page(market, due)).collect();
        all += intake::run(stores, pages?).await?;
    }
    Ok(all)
}

/// Makes the page that the simulated engine shows for a due search when it arrives.
fn simulated_page(market: &Market, due: &DueSearch<'_>) -> Result<ReceivedPage, DemoError> {
    Ok(ReceivedPage {
        term: due.term.clone(),
        device: due.device,
        slot_time: due.slot_time,
        taken_at: due.taken_at,
        page: market.page(due.term, due.device, due.taken_at)?,
    })
}

/// Iterates over the slots of a term, device by device, from the first instant to before the second, each with the time at which its page arrives.
fn slots_with_arrival(
    watched: &WatchedTerm,
    (from, until): (DateTime<Utc>, DateTime<Utc>),
) -> impl Iterator<Item = DueSearch<'_>> {
    let of_device = move |device: Device| {
        let term = &watched.term;
        let before = from - TimeDelta::milliseconds(1);
        let first = grid::next(term.id, device, watched.every_millis, before);
        let every = TimeDelta::milliseconds(watched.every_millis);
        let times = std::iter::successors(Some(first), move |slot| Some(*slot + every));
        let dues = times.map(move |slot_time| DueSearch {
            term,
            device,
            slot_time,
            taken_at: slot_time + delay_of_page(term.id, slot_time),
        });
        dues.take_while(move |due| due.slot_time < until)
    };
    watched.devices.iter().copied().flat_map(of_device)
}

/// Returns how long after its slot a page arrives: this differs from slot to slot, and is always the same for one.
fn delay_of_page(term: TermId, slot: DateTime<Utc>) -> TimeDelta {
    let number = u64::from(term.0.unsigned_abs()) * 7 + slot.timestamp().unsigned_abs() / 60 * 11;
    let seconds = SOONEST_SECONDS + number % SPREAD_SECONDS;
    TimeDelta::seconds(seconds.cast_signed())
}
