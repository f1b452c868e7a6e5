//! Reads what no selector names: the order of texts within an ad is steadier than the names of its parts.

use ego_tree::iter::Edge;
use scraper::{ElementRef, Node};

use super::text;

/// Letters a creative has at least; shorter texts are ratings, prices or opening hours.
const MIN_CREATIVE: usize = 20;
/// Letters a price has at most.
const MAX_PRICE: usize = 30;
/// Codes and abbreviations of currencies that have no sign of their own.
const CURRENCIES: [&str; 22] = [
    "aed", "aud", "brl", "cad", "chf", "czk", "dkk", "eur", "gbp", "грн", "kr", "kč", "лв", "nok", "pln", "руб", "r$",
    "sek", "thb", "tl", "usd", "zł",
];

/// A run of visible text and what it stands in.
struct Run {
    text: String,
    /// Within a link, a button, a list or a heading: a sitelink, a menu, never the creative.
    aside: bool,
}

/// The creative: the first running text behind the headline.
pub(super) fn creative(ad: ElementRef<'_>, title: &str, display: Option<&str>) -> Option<String> {
    let runs = runs(ad, Grain::Blocks);
    let start = runs.iter().position(|run| run.text.contains(title))? + 1;
    let free = runs
        .into_iter()
        .skip(start)
        .filter(|run| !run.aside)
        .map(|run| run.text);
    free.filter(|run| run.chars().filter(|c| c.is_alphabetic()).count() >= MIN_CREATIVE)
        .find(|run| !display.is_some_and(|shown| run.contains(shown)))
}

/// The price: the first text that is an amount of money.
pub(super) fn price(ad: ElementRef<'_>) -> Option<String> {
    runs(ad, Grain::Texts)
        .into_iter()
        .map(|run| run.text)
        .find(|run| is_money(run))
}

/// How many texts within an element are amounts of money.
pub(super) fn prices(element: ElementRef<'_>) -> usize {
    runs(element, Grain::Texts)
        .into_iter()
        .filter(|run| is_money(&run.text))
        .count()
}

/// The merchant: the first text behind the price that is no price.
pub(super) fn merchant(ad: ElementRef<'_>, price: &str) -> Option<String> {
    let mut texts = runs(ad, Grain::Texts)
        .into_iter()
        .map(|run| run.text)
        .skip_while(|run| run != price);
    texts.find(|run| !is_money(run) && run.chars().any(char::is_alphabetic))
}

/// Whether a text is an amount with its currency.
fn is_money(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| c.is_ascii_digit() || c.is_whitespace() || matches!(c, '.' | ','));
    let mut named = || words.any(|word| CURRENCIES.contains(&word));
    text.chars().count() <= MAX_PRICE
        && text.chars().any(|c| c.is_ascii_digit())
        && (text.chars().any(is_currency_sign) || named())
}

fn is_currency_sign(c: char) -> bool {
    matches!(c, '$' | '¢'..='¥' | '\u{20a0}'..='\u{20cf}' | '฿' | '￥')
}

/// How finely texts are told apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Grain {
    /// One run for each block-level element.
    Blocks,
    /// One run for each text.
    Texts,
}

fn runs(ad: ElementRef<'_>, grain: Grain) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut open = String::new();
    let mut aside_depth = 0_usize;
    let mut aside = false;
    let mut hidden = None;
    let mut close = |open: &mut String, aside: &mut bool| {
        let text = text::clean(open);
        open.clear();
        if !text.is_empty() {
            runs.push(Run { text, aside: *aside });
        }
        *aside = false;
    };
    for edge in ad.traverse() {
        match edge {
            Edge::Open(node) if hidden.is_none() => {
                if let Some(element) = ElementRef::wrap(node) {
                    if text::is_hidden(element) {
                        hidden = Some(node.id());
                        continue;
                    }
                    if text::breaks(element.value().name()) {
                        close(&mut open, &mut aside);
                    }
                    aside_depth += usize::from(is_aside(element) && element != ad);
                } else if let Node::Text(raw) = node.value() {
                    open.push_str(raw);
                    aside |= aside_depth > 0;
                    if grain == Grain::Texts {
                        close(&mut open, &mut aside);
                    }
                }
            }
            Edge::Close(node) => {
                if hidden == Some(node.id()) {
                    hidden = None;
                } else if hidden.is_none()
                    && let Some(element) = ElementRef::wrap(node)
                {
                    if text::breaks(element.value().name()) {
                        close(&mut open, &mut aside);
                    }
                    aside_depth -= usize::from(is_aside(element) && element != ad);
                }
            }
            Edge::Open(_) => {}
        }
    }
    close(&mut open, &mut aside);
    runs
}

fn is_aside(element: ElementRef<'_>) -> bool {
    matches!(
        element.value().name(),
        "a" | "button" | "ul" | "ol" | "table" | "h2" | "h3" | "h4" | "cite" | "g-dialog"
    ) || matches!(
        element.attr("role"),
        Some("button" | "list" | "listitem" | "heading" | "dialog" | "menu" | "link")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_money_from_other_numbers() {
        for text in ["12,50 €", "$1,299.00 now", "THB 6,050", "1 910,00 ₽", "349 kr", "R$ 20"] {
            assert!(is_money(text), "{text}");
        }
        for text in ["4,8 (12)", "Model 2024", "krone", "€", "50 % off"] {
            assert!(!is_money(text), "{text}");
        }
    }
}
