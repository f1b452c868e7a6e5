//! Closing the cases of advertisers that are no longer seen (decision D54).

use postgres::actions::silence;
use vocabulary::SystemScope;

use crate::Error;
use crate::context::WorkerContext;

/// Actions changed in one transaction.
const AT_ONCE: i64 = 1_000;

const SCOPE: SystemScope = SystemScope::new("closing what is not seen");

/// Closes, as disappeared, the cases of advertisers that were not seen for `disappear_days` although their brand, country and engine were captured
/// throughout; [`AT_ONCE`] at a time until none is left. Returns a summary.
pub async fn run(context: &WorkerContext) -> Result<String, Error> {
    let (now, days) = (context.clock.now(), context.housekeeping.actions.disappear_days);
    let mut gone = 0;
    loop {
        let mut tx = postgres::begin(&context.postgres).await?;
        let more = silence::disappear(&mut tx, &SCOPE, now, days, AT_ONCE).await?;
        tx.commit().await.map_err(postgres::Error::from)?;
        if more == 0 {
            return Ok(format!("{gone} actions disappeared"));
        }
        gone += more;
    }
}
