//! Actions in every status, made of the made-up results as captures would have made them.

use chrono::{DateTime, Days, TimeDelta, Utc};
use records::actions::events;
use records::actions::list::{self, ActionsQuery, Sort};
use vocabulary::ActionEvent::{self, Accept, Ignore, Manual, Refuse, Remind, Request, StopSeeing, StopWork};
use vocabulary::{ActionId, Scope};
use workers::detect::{self, Wanted};

use super::DemoError;

/// When people last dealt with actions; what was accepted or gone by then and is seen since has appeared again.
const DEALT_WITH: Days = Days::new(15);
const GRACE: TimeDelta = TimeDelta::days(7);
/// Actions that people have dealt with.
const MOST_ACTIONS: i64 = 1_000;
const SCOPE: Scope = Scope::system("demonstration data");

/// What happens to every so many actions, in turn; to the others nothing.
const EARLIER: [&[ActionEvent]; 8] = [&[Accept], &[Ignore], &[StopSeeing], &[], &[], &[], &[], &[]];
const LATER: [&[ActionEvent]; 16] = [
    &[Request],
    &[Manual],
    &[Manual, Remind],
    &[Accept],
    &[Refuse],
    &[Manual, StopWork],
    &[StopSeeing],
    &[Ignore],
    &[Request],
    &[],
    &[],
    &[],
    &[],
    &[],
    &[],
    &[],
];

/// Makes the actions of the results of the last `days` days.
pub(super) async fn make(
    pool: &records::Pool,
    analytics: &analytics::Client,
    days: u32,
    now: DateTime<Utc>,
) -> Result<(), DemoError> {
    let between = now - DEALT_WITH;
    let first = now.date_naive() - Days::new(days.into());
    let mut wanted = Wanted {
        first,
        last: between.date_naive(),
        brand: None,
    };
    detect::run(pool, analytics, &wanted, GRACE, |_, _| {}).await?;
    deal_with(pool, &EARLIER, between).await?;
    wanted = Wanted {
        first: wanted.last,
        last: now.date_naive(),
        brand: None,
    };
    detect::run(pool, analytics, &wanted, GRACE, |_, _| {}).await?;
    deal_with(pool, &LATER, now).await
}

async fn deal_with(pool: &records::Pool, turns: &[&[ActionEvent]], at: DateTime<Utc>) -> Result<(), DemoError> {
    let query = ActionsQuery {
        conditions: Vec::new(),
        sort: Sort::Domain,
        descending: false,
        limit: MOST_ACTIONS,
        offset: 0,
    };
    let actions = list::page(pool, &SCOPE, &query).await?;
    let mut tx = records::begin(pool).await?;
    for (turn, happens) in turns.iter().enumerate() {
        let ids = actions.iter().skip(turn).step_by(turns.len());
        for (step, event) in happens.iter().enumerate() {
            let fit: Vec<ActionId> = ids
                .clone()
                .filter(|action| step > 0 || action.status.after(*event).is_some())
                .filter(|action| {
                    happens[..step]
                        .iter()
                        .all(|before| action.status.after(*before).is_some())
                })
                .map(|action| action.id)
                .collect();
            events::apply(&mut tx, &SCOPE, *event, &fit, at).await?;
        }
    }
    tx.commit().await.map_err(records::Error::from)?;
    Ok(())
}
