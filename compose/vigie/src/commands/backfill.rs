//! `vigie backfill`: the received time of ads that earlier versions stored.

use std::process::ExitCode;

use workers::backfill;

use super::CommandError;
use crate::connections;
use crate::terminal::say;

/// Gives ads stored by earlier versions the time their page was received; prints the number of captures changed in each month, then the sum. The
/// first error ends it.
pub fn run() -> Result<ExitCode, CommandError> {
    let settings = super::settings_of_stack()?;
    super::block_on(async {
        let postgres = connections::postgres(&settings, "vigie backfill")?;
        let analytics = connections::analytics(&settings)?;
        let all = backfill::run(&postgres, &analytics, |month, captures| {
            say(format!("{}: {captures} captures", month.format("%Y-%m")));
        })
        .await?;
        say(format!("backfill: {all} captures have the time of their page"));
        Ok(ExitCode::SUCCESS)
    })
}
