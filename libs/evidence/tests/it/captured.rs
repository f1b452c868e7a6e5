//! Captures for tests to seal.

use blobs::Blobs;
use postgres::captures::{self, Capture, PageReading};
use postgres::slots::{self, HeldSlot};
use testkit::Postgres;
use vocabulary::{CaptureId, Device, Engine, KeywordType, SlotId, Verdict};

pub const PAGE: &str = "<html><body><script>go()</script><p>Shoes</p></body></html>";
pub const VIEW: &str = "<html><body><p id=\"ad-1\">Shoes</p></body></html>";

pub struct Captured {
    pub store: Postgres,
    pub blobs: Blobs,
    pub folder: tempfile::TempDir,
}

impl Captured {
    /// A store with a term, and a folder for files.
    pub async fn new() -> Self {
        let store = Postgres::new().await;
        store.term("shoes", None, 3_600_000).await;
        let folder = tempfile::tempdir().unwrap();
        Self {
            blobs: Blobs::folder(folder.path()).unwrap(),
            store,
            folder,
        }
    }

    /// Captures the term once more; each page differs.
    pub async fn capture(&self) -> CaptureId {
        let store = &self.store;
        store
            .execute("insert into slot (term_id, device, slot_ts) select 1, 'desktop', timestamptz '2026-01-01' + count(*) * interval '1 hour' from slot")
            .await;
        let slot = SlotId(store.fetch::<i64>("select max(id) from slot").await);
        let job = HeldSlot { id: slot, attempt: 0 };
        let claim = slots::claim(&store.pool, job, "w", std::time::Duration::from_mins(1))
            .await
            .unwrap()
            .unwrap();
        let page = format!("{PAGE}<!-- {slot} -->");
        let view = format!("{VIEW}<p>{slot}</p>");
        let capture = Capture {
            id: claim.capture,
            attempt: claim.held.attempt,
            term_id: Some(claim.term),
            brand_id: None,
            localization_id: None,
            term: "shoes & <boots>".to_owned(),
            brand: None,
            keyword_type: KeywordType::Generic,
            engine: Engine::Google,
            device: Device::Desktop,
            locale: "fr_FR".parse().unwrap(),
            city: Some("Lyon".to_owned()),
            region: None,
            slot_time: claim.slot_time,
            taken_at: claim.slot_time,
            final_url: "https://engine.example/search?q=shoes".to_owned(),
            http_status: Some(200),
            headers: vec![("content-type".to_owned(), "text/html".to_owned())],
            page_bytes: u32::try_from(page.len()).ok(),
            page: self.blobs.put(page.into_bytes()).await.unwrap(),
            screenshot: Some(self.blobs.put(format!("picture {slot}").into_bytes()).await.unwrap()),
            files_gone_at: None,
            reading: PageReading {
                verdict: Verdict::Results,
                doubt: None,
                reader_version: "1".to_owned(),
                generation: Some("google-2020".to_owned()),
                text_ads: 1,
                shopping_ads: 0,
                other_units: [("hotels".to_owned(), 2)].into(),
                view_bytes: u32::try_from(view.len()).ok(),
                view: self.blobs.put(view.into_bytes()).await.unwrap(),
            },
            saves_text_ads: true,
            saves_shopping_ads: false,
            organic_results: None,
        };
        let mut connection = store.pool.acquire().await.unwrap();
        assert!(
            captures::store(&mut connection, claim.held, &capture, &[])
                .await
                .unwrap()
        );
        capture.id
    }

    pub async fn stored(&self, capture: CaptureId) -> Capture {
        captures::by_id(&self.store.pool, capture).await.unwrap().unwrap()
    }

    /// The path of a file in the file store.
    pub fn file(&self, digest: [u8; 32]) -> std::path::PathBuf {
        let name = hex::encode(digest);
        self.folder
            .path()
            .join(&name[..2])
            .join(&name[2..4])
            .join(format!("{name}.zst"))
    }
}
