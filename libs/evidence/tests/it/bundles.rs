//! The contents of a bundle.

use std::io::{Cursor, Read};

use evidence::{bundle, seal};
use serde_json::Value;
use sha2::{Digest, Sha256};
use vocabulary::CaptureId;
use zip::ZipArchive;

use super::captured::Captured;

struct Opened(ZipArchive<Cursor<Vec<u8>>>);

impl Opened {
    async fn download(captured: &Captured, capture: CaptureId) -> Self {
        let packed = bundle(&captured.store.pool, &captured.blobs, capture)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(packed.name, format!("vigie-evidence-{capture}.zip"));
        Self(ZipArchive::new(Cursor::new(packed.bytes)).unwrap())
    }

    fn bytes(&mut self, name: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.0.by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
        bytes
    }

    fn json(&mut self, name: &str) -> Value {
        serde_json::from_slice(&self.bytes(name)).unwrap()
    }
}

#[tokio::test]
async fn every_file_of_a_bundle_is_listed_with_its_hash() {
    let captured = Captured::new().await;
    let capture = captured.capture().await;
    seal(&captured.store.pool).await.unwrap();
    let mut opened = Opened::download(&captured, capture).await;
    let manifest = opened.json("manifest.json");
    let files = manifest["files"].as_array().unwrap().clone();
    assert_eq!(files.len(), 5);
    for file in files {
        let bytes = opened.bytes(file["name"].as_str().unwrap());
        assert_eq!(file["sha256"], hex::encode(Sha256::digest(&bytes)));
    }
    assert_eq!(
        manifest["evidence"]["taken"]["pageSha256"],
        hex::encode(Sha256::digest(opened.bytes("page-as-received.html.txt")))
    );
}

#[tokio::test]
async fn the_digest_of_the_chain_can_be_checked_with_the_bundle_alone() {
    let captured = Captured::new().await;
    captured.capture().await;
    let capture = captured.capture().await;
    seal(&captured.store.pool).await.unwrap();
    let mut opened = Opened::download(&captured, capture).await;
    let chain = opened.json("manifest.json")["chain"].clone();
    assert_eq!(chain["position"], 2);
    let mut hash = Sha256::new();
    hash.update(hex::decode(chain["digestBefore"].as_str().unwrap()).unwrap());
    hash.update(opened.bytes("sealed.json"));
    assert_eq!(chain["digest"], hex::encode(hash.finalize()));
}

#[tokio::test]
async fn the_summary_tells_what_was_captured_in_both_languages_and_asks_for_nothing() {
    let captured = Captured::new().await;
    let capture = captured.capture().await;
    let mut opened = Opened::download(&captured, capture).await;
    let summary = String::from_utf8(opened.bytes("index.html")).unwrap();
    for text in [
        "shoes &amp; &lt;boots&gt;",
        "Evidence of a captured search",
        "Preuve d’une recherche capturée",
        "viewing-copy.html#ad-1",
        "Lyon",
        "screenshot.webp",
        "was not in the chain yet",
    ] {
        assert!(summary.contains(text), "{text} in {summary}");
    }
    assert!(!summary.contains("<script") && !summary.contains("src=\"http"));
}

#[tokio::test]
async fn a_bundle_without_files_says_when_they_were_removed() {
    let captured = Captured::new().await;
    let capture = captured.capture().await;
    let row = captured.stored(capture).await;
    for digest in [row.page, row.reading.view, row.screenshot.unwrap()] {
        captured.blobs.delete(&digest).await.unwrap();
    }
    captured
        .store
        .execute("update capture set files_gone_at = timestamptz '2026-07-01'")
        .await;
    let mut opened = Opened::download(&captured, capture).await;
    let summary = String::from_utf8(opened.bytes("index.html")).unwrap();
    assert!(summary.contains("01&#x2f;07&#x2f;2026"), "{summary}");
    assert!(!summary.contains("viewing-copy.html"));
    assert_eq!(opened.json("manifest.json")["files"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn there_is_no_bundle_of_an_unknown_capture() {
    let captured = Captured::new().await;
    let unknown = CaptureId("00000000-0000-4000-8000-000000000000".parse().unwrap());
    assert_eq!(
        bundle(&captured.store.pool, &captured.blobs, unknown).await.unwrap(),
        None
    );
}
