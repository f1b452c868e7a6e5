//! Files named by their content: captured pages, avatars, attachments.
//!
//! A file is compressed and named by the SHA-256 of its uncompressed content, so writing it twice is harmless. It is never visible half
//! written: a folder writes to a temporary file, syncs and renames, and a bucket shows what has arrived whole.

mod bucket;
mod transport;

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

pub use bucket::Bucket;

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
    /// The bucket cannot be used as it is set.
    #[error("the file store cannot use the bucket {bucket}: {cause}; see VIGIE__BLOBS__S3__BUCKET and what follows it")]
    Bucket {
        /// The name that it has in the service.
        bucket: String,
        /// What is wrong.
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
    bucket: Option<Arc<str>>,
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
            store: Arc::new(store.with_fsync(true)),
            folder: Some(folder.into()),
            bucket: None,
        })
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
