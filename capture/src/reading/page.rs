//! Reads one page: verdict, ads, organic results and doubts.

use std::collections::BTreeMap;

use serde::Serialize;
use vocabulary::{Engine, Verdict};

use super::document::{Document, ends_early};
use super::finder::{self, PageFindings};
use super::organic::OrganicFindings;
use super::sentinel::{self, AdTraces, Doubt};
use super::tables::{self, Knowledge};
use super::{READER_VERSION, organic, verdict};
use crate::{ObservedAd, OrganicResult, OtherUnit};

/// What was read from one page.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadPage {
    /// What the page is. Only `Results` pages have ads; a `Doubtful` page is a result page on which nothing was found.
    pub verdict: Verdict,
    /// The table that read most of its ads; `none` without ads.
    pub generation: &'static str,
    /// In document order.
    pub ads: Vec<ObservedAd>,
    /// In document order.
    pub organic: Vec<OrganicResult>,
    /// Other paid units by kind.
    pub other_units: BTreeMap<OtherUnit, u16>,
    /// Traces of ads, counted independently of the tables.
    pub traces: AdTraces,
    /// Why some ads may be missing; empty when nothing contradicts the reading.
    pub doubts: Vec<Doubt>,
    /// The text of a page on which nothing was found, shortened; `None` where something was.
    pub nothing_found: Option<String>,
    /// The town the engine answered for, where the page names it.
    pub place: Option<String>,
    /// Version of the reader.
    pub reader_version: &'static str,
}

impl ReadPage {
    /// Turns the reading into that of a result page without ads: the verdict becomes `Results`, and all doubts are removed. Call it only on a page on
    /// which nothing was found.
    pub fn confirm_nothing(&mut self) {
        self.verdict = Verdict::Results;
        self.doubts.clear();
    }

    /// Returns the verdict to store: that of the page, but `Doubtful` for a result page with doubts, which never means 'no ads'.
    pub fn verdict_to_store(&self) -> Verdict {
        if self.verdict == Verdict::Results && !self.doubts.is_empty() {
            Verdict::Doubtful
        } else {
            self.verdict
        }
    }
}

/// Reads a page of an engine. Pure: the same page always gives the same result, whatever it holds, in bounded time and memory.
pub fn read(page: &str, engine: Engine) -> ReadPage {
    let document = Document::parse(page);
    read_document(&document, page, engine).0
}

/// Reads a parsed page; `page` is its source. The second value has the nodes of what was read. When the verdict is neither `Results` nor `Doubtful`,
/// the page is no answer to the search, and both values are empty but for the verdict.
pub(super) fn read_document(document: &Document, page: &str, engine: Engine) -> (ReadPage, PageFindings) {
    let knowledge = tables::knowledge(engine);
    let html = &document.html;
    let mut findings = finder::find(html, page, engine, knowledge);
    let OrganicFindings { results, posing } = organic::list(html, engine, knowledge, &findings);
    organic::settle_blocks(&mut findings.ads, &results);
    organic::rank(html, &mut findings.ads, &results, &knowledge.page.blocks.shopping);
    findings.posing = posing;
    findings.listed = results.iter().map(|listed| listed.node).collect();
    let mut other_units = BTreeMap::new();
    for (_, kind) in &findings.units {
        *other_units.entry(*kind).or_default() += 1;
    }
    let nothing_read = findings.ads.is_empty() && results.is_empty() && findings.units.is_empty();
    let marks = &knowledge.page.verdict;
    let verdict = verdict::judge(html, marks, nothing_read);
    if !matches!(verdict, Verdict::Results | Verdict::Doubtful) {
        return (unanswered(verdict), PageFindings::default());
    }
    let is_cut = document.cut || ends_early(page, || verdict::has_a_foot(html, marks));
    let nothing_found = (verdict == Verdict::Doubtful && !is_cut).then(|| verdict::text_of_nothing(html, marks));
    let traces = AdTraces::count(html, engine, &knowledge.page.traces, &findings);
    let read = ReadPage {
        verdict,
        generation: winning_generation(&findings, knowledge),
        ads: findings.ads.iter().map(|found| found.ad.clone()).collect(),
        organic: results.into_iter().map(|listed| listed.result).collect(),
        other_units,
        doubts: sentinel::doubts(&traces, is_cut, nothing_found.is_some()),
        nothing_found,
        place: verdict::place(html, marks),
        traces,
        reader_version: READER_VERSION,
    };
    (read, findings)
}

/// Builds the empty reading of a page that is no answer to the search, with this verdict.
fn unanswered(verdict: Verdict) -> ReadPage {
    ReadPage {
        verdict,
        generation: "none",
        ads: Vec::new(),
        organic: Vec::new(),
        other_units: BTreeMap::new(),
        traces: AdTraces::default(),
        doubts: Vec::new(),
        nothing_found: None,
        place: None,
        reader_version: READER_VERSION,
    }
}

/// Returns the name of the table that read most ads, the newest of several; `none` without ads, whatever read the organic results.
fn winning_generation(findings: &PageFindings, knowledge: &'static Knowledge) -> &'static str {
    let count = |name: &str| findings.ads.iter().filter(|found| found.generation == name).count();
    let best = knowledge
        .generations
        .iter()
        .rev()
        .max_by_key(|table| count(&table.name));
    best.filter(|table| count(&table.name) > 0)
        .map_or("none", |table| &table.name)
}
