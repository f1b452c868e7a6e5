//! Counts traces of ads independently of the reading, so that a page whose ads were missed does not pass for one without ads.

use std::collections::{HashMap, HashSet};

use ego_tree::{NodeId, NodeRef};
use scraper::{ElementRef, Html, Node};
use serde::Serialize;
use vocabulary::{AdKind, Engine};

use super::address::Destination;
use super::finder::PageFindings;
use super::labels::{self, is_label};
use super::tables::{Css, Traces};
use super::{address, outline, text};

/// Levels above a label within which the ads it announces may be.
const LABEL_REACH: usize = 6;

/// Elements searched for links that only lead to searches.
const SEARCHES_REACH: usize = 2_000;

/// Most pictures and prices of one text ad.
const CROWD: usize = 3;

/// Traces of ads on a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AdTraces {
    /// Visible texts that are an ad label in any of the known languages.
    pub labels: u32,
    /// Of these, those neither within nor right above an ad or other paid unit that was read.
    pub stray_labels: u32,
    /// Containers that hold nothing but ads.
    pub containers: u32,
    /// Of these, those with text but without anything that was read.
    pub unread_containers: u32,
    /// Text ads that hold as many pictures and prices as only a row of products does.
    pub crowded_ads: u32,
    /// Links that count a click.
    pub clicks: u32,
    /// Of these, those outside every ad and other paid unit that was read.
    pub stray_clicks: u32,
}

/// Why some ads may be missing from a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Doubt {
    /// A label announces no ad that was read.
    StrayLabel,
    /// A container of ads was not read.
    UnreadContainer,
    /// What was read as one text ad looks like several products.
    CrowdedAd,
    /// Links that count clicks are outside everything that was read.
    StrayClicks,
    /// The page is incomplete, or exceeded a bound of the reader, and was read in part.
    PageCut,
    /// Nothing was found: no ad, no organic result, no other unit.
    NoResults,
}

impl AdTraces {
    /// Counts the traces of ads on a page (labels, containers, crowded ads, clicks) and, of these, those that nothing that was read accounts for.
    /// Each result of `findings.posing` counts as one more click and stray click.
    pub(super) fn count(html: &Html, engine: Engine, known: &Traces, findings: &PageFindings) -> Self {
        let mut traces = Self::default();
        let mut vacant = HashSet::new();
        for container in html.select(&known.containers.0) {
            traces.containers += 1;
            if findings.encloses_paid(container.id()) || findings.covers(container) {
                continue;
            }
            let text = text::visible(container);
            if text.is_empty() || is_label(&text) || leads_to_searches(container, engine) {
                vacant.insert(container.id());
            } else if !text::is_hidden(container) {
                traces.unread_containers += 1;
            }
        }
        traces.count_labels(html, (engine, known), findings, &vacant);
        let texts = findings.ads.iter().filter(|found| found.ad.kind == AdKind::Text);
        let crowded = texts
            .filter_map(|found| ElementRef::wrap(html.tree.get(found.node)?))
            .filter(|ad| is_crowded(*ad));
        traces.crowded_ads = count_of(crowded);
        let read = AdDestinations::from_findings(findings);
        for link in html.select(&known.clicks.0) {
            traces.clicks += 1;
            let counted = findings.covers(link)
                || counts_nothing_in_sight(link)
                || read.leads(link, engine, &known.copies)
                || searches_on(link, engine);
            traces.stray_clicks += u32::from(!counted);
        }
        traces.clicks += findings.posing;
        traces.stray_clicks += findings.posing;
        traces
    }

    /// Adds to `labels` the visible labels of ads, without bare links and those in the page's frame or in `vacant` containers (which hold no ads);
    /// and to `stray_labels` those neither within nor right above what was read, unless they are in a copy of another part or announce other
    /// searches.
    fn count_labels(
        &mut self,
        html: &Html,
        (engine, known): (Engine, &Traces),
        findings: &PageFindings,
        vacant: &HashSet<NodeId>,
    ) {
        let mut searches = HashMap::new();
        for node in html.tree.root().descendants() {
            if !labels::labels_neighbour(node) {
                continue;
            }
            let Some(element) = node.parent().and_then(ElementRef::wrap) else {
                continue;
            };
            let idle = || element.ancestors().any(|around| vacant.contains(&around.id()));
            if is_out_of_sight(element) || announces_no_ads(element) || vacant.contains(&element.id()) || idle() {
                continue;
            }
            self.labels += 1;
            let near = || {
                let announced = element.ancestors().skip_while(|around| holds_a_label_alone(*around));
                let reach = announced.take(LABEL_REACH);
                reach
                    .take_while(|around| !findings.is_listed(around.id()))
                    .any(|around| findings.encloses_paid(around.id()))
            };
            let is_read = findings.covers(element) || near();
            if !is_read && (lies_in_copy(element, &known.copies) || announces_searches(element, engine, &mut searches))
            {
                continue;
            }
            self.stray_labels += u32::from(!is_read);
        }
    }
}

/// Returns whether a text ad has more than [`CROWD`] pictures and more than [`CROWD`] prices.
fn is_crowded(ad: ElementRef<'_>) -> bool {
    let pictures = ad
        .descendants()
        .filter(|node| node.value().as_element().is_some_and(|element| element.name() == "img"));
    pictures.count() > CROWD && outline::prices(ad) > CROWD
}

fn count_of<T>(items: impl Iterator<Item = T>) -> u32 {
    u32::try_from(items.count()).unwrap_or(u32::MAX)
}

/// Returns whether a label announces no ads: the nearest link, itself or around it, has no other text, or it lies in the page's frame (header,
/// footer, navigation, forms, by element or role), as 'Advertising' in a footer does.
fn announces_no_ads(element: ElementRef<'_>) -> bool {
    let around = || std::iter::once(element).chain(element.ancestors().filter_map(ElementRef::wrap));
    let bare_link = |link: ElementRef<'_>| link.value().name() == "a" && is_label(&text::visible(link));
    let frame = |part: ElementRef<'_>| {
        matches!(part.value().name(), "footer" | "nav" | "header" | "form")
            || matches!(part.attr("role"), Some("navigation" | "contentinfo" | "banner"))
    };
    around().any(frame) || around().find(|part| part.value().name() == "a").is_some_and(bare_link)
}

/// Returns whether a container's links all stay on the engine, one at least is another search, and none counts a click, as under 'similar products'.
/// False without links.
fn leads_to_searches(container: ElementRef<'_>, engine: Engine) -> bool {
    let links = || {
        let elements = container.descendants().filter_map(|node| node.value().as_element());
        let links = elements.filter_map(|element| element.attr("href"));
        links.filter_map(|link| address::absolute(link, engine))
    };
    links().any(|url| address::is_search(&url))
        && links().all(|url| address::is_engine(&url) && !address::is_click(&url))
}

/// Returns whether the nearest element around a label that holds links, at most [`LABEL_REACH`] levels up, leads only to other searches (a hidden
/// 'Ads' also precedes related searches); false when none holds links. `known` caches the answer by element.
fn announces_searches(label: ElementRef<'_>, engine: Engine, known: &mut HashMap<NodeId, bool>) -> bool {
    let has_links = |around: &ElementRef<'_>| {
        let nodes = around.descendants().take(SEARCHES_REACH);
        nodes
            .filter_map(|node| node.value().as_element())
            .any(|element| element.attr("href").is_some())
    };
    let around = std::iter::once(label).chain(label.ancestors().filter_map(ElementRef::wrap));
    let nearest = around.take(LABEL_REACH).find(has_links);
    nearest.is_some_and(|nearest| {
        *known
            .entry(nearest.id())
            .or_insert_with(|| leads_to_searches(nearest, engine))
    })
}

/// Returns whether a link that counts a click only leads to another search.
fn searches_on(link: ElementRef<'_>, engine: Engine) -> bool {
    let url = link.attr("href").and_then(|href| address::absolute(href, engine));
    url.and_then(|url| address::click_target(&url))
        .is_some_and(|target| address::is_search(&target))
}

/// Returns whether an element lies within a copy of another part of the page, as is shown under the pointer.
fn lies_in_copy(element: ElementRef<'_>, copies: &Css) -> bool {
    std::iter::once(element)
        .chain(element.ancestors().filter_map(ElementRef::wrap))
        .any(|around| copies.0.matches(&around))
}

/// Where the ads that were read lead.
struct AdDestinations<'a> {
    clicks: HashSet<&'a str>,
    targets: HashSet<&'a str>,
}

impl<'a> AdDestinations<'a> {
    /// Collects the click counters and landing pages of all ads that were read.
    fn from_findings(findings: &'a PageFindings) -> Self {
        let ads = || findings.ads.iter().map(|found| &found.ad);
        Self {
            clicks: ads().flat_map(|ad| &ad.aclk_urls).map(String::as_str).collect(),
            targets: ads().filter_map(|ad| ad.target_url.as_deref()).collect(),
        }
    }

    /// Returns whether a link counts a click of an ad that was read; for a link in a copy (what is shown under the pointer), also whether it or the
    /// next link beside it leads to the landing page of an ad that was read, or there is no link beside it.
    fn leads(&self, link: ElementRef<'_>, engine: Engine, copies: &Css) -> bool {
        let Some(href) = link.attr("href") else { return false };
        let clicked = |url: url::Url| self.clicks.contains(url.as_str());
        if address::absolute(href, engine).is_some_and(clicked) {
            return true;
        }
        let leads_to_target = |href: &str| {
            let destination = Destination::resolve(&[href.to_owned()], engine);
            destination
                .target
                .is_some_and(|target| self.targets.contains(target.as_str()))
        };
        // Next to a hidden link that counts is the visible one that leads to the shop.
        let visible_link = || {
            link.next_siblings()
                .filter_map(ElementRef::wrap)
                .find_map(|other| other.attr("href"))
        };
        lies_in_copy(link, copies)
            && !self.targets.is_empty()
            && (leads_to_target(href) || visible_link().is_none_or(leads_to_target))
    }
}

/// Returns whether an element's whole visible text is a label.
fn holds_a_label_alone(node: NodeRef<'_, Node>) -> bool {
    ElementRef::wrap(node).is_some_and(|element| is_label(&text::visible(element)))
}

/// Returns whether an element, or one around it, is hidden.
fn is_out_of_sight(element: ElementRef<'_>) -> bool {
    text::is_hidden(element) || element.ancestors().filter_map(ElementRef::wrap).any(text::is_hidden)
}

/// Returns whether neither a click link nor its parent shows anything. Products of 2019 have a hidden link that counts next to the visible one that
/// leads to the shop.
fn counts_nothing_in_sight(link: ElementRef<'_>) -> bool {
    let around = link.parent().and_then(ElementRef::wrap);
    is_out_of_sight(link) && around.is_none_or(|around| is_out_of_sight(around) || text::visible(around).is_empty())
}

/// Lists the doubts about a reading, `NoResults` first; empty when nothing contradicts it. `cut` is a page over a bound or that breaks off;
/// `nothing_found` is a page that says so.
pub(super) fn doubts(traces: &AdTraces, cut: bool, nothing_found: bool) -> Vec<Doubt> {
    [
        (Doubt::NoResults, nothing_found),
        (Doubt::StrayLabel, traces.stray_labels > 0),
        (Doubt::UnreadContainer, traces.unread_containers > 0),
        (Doubt::CrowdedAd, traces.crowded_ads > 0),
        (Doubt::StrayClicks, traces.stray_clicks > 0),
        (Doubt::PageCut, cut),
    ]
    .into_iter()
    .filter_map(|(doubt, holds)| holds.then_some(doubt))
    .collect()
}
