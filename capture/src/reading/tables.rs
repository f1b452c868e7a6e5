//! The tables: where each generation of an engine's page keeps its ads. They are data; this module gives them types.
//!
//! A new generation is a new file in the engine's folder, named by its first year: files are tried from the last name to the first,
//! `fallback.toml` at the end. Anchor on attributes and ids; random-looking names (`uEierd`) do not last, and values that no selector names
//! are found by their position (see `outline`). Raise `READER_VERSION` with every change.

use std::sync::LazyLock;

use include_dir::{Dir, include_dir};
use scraper::Selector;
use serde::{Deserialize, Deserializer};
use vocabulary::{AdKind, Engine};

use super::fields::{self, Source};
use crate::OtherUnit;

static FOLDER: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/src/reading/tables");
/// The file with what all generations share.
const PAGE_FILE: &str = "page.toml";

/// Everything known about one engine's pages.
pub(super) struct Knowledge {
    /// What all generations share.
    pub page: PageTable,
    /// Newest first; the one whose name ends in `fallback` is last.
    pub generations: Vec<Generation>,
}

/// Selectors that hold for every generation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PageTable {
    /// Containers that determine an ad's block.
    pub blocks: Blocks,
    /// Marks that decide the verdict.
    pub verdict: Marks,
    /// Traces of ads, counted independently of the reading.
    pub traces: Traces,
    /// What other paid units cannot cross.
    pub units: UnitBounds,
}

/// Containers by part of the page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Blocks {
    /// Above the results.
    pub top: Css,
    /// Below the results.
    pub bottom: Css,
    /// In the column beside the results.
    pub right: Css,
    /// Around the products of one shopping unit.
    pub shopping: Css,
}

/// Elements that only pages of one verdict have.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Marks {
    /// Frames that hold results.
    pub results: Css,
    /// The notice that nothing was found; what surrounds it, such as related searches, differs from term to term.
    pub nothing: Css,
    /// The engine's own answers, which may come alone: calculations, units, facts.
    pub answers: Css,
    /// The town the engine answered for, where the page names it.
    pub place: Css,
    /// The footer of every complete page.
    pub foot: Css,
    /// A test for humans.
    pub captcha: Css,
    /// A wall that asks for consent.
    pub consent: Css,
    /// A refusal that offers no test.
    pub blocked: Css,
    /// An error page of the browser itself.
    pub error: Css,
}

/// Signs of ads that do not depend on the rules.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Traces {
    /// Containers that hold nothing but ads.
    pub containers: Css,
    /// Links that count a click.
    pub clicks: Css,
    /// Frames shown under the pointer: copies of other parts of the page.
    pub copies: Css,
}

/// What ends the part of a page that a label or heading announces.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UnitBounds {
    /// Ads and headlines of organic results: no unit holds one.
    pub apart: Css,
    /// The frame of the page, which holds units.
    pub frames: Css,
}

/// One generation of an engine's page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Generation {
    /// Its name, stored with each reading.
    pub name: String,
    /// Ads, in the order the rules are tried.
    #[serde(default)]
    pub ad: Vec<AdRule>,
    /// Rules for organic results.
    #[serde(default)]
    pub organic: Vec<OrganicRule>,
    /// Rules for paid units of other kinds.
    #[serde(default)]
    pub unit: Vec<UnitRule>,
}

/// How to read one kind of ad.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AdRule {
    /// Whether these are text ads or shopping ads.
    pub kind: AdKind,
    /// The source must contain one of these, so that most rules cost nothing on most pages; empty means always try.
    #[serde(default)]
    pub has: Vec<String>,
    /// Each match is one ad; of nested matches the outermost.
    pub element: Css,
    /// The element must hold a match.
    pub holding: Option<Css>,
    /// The element must not hold a match.
    pub lacking: Option<Css>,
    /// The element must not be within a match.
    pub outside: Option<Css>,
    /// The nearest match around the element must hold no ad of this kind that an earlier rule has read: there everything else is a copy.
    pub unread: Option<Css>,
    /// Each match marks one ad, which extends to the largest element around it without another match.
    #[serde(default)]
    pub grow: bool,
    /// A frame right around each ad, which may hold its comparison service.
    pub card: Option<Css>,
    /// Without a price there is no ad.
    #[serde(default)]
    pub priced: bool,
    /// Headline (with `grow` within the match); without one there is no ad. A product without one is named by its longest text.
    pub title: Vec<Source>,
    /// Addresses that a click leads through; all are examined.
    #[serde(default)]
    pub links: Vec<Source>,
    /// The displayed address.
    #[serde(default)]
    pub display: Vec<Source>,
    /// The advertiser's host where the page names it without displaying it.
    #[serde(default)]
    pub domain: Vec<Source>,
    /// The creative's text.
    #[serde(default)]
    pub description: Vec<Source>,
    /// Address of the picture.
    #[serde(default)]
    pub image: Vec<Source>,
    /// The displayed price.
    #[serde(default)]
    pub price: Vec<Source>,
    /// The displayed merchant.
    #[serde(default)]
    pub merchant: Vec<Source>,
    /// The engine's id of the merchant.
    #[serde(default)]
    pub merchant_id: Vec<Source>,
    /// The displayed comparison service.
    #[serde(default)]
    pub comparator: Vec<Source>,
    /// Address of the comparison service.
    #[serde(default)]
    pub comparator_link: Vec<Source>,
    /// Labels within a displayed address or a creative that are no part of it.
    pub label: Option<Css>,
}

/// How to read organic results.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OrganicRule {
    /// Each match is a result, unless it is within an ad.
    pub element: Css,
    /// The element must hold a match.
    pub holding: Option<Css>,
    /// The element must not be within a match.
    pub outside: Option<Css>,
    /// The result's headline.
    pub title: Vec<Source>,
    /// The result's address.
    pub link: Vec<Source>,
}

/// How to recognise a paid unit of another kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UnitRule {
    /// Which kind of unit it is.
    pub kind: OtherUnit,
    /// Each outermost match is one unit; when absent, each part of the page that a label of ads or one of `headings` announces.
    pub element: Option<Css>,
    /// Beginnings of texts that announce it, in lower case.
    #[serde(default)]
    pub headings: Vec<String>,
    /// The unit must hold a match, …
    pub holding: Option<Css>,
    /// … and at least this many.
    #[serde(default = "one")]
    pub least: usize,
    /// The element must not hold a match.
    pub lacking: Option<Css>,
    /// The unit must hold a label of ads.
    #[serde(default)]
    pub labelled: bool,
}

const fn one() -> usize {
    1
}

/// A selector list, parsed from a table.
pub(super) struct Css(pub Selector);

impl<'de> Deserialize<'de> for Css {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let css = String::deserialize(deserializer)?;
        fields::selector(&css).map(Css).map_err(serde::de::Error::custom)
    }
}

/// Returns the tables of an engine. The first call parses them, and panics if one is malformed.
pub(super) fn knowledge(engine: Engine) -> &'static Knowledge {
    static GOOGLE: LazyLock<Knowledge> = LazyLock::new(|| load_tables("google"));
    static BING: LazyLock<Knowledge> = LazyLock::new(|| load_tables("bing"));
    match engine {
        Engine::Google => &GOOGLE,
        Engine::Bing => &BING,
    }
}

/// Parses all tables in an engine's folder (`google`), the newest generation first, the fallback last. Panics on a malformed or missing table: tables
/// are part of the program, and a test loads them all.
fn load_tables(engine: &str) -> Knowledge {
    let folder = FOLDER
        .get_dir(engine)
        .unwrap_or_else(|| panic!("no tables of {engine}"));
    let mut files: Vec<_> = folder.files().collect();
    files.sort_by_key(|file| {
        let path = file.path().to_string_lossy().into_owned();
        (path.ends_with("fallback.toml"), std::cmp::Reverse(path))
    });
    let mut page = None;
    let mut generations = Vec::new();
    for file in files {
        let path = file.path().display();
        let text = file.contents_utf8().unwrap_or_else(|| panic!("{path} is not UTF-8"));
        if file.path().ends_with(PAGE_FILE) {
            page = Some(toml::from_str(text).unwrap_or_else(|error| panic!("{path}: {error}")));
        } else {
            generations.push(toml::from_str(text).unwrap_or_else(|error| panic!("{path}: {error}")));
        }
    }
    Knowledge {
        page: page.unwrap_or_else(|| panic!("{engine} has no {PAGE_FILE}")),
        generations,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_loads_and_every_engine_ends_with_its_fallback() {
        for engine in [Engine::Google, Engine::Bing] {
            let names: Vec<_> = knowledge(engine)
                .generations
                .iter()
                .map(|table| table.name.as_str())
                .collect();
            assert!(names.len() > 1, "{names:?}");
            assert!(names.last().unwrap().ends_with("fallback"), "{names:?}");
        }
    }
}
