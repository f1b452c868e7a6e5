//! Terms as the cells of their export show them.

use postgres::term_import::ImportedTerm;

use super::columns::{Column, plain};
use super::names::References;

const HOUR_MS: f64 = 3_600_000.0;

/// The cell of a term, as the export writes it but for line breaks; that of its id is empty.
#[expect(
    clippy::cast_precision_loss,
    reason = "intervals are at most some years of milliseconds"
)]
pub(super) fn shown(column: Column, term: &ImportedTerm, references: &References) -> String {
    let optional = |text: &Option<String>| text.clone().unwrap_or_default();
    let place = references.place(term.localization);
    let cell = match column {
        Column::Id => String::new(),
        Column::Term => optional(&term.words),
        Column::Locale => place.and_then(|place| place.locale.clone()).unwrap_or_default(),
        Column::Localization => references.place_name(term.localization).to_owned(),
        Column::Region => optional(&term.region),
        Column::Engine => optional(&term.engine),
        Column::Devices => term
            .devices
            .as_ref()
            .map(|devices| devices.join(", "))
            .unwrap_or_default(),
        Column::Brand => references.brand_label(term.brand).to_owned(),
        Column::KeywordType => optional(&term.keyword_type),
        Column::Tags => joined(term.tags.iter().map(|tag| references.tag_label(*tag))),
        Column::Hours => term
            .every
            .map(|millis| (millis as f64 / HOUR_MS).to_string())
            .unwrap_or_default(),
        Column::State => optional(&term.state),
        Column::Companies => joined(term.companies.iter().map(|company| references.company_label(*company))),
    };
    plain(&cell)
}

/// Whether a cell says the same as the one shown: lists in any order, hours in any notation.
pub(super) fn is_shown_as(column: Column, shown: &str, cell: &str) -> bool {
    match column {
        Column::Devices | Column::Tags | Column::Companies => pieces(shown) == pieces(cell),
        Column::Hours => hours(shown) == hours(cell) && shown.is_empty() == cell.is_empty(),
        _ => shown == cell,
    }
}

/// Whether two terms differ in what a column shows, even if it shows both alike.
pub(super) fn differs(column: Column, one: &ImportedTerm, other: &ImportedTerm) -> bool {
    match column {
        Column::Id => false,
        Column::Term => one.words != other.words,
        Column::Locale | Column::Localization => one.localization != other.localization,
        Column::Region => one.region != other.region,
        Column::Engine => one.engine != other.engine,
        Column::Devices => one.devices != other.devices,
        Column::Brand => one.brand != other.brand,
        Column::KeywordType => one.keyword_type != other.keyword_type,
        Column::Tags => one.tags != other.tags,
        Column::Hours => one.every != other.every,
        Column::State => one.state != other.state,
        Column::Companies => one.companies != other.companies,
    }
}

fn joined<'a>(labels: impl Iterator<Item = &'a str>) -> String {
    labels.collect::<Vec<_>>().join(", ")
}

/// The parts of a list, in an order of their own.
fn pieces(list: &str) -> Vec<&str> {
    let pieces = list.split([',', ';']).map(str::trim);
    let mut pieces: Vec<&str> = pieces.filter(|piece| !piece.is_empty()).collect();
    pieces.sort_unstable();
    pieces
}

/// Hours written with a point or a comma, or the word for automatic; `None` for anything else.
pub(super) fn hours(text: &str) -> Option<f64> {
    if text.eq_ignore_ascii_case("auto") {
        return Some(0.0);
    }
    let hours: f64 = text.replace(',', ".").parse().ok()?;
    hours.is_finite().then_some(hours)
}
