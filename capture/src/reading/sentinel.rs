//! Counts traces of ads apart from the reading, so that a page whose ads were missed is not taken for one without ads.

use std::collections::HashSet;
use std::sync::LazyLock;

use ego_tree::{NodeId, NodeRef};
use scraper::{ElementRef, Html, Node};
use serde::Serialize;
use vocabulary::{AdKind, Engine};

use super::finder::Finds;
use super::tables::Traces;
use super::{address, outline, text};

/// Words that mark ads and nothing else, lower case, one a line; `#` starts a comment.
static LABELS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    include_str!("tables/labels.txt")
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim())
        .filter(|line| !line.is_empty())
        .collect()
});
/// Bytes of the longest label with room for the dots and blanks around it.
const MAX_LABEL: usize = 60;

/// How far above a label the ads it announces may stand.
const LABEL_REACH: usize = 6;

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
    /// The page went over a bound of the reader and was read in part.
    PageCut,
}

impl AdTraces {
    pub(super) fn count(html: &Html, engine: Engine, known: &Traces, finds: &Finds) -> Self {
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
        traces.count_labels(html, finds, &vacant);
        let texts = finds.ads.iter().filter(|found| found.ad.kind == AdKind::Text);
        let crowded = texts
            .filter_map(|found| ElementRef::wrap(html.tree.get(found.node)?))
            .filter(|ad| is_crowded(*ad));
        traces.crowded_ads = count_of(crowded);
        let read: HashSet<&str> = finds
            .ads
            .iter()
            .flat_map(|found| &found.ad.aclk_urls)
            .map(String::as_str)
            .collect();
        for link in html.select(&known.clicks.0) {
            traces.clicks += 1;
            let counted = finds.covers(link) || counts_nothing_in_sight(link) || is_copy(link, engine, &read);
            traces.stray_clicks += u32::from(!counted);
        }
        traces
    }

    /// Labels are those of ads that are there: a container that holds its label alone (`vacant`) has none.
    fn count_labels(&mut self, html: &Html, finds: &Finds, vacant: &HashSet<NodeId>) {
        for node in html.tree.root().descendants() {
            let Some(raw) = node.value().as_text() else { continue };
            if raw.len() > MAX_LABEL || !is_label(raw) {
                continue;
            }
            let Some(element) = node.parent().and_then(ElementRef::wrap) else {
                continue;
            };
            let idle = || element.ancestors().any(|around| vacant.contains(&around.id()));
            if is_out_of_sight(element)
                || leads_elsewhere(element)
                || in_a_sentence(node)
                || vacant.contains(&element.id())
                || idle()
            {
                continue;
            }
            self.labels += 1;
            let near = || {
                let announced = element.ancestors().skip_while(|around| holds_a_label_alone(*around));
                announced.take(LABEL_REACH).any(|around| finds.within(around.id()))
            };
            self.stray_labels += u32::from(!finds.covers(element) && !near());
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

/// Whether every link of a container is another search, as under 'similar products'.
fn leads_to_searches(container: ElementRef<'_>, engine: Engine) -> bool {
    let links = || {
        container
            .descendants()
            .filter_map(|node| node.value().as_element()?.attr("href"))
    };
    let is_search = |link: &str| address::absolute(link, engine).is_some_and(|url| address::is_search(&url));
    links().next().is_some() && links().all(is_search)
}

/// Whether a text goes on beside it, in letters of its own or in marked words, as snippets do.
fn in_a_sentence(text: NodeRef<'_, Node>) -> bool {
    const MARKS: [&str; 4] = ["b", "em", "strong", "i"];
    let beside = text.prev_siblings().chain(text.next_siblings());
    beside.into_iter().any(|other| match other.value() {
        Node::Text(raw) => raw.chars().any(char::is_alphanumeric),
        Node::Element(element) => MARKS.contains(&element.name()),
        _ => false,
    })
}

/// Whether a link leads where an ad that was read leads, as in hover cards.
fn is_copy(link: ElementRef<'_>, engine: Engine, read: &HashSet<&str>) -> bool {
    let url = link.attr("href").and_then(|address| address::absolute(address, engine));
    url.is_some_and(|url| read.contains(url.as_str()))
}

fn is_label(raw: &str) -> bool {
    let word = text::clean(raw);
    let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    LABELS.contains(word.as_str())
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
pub(super) fn doubts(traces: &AdTraces, cut: bool) -> Vec<Doubt> {
    [
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
