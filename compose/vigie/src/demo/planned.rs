//! The ledger's sums for the days of generated results: their captures, and a few that failed.

use chrono::{DateTime, NaiveDate, TimeDelta};
use postgres::coverage::{self, Counts, PastDay};
use postgres::terms::TermToCapture;
use vocabulary::TermId;

use super::world::WatchedTerm;
use super::{DemoError, Destination};

/// On one day in this many, a term and device have one more planned capture, which failed.
const FAILED_ONE_IN: u64 = 41;
/// The same for a doubtful one.
const DOUBTFUL_ONE_IN: u64 = 97;
/// The same for a missed one.
const MISSED_ONE_IN: u64 = 131;

/// Returns the first UTC day on which the ledger has slots of these terms; `None` when it has none.
pub(super) async fn first_day(
    postgres: &postgres::Pool,
    watched: &[WatchedTerm],
) -> Result<Option<NaiveDate>, DemoError> {
    let terms: Vec<TermId> = watched.iter().map(|watched| watched.term.id).collect();
    Ok(coverage::first_day(postgres, &terms).await?)
}

/// Replaces the coverage of `terms` in the ledger, in a transaction of its own, by that of all generated results: for each term, device and UTC day
/// the valid captures, and now and then one that is made up as doubtful, failed or missed. Days on which the ledger has slots are left as they are.
pub(super) async fn write_coverage(into: &Destination, terms: &[TermToCapture]) -> Result<(), DemoError> {
    let made_up = analytics::sample::captures(&into.analytics).await?;
    let days = made_up.into_iter().filter_map(|made| {
        let term = TermId(i32::try_from(made.term).ok()?);
        let day = DateTime::UNIX_EPOCH.date_naive() + TimeDelta::days(made.day.into());
        let device = made.device.parse().ok()?;
        let lot = u64::from(made.term) * 31 + u64::from(made.day) * 17 + made.device.len() as u64 * 7;
        let lacks = |one_in: u64| u64::from(lot.is_multiple_of(one_in));
        let (doubtful, failed, missed) = (lacks(DOUBTFUL_ONE_IN), lacks(FAILED_ONE_IN), lacks(MISSED_ONE_IN));
        let counts = Counts {
            planned: made.captures + doubtful + failed + missed,
            valid: made.captures,
            doubtful,
            failed,
            missed,
        };
        Some(PastDay {
            day,
            term,
            device,
            counts,
        })
    });
    let days: Vec<PastDay> = days.collect();
    let terms: Vec<TermId> = terms.iter().map(|term| term.id).collect();
    let mut tx = postgres::begin(&into.postgres).await?;
    coverage::replace_past(&mut tx, &terms, &days).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(())
}
