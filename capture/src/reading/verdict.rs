//! What a page is: an answer to the search, or one of the ways not to get one.

use std::sync::LazyLock;

use scraper::{Html, Selector};
use vocabulary::Verdict;

use super::tables::{Css, Marks};
use super::text;

/// What engines write when they refuse, in the languages they use, lower case, one per line; `#` starts a comment.
static REFUSALS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let lines = include_str!("tables/refusals.txt").lines();
    let phrases = lines.map(|line| line.split('#').next().unwrap_or_default().trim());
    phrases.filter(|phrase| !phrase.is_empty()).collect()
});
/// Characters kept of the text of a page without results.
const MAX_TEXT: usize = 600;
/// Characters of the longest town name.
const MAX_PLACE: usize = 100;

static TITLE: LazyLock<Option<Selector>> = LazyLock::new(|| Selector::parse("title").ok());

/// Judges a page; the first that applies: something read, `Results`; a captcha; a consent form; visible known answers, `Results`; other text in a
/// frame for results, `Doubtful`, as engines refuse in the wording they use for terms without results; an error, `HttpError`; a refusal, `Blocked`;
/// else `Shell`.
pub(super) fn judge(html: &Html, marks: &Marks, nothing_read: bool) -> Verdict {
    let has = |css: &Css| html.select(&css.0).next().is_some();
    let shows = |css: &Css| html.select(&css.0).any(|part| !text::visible(part).is_empty());
    if !nothing_read {
        Verdict::Results
    } else if has(&marks.captcha) {
        Verdict::Captcha
    } else if has(&marks.consent) {
        Verdict::Consent
    } else if shows(&marks.answers) {
        Verdict::Results
    } else if shows(&marks.results) {
        Verdict::Doubtful
    } else if has(&marks.error) || names_an_error(&page_title(html)) {
        Verdict::HttpError
    } else if has(&marks.blocked) || says_it_refuses(html) {
        Verdict::Blocked
    } else {
        Verdict::Shell
    }
}

/// Returns the visible text of a page without results: that of its notice, else of the first frame for results that has any; cut at [`MAX_TEXT`]
/// characters, empty when both are missing.
pub(super) fn text_of_nothing(html: &Html, marks: &Marks) -> String {
    let frames = html.select(&marks.nothing.0).chain(html.select(&marks.results.0));
    let text = frames
        .map(text::visible)
        .find(|text| !text.is_empty())
        .unwrap_or_default();
    text.chars().take(MAX_TEXT).collect()
}

/// Whether a page has the footer that every complete one ends with.
pub(super) fn has_a_foot(html: &Html, marks: &Marks) -> bool {
    html.select(&marks.foot.0).next().is_some()
}

/// Returns the town the engine answered for; `None` where the page names none of at most [`MAX_PLACE`] characters.
pub(super) fn place(html: &Html, marks: &Marks) -> Option<String> {
    let places = html.select(&marks.place.0).map(text::visible);
    places
        .into_iter()
        .find(|place| !place.is_empty() && place.chars().count() <= MAX_PLACE)
}

/// Returns whether the visible text of a page has one of the [`REFUSALS`], such as unusual traffic.
fn says_it_refuses(html: &Html) -> bool {
    let text = text::visible(html.root_element()).to_lowercase();
    REFUSALS.iter().any(|phrase| text.contains(phrase))
}

/// Returns the cleaned text of the page's title; empty when it has none.
fn page_title(html: &Html) -> String {
    let element = TITLE.as_ref().and_then(|selector| html.select(selector).next());
    element
        .map(|title| text::clean(&title.text().collect::<String>()))
        .unwrap_or_default()
}

/// Returns whether one of a title's first two words is an HTTP error status (400 to 599), as in `Error 403 (Forbidden)!!1`, `502 Bad Gateway`,
/// `Fehler 404`.
fn names_an_error(title: &str) -> bool {
    let words = title
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words
        .take(2)
        .any(|word| word.len() == 3 && word.parse::<u16>().is_ok_and(|code| (400..600).contains(&code)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_in_the_title_is_an_error_and_a_number_elsewhere_is_not() {
        for title in [
            "Error 403 (Forbidden)!!1",
            "502 Bad Gateway",
            "HTTP 429",
            "404. That’s an error.",
        ] {
            assert!(names_an_error(title), "{title}");
        }
        for title in ["prix de la 508", "peugeot 4080", "Shop", ""] {
            assert!(!names_an_error(title), "{title}");
        }
    }
}
