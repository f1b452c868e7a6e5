//! Pages on which nothing is found. Engines also refuse with the text that they show for terms without results, so such a page means
//! 'no ads' only once it came on several days while other terms had results.

use capture::ReadPage;
use chrono::{DateTime, TimeDelta, Utc};
use postgres::empty_spells::{self, EmptyCapture, SpellState};
use postgres::{Connection, Pool};
use vocabulary::Verdict;

use super::admit::AdmittedSearch;
use super::engines::Engines;
use crate::Error;
use crate::pages::emptiness::nothing_found;

/// It is no coincidence when this many terms get the same text within [`LATELY`].
const MANY_TERMS: i64 = 3;
const LATELY: TimeDelta = TimeDelta::minutes(15);

/// Records what a result page says about the empty spell of its term, in the caller's transaction. A page with results ends the spell. A page on
/// which nothing was found continues it, and has no ads for certain (`read` is changed) once the spell is confirmed. Returns the spell in the second
/// case, otherwise `None`.
pub async fn record_spell(
    connection: &mut Connection,
    engines: &Engines,
    search: &AdmittedSearch<'_>,
    at: DateTime<Utc>,
    read: &mut ReadPage,
) -> Result<Option<SpellState>, Error> {
    let AdmittedSearch { claim, term, route } = search;
    if read.verdict == Verdict::Results {
        empty_spells::end(&mut *connection, term.id, claim.device, at).await?;
    }
    let Some(text) = nothing_found(read) else {
        return Ok(None);
    };
    let text = without_term(text, &term.term);
    let mut empty = empty_capture(search, &text, at);
    empty.others_had_results = engines.is_well(term.engine, route).await;
    let spell = empty_spells::note(&mut *connection, &empty).await?;
    metrics::counter!("vigie_captures_without_results_total", "engine" => term.engine.to_string()).increment(1);
    if spell.is_confirmed {
        read.confirm_nothing();
    }
    Ok(Some(spell))
}

/// Counts a page on which nothing was found as a refusal of the engine if the term had results before, or if [`MANY_TERMS`] terms got the same text
/// within [`LATELY`]. Does nothing once the empty spell is confirmed.
pub async fn note_if_refusal(
    pool: &Pool,
    engines: &Engines,
    search: &AdmittedSearch<'_>,
    at: DateTime<Utc>,
    read: &ReadPage,
    spell: SpellState,
) -> Result<(), Error> {
    let AdmittedSearch { term, route, .. } = search;
    if spell.is_confirmed {
        return Ok(());
    }
    let text = without_term(read.nothing_found.as_deref().unwrap_or_default(), &term.term);
    let empty = empty_capture(search, &text, at);
    let is_evidence =
        spell.had_results || empty_spells::count_terms_with_same_text(pool, &empty, at - LATELY).await? >= MANY_TERMS;
    if is_evidence {
        engines.note_silence(term.engine, route, term.id).await;
    }
    Ok(())
}

/// The record of a page that says, with `text`, that nothing was found at `at`; `others_had_results` is left `false` for the caller to set.
fn empty_capture<'a>(search: &'a AdmittedSearch<'_>, text: &'a str, at: DateTime<Utc>) -> EmptyCapture<'a> {
    EmptyCapture {
        term: search.term.id,
        device: search.claim.device,
        engine: search.term.engine,
        way: &search.route,
        said: text,
        at,
        others_had_results: false,
    }
}

/// The words of a page in lower case, joined by spaces, without those of the term and without words that contain a digit, since numbers differ from
/// page to page. The rest is the same for all terms.
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
