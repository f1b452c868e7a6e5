//! Finds the paid units that are neither text ads nor shopping ads.
//!
//! A unit is found by its own mark-up, or by a label or heading that announces it: then it is the largest part of the page around that text
//! that holds neither an ad nor an organic result.

use std::collections::{HashMap, HashSet};

use ego_tree::NodeId;
use scraper::{ElementRef, Html};
use vocabulary::Engine;

use super::claims::ClaimedElements;
use super::tables::{Css, Knowledge, UnitRule};
use super::{address, labels, text};
use crate::OtherUnit;

/// Bytes of the longest heading considered.
const MAX_HEADING: usize = 80;

/// Finds the paid units of a page that are neither text nor shopping ads, claims them, and returns their nodes and kinds in document order. Skips
/// what is claimed already, and what is within an ad or the headline of an organic result. Run it before ads are read.
pub(super) fn find(
    html: &Html,
    engine: Engine,
    knowledge: &'static Knowledge,
    claims: &mut ClaimedElements,
) -> Vec<(NodeId, OtherUnit)> {
    let mut units = Vec::new();
    let parts = PageParts::from_page(html, knowledge);
    let mut take = |element: ElementRef<'_>, kind: OtherUnit| {
        // Dialogs of an ad look like units.
        if claims.is_free(element) && !parts.are_around(element) {
            claims.claim(element);
            units.push((element.id(), kind));
        }
    };
    let rules = || knowledge.generations.iter().flat_map(|table| &table.unit);
    for rule in rules() {
        let Some(element) = &rule.element else { continue };
        for element in html.select(&element.0).filter(|element| is_unit(rule, *element)) {
            take(element, rule.kind);
        }
    }
    let announced = AnnouncedBlock::all(html, engine, knowledge, &parts);
    for rule in rules().filter(|rule| rule.element.is_none()) {
        for found in announced.iter().filter(|found| found.is_meant_by(rule)) {
            if is_unit(rule, found.block) && (found.labelled || counts_clicks(found.block, knowledge)) {
                take(found.block, rule.kind);
            }
        }
    }
    units.sort_by_key(|(node, _)| *node);
    units
}

/// Returns whether an element meets the rule's conditions on what it holds and lacks.
fn is_unit(rule: &UnitRule, element: ElementRef<'_>) -> bool {
    let holds = |css: &Css, least: usize| element.select(&css.0).nth(least.saturating_sub(1)).is_some();
    rule.holding.as_ref().is_none_or(|css| holds(css, rule.least))
        && !rule.lacking.as_ref().is_some_and(|css| holds(css, 1))
        && (!rule.labelled || holds_a_label(element))
}

/// Returns whether a text within an element labels ads.
fn holds_a_label(element: ElementRef<'_>) -> bool {
    element.descendants().any(labels::labels_neighbour)
}

/// Returns whether an element holds a link that counts a click.
fn counts_clicks(block: ElementRef<'_>, knowledge: &Knowledge) -> bool {
    block.select(&knowledge.page.traces.clicks.0).next().is_some()
}

/// A part of the page with the texts that announce it.
struct AnnouncedBlock<'a> {
    block: ElementRef<'a>,
    labelled: bool,
    /// Its headings, in lower case.
    headings: Vec<String>,
}

impl<'a> AnnouncedBlock<'a> {
    /// Finds every part of a page that a label of ads or a heading of a rule announces, once each, with all its headings and whether it has a label.
    /// Texts over [`MAX_HEADING`] bytes, and headings in links that count a click or leave the engine, are ignored.
    fn all(html: &'a Html, engine: Engine, knowledge: &'static Knowledge, parts: &PageParts<'_>) -> Vec<Self> {
        let phrases: Vec<&str> = knowledge
            .generations
            .iter()
            .flat_map(|table| &table.unit)
            .flat_map(|rule| &rule.headings)
            .map(String::as_str)
            .collect();
        let mut found: Vec<Self> = Vec::new();
        let mut block_of: HashMap<NodeId, usize> = HashMap::new();
        for node in html.tree.root().descendants() {
            let Some(raw) = node.value().as_text() else { continue };
            if raw.len() > MAX_HEADING || !raw.chars().any(char::is_alphabetic) {
                continue;
            }
            let heading = text::clean(raw).to_lowercase();
            let is_heading = phrases.iter().any(|phrase| begins_with(&heading, phrase));
            let is_label = !is_heading && labels::labels_neighbour(node);
            if !is_heading && !is_label {
                continue;
            }
            let Some(element) = node.parent().and_then(ElementRef::wrap) else {
                continue;
            };
            if is_heading && leads_away(element, engine) {
                continue;
            }
            let Some(block) = parts.largest_block_around(element) else {
                continue;
            };
            let at = *block_of.entry(block.id()).or_insert_with(|| {
                found.push(Self {
                    block,
                    labelled: false,
                    headings: Vec::new(),
                });
                found.len() - 1
            });
            found[at].labelled |= is_label;
            if is_heading {
                found[at].headings.push(heading);
            }
        }
        found
    }

    /// Returns whether one of the part's headings begins with one of the rule's; for a rule without headings, whether a label announces the part.
    fn is_meant_by(&self, rule: &UnitRule) -> bool {
        let named = |phrase: &String| self.headings.iter().any(|heading| begins_with(heading, phrase));
        if rule.headings.is_empty() {
            self.labelled
        } else {
            rule.headings.iter().any(named)
        }
    }
}

/// Whether a text is a phrase, or continues after it with another word.
fn begins_with(text: &str, phrase: &str) -> bool {
    text.strip_prefix(phrase)
        .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// Returns whether the nearest link around a text counts a click or leaves the engine: then it is an ad's text, not a unit's heading.
fn leads_away(element: ElementRef<'_>, engine: Engine) -> bool {
    let mut around = std::iter::once(element).chain(element.ancestors().filter_map(ElementRef::wrap));
    let link = around.find_map(|part| (part.value().name() == "a").then(|| part.attr("href")).flatten());
    link.and_then(|href| address::absolute(href, engine))
        .is_some_and(|url| address::is_click(&url) || !address::is_engine(&url))
}

/// Which parts of a page hold ads or organic results, and which are its frame.
struct PageParts<'a> {
    apart: HashSet<NodeId>,
    mixed: HashSet<NodeId>,
    frames: &'a Css,
}

impl PageParts<'static> {
    /// Collects the ads and headlines of organic results (`apart`) and all elements around them (`mixed`).
    fn from_page(html: &Html, knowledge: &'static Knowledge) -> Self {
        let block_of = &knowledge.page.units;
        let mut parts = Self {
            apart: HashSet::new(),
            mixed: HashSet::new(),
            frames: &block_of.frames,
        };
        for element in html.select(&block_of.apart.0) {
            parts.apart.insert(element.id());
            for around in element.ancestors() {
                if !parts.mixed.insert(around.id()) {
                    break;
                }
            }
        }
        parts
    }
}

impl PageParts<'_> {
    /// Whether an element is, or is within, an ad or the headline of an organic result.
    fn are_around(&self, element: ElementRef<'_>) -> bool {
        self.apart.contains(&element.id()) || element.ancestors().any(|around| self.apart.contains(&around.id()))
    }

    /// Grows from an element outward and returns the last part before one that matches `frames` or holds an ad or organic headline. `None` when the
    /// element itself matches or holds one, or it is, or is within, an ad or such a headline.
    fn largest_block_around<'a>(&self, element: ElementRef<'a>) -> Option<ElementRef<'a>> {
        let mut block = None;
        let mut is_open = true;
        for around in std::iter::once(element).chain(element.ancestors().filter_map(ElementRef::wrap)) {
            if self.apart.contains(&around.id()) {
                return None;
            }
            is_open &= !self.mixed.contains(&around.id()) && !self.frames.0.matches(&around);
            if is_open {
                block = Some(around);
            }
        }
        block
    }
}
