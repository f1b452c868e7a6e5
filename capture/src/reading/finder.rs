//! Finds the ads of a page with its engine's tables.

use std::collections::{HashMap, HashSet};

use ego_tree::NodeId;
use memchr::memmem;
use scraper::{ElementRef, Html, Selector};
use vocabulary::{AdKind, Block, Engine, WebHost};

use super::address::Destination;
use super::claims::ClaimedElements;
use super::fields::{Source, every, first, first_but};
use super::tables::{AdRule, Blocks, Css, Generation, Knowledge};
use super::{outline, title, units};
use crate::{ObservedAd, OtherUnit};

/// Ads kept of one page; real pages have up to 60.
const MAX_ADS: usize = 1_000;
/// Levels above an ad at which its card may be.
const CARD_LEVELS: usize = 4;

/// An ad with its node.
pub(super) struct FoundAd {
    pub node: NodeId,
    pub ad: ObservedAd,
    pub generation: &'static str,
}

/// What the tables found on a page.
#[derive(Default)]
pub(super) struct PageFindings {
    /// In document order, with positions.
    pub ads: Vec<FoundAd>,
    /// Paid units of other kinds, in document order.
    pub units: Vec<(NodeId, OtherUnit)>,
    /// Links that count a click and look like organic results.
    pub posing: u32,
    /// Nodes of organic results.
    pub listed: HashSet<NodeId>,
    claims: ClaimedElements,
}

impl PageFindings {
    /// Whether an element is, or is within, an ad or another paid unit.
    pub fn covers(&self, element: ElementRef<'_>) -> bool {
        self.claims.covers(element)
    }

    /// Returns the ids of all elements around the ads of one kind that were found so far.
    fn around(&self, html: &Html, kind: AdKind) -> HashSet<NodeId> {
        let of_kind = self.ads.iter().filter(|found| found.ad.kind == kind);
        let nodes = of_kind.filter_map(|found| html.tree.get(found.node));
        nodes.flat_map(|node| node.ancestors()).map(|node| node.id()).collect()
    }

    /// Returns whether a node is an organic result.
    pub fn is_listed(&self, node: NodeId) -> bool {
        self.listed.contains(&node)
    }

    /// Whether a node holds an ad or another paid unit.
    pub fn encloses_paid(&self, node: NodeId) -> bool {
        self.claims.encloses(node)
    }
}

/// Finds a page's paid units, then its ads with every table, the newest first. A claimed element is not read again, so a page that mixes generations
/// is read completely. `source` is the page's text. The organic results are not filled in, and ranks over the whole page are 0.
pub(super) fn find(html: &Html, source: &str, engine: Engine, knowledge: &'static Knowledge) -> PageFindings {
    let mut findings = PageFindings::default();
    findings.units = units::find(html, engine, knowledge, &mut findings.claims);
    let blocks = BlockMap::from_page(html, &knowledge.page.blocks);
    for table in &knowledge.generations {
        for rule in &table.ad {
            find_ads(html, source, engine, (table, rule), &blocks, &mut findings);
        }
    }
    findings.ads.sort_by_key(|found| found.node);
    number_ads(&mut findings.ads);
    findings
}

/// Applies one rule of a table: claims each fitting element that makes an ad, or its card, and adds the ad to the findings, up to [`MAX_ADS`] in all.
/// With `unread`, an element fits only in a match of that selector without an ad of the kind so far. Does nothing when the rule has texts in `has` of
/// which the page's text holds none.
fn find_ads(
    html: &Html,
    source: &str,
    engine: Engine,
    (table, rule): (&'static Generation, &'static AdRule),
    blocks: &BlockMap,
    findings: &mut PageFindings,
) {
    let possible = rule.has.is_empty()
        || rule
            .has
            .iter()
            .any(|mark| memmem::find(source.as_bytes(), mark.as_bytes()).is_some());
    if !possible {
        return;
    }
    let read = if rule.unread.is_some() {
        findings.around(html, rule.kind)
    } else {
        HashSet::new()
    };
    let unread = |element: ElementRef<'_>| {
        rule.unread.as_ref().is_none_or(|css| {
            let nearest = parents(element).find(|around| css.0.matches(around));
            nearest.is_some_and(|around| !read.contains(&around.id()))
        })
    };
    let fitting = html
        .select(&rule.element.0)
        .filter(|element| meets_conditions(rule, *element) && findings.claims.is_free(*element) && unread(*element));
    let marked: Vec<_> = if rule.grow {
        blocks.grown(fitting.collect(), rule.unread.as_ref())
    } else {
        fitting.map(|element| (element, element)).collect()
    };
    for (mark, element) in marked {
        if findings.ads.len() >= MAX_ADS {
            return;
        }
        // Of nested matches, the outer one comes first and covers the inner.
        if !findings.claims.is_free(element) {
            continue;
        }
        if let Some(ad) = read_ad(rule, (mark, element), engine, blocks.of_element(element)) {
            findings.claims.claim(frame_of_ad(rule, element).unwrap_or(element));
            findings.ads.push(FoundAd {
                node: element.id(),
                ad,
                generation: &table.name,
            });
        }
    }
}

/// Returns whether an element meets the rule's conditions on what it holds, lacks and lies within.
fn meets_conditions(rule: &AdRule, element: ElementRef<'_>) -> bool {
    rule.holding.as_ref().is_none_or(|css| holds_match(element, css))
        && !rule.lacking.as_ref().is_some_and(|css| holds_match(element, css))
        && !rule.outside.as_ref().is_some_and(|css| is_within(element, &css.0))
}

fn holds_match(element: ElementRef<'_>, css: &Css) -> bool {
    element.select(&css.0).next().is_some()
}

/// Returns whether an element, or one around it, matches.
pub(super) fn is_within(element: ElementRef<'_>, selector: &Selector) -> bool {
    selector.matches(&element) || parents(element).any(|around| selector.matches(&around))
}

/// Reads one ad from `element`, its headline from `mark` first; what no selector finds is looked for by its position. The domain is the displayed
/// one, else that of the landing page, else the rule's. `None` without a headline, or without a price where the rule requires one. Positions and mark
/// are still 0.
fn read_ad(
    rule: &AdRule,
    (mark, element): (ElementRef<'_>, ElementRef<'_>),
    engine: Engine,
    block: Block,
) -> Option<ObservedAd> {
    let shopping = rule.kind == AdKind::Shopping;
    let price = first(&rule.price, element).or_else(|| shopping.then(|| outline::price(element)).flatten());
    if rule.priced && price.is_none() {
        return None;
    }
    let product = || {
        price
            .as_ref()
            .filter(|_| shopping)
            .and_then(|price| outline::product(element, price))
    };
    let shown = first(&rule.title, mark)
        .or_else(|| first(&rule.title, element))
        .or_else(product)?;
    let title = if shopping {
        title::completed(element, shown, price.as_deref())
    } else {
        shown
    };
    let behind_price = |price: &String| outline::merchant(element, price);
    let merchant =
        first(&rule.merchant, element).or_else(|| price.as_ref().filter(|_| shopping).and_then(behind_price));
    let label = rule.label.as_ref().map(|css| &css.0);
    let destination = Destination::resolve(&every(&rule.links, element), engine);
    let written = || {
        (!shopping)
            .then(|| outline::address(element, destination.host.as_ref(), label))
            .flatten()
    };
    let display_url = first_but(&rule.display, element, label)
        .or_else(written)
        .map(without_dot);
    let creative = || {
        (!shopping)
            .then(|| outline::creative(element, &title, display_url.as_deref(), label))
            .flatten()
    };
    let description = first_but(&rule.description, element, label)
        .or_else(creative)
        .map(without_dot);
    let displayed = display_url.as_deref().and_then(host_in);
    let named = || first(&rule.domain, element).as_deref().and_then(WebHost::parse);
    let card = frame_of_ad(rule, element);
    let of_card = |sources: &[Source]| first(sources, element).or_else(|| first(sources, card?));
    Some(ObservedAd {
        kind: rule.kind,
        position: 0,
        real_position: 0,
        mark: 0,
        block,
        description,
        domain: displayed.clone().or(destination.host.clone()).or_else(named),
        domain_learnt: false,
        display_url,
        target_url: destination.target_behind(displayed.as_ref()),
        aclk_urls: destination.clicks,
        trackers: destination.trackers,
        image: first(&rule.image, element).filter(|address| !address.starts_with("data:")),
        price,
        merchant,
        merchant_id: first(&rule.merchant_id, element),
        comparator_name: of_card(&rule.comparator),
        comparator_url: of_card(&rule.comparator_link),
        title,
    })
}

/// Returns the rule's frame around an ad, at most [`CARD_LEVELS`] above it; `None` when the rule has none or the frame holds more than one ad.
fn frame_of_ad<'a>(rule: &AdRule, element: ElementRef<'a>) -> Option<ElementRef<'a>> {
    let css = rule.card.as_ref()?;
    let card = parents(element)
        .take(CARD_LEVELS)
        .find(|around| css.0.matches(around))?;
    (card.select(&rule.element.0).nth(1).is_none()).then_some(card)
}

/// Iterates over the elements around an element, the nearest first.
fn parents(element: ElementRef<'_>) -> impl Iterator<Item = ElementRef<'_>> {
    element.ancestors().filter_map(ElementRef::wrap)
}

/// Removes leading spaces and dots (`·`), which separated a text from its label.
fn without_dot(text: String) -> String {
    let rest = text.trim_start_matches([' ', '·']);
    if rest.len() == text.len() {
        text
    } else {
        rest.to_owned()
    }
}

/// Returns the host of a displayed address, which may follow a name or a telephone number (`Shop https://shop.example`); `None` when no word is a
/// host with letters.
fn host_in(display: &str) -> Option<WebHost> {
    let named = |host: &WebHost| host.as_str().chars().any(char::is_alphabetic);
    let words = std::iter::once(display).chain(display.split_whitespace());
    words.filter_map(WebHost::parse).find(named)
}

/// Sets `position` (among the ads of their kind) and `mark` (among all), both from 1, in the order of the slice, which is that of the document.
fn number_ads(ads: &mut [FoundAd]) {
    let mut of_kind = [0_u16; 2];
    for (mark, found) in (1..).zip(ads) {
        let count = &mut of_kind[usize::from(found.ad.kind == AdKind::Shopping)];
        *count += 1;
        found.ad.position = *count;
        found.ad.mark = mark;
    }
}

/// The containers that determine an ad's block.
struct BlockMap(Vec<(NodeId, Block)>);

impl BlockMap {
    /// Finds the containers of the right column, the bottom and the top; an element that is several of them is the last of these.
    fn from_page(html: &Html, blocks: &Blocks) -> Self {
        let sides = [
            (&blocks.right, Block::Right),
            (&blocks.bottom, Block::Bottom),
            (&blocks.top, Block::Top),
        ];
        Self(
            sides
                .into_iter()
                .flat_map(|(css, block)| html.select(&css.0).map(move |element| (element.id(), block)))
                .collect(),
        )
    }

    /// Pairs each match with the largest element around it that holds no other match and stays within its container, or within `frame`; with itself
    /// where there is none.
    fn grown<'a>(&self, marks: Vec<ElementRef<'a>>, frame: Option<&Css>) -> Vec<(ElementRef<'a>, ElementRef<'a>)> {
        let mut marks_within: HashMap<NodeId, usize> = HashMap::new();
        for around in marks.iter().flat_map(|mark| mark.ancestors()) {
            *marks_within.entry(around.id()).or_default() += 1;
        }
        let ends =
            |around: &ElementRef<'a>| self.is_container(around.id()) || frame.is_some_and(|css| css.0.matches(around));
        let alone = |around: &ElementRef<'a>| marks_within.get(&around.id()) == Some(&1) && !ends(around);
        let grow = |mark: ElementRef<'a>| (mark, parents(mark).take_while(alone).last().unwrap_or(mark));
        marks.into_iter().map(grow).collect()
    }

    fn is_container(&self, node: NodeId) -> bool {
        self.0.iter().any(|(container, _)| *container == node)
    }

    /// Returns the block of the nearest container that is the element or around it; `Middle` without one, until the organic results settle it.
    fn of_element(&self, element: ElementRef<'_>) -> Block {
        std::iter::once(element.id())
            .chain(element.ancestors().map(|node| node.id()))
            .find_map(|id| self.0.iter().find(|(container, _)| *container == id))
            .map_or(Block::Middle, |(_, block)| *block)
    }
}
