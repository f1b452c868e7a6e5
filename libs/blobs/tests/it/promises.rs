//! What every store promises, wherever its files are.

use std::path::PathBuf;

use blobs::{Blobs, Digest, Error};
use chrono::DateTime;
use futures::StreamExt;
use sha2::Digest as _;

use crate::server::{Server, age};

/// A store with the folder in which its files lie.
struct Store {
    blobs: Blobs,
    root: PathBuf,
    _folder: Option<tempfile::TempDir>,
    _server: Option<Server>,
}

impl Store {
    fn in_folder() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self {
            blobs: Blobs::folder(folder.path()).unwrap(),
            root: folder.path().to_owned(),
            _folder: Some(folder),
            _server: None,
        }
    }

    async fn in_bucket() -> Self {
        let server = Server::start().await;
        Self {
            blobs: server.blobs(),
            root: server.root(),
            _folder: None,
            _server: Some(server),
        }
    }

    async fn both() -> [Self; 2] {
        [Self::in_folder(), Self::in_bucket().await]
    }

    fn path(&self, digest: &Digest) -> PathBuf {
        let name = hex::encode(digest);
        self.root.join(&name[..2]).join(&name[2..4]).join(format!("{name}.zst"))
    }
}

#[tokio::test]
async fn what_is_kept_is_read_back_under_the_hash_of_its_content() {
    for store in Store::both().await {
        let blobs = &store.blobs;
        blobs.check().await.unwrap();
        let digest = blobs.put(b"<p>Shoes</p>".to_vec()).await.unwrap();
        assert_eq!(digest[..], sha2::Sha256::digest(b"<p>Shoes</p>")[..]);
        assert_eq!(blobs.put(b"<p>Shoes</p>".to_vec()).await.unwrap(), digest);
        assert_eq!(blobs.read(&digest).await.unwrap().unwrap(), b"<p>Shoes</p>");
        assert!(blobs.contains(&digest).await.unwrap());
        blobs.delete(&digest).await.unwrap();
        blobs.delete(&digest).await.unwrap();
        assert_eq!(blobs.read(&digest).await.unwrap(), None);
        assert!(!blobs.contains(&digest).await.unwrap());
    }
}

#[tokio::test]
async fn a_large_file_comes_back_whole() {
    // Numbers by which neighbours differ, so that it stays large when it is packed.
    let content: Vec<u8> = (0_u32..2_000_000)
        .flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes())
        .collect();
    for store in Store::both().await {
        let digest = store.blobs.put(content.clone()).await.unwrap();
        assert!(
            store.blobs.read(&digest).await.unwrap().unwrap() == content,
            "another content"
        );
    }
}

#[tokio::test]
async fn a_file_that_was_kept_again_is_young_again() {
    let limit = DateTime::from_timestamp_secs(1_000_000).unwrap();
    for store in Store::both().await {
        let blobs = &store.blobs;
        let digest = blobs.put(b"one".to_vec()).await.unwrap();
        age(&store.path(&digest));
        blobs.put(b"one".to_vec()).await.unwrap();
        assert!(!blobs.delete_kept_before(&digest, limit).await.unwrap());
        age(&store.path(&digest));
        assert!(blobs.delete_kept_before(&digest, limit).await.unwrap());
        assert!(!blobs.delete_kept_before(&digest, limit).await.unwrap());
        assert!(!blobs.contains(&digest).await.unwrap());
    }
}

#[tokio::test]
async fn a_damaged_file_is_an_error() {
    for store in Store::both().await {
        let digest = store.blobs.put(b"one".to_vec()).await.unwrap();
        std::fs::write(store.path(&digest), blobs::pack(b"two").unwrap()).unwrap();
        let error = store.blobs.read(&digest).await.unwrap_err();
        assert!(matches!(error, Error::Damaged { .. }), "{error}");
    }
}

#[tokio::test]
async fn a_store_is_copied_by_names_and_stored_bytes() {
    for (from, to) in [
        (Store::in_folder(), Store::in_bucket().await),
        (Store::in_bucket().await, Store::in_folder()),
    ] {
        let mut stored = [
            from.blobs.put(b"one".to_vec()).await.unwrap(),
            from.blobs.put(b"two".to_vec()).await.unwrap(),
        ];
        std::fs::write(from.root.join("notes.txt"), "not ours").unwrap();
        let mut names: Vec<Digest> = from.blobs.names().map(Result::unwrap).collect().await;
        for name in &names {
            let packed = from.blobs.packed(name).await.unwrap().unwrap();
            to.blobs.put_packed(name, packed).await.unwrap();
        }
        names.sort_unstable();
        stored.sort_unstable();
        assert_eq!(names, stored);
        for name in &stored {
            assert_eq!(to.blobs.read(name).await.unwrap(), from.blobs.read(name).await.unwrap());
        }
    }
}

#[tokio::test]
async fn many_at_once_are_all_kept() {
    for store in Store::both().await {
        let put = |n: u32| store.blobs.put(format!("page {n}").into_bytes());
        let digests = futures::future::try_join_all((0..200).map(put)).await.unwrap();
        let found: Vec<Digest> = store.blobs.names().map(Result::unwrap).collect().await;
        assert_eq!(found.len(), 200);
        assert!(digests.iter().all(|digest| found.contains(digest)));
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_named_with_the_cure() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let error = Blobs::folder(&file.path().join("inside")).unwrap_err().to_string();
    assert!(error.contains("VIGIE__BLOBS__FOLDER"), "{error}");
}
