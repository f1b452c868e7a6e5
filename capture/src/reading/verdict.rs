//! What a page is: an answer to the search, or one of the ways to get none.

use scraper::{ElementRef, Html, Selector};
use std::sync::LazyLock;
use vocabulary::Verdict;

use super::tables::{Css, Marks};
use super::text;

static TITLE: LazyLock<Option<Selector>> = LazyLock::new(|| Selector::parse("title").ok());

/// Judges a page. What was read counts most: a page with results is an answer, whatever else stands on it.
pub(super) fn of(html: &Html, marks: &Marks, nothing_read: bool) -> Verdict {
    if !nothing_read {
        return Verdict::Results;
    }
    if has(html, &marks.captcha) {
        return Verdict::Captcha;
    }
    if has(html, &marks.consent) {
        return Verdict::Consent;
    }
    let title = title(html);
    if marks.blocked_titles.iter().any(|start| title.starts_with(start.as_str())) {
        return Verdict::Blocked;
    }
    if is_http_error(&title) {
        return Verdict::HttpError;
    }
    if has(html, &marks.nothing_found) || (has(html, &marks.results)) {
        return Verdict::Results;
    }
    Verdict::Shell
}

fn has(html: &Html, css: &Css) -> bool {
    html.select(&css.0).next().is_some()
}

fn title(html: &Html) -> String {
    let element = TITLE.as_ref().and_then(|selector| html.select(selector).next());
    element.map(raw_text).unwrap_or_default().to_lowercase()
}

fn raw_text(element: ElementRef<'_>) -> String {
    text::clean(&element.text().collect::<String>())
}

/// Titles such as `Error 403 (Forbidden)!!1`, `502 Bad Gateway`, `404. That's an error.`
fn is_http_error(title: &str) -> bool {
    let rest = title.strip_prefix("error ").or_else(|| title.strip_prefix("http error ")).unwrap_or(title);
    let code = rest.get(..3).and_then(|code| code.parse::<u16>().ok());
    let ends = rest.get(3..).is_none_or(|tail| !tail.starts_with(|c: char| c.is_alphanumeric()));
    let named = ["forbidden", "not found", "bad gateway", "service", "gateway", "error", "unavailable", "too many requests", "bad request"];
    code.is_some_and(|code| (400..600).contains(&code))
        && ends
        && (rest.len() <= 4 || title.starts_with("error") || title.starts_with("http error") || named.iter().any(|name| rest.contains(name)))
}
