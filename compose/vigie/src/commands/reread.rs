//! `vigie reread`: reads stored pages again.

use std::process::ExitCode;

use chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta, Utc};
use clap::Args;
use postgres::rereading::RereadQuery;
use vocabulary::{Engine, TermId};
use workers::reread::{self, Stores};

use super::CommandError;
use crate::connections;
use crate::terminal::say;

/// Which pages to read again, and whether to store the result.
#[derive(Debug, Args)]
pub struct Reread {
    /// Captures taken on or after this day (UTC, as in 2026-11-21)
    #[arg(long)]
    since: NaiveDate,
    /// Only captures of this term, by its id
    #[arg(long)]
    term: Option<i32>,
    /// Only captures of this engine: google or bing
    #[arg(long)]
    engine: Option<Engine>,
    /// Replace what is stored where it differs; without this, differences are only shown
    #[arg(long)]
    apply: bool,
}

/// Reads the stored pages since a day again, only those of a term or an engine if given, and prints each capture whose ads differ, then the totals.
/// Stores new viewing copies and ads only with `--apply`. As root, it first becomes the user of the setting `embedded.user`.
pub fn run(arguments: &Reread) -> Result<ExitCode, CommandError> {
    let settings = super::settings_of_stack()?;
    let query = RereadQuery {
        since: DateTime::<Utc>::from_naive_utc_and_offset(arguments.since.and_time(NaiveTime::MIN), Utc),
        term: arguments.term.map(TermId),
        engine: arguments.engine,
    };
    // New viewing copies must have the same owner as the others.
    crate::stack::unprivileged::hand_over(&settings.embedded.user, &settings.data)?;
    super::block_on(async {
        let stores = Stores {
            postgres: connections::postgres(&settings, "vigie reread")?,
            analytics: connections::analytics(&settings)?,
            blobs: connections::blobs(&settings).await?,
            grace: TimeDelta::days(settings.actions.reappearance_grace_days.into()),
        };
        let summary = reread::run(&stores, &query, arguments.apply, |difference| {
            say(difference.to_string());
        })
        .await?;
        say(format!(
            "reread: captures {}, unreadable {}, differing {}, ads gained {}, lost {}, changed {}, captures replaced {}",
            summary.captures,
            summary.unreadable,
            summary.differing,
            summary.gained,
            summary.lost,
            summary.changed,
            summary.applied
        ));
        if !arguments.apply && summary.differing > 0 {
            say("nothing was changed; --apply stores what differs");
        }
        Ok(ExitCode::SUCCESS)
    })
}
