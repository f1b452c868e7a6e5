//! How a table names a text or an attribute within an element.

use scraper::{ElementRef, Selector};
use serde::Deserialize;

use super::text;

/// Where to find a value: `h3 a` (text of the first match that has one), `a[data-rw] @href` (the attribute of the first match that has it),
/// `@data-dtld` (an attribute of the element itself), `all .line` (the texts of every match, joined), `own cite` (text outside child elements).
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Source {
    reach: SelectorScope,
    attribute: Option<String>,
}

/// Where a source looks within an element.
#[derive(Clone, Debug)]
enum SelectorScope {
    Itself,
    First(Selector),
    All(Selector),
    Own(Selector),
}

impl TryFrom<String> for Source {
    type Error = String;

    /// Parses the notation that [`Source`] describes. An `@` before a `]` belongs to the selector. The error says which selector is invalid.
    fn try_from(text: String) -> Result<Self, String> {
        let (path, attribute) = match text.rsplit_once('@') {
            Some((path, name)) if !name.contains(']') => (path.trim(), Some(name.trim().to_owned())),
            _ => (text.trim(), None),
        };
        let reach = if path.is_empty() {
            SelectorScope::Itself
        } else if let Some(path) = path.strip_prefix("all ") {
            SelectorScope::All(selector(path)?)
        } else if let Some(path) = path.strip_prefix("own ") {
            SelectorScope::Own(selector(path)?)
        } else {
            SelectorScope::First(selector(path)?)
        };
        Ok(Self { reach, attribute })
    }
}

/// Parses a CSS selector; the error says what is wrong with it.
pub(super) fn selector(css: &str) -> Result<Selector, String> {
    Selector::parse(css).map_err(|error| format!("'{css}' is not a selector: {error}"))
}

impl Source {
    /// Returns the cleaned value: of `element` itself, of the first match within it that has one, or of all matches joined by spaces, as `reach`
    /// says. The texts of what matches `label` are left out, except from attributes and `own` texts. `None` when it is missing or blank.
    fn value(&self, element: ElementRef<'_>, label: Option<&Selector>) -> Option<String> {
        match &self.reach {
            SelectorScope::Itself => self.read(element, label),
            SelectorScope::First(selector) => element.select(selector).find_map(|found| self.read(found, label)),
            SelectorScope::All(selector) => {
                let found = element.select(selector);
                let parts: Vec<_> = found.filter_map(|found| self.read(found, label)).collect();
                (!parts.is_empty()).then(|| parts.join(" "))
            }
            SelectorScope::Own(selector) => element.select(selector).find_map(own_text),
        }
    }

    /// Returns the attribute, or the visible text without labels, of the element itself; `None` when it is missing or blank.
    fn read(&self, element: ElementRef<'_>, label: Option<&Selector>) -> Option<String> {
        let value = match &self.attribute {
            Some(name) => text::clean(element.attr(name)?),
            None => text::visible_but(element, label),
        };
        (!value.is_empty()).then_some(value)
    }
}

/// Returns the cleaned text of the element's own text nodes, joined, without that of child elements; `None` when it is blank.
fn own_text(element: ElementRef<'_>) -> Option<String> {
    let raw: String = element
        .children()
        .filter_map(|child| child.value().as_text())
        .map(|text| &**text)
        .collect();
    let value = text::clean(&raw);
    (!value.is_empty()).then_some(value)
}

/// The value of the first source that has one.
pub(super) fn first(sources: &[Source], element: ElementRef<'_>) -> Option<String> {
    first_but(sources, element, None)
}

/// The value of the first source that has one, without the texts of what matches `label`.
pub(super) fn first_but(sources: &[Source], element: ElementRef<'_>, label: Option<&Selector>) -> Option<String> {
    sources.iter().find_map(|source| source.value(element, label))
}

/// Returns the first value of each source that has one, in the order of the sources, without repetition.
pub(super) fn every(sources: &[Source], element: ElementRef<'_>) -> Vec<String> {
    let mut values = Vec::new();
    for value in sources.iter().filter_map(|source| source.value(element, None)) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values
}
