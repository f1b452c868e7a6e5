//! Reading one page.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use vocabulary::{Engine, Verdict};

use super::document::Document;
use super::finder::{self, Finds};
use super::sentinel::{self, AdTraces, Doubt};
use super::tables::{self, Knowledge};
use super::{READER_VERSION, organic, verdict};
use crate::{ObservedAd, OrganicResult};

/// A paid unit that is neither a text ad nor a shopping ad. It is counted and never read as an ad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum OtherUnit {
    /// Craftsmen and services near the searcher.
    LocalServices,
    /// Hotels with prices.
    Hotels,
    /// Shops with pictures of several of their products, none with its price.
    Showcase,
    /// Flights, insurances, loans, or the offers for one product, compared by the engine.
    Comparison,
}

/// What was read off one page.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadPage {
    /// What the page is. Ads are read of a `Results` page only.
    pub verdict: Verdict,
    /// The table that read most of its ads, or else its organic results; `none` where nothing was read.
    pub generation: &'static str,
    /// In the order of the document.
    pub ads: Vec<ObservedAd>,
    /// In the order of the document.
    pub organic: Vec<OrganicResult>,
    /// Other paid units by kind.
    pub other_units: BTreeMap<OtherUnit, u16>,
    /// Traces of ads, counted independently of the tables' reading.
    pub traces: AdTraces,
    /// Why the ads may not be all there are; empty when all agrees.
    pub doubts: Vec<Doubt>,
    /// The reader that read it.
    pub reader_version: &'static str,
}

impl ReadPage {
    /// The verdict to store: a result page with doubts is `Doubtful` and never means 'no ads'.
    pub fn judged(&self) -> Verdict {
        if self.verdict == Verdict::Results && !self.doubts.is_empty() {
            Verdict::Doubtful
        } else {
            self.verdict
        }
    }
}

/// Reads a page of an engine. Pure: the same page gives the same answer, whatever it holds, in bounded time and memory.
pub fn read(page: &str, engine: Engine) -> ReadPage {
    let document = Document::parse(page);
    read_document(&document, page, engine).0
}

pub(super) fn read_document(document: &Document, page: &str, engine: Engine) -> (ReadPage, Finds) {
    let knowledge = tables::of(engine);
    let html = &document.html;
    let mut finds = finder::find(html, page, engine, knowledge);
    let results = organic::list(html, engine, knowledge, &finds);
    organic::place_between(&mut finds.ads, &results);
    let mut other_units = BTreeMap::new();
    for (_, kind) in &finds.units {
        *other_units.entry(*kind).or_default() += 1;
    }
    let nothing_read = finds.ads.is_empty() && results.is_empty() && finds.units.is_empty();
    let verdict = verdict::of(html, &knowledge.page.verdict, nothing_read);
    if verdict != Verdict::Results {
        return (unanswered(verdict), Finds::default());
    }
    let traces = AdTraces::count(html, engine, &knowledge.page.traces, &finds);
    let read = ReadPage {
        verdict,
        generation: generation(&finds, knowledge),
        ads: finds.ads.iter().map(|found| found.ad.clone()).collect(),
        organic: results.into_iter().map(|listed| listed.result).collect(),
        other_units,
        doubts: sentinel::doubts(&traces, document.cut),
        traces,
        reader_version: READER_VERSION,
    };
    (read, finds)
}

fn unanswered(verdict: Verdict) -> ReadPage {
    ReadPage {
        verdict,
        generation: "none",
        ads: Vec::new(),
        organic: Vec::new(),
        other_units: BTreeMap::new(),
        traces: AdTraces::default(),
        doubts: Vec::new(),
        reader_version: READER_VERSION,
    }
}

/// The table that read most ads; of several the newest.
fn generation(finds: &Finds, knowledge: &'static Knowledge) -> &'static str {
    let count = |name: &str| finds.ads.iter().filter(|found| found.generation == name).count();
    let best = knowledge
        .generations
        .iter()
        .rev()
        .max_by_key(|table| count(&table.name));
    best.filter(|table| count(&table.name) > 0)
        .map_or("none", |table| &table.name)
}
