//! `vigie detect`: opens and updates cases from stored ads.

use std::process::ExitCode;

use chrono::{NaiveDate, TimeDelta};
use clap::Args;
use runtime::Clock;
use vocabulary::BrandId;
use workers::detect::{self, DetectionPeriod};

use super::CommandError;
use crate::connections;
use crate::terminal::say;

/// Which stored ads to search.
#[derive(Debug, Args)]
pub struct Detect {
    /// Ads seen on or after this day (UTC, as in 2026-11-21)
    #[arg(long)]
    since: NaiveDate,
    /// Ads seen on or before this day; today by default
    #[arg(long)]
    until: Option<NaiveDate>,
    /// Only ads on the terms of this brand, by its id
    #[arg(long)]
    brand: Option<i32>,
}

/// Opens and updates cases from the stored ads of validated brands (only the given one, if any), up to the given day or today (UTC); prints the
/// counts of each day with ads, then the totals. The first error ends it, before the totals; days before it stay done.
pub fn run(arguments: &Detect) -> Result<ExitCode, CommandError> {
    let settings = super::settings_of_stack()?;
    let period = DetectionPeriod {
        first: arguments.since,
        last: arguments.until.unwrap_or_else(|| Clock::system().now().date_naive()),
        brand: arguments.brand.map(BrandId),
    };
    let grace = TimeDelta::days(settings.actions.reappearance_grace_days.into());
    super::block_on(async {
        let postgres = connections::postgres(&settings, "vigie detect")?;
        let analytics = connections::analytics(&settings)?;
        let all = detect::run(&postgres, &analytics, &period, grace, |day, detected| {
            say(format!(
                "{day}: opened {}, refreshed {}, reappeared {}",
                detected.opened, detected.refreshed, detected.reappeared
            ));
        })
        .await?;
        say(format!(
            "detect: opened {}, refreshed {}, reappeared {}, requested {}",
            all.opened, all.refreshed, all.reappeared, all.requested
        ));
        Ok(ExitCode::SUCCESS)
    })
}
