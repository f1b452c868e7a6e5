//! `vigie demo-data`: the demonstration data.

use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use runtime::Clock;

use super::CommandError;
use crate::connections;
use crate::demo::{self, Destination, LoadOutcome, Plan};
use crate::terminal::say;

/// What to load.
#[derive(Debug, Args)]
pub struct DemoData {
    /// Ad results to generate, in addition to the captures of the newest days
    #[arg(long, default_value_t = 100_000)]
    rows: u64,
    /// Days up to now over which they are spread
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(2..=3650))]
    days: u32,
    /// Seed: the same seed gives the same results
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Make every result a different ad, instead of ads that repeat over captures
    #[arg(long)]
    all_different: bool,
    /// First remove generated results of an earlier call, and the cases of its brands
    #[arg(long)]
    replace: bool,
}

/// Loads the demonstration data, keeping what is there unless it is to be replaced, and prints the accounts with their password. As root it first
/// becomes the system user.
pub fn run(arguments: &DemoData) -> Result<ExitCode, CommandError> {
    let settings = super::settings_of_stack()?;
    // Pages must have the same owner as the others, or the workers cannot add theirs.
    crate::stack::unprivileged::hand_over(&settings.embedded.user, &settings.data)?;
    let plan = Plan {
        rows: arguments.rows,
        days: arguments.days,
        seed: arguments.seed,
        all_different: arguments.all_different,
        replace: arguments.replace,
    };
    super::block_on(async {
        let into = Destination {
            postgres: connections::postgres(&settings, "vigie demo-data")?,
            analytics: connections::analytics(&settings)?,
            blobs: connections::blobs(&settings).await?,
        };
        let began = Instant::now();
        match demo::load(&into, &plan, &settings, Clock::system().now()).await? {
            LoadOutcome::Made { rows, captures } => say(format!(
                "{rows} ad results made up, {} captures with {} more taken in with their pages, in {:.1} s",
                captures.captures,
                captures.ads,
                began.elapsed().as_secs_f64()
            )),
            LoadOutcome::Kept { rows } => {
                say(format!(
                    "{rows} made-up ad results are there and were kept; --replace replaces them"
                ));
            }
        }
        say(demo::how_to_sign_in(&settings));
        for account in demo::accounts() {
            let role = account
                .role
                .map_or_else(|| "company user".to_owned(), |role| role.to_string());
            say(format!("  {:<24} {role}", account.email));
        }

        Ok(ExitCode::SUCCESS)
    })
}
