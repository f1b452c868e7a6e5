//! Coverage: how many of the planned captures were valid. Without it a 'none' means nothing.

use analytics::filter::Filters;
use chrono_tz::Tz;
use futures::{Stream, StreamExt, TryStreamExt, stream};
use postgres::captures::{CaptureQuery, FactCondition};
use postgres::coverage::{self, Counts, Coverage, OfPlace};
use texts::text;
use vocabulary::{Language, Scope};

use crate::failure::ApiError;
use crate::list_file::Cell;
use crate::state::ApiState;

/// The conditions on captures among the filters, for the ledger; filters on ads are left out. Days and hours are those of `zone`.
pub(crate) fn capture_query(filters: &Filters, zone: Tz) -> CaptureQuery {
    let (from, to) = filters.instants();
    let tests = filters.facts_of_captures().into_iter().map(|fact| FactCondition {
        field: fact.field.to_string(),
        include: fact.include,
        contains: fact.contains,
        texts: fact.texts,
    });
    CaptureQuery {
        from,
        to,
        tests: tests.collect(),
        zone: zone.name().to_owned(),
    }
}

/// How many of the captures planned under the filters were valid, of the terms that the scope sees. Filters on ads are ignored.
pub(crate) async fn of_filters(state: &ApiState, scope: &Scope, filters: &Filters) -> Result<Coverage, ApiError> {
    let query = capture_query(filters, state.settings.time_zone);
    Ok(coverage::coverage(&state.postgres, scope, &query).await?)
}

/// The last rows of a list's file: planned and valid captures in all, then those of the places and terms where few were valid. They are counted when
/// the rows before them have been written.
pub(crate) fn last_rows(
    state: &ApiState,
    scope: &Scope,
    filters: Filters,
    language: Language,
) -> impl Stream<Item = Result<Vec<Cell>, ApiError>> + use<> {
    let (state, scope) = (state.clone(), scope.clone());
    let found = async move { of_filters(&state, &scope, &filters).await };
    stream::once(found)
        .map_ok(move |found| stream::iter(in_rows(&found, language)).map(Ok))
        .try_flatten()
}

/// Coverage as rows of title, what it is about, valid, "of planned" and planned: the total, then the places with few valid captures, then the terms
/// found. Titles are in `language`; places are named by engine and country, terms by their words with the place.
fn in_rows(found: &Coverage, language: Language) -> Vec<Vec<Cell>> {
    let row = |title: &str, what: String, counts: Counts| {
        vec![
            Cell::Text(text(language, title).to_owned()),
            Cell::Text(what),
            Cell::number(&counts.valid),
            Cell::Text(text(language, "files:coverage.ofPlanned").to_owned()),
            Cell::number(&counts.planned),
        ]
    };
    let named = |place: &OfPlace| {
        let engine = place.engine.map(|engine| engine.to_string());
        let parts = [engine, place.country.clone()].into_iter().flatten();
        parts.collect::<Vec<_>>().join(" ")
    };
    let places = found.places.iter().filter(|place| place.counts.are_few());
    let places = places.map(|place| row("files:coverage.few", named(place), place.counts));
    let terms = found.terms.iter().map(|term| {
        let what = format!("{} ({})", term.content, named(&term.place));
        row("files:coverage.few", what, term.place.counts)
    });
    std::iter::once(row("files:coverage.valid", String::new(), found.all))
        .chain(places)
        .chain(terms)
        .collect()
}
