//! Reads what no selector names: the order of texts within an ad changes less often than the names of its elements.

use ego_tree::NodeId;
use ego_tree::iter::Edge;
use scraper::{ElementRef, Node, Selector};
use vocabulary::WebHost;

use super::labels::is_label;
use super::text;

/// Letters of a text that can only be a sentence: no shop name, label or sitelink has as many.
const SENTENCE: usize = 30;
/// Letters of a short creative; shorter texts are ratings, prices or opening hours.
const PHRASE: usize = 12;
/// Most characters of a displayed address.
const MAX_ADDRESS: usize = 120;
/// Most letters of a price.
const MAX_PRICE: usize = 30;
/// Codes and abbreviations of currencies without a symbol.
const CURRENCIES: [&str; 22] = [
    "aed", "aud", "brl", "cad", "chf", "czk", "dkk", "eur", "gbp", "грн", "kr", "kč", "лв", "nok", "pln", "руб", "r$",
    "sek", "thb", "tl", "usd", "zł",
];

/// A run of visible text and its surroundings.
struct TextRun {
    text: String,
    /// Within a link, a button, a list or a heading: a sitelink or menu, never the creative.
    aside: bool,
    /// Number of links the run consists of.
    links: usize,
    /// Within a list: a row of sitelinks.
    listed: bool,
}

impl TextRun {
    /// Whether it may be a creative that is one link as a whole, rather than a row of sitelinks.
    const fn is_one_link(&self) -> bool {
        self.links == 1 && !self.listed
    }
}

/// Finds the creative: after the headline `title`, the first text of at least [`SENTENCE`] letters; else such a text that is one whole link outside
/// lists; else the first of at least [`PHRASE`]. Passes over other links, lists, headings, addresses, single words, texts that contain `display` and
/// what matches `label`. `None` when the headline or such a text is missing.
pub(super) fn creative(
    ad: ElementRef<'_>,
    title: &str,
    display: Option<&str>,
    label: Option<&Selector>,
) -> Option<String> {
    let runs = collect_runs(ad, Granularity::Blocks, label);
    let start = runs.iter().position(|run| run.text.contains(title))? + 1;
    let foreign = |run: &&TextRun| !is_address(&run.text) && !display.is_some_and(|shown| run.text.contains(shown));
    let behind = |aside: bool, least: usize| {
        let mut fitting = runs[start..]
            .iter()
            .filter(move |run| run.aside == aside && (!aside || run.is_one_link()) && is_running(&run.text, least));
        fitting.find(foreign)
    };
    let found = behind(false, SENTENCE)
        .or_else(|| behind(true, SENTENCE))
        .or_else(|| behind(false, PHRASE));
    found.map(|run| run.text.clone())
}

/// Finds the displayed address: the first text of at most [`MAX_ADDRESS`] characters that is written as a web address, or that has no spaces and
/// names a host of the site of `target`. Leaves out what matches `label`; `None` when no text fits.
pub(super) fn address(ad: ElementRef<'_>, target: Option<&WebHost>, label: Option<&Selector>) -> Option<String> {
    let led_to =
        |text: &str| WebHost::parse(text).is_some_and(|host| Some(host.master()) == target.map(WebHost::master));
    let texts = collect_runs(ad, Granularity::Texts, label)
        .into_iter()
        .map(|run| run.text);
    texts
        .filter(|text| text.chars().count() <= MAX_ADDRESS)
        .find(|text| is_address(text) || !text.contains(' ') && led_to(text))
}

/// Returns whether a text is written as a web address: it begins with a scheme or `www.` and names a host.
fn is_address(text: &str) -> bool {
    ["http://", "https://", "www."]
        .iter()
        .any(|start| text.starts_with(start))
        && WebHost::parse(text).is_some()
}

/// Returns whether a text has at least `least` letters and is more than one word.
fn is_running(text: &str, least: usize) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    letters >= least && (text.contains(' ') || !text.is_ascii())
}

/// Returns the texts of an ad in document order, without labels of ads; a text that strings several together (`Ad · 12,50 € · Shop`) is split at its
/// middle dots.
fn text_pieces(ad: ElementRef<'_>) -> Vec<String> {
    let runs = collect_runs(ad, Granularity::Texts, None).into_iter();
    let apart = runs.flat_map(|run| {
        run.text
            .split('·')
            .map(|piece| piece.trim().to_owned())
            .collect::<Vec<_>>()
    });
    apart.filter(|piece| !piece.is_empty() && !is_label(piece)).collect()
}

/// Finds the price: the first text that is an amount of money, as displayed.
pub(super) fn price(ad: ElementRef<'_>) -> Option<String> {
    text_pieces(ad).into_iter().find(|piece| is_money(piece))
}

/// Finds the product's name: the line with the most letters before the first line with `price`, or from there on where none before has letters.
/// Amounts of money do not count ([`is_money`]); `None` when no other line has letters.
pub(super) fn product(ad: ElementRef<'_>, price: &str) -> Option<String> {
    let lines: Vec<_> = collect_runs(ad, Granularity::Blocks, None)
        .into_iter()
        .map(|run| run.text)
        .collect();
    let at = lines
        .iter()
        .position(|line| line.contains(price))
        .unwrap_or(lines.len());
    let letters = |line: &&String| line.chars().filter(|c| c.is_alphabetic()).count();
    let longest = |part: &[String]| {
        let named = part.iter().filter(|line| letters(line) > 0 && !is_money(line));
        named.max_by_key(letters).cloned()
    };
    longest(&lines[..at]).or_else(|| longest(&lines[at..]))
}

/// Counts the texts within an element that are amounts of money.
pub(super) fn prices(element: ElementRef<'_>) -> usize {
    collect_runs(element, Granularity::Texts, None)
        .into_iter()
        .filter(|run| is_money(&run.text))
        .count()
}

/// Finds the merchant: the first text after the price that has letters and is not a price.
pub(super) fn merchant(ad: ElementRef<'_>, price: &str) -> Option<String> {
    let mut behind = text_pieces(ad).into_iter().skip_while(|piece| piece != price);
    behind.find(|piece| !is_money(piece) && piece.chars().any(char::is_alphabetic))
}

/// Returns whether a text has a digit and a currency (a sign, or one of [`CURRENCIES`] as a word) and at most [`MAX_PRICE`] characters.
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

/// How finely texts are split.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Granularity {
    /// One run for each block-level element.
    Blocks,
    /// One run for each text node.
    Texts,
}

/// The run that is being collected.
#[derive(Default)]
struct Gathering {
    runs: Vec<TextRun>,
    open: String,
    aside: bool,
    links: usize,
    listed: bool,
    /// The link around the run's last text.
    last_link: Option<NodeId>,
}

impl Gathering {
    /// Appends a text, not yet cleaned, to the open run. The run is `aside` or `listed` once one of its texts is; the innermost link around the text
    /// is counted unless it was the last one counted.
    fn append(&mut self, raw: &str, around: &TextContext) {
        self.open.push_str(raw);
        self.aside |= around.asides > 0;
        self.listed |= around.lists > 0;
        let link = around.links.last().copied();
        if link.is_some() && link != self.last_link && !raw.trim().is_empty() {
            self.links += 1;
            self.last_link = link;
        }
    }

    /// Ends the open run, cleaned, and starts an empty one; a run without visible text is dropped.
    fn close(&mut self) {
        let text = text::clean(&self.open);
        if !text.is_empty() {
            self.runs.push(TextRun {
                text,
                aside: self.aside,
                links: self.links,
                listed: self.listed,
            });
        }
        *self = Self {
            runs: std::mem::take(&mut self.runs),
            ..Self::default()
        };
    }
}

/// The surroundings of a text.
#[derive(Default)]
struct TextContext {
    asides: usize,
    lists: usize,
    links: Vec<NodeId>,
}

impl TextContext {
    /// Notes that the following texts lie within this element.
    fn enter(&mut self, element: ElementRef<'_>) {
        self.asides += usize::from(is_aside(element));
        self.lists += usize::from(is_list(element));
        if element.value().name() == "a" {
            self.links.push(element.id());
        }
    }

    /// Notes that an element's end is reached; the counterpart of [`TextContext::enter`].
    fn leave(&mut self, element: ElementRef<'_>) {
        self.asides -= usize::from(is_aside(element));
        self.lists -= usize::from(is_list(element));
        self.links.pop_if(|link| *link == element.id());
    }
}

/// Collects the visible texts of an ad, cleaned, in document order: one for each text node, or one for each stretch between the bounds of block-level
/// elements. Leaves out blank texts, hidden parts and what matches `label`; as surroundings only elements within `ad` count.
fn collect_runs(ad: ElementRef<'_>, grain: Granularity, label: Option<&Selector>) -> Vec<TextRun> {
    let mut gathering = Gathering::default();
    let mut around = TextContext::default();
    let mut hidden = None;
    for edge in ad.traverse() {
        match edge {
            Edge::Open(node) if hidden.is_none() => {
                if let Some(element) = ElementRef::wrap(node) {
                    if text::is_hidden(element) || label.is_some_and(|css| css.matches(&element)) {
                        hidden = Some(node.id());
                        continue;
                    }
                    if text::breaks(element.value().name()) {
                        gathering.close();
                    }
                    if element != ad {
                        around.enter(element);
                    }
                } else if let Node::Text(raw) = node.value() {
                    gathering.append(raw, &around);
                    if grain == Granularity::Texts {
                        gathering.close();
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
                        gathering.close();
                    }
                    if element != ad {
                        around.leave(element);
                    }
                }
            }
            Edge::Open(_) => {}
        }
    }
    gathering.close();
    gathering.runs
}

/// Returns whether an element is a list, a list item or a menu.
fn is_list(element: ElementRef<'_>) -> bool {
    matches!(element.value().name(), "ul" | "ol") || matches!(element.attr("role"), Some("list" | "listitem" | "menu"))
}

/// Returns whether an element's texts are beside the creative, by its name or role: a link, button, list, menu, table, `h2` to `h4`, `cite` or
/// dialog.
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
    fn distinguishes_money_from_other_numbers() {
        for text in ["12,50 €", "$1,299.00 now", "THB 6,050", "1 910,00 ₽", "349 kr", "R$ 20"] {
            assert!(is_money(text), "{text}");
        }
        for text in ["4,8 (12)", "Model 2024", "krone", "€", "50 % off"] {
            assert!(!is_money(text), "{text}");
        }
    }
}
