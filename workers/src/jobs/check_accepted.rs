//! Looking whether advertisers who agreed have stopped.

use schedules::{Checked, check_accepted};

use crate::Error;
use crate::context::WorkerContext;

/// Plans the captures of the checks of accepted cases that are due, and returns a summary.
pub async fn run(context: &WorkerContext) -> Result<String, Error> {
    let Checked { checks, captures, left } = check_accepted(&context.postgres, context.clock.now()).await?;
    Ok(format!(
        "{checks} accepted cases checked by {captures} more captures, {left} left for another day"
    ))
}
