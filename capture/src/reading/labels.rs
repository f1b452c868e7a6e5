//! Recognises texts that label ads.

use std::collections::HashSet;
use std::sync::LazyLock;

use ego_tree::NodeRef;
use scraper::Node;

use super::text;

/// Words that label ads and nothing else, lower case, one per line; `#` starts a comment.
static LABELS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    include_str!("tables/labels.txt")
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim())
        .filter(|line| !line.is_empty())
        .collect()
});
/// Bytes of the longest label, with room for the dots and spaces around it.
const MAX_LABEL: usize = 60;
/// Separators between the steps of a displayed address.
const STEP_MARKS: [char; 3] = ['›', '»', '>'];
/// How far from a text the step before it may be, and how many nodes it may have.
const STEP_REACH: usize = 3;
const STEP_NODES: usize = 40;

/// Returns whether a text is nothing but a word of [`LABELS`], apart from case and punctuation around it.
pub(super) fn is_label(raw: &str) -> bool {
    let word = text::clean(raw);
    let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    LABELS.contains(word.as_str())
}

/// Returns whether a node is a text that labels the ad next to it: a word of [`LABELS`] alone, not within a sentence or a displayed address.
pub(super) fn labels_neighbour(node: NodeRef<'_, Node>) -> bool {
    let Some(raw) = node.value().as_text() else {
        return false;
    };
    raw.len() <= MAX_LABEL && is_label(raw) && !in_a_sentence(node) && !is_a_step(node, raw)
}

/// Returns whether any sibling of the text is another text with letters or digits, or a marked word (`b`, `em`, `strong`, `i`), as in snippets.
fn in_a_sentence(text: NodeRef<'_, Node>) -> bool {
    const MARKS: [&str; 4] = ["b", "em", "strong", "i"];
    let neighbours = text.prev_siblings().chain(text.next_siblings());
    neighbours.into_iter().any(|other| match other.value() {
        Node::Text(raw) => raw.chars().any(char::is_alphanumeric),
        Node::Element(element) => MARKS.contains(&element.name()),
        _ => false,
    })
}

fn is_blank(node: NodeRef<'_, Node>) -> bool {
    node.value().as_text().is_some_and(|text| text.trim().is_empty())
}

/// Returns whether a text is one step of a displayed address, as in `shop.example › ads`: it begins with a separator, or
/// what closely precedes it, its parent or its grandparent ends with one.
fn is_a_step(text: NodeRef<'_, Node>, raw: &str) -> bool {
    if raw.trim_start().starts_with(STEP_MARKS) {
        return true;
    }
    let ends_a_step = |other: NodeRef<'_, Node>| {
        let nodes = other.descendants().take(STEP_NODES);
        let texts = nodes.filter_map(|node| node.value().as_text());
        let last = texts.filter(|text| !text.trim().is_empty()).last();
        last.is_some_and(|last| last.trim_end().ends_with(STEP_MARKS))
    };
    std::iter::once(text)
        .chain(text.ancestors())
        .take(STEP_REACH)
        .filter_map(|node| {
            node.prev_siblings()
                .take(STEP_REACH)
                .find(|neighbours| !is_blank(*neighbours))
        })
        .any(ends_a_step)
}
