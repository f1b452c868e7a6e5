//! What `vigie read-page` prints about a page.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use vocabulary::{AdKind, Block, Engine, Verdict};

use super::{AdTraces, Doubt, ReadPage, decode, read};
use crate::{ObservedAd, OtherUnit};

/// One page as one line of JSON.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PageLine {
    file: String,
    engine: Engine,
    outcome: Verdict,
    generation: &'static str,
    elapsed_ms: f64,
    doubts: Vec<Doubt>,
    traces: AdTraces,
    other_units: BTreeMap<OtherUnit, u16>,
    place: Option<String>,
    ads: Vec<AdLine>,
    shopping: Vec<AdLine>,
    organic: usize,
}

/// One ad of a page, as it is printed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct AdLine {
    position: u16,
    real_position: u16,
    region: Block,
    title: String,
    description: Option<String>,
    display_url: Option<String>,
    target_url: Option<String>,
    /// In Unicode, as people write it.
    domain: Option<String>,
    price: Option<String>,
    merchant: Option<String>,
    comparator_name: Option<String>,
}

/// Reads a saved result page. Its engine is the name of its folder (`google/`, `bing/`), else a guess from the hosts that the page mentions. Fails
/// only when the file cannot be read.
pub fn read_saved_page(path: &Path) -> std::io::Result<PageLine> {
    let bytes = std::fs::read(path)?;
    let folder = path
        .parent()
        .and_then(Path::file_name)
        .map(|name| name.to_string_lossy().into_owned());
    let started = Instant::now();
    let page = decode(&bytes, None);
    let engine = folder
        .as_deref()
        .and_then(|name| name.parse().ok())
        .unwrap_or_else(|| engine_of(&page));
    let read = read(&page, engine);
    let elapsed_ms = started.elapsed().as_secs_f64() * 1_000.0;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let file = folder.map_or_else(|| name.to_string(), |folder| format!("{folder}/{name}"));
    Ok(PageLine::new(file, engine, read, elapsed_ms))
}

impl PageLine {
    /// Copies what is printed about a page, with the time that reading took; text ads and shopping ads are listed apart, each in page order, organic
    /// results only counted.
    fn new(file: String, engine: Engine, read: ReadPage, elapsed_ms: f64) -> Self {
        let (text, shopping): (Vec<_>, Vec<_>) = read.ads.into_iter().partition(|ad| ad.kind == AdKind::Text);
        Self {
            file,
            engine,
            outcome: read.verdict,
            generation: read.generation,
            elapsed_ms,
            doubts: read.doubts,
            traces: read.traces,
            other_units: read.other_units,
            place: read.place,
            ads: text.into_iter().map(AdLine::from).collect(),
            shopping: shopping.into_iter().map(AdLine::from).collect(),
            organic: read.organic.len(),
        }
    }
}

impl From<ObservedAd> for AdLine {
    /// Takes what is printed of an ad, with its domain in Unicode and its block as the region; other fields are left out.
    fn from(ad: ObservedAd) -> Self {
        Self {
            position: ad.position,
            real_position: ad.real_position,
            region: ad.block,
            title: ad.title,
            description: ad.description,
            display_url: ad.display_url,
            target_url: ad.target_url,
            domain: ad.domain.map(|host| idna::domain_to_unicode(host.as_str()).0),
            price: ad.price,
            merchant: ad.merchant,
            comparator_name: ad.comparator_name,
        }
    }
}

/// Guesses the engine of a page: Bing if the page mentions its hosts more often than Google's, else Google.
fn engine_of(page: &str) -> Engine {
    let bing = page.matches("bing.com").count();
    let google = page.matches("google.").count() + page.matches("gstatic.com").count();
    if bing > google { Engine::Bing } else { Engine::Google }
}
