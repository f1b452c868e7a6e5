//! The unpaid results of a page.

use std::collections::HashSet;

use ego_tree::NodeId;
use scraper::Html;
use vocabulary::{Block, Engine, WebHost};

use super::address;
use super::fields::first;
use super::finder::{Finds, Found, stands_in};
use super::tables::{Knowledge, OrganicRule};
use crate::OrganicResult;

/// Results kept of one page; engines list up to 100.
const MAX_RESULTS: usize = 300;

/// An unpaid result with its place in the tree.
pub(super) struct Listed {
    pub node: NodeId,
    pub result: OrganicResult,
}

/// The results by the newest table that finds any.
pub(super) fn list(html: &Html, engine: Engine, knowledge: &'static Knowledge, finds: &Finds) -> Vec<Listed> {
    for table in &knowledge.generations {
        let mut listed = Vec::new();
        let mut seen = HashSet::new();
        for rule in &table.organic {
            collect(html, engine, rule, finds, &mut seen, &mut listed);
        }
        if !listed.is_empty() {
            listed.sort_by_key(|found: &Listed| found.node);
            for (rank, found) in (1..).zip(&mut listed) {
                found.result.position = rank;
            }
            return listed;
        }
    }
    Vec::new()
}

fn collect(
    html: &Html,
    engine: Engine,
    rule: &OrganicRule,
    finds: &Finds,
    seen: &mut HashSet<String>,
    listed: &mut Vec<Listed>,
) {
    for element in html.select(&rule.element.0) {
        if listed.len() >= MAX_RESULTS {
            return;
        }
        let fits = rule
            .holding
            .as_ref()
            .is_none_or(|css| element.select(&css.0).next().is_some())
            && !rule.outside.as_ref().is_some_and(|css| stands_in(element, &css.0));
        if !fits || finds.covers(element) || finds.within(element.id()) {
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
        let url = address::engine_redirect(&url).unwrap_or(url);
        let Some(domain) = WebHost::of(url.as_str()) else {
            continue;
        };
        if seen.insert(format!("{url} {title}")) {
            listed.push(Listed {
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

/// Settles the block of ads whose containers do not tell, or that say 'top' among the results.
pub(super) fn place_between(ads: &mut [Found], results: &[Listed]) {
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
