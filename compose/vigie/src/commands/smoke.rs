//! `vigie smoke`: compares one capture with the truth.

use std::process::ExitCode;
use std::time::Instant;

use url::Url;

use super::CommandError;
use crate::smoke;
use crate::terminal::say;

/// Runs one capture through a separate stack and compares it with the truth, then with a restored backup. Prints each difference, then a line of figures; the exit code is 1 if
/// there is any difference, or no ad to compare.
pub fn run(s3: Option<&Url>) -> Result<ExitCode, CommandError> {
    let began = Instant::now();
    let run = super::block_on(async { Ok(smoke::run(s3).await?) })?;
    run.outcome.differences().iter().for_each(say);
    if let Some(drill) = &run.drill {
        say(drill.line());
    }
    say(run.outcome.line(began.elapsed()));
    Ok(if run.agrees() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
