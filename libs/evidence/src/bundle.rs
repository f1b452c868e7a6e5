//! One capture as one archive that can be read and checked without Vigie.

use std::io::{Cursor, Write as _};

use blobs::Blobs;
use minijinja::value::Serde;
use postgres::Pool;
use postgres::captures::{self, Capture, Digest};
use postgres::evidence::{self, ChainEntry};
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use vocabulary::CaptureId;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::manifest::{canonical, manifest};
use crate::{Error, Result};

const SUMMARY: &str = include_str!("summary.html");
const SCREENSHOT: &str = "screenshot.webp";

/// A packed capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// The suggested file name, ending in `.zip`.
    pub name: String,
    /// The content of the zip archive.
    pub bytes: Vec<u8>,
}

/// Packs a capture: `index.html` (a summary in English and French that works offline), `manifest.json` with every hash, `sealed.json` (if sealed, the
/// text that its digest covers), `headers.json`, the page as received (as text, so that nothing in it runs), the viewing copy and the screenshot.
/// `None` when there is no such capture. Files that are gone are left out; a damaged one is an error.
pub async fn bundle(postgres: &Pool, blobs: &Blobs, capture: CaptureId) -> Result<Option<Bundle>> {
    let Some(capture) = captures::by_id(postgres, capture).await? else {
        return Ok(None);
    };
    let entry = evidence::of_capture(postgres, capture.id).await?;
    let before = match &entry {
        Some(entry) => evidence::digest_before(postgres, entry).await?,
        None => None,
    };
    let files = Files {
        page: read_blob(blobs, Some(capture.page)).await?,
        view: read_blob(blobs, Some(capture.reading.view)).await?,
        screenshot: read_blob(blobs, capture.screenshot).await?,
    };
    let pack = move || pack(&capture, entry.as_ref(), before, files);
    tokio::task::spawn_blocking(pack)
        .await
        .map_err(|_| Error::Stopped)?
        .map(Some)
}

/// The content of a file; `None` without a digest, or when the file is gone. A damaged file is an error.
async fn read_blob(blobs: &Blobs, digest: Option<Digest>) -> Result<Option<Vec<u8>>> {
    match digest {
        Some(digest) => Ok(blobs.read(&digest).await?),
        None => Ok(None),
    }
}

/// The content of the files of a capture that still exist.
struct Files {
    page: Option<Vec<u8>>,
    view: Option<Vec<u8>>,
    screenshot: Option<Vec<u8>>,
}

/// A file of the archive as `manifest.json` lists it.
#[derive(Serialize)]
struct ListedFile {
    name: &'static str,
    sha256: String,
    bytes: usize,
}

/// The ZIP archive of a capture. `entry` is its place in the chain, `None` when it is not sealed; `before` is the digest of the entry before, `None`
/// for the first entry, written as zeros. Files that are `None` are left out.
fn pack(capture: &Capture, entry: Option<&ChainEntry>, before: Option<Digest>, files: Files) -> Result<Bundle> {
    let headers = indented_json(&json!(capture.headers));
    let sealed = entry.map(|entry| canonical(&entry.manifest).into_bytes());
    let files = [
        ("page-as-received.html.txt", files.page),
        ("viewing-copy.html", files.view),
        (SCREENSHOT, files.screenshot),
        ("headers.json", Some(headers)),
        ("sealed.json", sealed),
    ];
    let files: Vec<(&'static str, Vec<u8>)> = files
        .into_iter()
        .filter_map(|(name, file)| Some((name, file?)))
        .collect();
    let listed: Vec<ListedFile> = files
        .iter()
        .map(|(name, bytes)| ListedFile {
            name,
            sha256: hex::encode(Sha256::digest(bytes)),
            bytes: bytes.len(),
        })
        .collect();
    let chain = entry.map(|entry| {
        json!({
            "day": entry.day.to_string(),
            "position": entry.position,
            "digest": hex::encode(entry.digest),
            "digestBefore": hex::encode(before.unwrap_or_default()),
        })
    });
    let contents = json!({
        "evidence": manifest(capture),
        "files": listed,
        "filesRemovedAt": capture.files_gone_at,
        "chain": chain,
    });
    let summary = render_summary(&contents, capture)?;

    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let deflated = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    // Pictures are compressed already.
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let first = [
        ("index.html", summary.into_bytes()),
        ("manifest.json", indented_json(&contents)),
    ];
    for (name, bytes) in first.into_iter().chain(files) {
        archive.start_file(name, if name == SCREENSHOT { stored } else { deflated })?;
        archive.write_all(&bytes).map_err(zip::result::ZipError::Io)?;
    }
    Ok(Bundle {
        name: format!("vigie-evidence-{}.zip", capture.id),
        bytes: archive.finish()?.into_inner(),
    })
}

/// A JSON value as indented text that ends with a line break.
pub(crate) fn indented_json(value: &Value) -> Vec<u8> {
    format!("{value:#}\n").into_bytes()
}

/// Renders the page `index.html` from `contents`, the content of `manifest.json`, and the capture; times are in UTC. It shows the viewing copy and
/// the screenshot only if `contents` lists them.
fn render_summary(contents: &Value, capture: &Capture) -> Result<String> {
    let mut environment = minijinja::Environment::new();
    // minijinja escapes every value, because the name ends in .html.
    environment.add_template("summary.html", SUMMARY)?;
    let ads = capture.reading.text_ads + capture.reading.shopping_ads;
    let has = |name: &str| {
        let files = contents.get("files").and_then(Value::as_array);
        files.is_some_and(|files| {
            files
                .iter()
                .any(|file| file.get("name").and_then(Value::as_str) == Some(name))
        })
    };
    let part = |pointer: &str| minijinja::Value::from(Serde(contents.pointer(pointer)));
    let values = minijinja::context! {
        taken => part("/evidence/taken"),
        reading => part("/evidence/reading"),
        capture => capture.id.to_string(),
        taken_at => capture.taken_at.format("%d/%m/%Y %H:%M:%S").to_string(),
        headers => Serde(&capture.headers),
        files => part("/files"),
        removed_at => capture.files_gone_at.map(|at| at.format("%d/%m/%Y").to_string()),
        chain => part("/chain"),
        ads => (1..=ads).collect::<Vec<u32>>(),
        has_view => has("viewing-copy.html"),
        has_screenshot => has(SCREENSHOT),
    };
    Ok(environment.get_template("summary.html")?.render(values)?)
}
