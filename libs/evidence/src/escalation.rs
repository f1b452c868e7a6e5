//! What an engine needs to act on a complaint about a trademark, as one archive.

use std::io::{Cursor, Write as _};

use blobs::Blobs;
use chrono::{DateTime, SecondsFormat, Utc};
use image::codecs::png::PngEncoder;
use image::{DynamicImage, ImageFormat, ImageReader, Limits};
use minijinja::value::Serde;
use postgres::Pool;
use postgres::captures::{self, Capture, Digest};
use postgres::trademarks::TrademarkFacts;
use serde::Serialize;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;
use vocabulary::{ActionId, CaptureId, Language};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::bundle::{Bundle, indented_json};
use crate::{Error, Result};

const LETTER_EN: &str = include_str!("letter.en.txt");
const LETTER_FR: &str = include_str!("letter.fr.txt");
/// What drawing the picture of a page may take: some 60 million pixels, a page of 1,280 by 45,000.
const MOST_PICTURE_BYTES: u64 = 256 << 20;
/// Pictures drawn at the same time: other requests need the memory.
static AT_ONCE: Semaphore = Semaphore::const_new(1);

/// A case about whose ads a complaint is made.
#[derive(Clone, Debug)]
pub struct EscalatedCase {
    /// Number of the case, which the archive is named after.
    pub action: ActionId,
    /// The brand's name on screens.
    pub brand: String,
    /// The advertiser's host.
    pub domain: String,
    /// Country of the searches, two letters.
    pub country: String,
    /// The engine's name.
    pub engine: String,
    /// The number that the engine gave to a complaint before.
    pub complaint: Option<String>,
    /// The marks that the ads have in their texts.
    pub marks: Vec<TrademarkFacts>,
    /// The ads with a mark in their text, in the order of the letter.
    pub ads: Vec<EscalatedAd>,
    /// Proofs that the sender acts for the owners: name and content of files.
    pub authorisations: Vec<(String, Digest)>,
}

/// An ad that a complaint is about.
#[derive(Clone, Debug)]
pub struct EscalatedAd {
    /// A capture that shows it.
    pub capture: CaptureId,
    /// `ads` or `shopping`.
    pub kind: String,
    /// The headline as displayed.
    pub title: String,
    /// The text below the headline.
    pub text: String,
    /// The address shown.
    pub display_url: String,
    /// The landing page.
    pub target_url: String,
}

/// An ad as letter and manifest name it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListedAd {
    capture: String,
    taken: String,
    term: String,
    engine: String,
    country: String,
    kind: String,
    title: String,
    text: String,
    display_url: String,
    target_url: String,
    page_sha256: String,
    screenshot_sha256: Option<String>,
}

/// Packs a complaint: `letter.txt` in a language, `manifest.json` with what each ad was found on and the SHA-256 of every file, the text of each ad,
/// the picture of its page as PNG where one is kept, and the authorisations. Ads whose captures are gone are left out; a damaged file is an error.
pub async fn escalation_pack(
    postgres: &Pool,
    blobs: &Blobs,
    case: &EscalatedCase,
    language: Language,
    now: DateTime<Utc>,
) -> Result<Bundle> {
    let mut listed = Vec::new();
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for ad in &case.ads {
        let Some(capture) = captures::by_id(postgres, ad.capture).await? else {
            continue;
        };
        let number = listed.len() + 1;
        let ad = ListedAd::new(ad, &capture);
        files.push((format!("ad-{number}.txt"), ad.as_text().into_bytes()));
        let picture = match capture.screenshot {
            Some(screenshot) => blobs.read(&screenshot).await?,
            None => None,
        };
        if let Some(picture) = picture {
            files.push((format!("page-{number}.png"), png(picture).await?));
        }
        listed.push(ad);
    }
    for (place, (name, content)) in case.authorisations.iter().enumerate() {
        if let Some(content) = blobs.read(content).await? {
            files.push((format!("authorisation-{}-{}", place + 1, file_name(name)), content));
        }
    }
    let letter = letter(case, &listed, language, now)?;
    files.insert(0, ("letter.txt".to_owned(), letter.into_bytes()));
    let manifest = manifest(case, &listed, &files, now);
    files.insert(1, ("manifest.json".to_owned(), manifest));
    let pack = move || pack(files);
    let bytes = tokio::task::spawn_blocking(pack).await.map_err(|_| Error::Stopped)??;
    Ok(Bundle {
        name: format!("vigie-escalation-{}.zip", case.action),
        bytes,
    })
}

impl ListedAd {
    /// An ad with what its capture says.
    fn new(ad: &EscalatedAd, capture: &Capture) -> Self {
        Self {
            capture: capture.id.to_string(),
            taken: capture.taken_at.to_rfc3339_opts(SecondsFormat::Secs, true),
            term: capture.term.clone(),
            engine: capture.engine.to_string(),
            country: capture.locale.country().to_owned(),
            kind: ad.kind.clone(),
            title: ad.title.clone(),
            text: ad.text.clone(),
            display_url: ad.display_url.clone(),
            target_url: ad.target_url.clone(),
            page_sha256: hex::encode(capture.page),
            screenshot_sha256: capture.screenshot.map(hex::encode),
        }
    }

    /// The ad as a text of its own.
    fn as_text(&self) -> String {
        let Self {
            title,
            text,
            display_url,
            target_url,
            ..
        } = self;
        format!("{title}\n{text}\n{display_url}\n{target_url}\n")
    }
}

/// The letter to the engine, as plain text.
fn letter(case: &EscalatedCase, ads: &[ListedAd], language: Language, now: DateTime<Utc>) -> Result<String> {
    let template = match language {
        Language::En => LETTER_EN,
        Language::Fr => LETTER_FR,
    };
    let mut environment = minijinja::Environment::new();
    environment.add_template("letter.txt", template)?;
    let marks: Vec<serde_json::Value> = case.marks.iter().map(shown_mark).collect();
    let ads: Vec<serde_json::Value> = ads
        .iter()
        .map(|ad| {
            json!({
                "taken": ad.taken, "term": ad.term, "title": ad.title, "text": ad.text, "display_url": ad.display_url,
                "target_url": ad.target_url, "capture": ad.capture,
            })
        })
        .collect();
    let values = minijinja::context! {
        engine => &case.engine,
        date => now.format("%d/%m/%Y").to_string(),
        complaint => &case.complaint,
        domain => &case.domain,
        country => &case.country,
        marks => Serde(&marks),
        ads => Serde(&ads),
    };
    Ok(environment.get_template("letter.txt")?.render(values)?)
}

/// A mark as letter and manifest have it.
fn shown_mark(mark: &TrademarkFacts) -> serde_json::Value {
    json!({
        "mark": mark.mark, "office": mark.office, "number": mark.number, "countries": mark.countries, "classes": mark.classes,
        "owner": mark.owner,
    })
}

/// The content of `manifest.json`.
fn manifest(case: &EscalatedCase, ads: &[ListedAd], files: &[(String, Vec<u8>)], now: DateTime<Utc>) -> Vec<u8> {
    let files: Vec<serde_json::Value> = files
        .iter()
        .map(|(name, content)| {
            json!({"name": name, "sha256": hex::encode(Sha256::digest(content)), "bytes": content.len()})
        })
        .collect();
    indented_json(&json!({
        "case": case.action, "brand": case.brand, "domain": case.domain, "country": case.country, "engine": case.engine,
        "complaint": case.complaint, "packedAt": now.to_rfc3339_opts(SecondsFormat::Secs, true),
        "marks": case.marks.iter().map(shown_mark).collect::<Vec<_>>(), "ads": ads, "files": files,
    }))
}

/// The files as a ZIP archive.
fn pack(files: Vec<(String, Vec<u8>)>) -> Result<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        archive.start_file(name, SimpleFileOptions::default())?;
        archive.write_all(&content).map_err(zip::result::ZipError::Io)?;
    }
    Ok(archive.finish()?.into_inner())
}

/// A picture of a page (WebP) as PNG, which every form of an engine takes; one at a time.
async fn png(picture: Vec<u8>) -> Result<Vec<u8>> {
    let permit = AT_ONCE.acquire().await;
    let drawing = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        let mut reader = ImageReader::with_format(Cursor::new(picture), ImageFormat::WebP);
        let mut limits = Limits::default();
        limits.max_alloc = Some(MOST_PICTURE_BYTES);
        reader.limits(limits);
        let drawn: DynamicImage = reader.decode()?;
        let mut bytes = Vec::new();
        drawn.write_with_encoder(PngEncoder::new(&mut bytes))?;
        Ok(bytes)
    });
    drawing.await.map_err(|_| Error::Stopped)?
}

/// The name of an uploaded file as one of an archive: letters, digits, dots, hyphens and underscores.
fn file_name(name: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let name: String = name
        .chars()
        .map(|letter| if plain(letter) { letter } else { '_' })
        .collect();
    name.trim_start_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(complaint: Option<&str>) -> (EscalatedCase, Vec<ListedAd>) {
        let mark = TrademarkFacts {
            mark: "Acme".to_owned(),
            office: "EUIPO".to_owned(),
            number: "018000000".to_owned(),
            countries: vec!["BE".to_owned(), "FR".to_owned()],
            classes: vec![18, 25],
            owner: "Acme SA".to_owned(),
            authorisation: None,
        };
        let ad = |title: &str| ListedAd {
            capture: "c1".to_owned(),
            taken: "2026-03-02T07:59:58Z".to_owned(),
            term: "shoes".to_owned(),
            engine: "google".to_owned(),
            country: "FR".to_owned(),
            kind: "ads".to_owned(),
            title: title.to_owned(),
            text: "Half price".to_owned(),
            display_url: "shop.example".to_owned(),
            target_url: "https://shop.example/".to_owned(),
            page_sha256: String::new(),
            screenshot_sha256: None,
        };
        let case = EscalatedCase {
            action: ActionId(1),
            brand: "Acme".to_owned(),
            domain: "shop.example".to_owned(),
            country: "FR".to_owned(),
            engine: "google".to_owned(),
            complaint: complaint.map(str::to_owned),
            marks: vec![mark],
            ads: Vec::new(),
            authorisations: Vec::new(),
        };
        (case, vec![ad("Acme shoes"), ad("{{ 7 * 7 }} Acme <b>")])
    }

    #[test]
    fn a_letter_names_marks_and_ads_and_runs_nothing_that_an_ad_says() {
        let now = "2026-03-05T10:00:00Z".parse().unwrap();
        for (language, number, found) in [
            (Language::En, "Complaint number: 1-23", "Headline: {{ 7 * 7 }} Acme <b>"),
            (
                Language::Fr,
                "Numéro de réclamation : 1-23",
                "Titre : {{ 7 * 7 }} Acme <b>",
            ),
        ] {
            let (escalated, ads) = case(Some("1-23"));
            let text = letter(&escalated, &ads, language, now).unwrap();
            for part in [
                number,
                found,
                "05/03/2026",
                "Acme SA",
                "EUIPO",
                "18, 25",
                "BE, FR",
                "2. ",
            ] {
                assert!(text.contains(part), "{part}: {text}");
            }
            assert!(!text.contains("\n\n\n"), "{text}");
            let (plain, ads) = case(None);
            assert!(!letter(&plain, &ads, language, now).unwrap().contains("1-23"));
        }
    }

    #[test]
    fn the_name_of_a_file_leads_nowhere() {
        for (name, safe) in [
            ("power of attorney.pdf", "power_of_attorney.pdf"),
            ("../../etc/passwd", "_.._etc_passwd"),
        ] {
            assert_eq!(file_name(name), safe);
        }
    }
}
