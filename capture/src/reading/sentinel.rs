//! Counts traces of ads apart from the reading, so that a page whose ads were missed is not taken for one without ads.

use std::collections::HashSet;
use std::sync::LazyLock;

use scraper::{ElementRef, Html};
use serde::Serialize;
use vocabulary::Engine;

use super::finder::Finds;
use super::tables::Traces;
use super::{address, text};

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

/// Traces of ads on a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AdTraces {
    /// Visible texts that are an ad label in any of the known languages.
    pub labels: u32,
    /// Of these, outside every ad and other paid unit that was read, and around none.
    pub stray_labels: u32,
    /// Containers that hold nothing but ads.
    pub containers: u32,
    /// Of these, with text in them but nothing that was read.
    pub unread_containers: u32,
    /// Links that count a click.
    pub clicks: u32,
    /// Of these, outside every ad and other paid unit that was read.
    pub stray_clicks: u32,
}

/// Why the ads read may not be all there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Doubt {
    /// The page is labelled as holding ads, and none was read.
    LabelsWithoutAds,
    /// A container of ads was not read.
    UnreadContainer,
    /// Links that count clicks stand outside everything that was read.
    StrayClicks,
    /// The page went over a bound of the reader and was read in part.
    PageCut,
}

impl AdTraces {
    pub(super) fn count(html: &Html, engine: Engine, known: &Traces, finds: &Finds) -> Self {
        let mut traces = Self::default();
        traces.count_labels(html, finds);
        for container in html.select(&known.containers.0) {
            traces.containers += 1;
            let read = finds.within(container.id()) || finds.covers(container);
            if !read && !text::is_hidden(container) && !text::visible(container).is_empty() {
                traces.unread_containers += 1;
            }
        }
        let read: HashSet<&str> = finds.ads.iter().flat_map(|found| &found.ad.aclk_urls).map(String::as_str).collect();
        for link in html.select(&known.clicks.0) {
            traces.clicks += 1;
            let counted = finds.covers(link) || is_out_of_sight(link) || is_copy(link, engine, &read);
            traces.stray_clicks += u32::from(!counted);
        }
        traces
    }

    fn count_labels(&mut self, html: &Html, finds: &Finds) {
        for node in html.tree.root().descendants() {
            let Some(raw) = node.value().as_text() else { continue };
            if raw.len() > MAX_LABEL || !is_label(raw) {
                continue;
            }
            let Some(element) = node.parent().and_then(ElementRef::wrap) else { continue };
            if is_out_of_sight(element) {
                continue;
            }
            self.labels += 1;
            self.stray_labels += u32::from(!finds.covers(element));
        }
    }
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

fn is_out_of_sight(element: ElementRef<'_>) -> bool {
    text::is_hidden(element) || element.ancestors().filter_map(ElementRef::wrap).any(text::is_hidden)
}

/// Compares the traces with what was read.
pub(super) fn doubts(traces: &AdTraces, finds: &Finds, cut: bool) -> Vec<Doubt> {
    let nothing = finds.ads.is_empty() && finds.units.is_empty();
    [
        (Doubt::LabelsWithoutAds, nothing && traces.labels > 0),
        (Doubt::UnreadContainer, traces.unread_containers > 0),
        (Doubt::StrayClicks, traces.stray_clicks > 0),
        (Doubt::PageCut, cut),
    ]
    .into_iter()
    .filter_map(|(doubt, holds)| holds.then_some(doubt))
    .collect()
}
