//! Stop and Go: captures of lanes are read and decided on in the transaction that settles them ([`seen`]), the clock decides where no capture comes
//! ([`run`]), and what is decided is carried out in Google ([`apply()`]).

pub mod allowed;
mod apply;
mod google_lists;
mod notices;
mod read_back;
mod savings;
mod seen;

use std::time::Duration;

use chrono::{DateTime, Months, TimeDelta, Utc};
use postgres::Pool;
use postgres::stop_go::{keywords, lanes, readings};
use stop_go::live;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use vocabulary::SystemScope;

use crate::Error;
use crate::context::WorkerContext;

pub use allowed::StopGo;
pub use apply::{apply, compare, read_after_goes};
pub use google_lists::GoogleLists;
pub use savings::add_up;
pub(crate) use seen::SeenPage;

/// Between two looks at the lanes whose time has come.
const ROUND: Duration = Duration::from_secs(2);
/// Between two looks at what lists have to be: a lane that has to go waits no longer than this for its turn.
const APPLIED_EVERY: Duration = Duration::from_secs(1);
/// Between two looks at what changes seldom: accounts of brands, and rows to be removed.
const UPKEEP: TimeDelta = TimeDelta::minutes(1);
/// Between two times that the savings of the last days are added up: figures of Google come once a day.
const ADDED_UP_EVERY: Duration = Duration::from_mins(30);
/// What is known of lanes is kept 25 months (decision D198), and a day longer.
const KEPT: Months = Months::new(25);
/// Lanes that are decided on in one round.
const AT_ONCE: i64 = 1_000;

const SCOPE: SystemScope = SystemScope::new("keeping lanes as they should be");

/// Decides where the clock alone may change something, carries out what is decided and removes what was deleted, until `shutdown`. A step that fails is
/// only logged, and tried again. Lists are changed beside all else: a lane that has to go waits for nothing but its list.
pub(crate) async fn run(context: WorkerContext, shutdown: CancellationToken) {
    let keeping = async {
        let mut beat = tokio::time::interval(ROUND);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut upkept = None;
        loop {
            beat.tick().await;
            let now = context.clock.now();
            if let Err(error) = pass(&context.postgres, &context.stop_go, now).await {
                tracing::warn!(%error, "lanes could not be decided on");
            }
            if let Err(error) = read_back::run(&context, now).await {
                tracing::warn!(%error, "the past of a lane could not be read");
            }
            if upkept.is_none_or(|upkept| now - upkept >= UPKEEP) {
                upkept = Some(now);
                if let Err(error) = upkeep(&context.postgres, &context.stop_go, now).await {
                    tracing::warn!(%error, "lanes could not be kept up");
                }
                if let Err(error) = read_after_goes(&context.postgres, &context.stop_go, now).await {
                    tracing::warn!(%error, "lists of lanes that went could not be read again");
                }
            }
        }
    };
    let applying = async {
        let mut beat = tokio::time::interval(APPLIED_EVERY);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            beat.tick().await;
            if let Err(error) = apply(&context.postgres, &context.stop_go, context.clock.now()).await {
                tracing::warn!(%error, "negative lists could not be changed");
            }
        }
    };
    let adding = async {
        let mut beat = tokio::time::interval(ADDED_UP_EVERY);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            beat.tick().await;
            if let Err(error) = add_up(&context.postgres, context.clock.now()).await {
                tracing::warn!(%error, "what lanes saved could not be added up");
            }
        }
    };
    tokio::select! {
        () = shutdown.cancelled() => {}
        () = keeping => {}
        () = adding => {}
        () = applying => {}
    }
}

/// Decides on the lanes whose time has come at `now`, each in a transaction of its own; stopped ones first, so that a start after a standstill begins with
/// them. Returns how many.
pub async fn pass(pool: &Pool, stop_go: &StopGo, now: DateTime<Utc>) -> Result<usize, Error> {
    let due = lanes::due(pool, &SCOPE, now, AT_ONCE).await?;
    for lane in &due {
        decide(pool, stop_go, *lane, now).await?;
    }
    Ok(due.len())
}

/// Decides on one lane at `now`. One that has a value of a newer version is left as it is.
async fn decide(pool: &Pool, stop_go: &StopGo, lane: i32, now: DateTime<Utc>) -> Result<(), Error> {
    let mut tx = postgres::begin(pool).await?;
    match live::decide_stored(&mut tx, lane, stop_go.switches(), now).await {
        Ok(_) => tx.commit().await.map_err(postgres::Error::from)?,
        Err(live::StopGoError::Postgres(error)) => return Err(error.into()),
        Err(error) => tracing::error!(lane, %error, "a lane cannot be decided on"),
    }
    Ok(())
}

/// Moves lanes to the accounts of their brands, removes keywords whose lanes are gone from the list and what is too old, queues the
/// mails that people need at once.
pub async fn upkeep(pool: &Pool, stop_go: &StopGo, now: DateTime<Utc>) -> Result<(), Error> {
    let mut tx = postgres::begin(pool).await?;
    let moved = lanes::follow_accounts(&mut tx, &SCOPE, now).await?;
    keywords::purge_removed(&mut tx, &SCOPE).await?;
    readings::forget_before(&mut tx, &SCOPE, now - KEPT - TimeDelta::days(1)).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    for lane in moved {
        decide(pool, stop_go, lane, now).await?;
    }
    notices::queue(pool, now).await
}
