//! Demonstration data: fictional companies with their brands, users and terms, made-up results for those terms, and actions of them.
//!
//! The results stand outside the ledger: their batches begin at [`analytics::sample::FIRST_BATCH`], which no manifest reaches, and no
//! capture is recorded for them.

mod cases;
mod people;
mod world;

use analytics::sample::{self, Sample};
use chrono::{DateTime, Utc};
use runtime::Settings;
use thiserror::Error;

pub use people::{accounts, are_refused, how_to_sign_in};

/// What to load.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Results.
    pub rows: u64,
    /// Days up to the present that they spread over.
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
pub enum Loaded {
    /// The results were made.
    Made {
        /// How many there are.
        rows: u64,
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
    Records(#[from] records::Error),
    /// ClickHouse.
    #[error(transparent)]
    Analytics(#[from] analytics::Error),
    /// The actions could not be made.
    #[error(transparent)]
    Workers(#[from] workers::Error),
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

/// Loads what is missing. Companies, users and terms are made once; results are made once, or anew where the plan says so.
pub async fn load(
    records: &records::Pool,
    analytics: &analytics::Client,
    plan: &Plan,
    settings: &Settings,
    now: DateTime<Utc>,
) -> Result<Loaded, DemoError> {
    world::make_once(records, settings).await?;
    let there = sample::count(analytics).await?;
    if there > 0 {
        if !plan.replace {
            return Ok(Loaded::Kept { rows: there });
        }
        sample::delete(analytics).await?;
    }
    let sample = Sample {
        terms: world::terms(records).await?,
        rows: plan.rows,
        days: plan.days,
        end: u32::try_from(now.timestamp()).unwrap_or(u32::MAX),
        seed: plan.seed,
        all_different: plan.all_different,
    };
    sample::fill(analytics, &sample).await?;
    cases::make(records, analytics, plan.days, now).await?;
    Ok(Loaded::Made { rows: plan.rows })
}
