//! Files named by their content: captured pages, avatars, attachments.
//!
//! A file is compressed and named by the SHA-256 of its uncompressed content, so writing it twice is harmless. It is never visible half
//! written: the store writes to a temporary file, syncs and renames.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use futures::{Stream, StreamExt};
use object_store::local::LocalFileSystem;
use object_store::path::Path as ObjectPath;
use object_store::{ObjectStore, ObjectStoreExt, PutPayload};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

/// The name of a file: SHA-256 of its content.
pub type Digest = [u8; 32];

/// Fast; on result pages the higher levels save only a few per cent more.
const COMPRESSION_LEVEL: i32 = 3;
/// The largest content that is read back: more than any page or attachment has, and a bound for what a damaged file may unpack to.
const LARGEST_FILE_BYTES: usize = 64 << 20;

/// Why a file could not be stored or read.
#[derive(Debug, Error)]
pub enum Error {
    /// The folder cannot be made or opened.
    #[error(
        "the file store cannot use the folder {folder}: {cause}; set VIGIE__BLOBS__FOLDER to one this user may write to"
    )]
    Folder {
        /// The path of the folder.
        folder: String,
        /// The message of the system.
        cause: String,
    },
    /// The object store failed.
    #[error("the file store: {0}")]
    Store(#[from] object_store::Error),
    /// The content does not match the name, or cannot be unpacked.
    #[error("the file {name} is damaged: {cause}")]
    Damaged {
        /// Its name in hexadecimal digits.
        name: String,
        /// What does not match.
        cause: String,
    },
    /// The runtime stopped the task that packs or unpacks.
    #[error("the file store is being shut down")]
    Stopped,
}

/// A store of files named by their content. Clones share it.
#[derive(Clone, Debug)]
pub struct Blobs {
    store: Arc<dyn ObjectStore>,
    folder: Option<Arc<Path>>,
}

impl Blobs {
    /// A store in a local folder, which is created if it is missing.
    ///
    /// # Errors
    /// [`Error::Folder`] when the folder cannot be created or opened.
    pub fn folder(folder: &Path) -> Result<Self, Error> {
        let refuse = |cause: String| Error::Folder {
            folder: folder.display().to_string(),
            cause,
        };
        std::fs::create_dir_all(folder).map_err(|error| refuse(error.to_string()))?;
        let store = LocalFileSystem::new_with_prefix(folder).map_err(|error| refuse(error.to_string()))?;
        Ok(Self {
            folder: Some(folder.into()),
            ..Self::on(Arc::new(store.with_fsync(true)))
        })
    }

    /// A store on any object store, such as S3; it must make an object visible only once it is whole.
    pub fn on(store: Arc<dyn ObjectStore>) -> Self {
        Self { store, folder: None }
    }

    /// The bytes on the folder's disk that this user may still fill; `None` when the store is not a folder or the system does not say.
    pub fn free_bytes(&self) -> Option<u64> {
        let found = nix::sys::statvfs::statvfs(self.folder.as_deref()?).ok()?;
        Some(found.blocks_available().saturating_mul(found.fragment_size()))
    }

    /// Compresses and stores content, and returns its name. It is on the disk when this returns. A file that exists is written again, and so counts
    /// as stored now (see [`Blobs::delete_kept_before`]).
    pub async fn put(&self, content: Vec<u8>) -> Result<Digest, Error> {
        let name_and_pack = move || -> std::io::Result<(Digest, Vec<u8>)> {
            let digest = Sha256::digest(&content).into();
            Ok((digest, pack(&content)?))
        };
        let (digest, packed) = tokio::task::spawn_blocking(name_and_pack)
            .await
            .map_err(|_| Error::Stopped)?
            .map_err(|error| Error::Damaged {
                name: "to be kept".to_owned(),
                cause: error.to_string(),
            })?;
        self.store.put(&object_path(&digest), PutPayload::from(packed)).await?;
        Ok(digest)
    }

    /// The uncompressed content of a file; `None` when there is no such file, usually because retention deleted it.
    ///
    /// # Errors
    /// [`Error::Damaged`] when the content does not match the name, cannot be unpacked or is larger than 64 MiB; other errors when the store fails.
    pub async fn read(&self, digest: &Digest) -> Result<Option<Vec<u8>>, Error> {
        let Some(packed) = self.packed(digest).await? else {
            return Ok(None);
        };
        let digest = *digest;
        tokio::task::spawn_blocking(move || unpack(&digest, &packed))
            .await
            .map_err(|_| Error::Stopped)?
            .map(Some)
    }

    /// The bytes of a file as they are stored, for a copy of it; `None` when there is no such file. They are not compared with the name: [`unpack`] does.
    pub async fn packed(&self, digest: &Digest) -> Result<Option<Bytes>, Error> {
        match self.store.get(&object_path(digest)).await {
            Ok(found) => Ok(Some(found.bytes().await?)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Stores bytes as they are under a name. The caller answers for the bytes: readers refuse what does not unpack to the name.
    pub async fn put_packed(&self, digest: &Digest, packed: Bytes) -> Result<(), Error> {
        self.store.put(&object_path(digest), PutPayload::from(packed)).await?;
        Ok(())
    }

    /// The names of all files, in no order. Files that are being written, and those that are not ours, are left out.
    pub fn names(&self) -> impl Stream<Item = Result<Digest, Error>> + Send + use<> {
        let found = self.store.list(None);
        found.filter_map(|file| async {
            file.map(|file| name_of(&file.location))
                .map_err(Error::from)
                .transpose()
        })
    }

    /// Whether a file exists; its content is not read.
    pub async fn contains(&self, digest: &Digest) -> Result<bool, Error> {
        match self.store.head(&object_path(digest)).await {
            Ok(_) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Deletes a file; does nothing if it does not exist.
    pub async fn delete(&self, digest: &Digest) -> Result<(), Error> {
        match self.store.delete(&object_path(digest)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Deletes a file that was stored last before `instant`. Returns whether it was deleted: `false` if it was stored again since or does not exist.
    /// A file that is stored again between the check and the deletion is deleted all the same.
    pub async fn delete_kept_before(&self, digest: &Digest, instant: DateTime<Utc>) -> Result<bool, Error> {
        match self.store.head(&object_path(digest)).await {
            Ok(found) if found.last_modified < instant => {
                self.delete(digest).await?;
                Ok(true)
            }
            Ok(_) | Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// Compresses content as files are stored.
///
/// # Errors
/// [`std::io::Error`] when the compressor fails.
pub fn pack(content: &[u8]) -> std::io::Result<Vec<u8>> {
    zstd::encode_all(content, COMPRESSION_LEVEL)
}

/// The content of a file from its stored bytes.
///
/// # Errors
/// [`Error::Damaged`] when the content does not match the name, cannot be unpacked or is larger than 64 MiB.
pub fn unpack(digest: &Digest, packed: &[u8]) -> Result<Vec<u8>, Error> {
    let damaged = |cause| Error::Damaged {
        name: hex::encode(digest),
        cause,
    };
    let content = zstd::bulk::decompress(packed, LARGEST_FILE_BYTES).map_err(|error| damaged(error.to_string()))?;
    let actual: Digest = Sha256::digest(&content).into();
    if actual == *digest {
        Ok(content)
    } else {
        Err(damaged(format!("its content is that of {}", hex::encode(actual))))
    }
}

/// The name of the file that is stored there; `None` if it is none of ours.
fn name_of(path: &ObjectPath) -> Option<Digest> {
    let name = path.filename()?.strip_suffix(".zst")?;
    hex::decode(name).ok()?.try_into().ok()
}

/// Where a file is stored, as in `ab/cd/abcd….zst`: two levels, so that no folder holds millions of files.
fn object_path(digest: &Digest) -> ObjectPath {
    let name = hex::encode(digest);
    ObjectPath::from(format!("{}/{}/{name}.zst", &name[..2], &name[2..4]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> (tempfile::TempDir, Blobs) {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Blobs::folder(folder.path()).unwrap();
        (folder, blobs)
    }

    #[tokio::test]
    async fn what_is_kept_is_read_back_under_the_hash_of_its_content() {
        let (_folder, blobs) = store();
        let digest = blobs.put(b"<p>Shoes</p>".to_vec()).await.unwrap();
        assert_eq!(digest[..], Sha256::digest(b"<p>Shoes</p>")[..]);
        assert_eq!(blobs.put(b"<p>Shoes</p>".to_vec()).await.unwrap(), digest);
        assert_eq!(blobs.read(&digest).await.unwrap().unwrap(), b"<p>Shoes</p>");
        blobs.delete(&digest).await.unwrap();
        blobs.delete(&digest).await.unwrap();
        assert_eq!(blobs.read(&digest).await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_file_that_was_kept_again_is_young_again() {
        let (folder, blobs) = store();
        let digest = blobs.put(b"one".to_vec()).await.unwrap();
        let file = std::fs::File::open(folder.path().join(object_path(&digest).to_string())).unwrap();
        let long_ago = std::time::SystemTime::UNIX_EPOCH;
        let limit = DateTime::from_timestamp_secs(1_000_000).unwrap();
        file.set_modified(long_ago).unwrap();
        blobs.put(b"one".to_vec()).await.unwrap();
        assert!(!blobs.delete_kept_before(&digest, limit).await.unwrap());
        let file = std::fs::File::open(folder.path().join(object_path(&digest).to_string())).unwrap();
        file.set_modified(long_ago).unwrap();
        assert!(blobs.delete_kept_before(&digest, limit).await.unwrap());
        assert!(!blobs.delete_kept_before(&digest, limit).await.unwrap());
        assert!(!blobs.contains(&digest).await.unwrap());
    }

    #[tokio::test]
    async fn a_damaged_file_is_an_error() {
        let (folder, blobs) = store();
        let digest = blobs.put(b"one".to_vec()).await.unwrap();
        let file = folder.path().join(object_path(&digest).to_string());
        std::fs::write(file, zstd::encode_all(&b"two"[..], 1).unwrap()).unwrap();
        let error = blobs.read(&digest).await.unwrap_err();
        assert!(matches!(error, Error::Damaged { .. }), "{error}");
    }

    #[tokio::test]
    async fn a_store_is_copied_by_names_and_stored_bytes() {
        let ((folder, from), (_other, to)) = (store(), store());
        let mut stored = [
            from.put(b"one".to_vec()).await.unwrap(),
            from.put(b"two".to_vec()).await.unwrap(),
        ];
        std::fs::write(folder.path().join("notes.txt"), "not ours").unwrap();
        let mut names: Vec<Digest> = from.names().map(Result::unwrap).collect().await;
        for name in &names {
            let packed = from.packed(name).await.unwrap().unwrap();
            to.put_packed(name, packed).await.unwrap();
        }
        names.sort_unstable();
        stored.sort_unstable();
        assert_eq!(names, stored);
        assert_eq!(to.read(&stored[0]).await.unwrap(), from.read(&stored[0]).await.unwrap());
        assert!(to.read(&stored[1]).await.unwrap().is_some());
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named_with_the_cure() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = Blobs::folder(&file.path().join("inside")).unwrap_err().to_string();
        assert!(error.contains("VIGIE__BLOBS__FOLDER"), "{error}");
    }
}
