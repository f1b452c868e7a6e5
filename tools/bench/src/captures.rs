//! Terms that are captured while something else goes on, and what of their captures was lost.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use chrono::DateTime;
use postgres::Pool;
use postgres::manifests::{self, ManifestId};
use postgres::operations::outcomes;
use postgres::terms::{NewTerm, TermOptions};
use vigie::terminal::say;
use vigie::trial::{BRAND, TrialStack};
use vocabulary::{Device, Engine, Frequency, KeywordType, SlotState, SystemScope, TermId, TermState};

use crate::bench::BenchError;

const LOCALE: &str = "fr_FR";
const CITY: &str = "Paris";
/// Time until all that was due has ended.
const DRAIN: Duration = Duration::from_mins(4);
const BETWEEN_LOOKS: Duration = Duration::from_millis(500);
const DAY: Duration = Duration::from_hours(24);

/// Creates a brand with `count` enabled terms, each captured once in every `every`, and returns the ids of the terms. The caller commits. Fails when
/// the localization is missing.
pub async fn create_terms(
    tx: &mut postgres::Connection,
    count: usize,
    every: Duration,
) -> Result<Vec<TermId>, BenchError> {
    let scope = SystemScope::new("captures of a bench");
    let localization = postgres::localizations::find(&mut *tx, LOCALE, CITY)
        .await?
        .ok_or(BenchError::NoLocalization(CITY))?;
    let brand = postgres::brands::create(&mut *tx, &scope, &BRAND).await?;
    let options = TermOptions {
        save_shopping_ads: true,
        ..TermOptions::default()
    };
    let millis = i64::try_from(every.as_millis()).unwrap_or(i64::MAX);
    let mut terms = Vec::with_capacity(count);
    for number in 0..count {
        let term = NewTerm {
            // A word of buying, for which the simulated engine always shows ads.
            term: &format!("acheter alba running shoes {number}"),
            engine: Engine::Google,
            localization,
            region: None,
            devices: &[Device::Desktop],
            every: Frequency::from_millis(millis).unwrap_or(Frequency::AUTO),
            state: TermState::Enabled,
            keyword_type: KeywordType::Generic,
            brand: Some(brand),
            options: &options,
            can_be_accessed_by: &[],
        };
        terms.push(postgres::terms::create(tx, &scope, &term).await?);
    }
    Ok(terms)
}

/// What became of the captures of a run.
pub struct Losses {
    /// Captures whose ads are stored.
    pub stored: u64,
    /// Slots that were not captured, or that break a rule of the ledger.
    pub slots: u64,
    /// Rows that only one of ledger and store of ads has.
    pub rows: u64,
}

/// Ends the terms, waits at most [`DRAIN`] for what is running, prints what became of the captures of the last day, and compares the ledger with the
/// store of ads.
pub async fn losses(stack: &TrialStack, postgres: &Pool, terms: &[TermId]) -> Result<Losses, BenchError> {
    let scope = SystemScope::new("captures of a bench");
    postgres::terms::set_state(postgres, &scope, terms, TermState::Disabled).await?;
    let deadline = Instant::now() + DRAIN;
    let mut unsettled = u64::MAX;
    while unsettled > 0 && Instant::now() < deadline {
        tokio::time::sleep(BETWEEN_LOOKS).await;
        let states = postgres::slots::unsettled(postgres).await?;
        unsettled = states.iter().map(|(_, count)| count.unsigned_abs()).sum();
    }
    let ends = outcomes::over_time(postgres, DAY, DAY).await?;
    let of = |state| ends.iter().filter(move |end| end.state == state).map(|end| end.count);
    // Ending the terms misses what they had planned.
    let superseded = ends
        .iter()
        .filter(|end| end.state == SlotState::Missed && end.verdict != "disabled");
    let missed: u64 = superseded.map(|end| end.count).sum();
    let violations = postgres::invariants::violations(postgres, DateTime::UNIX_EPOCH, DRAIN).await?;
    for violation in &violations {
        say(format!("{violation:?}"));
    }
    let (stored, failed): (u64, u64) = (of(SlotState::Verified).sum(), of(SlotState::Failed).sum());
    say(format!(
        "captures: {stored} stored, {failed} failed, {missed} missed, {unsettled} not ended"
    ));
    Ok(Losses {
        stored,
        slots: missed + unsettled + violations.len() as u64,
        rows: rows_lost(stack, postgres).await?,
    })
}

/// Returns by how many rows the batches in the store of ads differ from the verified manifests.
async fn rows_lost(stack: &TrialStack, postgres: &Pool) -> Result<u64, BenchError> {
    let verified = manifests::verified_between(postgres, ManifestId(0), ManifestId(i64::MAX)).await?;
    let client = analytics::Client::connect(&stack.analytics()?).await?;
    let found = analytics::ingest::batches(&client, 0..=analytics::ingest::MADE_UP_BATCHES).await?;
    let found: BTreeMap<u64, u64> = found.into_iter().collect();
    let differences = verified.iter().map(|(id, rows)| {
        let there = found.get(&id.0.cast_unsigned()).copied().unwrap_or(0);
        there.abs_diff(u64::from(*rows))
    });
    Ok(differences.sum())
}
