//! Counts traces of ads apart from the reading, so that a page whose ads were missed is not taken for one without ads.

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

/// How far above a label the ads it announces may stand.
const LABEL_REACH: usize = 6;

/// Elements looked through for links that only search.
const SEARCHES_REACH: usize = 2_000;

/// Pictures and prices that one text ad may hold.
const CROWD: usize = 3;

/// Traces of ads on a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AdTraces {
    /// Visible texts that are an ad label in any of the known languages.
    pub labels: u32,
    /// Of these, in and right above no ad or other paid unit that was read.
    pub stray_labels: u32,
    /// Containers that hold nothing but ads.
    pub containers: u32,
    /// Of these, with text in them but nothing that was read.
    pub unread_containers: u32,
    /// Text ads that hold as many pictures and prices as only a row of products does.
    pub crowded_ads: u32,
    /// Links that count a click.
    pub clicks: u32,
    /// Of these, outside every ad and other paid unit that was read.
    pub stray_clicks: u32,
}

/// Why the ads read may not be all there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Doubt {
    /// A text that labels ads announces none that was read.
    StrayLabel,
    /// A container of ads was not read.
    UnreadContainer,
    /// What was read as one text ad looks like several products.
    CrowdedAd,
    /// Links that count clicks stand outside everything that was read.
    StrayClicks,
    /// The page ends before its end, or went over a bound of the reader, and was read in part.
    PageCut,
    /// Nothing was found: no ad, no unpaid result, no other unit.
    NoResults,
}

impl AdTraces {
    pub(super) fn count(html: &Html, engine: Engine, known: &Traces, finds: &PageFindings) -> Self {
        let mut traces = Self::default();
        let mut vacant = HashSet::new();
        for container in html.select(&known.containers.0) {
            traces.containers += 1;
            if finds.within(container.id()) || finds.covers(container) {
                continue;
            }
            let text = text::visible(container);
            if text.is_empty() || is_label(&text) || leads_to_searches(container, engine) {
                vacant.insert(container.id());
            } else if !text::is_hidden(container) {
                traces.unread_containers += 1;
            }
        }
        traces.count_labels(html, (engine, known), finds, &vacant);
        let texts = finds.ads.iter().filter(|found| found.ad.kind == AdKind::Text);
        let crowded = texts
            .filter_map(|found| ElementRef::wrap(html.tree.get(found.node)?))
            .filter(|ad| is_crowded(*ad));
        traces.crowded_ads = count_of(crowded);
        let read = AdDestinations::from_findings(finds);
        for link in html.select(&known.clicks.0) {
            traces.clicks += 1;
            let counted = finds.covers(link)
                || counts_nothing_in_sight(link)
                || read.leads(link, engine, &known.copies)
                || searches_on(link, engine);
            traces.stray_clicks += u32::from(!counted);
        }
        traces.clicks += finds.posing;
        traces.stray_clicks += finds.posing;
        traces
    }

    /// Labels are those of ads that are there: a container that holds its label alone (`vacant`) has none.
    fn count_labels(
        &mut self,
        html: &Html,
        (engine, known): (Engine, &Traces),
        finds: &PageFindings,
        vacant: &HashSet<NodeId>,
    ) {
        let mut searches = HashMap::new();
        for node in html.tree.root().descendants() {
            if !labels::labels(node) {
                continue;
            }
            let Some(element) = node.parent().and_then(ElementRef::wrap) else {
                continue;
            };
            let idle = || element.ancestors().any(|around| vacant.contains(&around.id()));
            if is_out_of_sight(element) || leads_elsewhere(element) || vacant.contains(&element.id()) || idle() {
                continue;
            }
            self.labels += 1;
            let near = || {
                let announced = element.ancestors().skip_while(|around| holds_a_label_alone(*around));
                let reach = announced.take(LABEL_REACH);
                reach
                    .take_while(|around| !finds.is_listed(around.id()))
                    .any(|around| finds.within(around.id()))
            };
            let is_read = finds.covers(element) || near();
            if !is_read && (copied(element, &known.copies) || announces_searches(element, engine, &mut searches)) {
                continue;
            }
            self.stray_labels += u32::from(!is_read);
        }
    }
}

fn is_crowded(ad: ElementRef<'_>) -> bool {
    let pictures = ad
        .descendants()
        .filter(|node| node.value().as_element().is_some_and(|element| element.name() == "img"));
    pictures.count() > CROWD && outline::prices(ad) > CROWD
}

fn count_of<T>(items: impl Iterator<Item = T>) -> u32 {
    u32::try_from(items.count()).unwrap_or(u32::MAX)
}

/// Whether a label is all there is to a link or stands among links of the page's frame, as 'Advertising' does in a footer.
fn leads_elsewhere(element: ElementRef<'_>) -> bool {
    let around = || std::iter::once(element).chain(element.ancestors().filter_map(ElementRef::wrap));
    let bare_link = |link: ElementRef<'_>| link.value().name() == "a" && is_label(&text::visible(link));
    let frame = |part: ElementRef<'_>| {
        matches!(part.value().name(), "footer" | "nav" | "header" | "form")
            || matches!(part.attr("role"), Some("navigation" | "contentinfo" | "banner"))
    };
    around().any(frame) || around().find(|part| part.value().name() == "a").is_some_and(bare_link)
}

/// Whether the links of a container are other searches, as under 'similar products', and none leads away.
fn leads_to_searches(container: ElementRef<'_>, engine: Engine) -> bool {
    let links = || {
        let elements = container.descendants().filter_map(|node| node.value().as_element());
        let links = elements.filter_map(|element| element.attr("href"));
        links.filter_map(|link| address::absolute(link, engine))
    };
    links().any(|url| address::is_search(&url))
        && links().all(|url| address::is_engine(&url) && !address::is_click(&url))
}

/// Whether the nearest links around a label are other searches: 'Ads' stands, unseen, above related searches too.
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

/// Whether a link that counts a click only searches on.
fn searches_on(link: ElementRef<'_>, engine: Engine) -> bool {
    let url = link.attr("href").and_then(|href| address::absolute(href, engine));
    url.and_then(|url| address::click_target(&url))
        .is_some_and(|target| address::is_search(&target))
}

fn copied(element: ElementRef<'_>, copies: &Css) -> bool {
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
    fn from_findings(finds: &'a PageFindings) -> Self {
        let ads = || finds.ads.iter().map(|found| &found.ad);
        Self {
            clicks: ads().flat_map(|ad| &ad.aclk_urls).map(String::as_str).collect(),
            targets: ads().filter_map(|ad| ad.target_url.as_deref()).collect(),
        }
    }

    /// Whether a link leads where one of them leads, as in what is shown under the pointer.
    fn leads(&self, link: ElementRef<'_>, engine: Engine, copies: &Css) -> bool {
        let Some(href) = link.attr("href") else { return false };
        let clicked = |url: url::Url| self.clicks.contains(url.as_str());
        if address::absolute(href, engine).is_some_and(clicked) {
            return true;
        }
        let led = |href: &str| {
            let destination = Destination::resolve(&[href.to_owned()], engine);
            destination
                .target
                .is_some_and(|target| self.targets.contains(target.as_str()))
        };
        // Beside a hidden link that counts stands the shown one that leads to the shop.
        let beside = || {
            link.next_siblings()
                .filter_map(ElementRef::wrap)
                .find_map(|other| other.attr("href"))
        };
        copied(link, copies) && !self.targets.is_empty() && (led(href) || beside().is_none_or(led))
    }
}

fn holds_a_label_alone(node: NodeRef<'_, Node>) -> bool {
    ElementRef::wrap(node).is_some_and(|element| is_label(&text::visible(element)))
}

fn is_out_of_sight(element: ElementRef<'_>) -> bool {
    text::is_hidden(element) || element.ancestors().filter_map(ElementRef::wrap).any(text::is_hidden)
}

/// Whether neither a click link nor what stands around it is shown. Products of 2019 have a hidden link that counts beside the shown one
/// that leads to the shop.
fn counts_nothing_in_sight(link: ElementRef<'_>) -> bool {
    let around = link.parent().and_then(ElementRef::wrap);
    is_out_of_sight(link) && around.is_none_or(|around| is_out_of_sight(around) || text::visible(around).is_empty())
}

/// Compares the traces with what was read.
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
