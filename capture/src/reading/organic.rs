//! The unpaid results of a page.

use std::collections::HashSet;

use ego_tree::NodeId;
use scraper::{ElementRef, Html};
use url::Url;
use vocabulary::{AdKind, Block, Engine, WebHost};

use super::address;
use super::fields::first;
use super::finder::{FoundAd, PageFindings, is_within};
use super::tables::{Css, Knowledge, OrganicRule};
use crate::OrganicResult;

/// Results kept of one page; engines list up to 100.
const MAX_RESULTS: usize = 300;

/// The parameter that Bing adds to landing pages of ads only.
const CLICK_ID: &str = "msclkid";

/// The unpaid results of a page.
#[derive(Default)]
pub(super) struct OrganicFindings {
    /// In document order.
    pub results: Vec<FoundOrganic>,
    /// How many that look like results lead through a click counter, or do not reveal where they lead.
    pub posing: u32,
}

/// An organic result with its node.
pub(super) struct FoundOrganic {
    pub node: NodeId,
    pub result: OrganicResult,
}

/// Lists the organic results in document order, ranked from 1, by the rules of the newest table that finds any; ads and paid units are left out.
/// `posing` counts, over all tables tried, what looks like a result but leads to a click counter or does not reveal where it leads.
pub(super) fn list(
    html: &Html,
    engine: Engine,
    knowledge: &'static Knowledge,
    findings: &PageFindings,
) -> OrganicFindings {
    let mut listing = OrganicFindings::default();
    for table in &knowledge.generations {
        let mut seen = HashSet::new();
        for rule in &table.organic {
            collect_results(html, engine, rule, findings, &mut seen, &mut listing);
        }
        if !listing.results.is_empty() {
            listing.results.sort_by_key(|found| found.node);
            for (rank, found) in (1..).zip(&mut listing.results) {
                found.result.position = rank;
            }
            break;
        }
    }
    listing
}

/// Adds the results that one rule finds, not yet ranked, until there are [`MAX_RESULTS`]. Counts as `posing` instead, once per title, what hides its
/// target or leads, behind a redirect, to a click counter or an ad's page. Skips ads, paid units, repeats, plain links to click counters or searches,
/// and what has no title or address.
fn collect_results(
    html: &Html,
    engine: Engine,
    rule: &OrganicRule,
    findings: &PageFindings,
    seen: &mut HashSet<String>,
    OrganicFindings { results, posing }: &mut OrganicFindings,
) {
    for element in html.select(&rule.element.0) {
        if results.len() >= MAX_RESULTS {
            return;
        }
        let fits = rule
            .holding
            .as_ref()
            .is_none_or(|css| element.select(&css.0).next().is_some())
            && !rule.outside.as_ref().is_some_and(|css| is_within(element, &css.0));
        if !fits || findings.covers(element) || findings.encloses_paid(element.id()) {
            continue;
        }
        let Some(title) = first(&rule.title, element) else {
            continue;
        };
        let Some(url) = first(&rule.link, element).and_then(|link| address::absolute(&link, engine)) else {
            continue;
        };
        if address::is_click(&url) || address::is_search(&url) {
            continue;
        }
        let Ok(url) = behind_redirect(url) else {
            *posing += u32::from(seen.insert(title));
            continue;
        };
        if address::is_search(&url) {
            continue;
        }
        let Some(domain) = WebHost::parse(url.as_str()) else {
            continue;
        };
        if seen.insert(format!("{url} {title}")) {
            results.push(FoundOrganic {
                node: element.id(),
                result: OrganicResult {
                    position: 0,
                    title,
                    url: url.to_string(),
                    domain,
                },
            });
        }
    }
}

/// Returns the address behind a result's redirect, or the address itself where it is none.
///
/// # Errors
/// When it leads through a click counter, or does not reveal where it leads.
fn behind_redirect(url: Url) -> Result<Url, ()> {
    let behind = address::engine_redirect(&url);
    let is_lost = behind.is_none() && address::hides_its_target(&url);
    let url = behind.unwrap_or(url);
    let is_paid = address::is_click(&url) || url.query_pairs().any(|(name, _)| name == CLICK_ID);
    if is_lost || is_paid { Err(()) } else { Ok(url) }
}

/// Sets each ad's `real_position`, counting ads and organic results in document order from 1. Consecutive products of one block share a rank if the
/// same shopping unit (the nearest match of `shopping`), or none, is around them. Both lists must be in document order.
pub(super) fn rank(html: &Html, ads: &mut [FoundAd], results: &[FoundOrganic], shopping: &Css) {
    let unit_of = |found: &FoundAd| {
        let product = html
            .tree
            .get(found.node)
            .filter(|_| found.ad.kind == AdKind::Shopping)?;
        let mut around = product.ancestors().filter_map(ElementRef::wrap);
        let unit = around.find(|around| shopping.0.matches(around));
        Some((found.ad.block, unit.map(|unit| unit.id())))
    };
    let mut results = results.iter().map(|listed| listed.node).peekable();
    let mut rank = 0;
    let mut open = None;
    for found in ads {
        while results.next_if(|node| *node < found.node).is_some() {
            rank += 1;
            open = None;
        }
        let unit = unit_of(found);
        if unit.is_none() || unit != open {
            rank += 1;
        }
        open = unit;
        found.ad.real_position = rank;
    }
}

/// Sets the block of ads in `Top` or `Middle` by their place: `Top` before the first organic result, `Bottom` after the last, else `Middle`; without
/// results, `Top`. Ads in other blocks stay. `results` must be in document order.
pub(super) fn settle_blocks(ads: &mut [FoundAd], results: &[FoundOrganic]) {
    let (Some(first), Some(last)) = (results.first(), results.last()) else {
        for found in ads.iter_mut().filter(|found| found.ad.block == Block::Middle) {
            found.ad.block = Block::Top;
        }
        return;
    };
    for found in ads {
        let unsettled = matches!(found.ad.block, Block::Middle | Block::Top);
        if unsettled {
            found.ad.block = if found.node < first.node {
                Block::Top
            } else if found.node > last.node {
                Block::Bottom
            } else {
                Block::Middle
            };
        }
    }
}
