//! Text as displayed.

use ego_tree::iter::Edge;
use scraper::{ElementRef, Node, Selector};

/// Characters kept of a text; no displayed ad text comes near it.
const MAX_CHARS: usize = 2_000;

/// Returns the cleaned visible text within an element, without hidden inner elements, blocks separated by a space; cut at [`MAX_CHARS`] characters.
/// Whether the element itself is hidden is not checked.
pub(super) fn visible(element: ElementRef<'_>) -> String {
    visible_but(element, None)
}

/// Returns the text within an element without inner elements that are hidden or match `left_out`, blocks separated by a space, in the form that
/// [`clean`] gives it, cut at [`MAX_CHARS`] characters. The element itself is never left out.
pub(super) fn visible_but(element: ElementRef<'_>, left_out: Option<&Selector>) -> String {
    let is_out = |inner: ElementRef<'_>| is_hidden(inner) || left_out.is_some_and(|css| css.matches(&inner));
    let mut raw = String::new();
    let mut hidden = None;
    for edge in element.traverse() {
        match edge {
            Edge::Open(node) if hidden.is_none() => match node.value() {
                Node::Text(text) => raw.push_str(text),
                Node::Element(_) => {
                    let Some(inner) = ElementRef::wrap(node) else { continue };
                    if inner != element && is_out(inner) {
                        hidden = Some(node.id());
                    } else if breaks(inner.value().name()) {
                        raw.push(' ');
                    }
                }
                _ => {}
            },
            Edge::Close(node) if hidden == Some(node.id()) => hidden = None,
            Edge::Close(node)
                if hidden.is_none() && node.value().as_element().is_some_and(|inner| breaks(inner.name())) =>
            {
                raw.push(' ');
            }
            _ => {}
        }
        if raw.len() > MAX_CHARS * 4 {
            break;
        }
    }
    clean(&raw)
}

/// Removes characters without a shape (direction marks, joiners, byte order marks), cuts the rest at [`MAX_CHARS`] characters, then collapses white
/// space and control characters to single spaces and trims the text.
pub(super) fn clean(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len().min(MAX_CHARS));
    let shaped =
        |c: &char| !matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}' | '\u{feff}' | '\u{ad}');
    let mut blank = false;
    for c in raw.chars().filter(shaped).take(MAX_CHARS) {
        if c.is_whitespace() || c.is_control() {
            blank = true;
        } else {
            if blank && !text.is_empty() {
                text.push(' ');
            }
            blank = false;
            text.push(c);
        }
    }
    text
}

/// Returns whether an element is hidden, with all within it: by its name (as `script` or `svg`), its `hidden` attribute, or `display: none` in its
/// own style. Style sheets and elements around it are not considered.
pub(super) fn is_hidden(element: ElementRef<'_>) -> bool {
    let never = matches!(
        element.value().name(),
        "script" | "style" | "noscript" | "template" | "svg" | "head"
    );
    never || element.attr("hidden").is_some() || element.attr("style").is_some_and(hides_element)
}

/// Returns whether a `style` attribute has `display: none`.
fn hides_element(style: &str) -> bool {
    style.split(';').any(|rule| {
        rule.split_once(':').is_some_and(|(name, value)| {
            name.trim().eq_ignore_ascii_case("display") && value.trim().starts_with("none")
        })
    })
}

/// Returns whether elements of this name, in lower case, start and end a line.
pub(super) fn breaks(tag: &str) -> bool {
    matches!(
        tag,
        "br" | "div"
            | "p"
            | "li"
            | "ul"
            | "ol"
            | "table"
            | "tr"
            | "td"
            | "th"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "hr"
            | "section"
            | "article"
    )
}
