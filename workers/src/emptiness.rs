//! Pages on which nothing is found. Engines refuse softly in the words they have for terms that nobody writes about, so such a page says
//! 'no ads' only once it came back on several days while other terms had results.

use capture::{Doubt, ReadPage};
use chrono::{DateTime, TimeDelta, Utc};
use postgres::captures::Capture;
use postgres::empty_spells::{self, EmptyCapture, SpellState};
use postgres::terms::TermToCapture;
use postgres::{Connection, Pool};
use vocabulary::{Device, Verdict};

use crate::Error;
use crate::engines::Engines;

/// So many terms that are told the same within [`LATELY`] are no coincidence.
const MANY_TERMS: i64 = 3;
const LATELY: TimeDelta = TimeDelta::minutes(15);

/// A search and when it was made.
#[derive(Clone, Copy)]
pub struct TermSearch<'a> {
    pub term: &'a TermToCapture,
    pub device: Device,
    pub way: &'a str,
    pub at: DateTime<Utc>,
}

/// Settles what a page is on which nothing was found, and ends the spell of a term of which something was.
pub async fn settle(
    connection: &mut Connection,
    engines: &Engines,
    search: TermSearch<'_>,
    read: &mut ReadPage,
) -> Result<Option<SpellState>, Error> {
    let TermSearch { term, device, way, at } = search;
    if read.verdict == Verdict::Results {
        empty_spells::end(&mut *connection, term.id, device, at).await?;
    }
    let Some(page) = read.nothing_found.as_deref().filter(|_| is_whole(read)) else {
        return Ok(None);
    };
    let said = without_term(page, &term.term);
    let nothing = EmptyCapture {
        term: term.id,
        device,
        engine: term.engine,
        way,
        said: &said,
        at,
        others_had_results: engines.is_well(term.engine, way).await,
    };
    let spell = empty_spells::note(&mut *connection, &nothing).await?;
    metrics::counter!("vigie_captures_without_results_total", "engine" => term.engine.to_string()).increment(1);
    if spell.is_confirmed {
        read.confirm_nothing();
    }
    Ok(Some(spell))
}

/// Tells the engine's breaker of a page on which nothing was found, where that is evidence.
pub async fn judge(
    pool: &Pool,
    engines: &Engines,
    search: TermSearch<'_>,
    read: &ReadPage,
    spell: SpellState,
) -> Result<(), Error> {
    let TermSearch { term, way, at, device } = search;
    if spell.is_confirmed {
        return Ok(());
    }
    let said = without_term(read.nothing_found.as_deref().unwrap_or_default(), &term.term);
    let nothing = EmptyCapture {
        term: term.id,
        device,
        engine: term.engine,
        way,
        said: &said,
        at,
        others_had_results: false,
    };
    let is_evidence =
        spell.had_results || empty_spells::count_terms_with_same_text(pool, &nothing, at - LATELY).await? >= MANY_TERMS;
    if is_evidence {
        engines.fell_silent(term.engine, way, term.id).await;
    }
    Ok(())
}

/// Takes a page that was read again for what it was confirmed to be when it was captured.
pub async fn recall(pool: &Pool, capture: &Capture, read: &mut ReadPage) -> Result<(), Error> {
    let Some(term) = capture
        .term_id
        .filter(|_| read.nothing_found.is_some() && is_whole(read))
    else {
        return Ok(());
    };
    if empty_spells::is_confirmed(pool, term, capture.device, capture.taken_at).await? {
        read.confirm_nothing();
    }
    Ok(())
}

/// Whether nothing but the absence of results speaks against a page.
fn is_whole(read: &ReadPage) -> bool {
    read.doubts == [Doubt::NoResults]
}

/// What a page says apart from the words of the term, and from numbers, which differ from page to page.
fn without_term(page: &str, term: &str) -> String {
    let words = |text: &str| -> Vec<String> {
        let lower = text.to_lowercase();
        let words = lower.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let of_term = words(term);
    let is_said = |word: &String| !of_term.contains(word) && !word.chars().any(|c| c.is_ascii_digit());
    words(page).into_iter().filter(is_said).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_refusal_of_two_terms_is_the_same_text() {
        let one = without_term("There are no results for nexus mods. Ref A: 7122E06A", "nexus mods");
        let other = without_term("There are no results for Winter Boots. Ref A: 40518E39", "winter boots");
        assert_eq!(one, other);
        assert_eq!(one, "there are no results for ref a");
    }
}
