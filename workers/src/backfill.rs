//! Correcting the time of ads that earlier versions stored with the time of their slot: to when their page was received.

use std::collections::{HashMap, HashSet};

use analytics::ingest::retiming::{self, Retiming, UntimedCapture};
use analytics::reports::advertisers::days_with_results;
use analytics::roll_up;
use chrono::{Months, NaiveDate};
use postgres::captures;
use postgres::{Pool, corrections, rereading};
use vocabulary::{CaptureId, SystemScope};

use crate::Error;
use crate::pages::rows;

/// Captures looked up by one query.
const AT_ONCE: usize = 10_000;

const SCOPE: SystemScope = SystemScope::new("giving ads their time");

/// Sets the time of stored ads to when their page was received, month by month, and rebuilds the roll-ups of changed days. After each month it calls
/// `report` with the first day and the number of captures whose ads changed, even 0; returns their sum. Ads without a capture in the ledger, or with
/// a time corrected by hand, keep theirs. Nothing else stores ads while a month is worked on. May be interrupted and run again at any time.
pub async fn run(
    postgres: &Pool,
    analytics: &analytics::Client,
    mut report: impl FnMut(NaiveDate, usize),
) -> Result<usize, Error> {
    let store = analytics.for_housekeeping();
    let mut all = 0;
    for month in retiming::months(&store).await? {
        let captures = one_month(postgres, &store, month).await?;
        if captures > 0 {
            roll_up::seal_closed_days(&store).await?;
        }
        report(month, captures);
        all += captures;
    }
    Ok(all)
}

/// Sets the times of one month, given by its first day, and returns how many captures were changed: 0 if all times are right already. Holds the lock
/// on stored rows until it returns.
async fn one_month(postgres: &Pool, store: &analytics::Client, month: NaiveDate) -> Result<usize, Error> {
    let last = month
        .checked_add_months(Months::new(1))
        .and_then(|next| next.pred_opt())
        .unwrap_or(month);
    let _lock = rereading::stop_storing(postgres).await?;
    let days = days_with_results(store, month, last).await?;
    let mut is_right = true;
    for day in &days {
        is_right = is_right && times(postgres, store, *day).await?.is_empty();
    }
    if is_right {
        return Ok(0);
    }
    let mut captures = 0;
    let mut retiming = Retiming::begin(store, month).await?;
    for day in days {
        let times = times(postgres, store, day).await?;
        captures += times.len();
        retiming.day(store, day, &times).await?;
    }
    let number = corrections::next_try(postgres).await?;
    retiming.put_in_place(store, number.unsigned_abs()).await?;
    Ok(captures)
}

/// The captures of a UTC day whose ads still have the time of their slot, with the time of their page in seconds since 1970. Captures that the ledger
/// does not know, or whose two times are equal, are left out.
async fn times(
    postgres: &Pool,
    store: &analytics::Client,
    day: NaiveDate,
) -> Result<HashMap<UntimedCapture, u32>, Error> {
    let untimed = retiming::untimed(store, day).await?;
    // An ad whose time was corrected by hand no longer has that of its slot.
    let stored: HashSet<UntimedCapture> = untimed.iter().copied().collect();
    let mut times = HashMap::new();
    for chunk in untimed.chunks(AT_ONCE) {
        let ids: Vec<CaptureId> = chunk.iter().map(|untimed| CaptureId(untimed.capture)).collect();
        for known in captures::times(postgres, &SCOPE, &ids).await? {
            let of_slot = UntimedCapture {
                capture: known.capture.0,
                slot_time: rows::seconds(known.slot_time),
            };
            let seen_at = rows::seconds(known.taken_at);
            if seen_at != of_slot.slot_time && stored.contains(&of_slot) {
                times.insert(of_slot, seen_at);
            }
        }
    }
    Ok(times)
}
