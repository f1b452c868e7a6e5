//! Demonstration data: fictional companies with their brands, users and terms, what was seen on those terms, and cases made of it.
//!
//! The newest days are captures like any other, with their pages ([`pages`]). The results of before are made up by the store of ads and stand
//! outside the ledger: their batches begin at [`analytics::sample::FIRST_BATCH`], which no manifest reaches, no capture is recorded for
//! them, and no page is kept. Of the ledger they have its sums alone ([`planned`]), so that figures and their coverage are of the same captures.

mod cases;
mod market;
mod pages;
mod people;
mod planned;
mod world;

use analytics::sample::{self, Sample};
use blobs::Blobs;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use postgres::Pool;
use postgres::actions::removal;
use runtime::Settings;
use thiserror::Error;
use vocabulary::SystemScope;
use workers::detect::{self, DetectionPeriod};
use workers::intake::IntakeTotals;
use workers::reread::Stores;

use cases::{Cases, days, days_before};
use market::Market;
use people::Participants;

pub use people::{accounts, are_refused, how_to_sign_in};

/// Days whose captures have their pages, today included. Each is made, read and kept like a worker's, so their number is what loading takes.
pub const DAYS_WITH_PAGES: u32 = 2;

const SCOPE: SystemScope = SystemScope::new("demonstration data");

/// What to load.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Results to be made up, without those of the captures with pages.
    pub rows: u64,
    /// Days up to the present that all results spread over.
    pub days: u32,
    /// The same seed makes the same results.
    pub seed: u64,
    /// Whether every result is another ad; otherwise ads repeat over captures as on real pages.
    pub all_different: bool,
    /// Whether results that are there give way; otherwise they are kept.
    pub replace: bool,
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadOutcome {
    /// The results were made.
    Made {
        /// How many there are.
        rows: u64,
        /// Captures with pages, and their ads.
        captures: IntakeTotals,
    },
    /// Results of an earlier load were left as they are.
    Kept {
        /// How many there are.
        rows: u64,
    },
}

/// Why nothing was loaded.
#[derive(Debug, Error)]
pub enum DemoError {
    /// Postgres.
    #[error(transparent)]
    Postgres(#[from] postgres::Error),
    /// ClickHouse.
    #[error(transparent)]
    Analytics(#[from] analytics::Error),
    /// The actions could not be made.
    #[error(transparent)]
    Workers(#[from] workers::Error),
    /// The simulated engines do not answer.
    #[error(transparent)]
    Market(#[from] serp_sim::Error),
    /// A term cannot be searched.
    #[error(transparent)]
    Address(#[from] capture::browsing::AddressError),
    /// The captures could not be sealed.
    #[error(transparent)]
    Evidence(#[from] evidence::Error),
    /// A password could not be made.
    #[error("no password for the demonstration users can be kept in the data folder: {0}")]
    Password(#[from] std::io::Error),
    /// A password could not be hashed.
    #[error("the password of the demonstration users cannot be hashed: {0}")]
    Hash(#[from] api::passwords::HashError),
    /// The reference data lacks a place.
    #[error("the schema brings no localization {locale} {city}; run `vigie migrate`")]
    NoLocalization {
        /// As in `fr_FR`.
        locale: &'static str,
        /// The city.
        city: &'static str,
    },
}

/// Where the data goes.
#[derive(Clone)]
pub struct Destination {
    /// The ledger.
    pub postgres: Pool,
    /// The store of ads.
    pub analytics: analytics::Client,
    /// The kept pages.
    pub blobs: Blobs,
}

/// Loads what is missing. Companies, users and terms are made once; results and cases are made once, or anew where the plan says so. Captures
/// with pages are in the ledger for good, and those that are there stay.
pub async fn load(
    into: &Destination,
    plan: &Plan,
    settings: &Settings,
    now: DateTime<Utc>,
) -> Result<LoadOutcome, DemoError> {
    let (postgres, analytics) = (&into.postgres, &into.analytics);
    world::make_once(postgres, settings).await?;
    let there = sample::count(analytics).await?;
    let brands = world::brands(postgres).await?;
    if there > 0 {
        if !plan.replace {
            return Ok(LoadOutcome::Kept { rows: there });
        }
        sample::delete(analytics).await?;
        let of_ours: Vec<_> = brands.iter().map(|(brand, _)| *brand).collect();
        removal::remove_all(postgres, &SCOPE, &of_ours).await?;
    }
    let market = Market::open()?;
    let terms = world::terms(postgres).await?;
    let today = now.date_naive();
    let with_pages = days_before(today, DAYS_WITH_PAGES - 1);
    let first = days_before(with_pages, plan.days.saturating_sub(DAYS_WITH_PAGES - 1).max(1));
    let watched = world::watched(&terms, &brands);
    // What was captured meanwhile is not made up beside.
    let begun = planned::first_day(postgres, &watched).await?;
    let until = begun.map_or(with_pages, |day| day.clamp(first, with_pages));
    let rows = plan.rows * days_between(first, until) / days_between(first, with_pages).max(1);
    if rows > 0 {
        let sample = Sample {
            terms: world::sampled(postgres, &market, &terms, (midnight(first), midnight(until))).await?,
            rows,
            days: u32::try_from(days_between(first, until)).unwrap_or(u32::MAX),
            end: u32::try_from(midnight(until).timestamp()).unwrap_or(u32::MAX),
            seed: plan.seed,
            all_different: plan.all_different,
        };
        sample::fill(analytics, &sample).await?;
    }
    planned::write(into, &terms).await?;

    let stores = Stores {
        postgres: postgres.clone(),
        analytics: analytics.clone(),
        blobs: into.blobs.clone(),
        grace: TimeDelta::days(settings.actions.reappearance_grace_days.into()),
    };
    let cases = Cases {
        pool: postgres,
        cast: &Participants::find(postgres, &brands).await?,
        rules: settings.actions,
        seed: plan.seed,
        now,
    };
    let mut captures = IntakeTotals::default();
    for day in days(first, today) {
        cases.pass_day(day).await?;
        if day >= with_pages {
            let until = midnight(day) + TimeDelta::days(1);
            captures += pages::take_in(&stores, &market, &watched, (midnight(day), until), now).await?;
        }
        let wanted = DetectionPeriod {
            first: day,
            last: day,
            brand: None,
        };
        detect::run(postgres, analytics, &wanted, stores.grace, |_, _| {}).await?;
    }
    evidence::seal(postgres).await?;
    Ok(LoadOutcome::Made { rows, captures })
}

fn midnight(day: NaiveDate) -> DateTime<Utc> {
    day.and_time(chrono::NaiveTime::MIN).and_utc()
}

fn days_between(first: NaiveDate, until: NaiveDate) -> u64 {
    (until - first).num_days().unsigned_abs()
}
