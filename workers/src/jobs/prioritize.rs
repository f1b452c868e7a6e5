//! Counting the views of the cases of advertisers, so that big ones come first (decision D48).

use analytics::filter::{Condition, Filters};
use analytics::reports::advertisers;
use chrono::{NaiveTime, TimeDelta};
use postgres::actions::figures::{self, ActionFigures, LastSeen};
use vocabulary::{BrandId, SystemScope};

use crate::Error;
use crate::context::WorkerContext;

/// Today (in UTC) and the days before it.
const DAYS: TimeDelta = TimeDelta::days(30);
/// Actions changed in one transaction of [`figures::pass_days`].
const AT_ONCE: i64 = 5_000;

const SCOPE: SystemScope = SystemScope::new("counting views of actions");

/// Sets the views and ads of the last [`DAYS`] on the cases of every brand, 0 for a case without ads; adds the times at which each kind was last seen
/// where they are missing; drops days before the last 30 from the cases' records of days. Returns a summary.
pub async fn run(context: &WorkerContext) -> Result<String, Error> {
    let store = context.analytics.for_housekeeping();
    let today = context.clock.now().date_naive();
    let since = (today - DAYS + TimeDelta::days(1)).and_time(NaiveTime::MIN).and_utc();
    let mut changed = 0;
    for brand in figures::brands(&context.postgres, &SCOPE).await? {
        let seen: Filters = [
            Condition::of_brands(&[brand]),
            Condition::seen_between(Some(since), None),
        ]
        .into_iter()
        .collect();
        let counted: Vec<ActionFigures> = advertisers::list(&store, &SCOPE, &seen, u32::MAX - 1)
            .await?
            .into_iter()
            .filter_map(|row| {
                Some(ActionFigures {
                    domain: row.domain,
                    country: row.country,
                    engine: row.engine.parse().ok()?,
                    views: row.nb_views,
                    ads: row.nb_ads,
                })
            })
            .collect();
        let kinds = kinds(context, brand).await?;
        let mut tx = postgres::begin(&context.postgres).await?;
        figures::set_kinds(&mut tx, &SCOPE, brand, &kinds).await?;
        changed += figures::set(&mut tx, &SCOPE, brand, &counted).await?;
        tx.commit().await.map_err(postgres::Error::from)?;
    }
    loop {
        let mut tx = postgres::begin(&context.postgres).await?;
        let passed = figures::pass_days(&mut tx, &SCOPE, today, AT_ONCE).await?;
        tx.commit().await.map_err(postgres::Error::from)?;
        if passed == 0 {
            return Ok(format!("{changed} priorities changed"));
        }
    }
}

/// When text and shopping ads of each advertiser of a brand were last seen. Empty if all cases of the brand have these times already.
async fn kinds(context: &WorkerContext, brand: BrandId) -> Result<Vec<LastSeen>, Error> {
    if !figures::lacks_kinds(&context.postgres, &SCOPE, brand).await? {
        return Ok(Vec::new());
    }
    let of_brand: Filters = [Condition::of_brands(&[brand])].into_iter().collect();
    let seen = advertisers::last_by_kind(&context.analytics.for_housekeeping(), &SCOPE, &of_brand).await?;
    let seen = seen.into_iter().map(|row| LastSeen {
        domain: row.domain,
        country: row.country,
        engine: row.engine,
        text: row.text,
        shopping: row.shopping,
    });
    Ok(seen.collect())
}
