//! The tables: where a generation of an engine's page keeps its ads. They are data; this module gives them their types.
//!
//! A new generation is a new file in the engine's folder, named by its first year: files are tried from the last name to the first and
//! `fallback.toml` at the end. Anchor on attributes and ids; names that look drawn by lot (`uEierd`) do not last, and values that no
//! selector names are found by their place (see `outline`). Raise `READER_VERSION` with every change.

use std::sync::LazyLock;

use include_dir::{Dir, include_dir};
use scraper::Selector;
use serde::{Deserialize, Deserializer};
use vocabulary::{AdKind, Engine};

use super::fields::{self, Source};
use crate::OtherUnit;

static FOLDER: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/src/reading/tables");
/// Holds what does not change with the generation.
const PAGE_FILE: &str = "page.toml";

/// Everything known about one engine's pages.
pub(super) struct Knowledge {
    /// What every generation shares.
    pub page: PageTable,
    /// Newest first; the one whose name ends in `fallback` is last.
    pub generations: Vec<Generation>,
}

/// Marks that hold for every generation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PageTable {
    /// Containers that say where on the page an ad stands.
    pub blocks: Blocks,
    /// What a page is.
    pub verdict: Marks,
    /// Traces of ads that are counted apart from the reading.
    pub traces: Traces,
    /// What bounds other paid units.
    pub units: UnitBounds,
}

/// Containers by part of the page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Blocks {
    /// Above the results.
    pub top: Css,
    /// Below them.
    pub bottom: Css,
    /// Beside them.
    pub right: Css,
    /// Around the products of one shopping unit.
    pub shopping: Css,
}

/// Elements that only pages of one verdict have.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Marks {
    /// Frames of the answer.
    pub results: Css,
    /// Where it is said that nothing was found; what stands beside, as related searches, differs from term to term.
    pub nothing: Css,
    /// Answers of the engine's own that may stand alone: sums, units, facts.
    pub answers: Css,
    /// The town the engine answered for, where the page tells.
    pub place: Css,
    /// What stands at the foot of every whole page.
    pub foot: Css,
    /// A test for persons.
    pub captcha: Css,
    /// A wall that asks for consent.
    pub consent: Css,
    /// A refusal that offers no test.
    pub blocked: Css,
    /// An error page of the browser itself.
    pub error: Css,
}

/// What tells that ads are there, whoever reads them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Traces {
    /// Containers that hold nothing but ads.
    pub containers: Css,
    /// Links that count a click.
    pub clicks: Css,
    /// Frames for what is shown under the pointer: copies of what stands on the page.
    pub copies: Css,
}

/// What ends the part of a page that a label or heading announces.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UnitBounds {
    /// Ads and headlines of unpaid results: no unit holds one.
    pub apart: Css,
    /// The frame of the page: units stand in it.
    pub frames: Css,
}

/// One generation of an engine's page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Generation {
    /// Its name, stored with what it read.
    pub name: String,
    /// Ads, in the order the rules are tried.
    #[serde(default)]
    pub ad: Vec<AdRule>,
    /// Unpaid results.
    #[serde(default)]
    pub organic: Vec<OrganicRule>,
    /// Paid units that are no ads of ours.
    #[serde(default)]
    pub unit: Vec<UnitRule>,
}

/// How to read one sort of ad.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AdRule {
    /// Text or shopping.
    pub kind: AdKind,
    /// Texts of which the source must hold one, so that most rules cost nothing on most pages; none means: always try.
    #[serde(default)]
    pub has: Vec<String>,
    /// Each match is one ad; of nested matches the outermost.
    pub element: Css,
    /// It must hold such an element.
    pub holding: Option<Css>,
    /// It must not hold such an element.
    pub lacking: Option<Css>,
    /// It must not stand within such an element.
    pub outside: Option<Css>,
    /// The nearest such element around it must hold no ad of the kind that an earlier rule has read: there all else is a copy.
    pub unread: Option<Css>,
    /// Each match is a mark of one ad, and the ad is all around it that holds no other match.
    #[serde(default)]
    pub grow: bool,
    /// A frame right around each ad, which may hold its comparison service.
    pub card: Option<Css>,
    /// Without a price there is no ad.
    #[serde(default)]
    pub priced: bool,
    /// Headline (with `grow` within the mark); without one there is no ad. A product that has none is named by its longest text.
    pub title: Vec<Source>,
    /// Addresses a click leads through; all are looked at.
    #[serde(default)]
    pub links: Vec<Source>,
    /// Displayed address.
    #[serde(default)]
    pub display: Vec<Source>,
    /// The advertiser's host where the page names it and does not display it.
    #[serde(default)]
    pub domain: Vec<Source>,
    /// Creative.
    #[serde(default)]
    pub description: Vec<Source>,
    /// Picture.
    #[serde(default)]
    pub image: Vec<Source>,
    /// Price.
    #[serde(default)]
    pub price: Vec<Source>,
    /// Merchant.
    #[serde(default)]
    pub merchant: Vec<Source>,
    /// Id of the merchant.
    #[serde(default)]
    pub merchant_id: Vec<Source>,
    /// Comparison service.
    #[serde(default)]
    pub comparator: Vec<Source>,
    /// Its address.
    #[serde(default)]
    pub comparator_link: Vec<Source>,
    /// Labels that may stand within a displayed address or a creative and are no part of it.
    pub label: Option<Css>,
}

/// How to read unpaid results.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OrganicRule {
    /// Each match is a result, unless it stands within an ad.
    pub element: Css,
    /// It must hold such an element.
    pub holding: Option<Css>,
    /// It must not stand within such an element.
    pub outside: Option<Css>,
    /// Headline.
    pub title: Vec<Source>,
    /// Address.
    pub link: Vec<Source>,
}

/// How to recognise a paid unit of another kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UnitRule {
    /// What it is.
    pub kind: OtherUnit,
    /// Each outermost match is one unit; without it each part of the page that a label of ads, or one of `headings`, announces.
    pub element: Option<Css>,
    /// How the text begins that announces it, lower case.
    #[serde(default)]
    pub headings: Vec<String>,
    /// It must hold such an element, …
    pub holding: Option<Css>,
    /// … and so many of them.
    #[serde(default = "one")]
    pub least: usize,
    /// It must not hold such an element.
    pub lacking: Option<Css>,
    /// It must hold a label of ads.
    #[serde(default)]
    pub labelled: bool,
}

const fn one() -> usize {
    1
}

/// A selector list in a table.
pub(super) struct Css(pub Selector);

impl<'de> Deserialize<'de> for Css {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let css = String::deserialize(deserializer)?;
        fields::selector(&css).map(Css).map_err(serde::de::Error::custom)
    }
}

/// What is known about an engine's pages.
pub(super) fn knowledge(engine: Engine) -> &'static Knowledge {
    static GOOGLE: LazyLock<Knowledge> = LazyLock::new(|| load("google"));
    static BING: LazyLock<Knowledge> = LazyLock::new(|| load("bing"));
    match engine {
        Engine::Google => &GOOGLE,
        Engine::Bing => &BING,
    }
}

/// Panics on a malformed table: the tables are part of the program, and a test loads them all.
fn load(engine: &str) -> Knowledge {
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
