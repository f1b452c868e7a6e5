//! Reading the pages that were captured before a lane began, so that its dry run has a past.

use chrono::{DateTime, TimeDelta, Utc};
use postgres::captures;
use postgres::stop_go::readings;
use vocabulary::SystemScope;

use super::seen::SeenPage;
use crate::Error;
use crate::context::WorkerContext;
use crate::pages;

/// Pages are kept as long (decision D145).
const KEPT: TimeDelta = TimeDelta::days(180);
/// Pages of one round: reading one takes some milliseconds.
const AT_ONCE: i64 = 50;

const SCOPE: SystemScope = SystemScope::new("reading the past of lanes");

/// Reads some of the earlier pages of one lane that needs it, the last ones first. What they say is stored, and nothing is decided by it. Returns how many.
pub(super) async fn run(context: &WorkerContext, now: DateTime<Utc>) -> Result<usize, Error> {
    let pool = &context.postgres;
    let Some(lane) = readings::lanes_to_read_back(pool, &SCOPE, 1).await?.into_iter().next() else {
        return Ok(0);
    };
    let unread = readings::unread(pool, &SCOPE, lane, now - KEPT, AT_ONCE).await?;
    for id in &unread {
        let Some(capture) = captures::by_id(pool, *id).await? else {
            continue;
        };
        let seen = match pages::read_again(context, capture.clone()).await? {
            Some(again) => SeenPage::new(&again.capture, &again.read),
            None => SeenPage::unreadable(&capture),
        };
        let Some(seen) = seen else { continue };
        let mut tx = postgres::begin(pool).await?;
        seen.note(&mut tx).await?;
        tx.commit().await.map_err(postgres::Error::from)?;
    }
    if i64::try_from(unread.len()).unwrap_or(i64::MAX) < AT_ONCE {
        readings::note_read_back(pool, &SCOPE, lane).await?;
    }
    Ok(unread.len())
}
