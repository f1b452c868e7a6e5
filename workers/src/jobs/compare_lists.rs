//! Comparing negative lists in Google with what lanes want: what a person changed there wins.

use crate::context::WorkerContext;
use crate::{Error, stop_go};

/// Reads the lists that were not read for half a day, and returns a summary.
pub async fn run(context: &WorkerContext) -> Result<String, Error> {
    let compared = stop_go::compare(&context.postgres, &context.stop_go, context.clock.now()).await?;
    Ok(format!("{compared} negative lists compared"))
}
