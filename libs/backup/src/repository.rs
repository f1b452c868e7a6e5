//! The folder of backups.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use runtime::Secret;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::contents::{BackupId, Contents, FORMAT};
use crate::pieces::{Key, Pieces};

const MARKER: &str = "vigie-backups.json";
const LOCK: &str = "lock";
const PIECES: &str = "pieces";
const BACKUPS: &str = "backups";
const SUFFIX: &str = ".backup";

/// What the marker of a repository says.
#[derive(Serialize, Deserialize)]
struct Marker {
    format: u32,
    /// The name of the key that everything is encrypted with.
    key: Option<String>,
}

/// The first thing that is read of the list of a backup.
#[derive(Deserialize)]
struct Format {
    format: u32,
}

/// A folder of backups, held by this process alone until it is dropped.
#[derive(Debug)]
pub struct Repository {
    folder: PathBuf,
    pub(crate) pieces: Pieces,
    /// Locked; the system unlocks it with the process.
    _lock: File,
}

impl Repository {
    /// Opens the repository in a folder, or makes one in an empty or missing folder. With a key, 32 bytes in hexadecimal digits, what is written is
    /// encrypted.
    ///
    /// # Errors
    /// [`Error::OtherKey`] and [`Error::NotEncrypted`] when it was made with another key, or without; [`Error::InUse`] while another process holds it;
    /// [`Error::NotARepository`] for a folder of other files.
    pub fn open_or_make(folder: &Path, key: Option<&Secret>) -> Result<Self, Error> {
        let marker = folder.join(MARKER);
        if !marker.exists() {
            Self::refuse_others(folder)?;
            std::fs::create_dir_all(folder).map_err(|reason| Error::at(folder, reason))?;
            let key = key.map(Key::read).transpose()?;
            let text = serde_json::to_vec(&Marker {
                format: FORMAT,
                key: key.map(|key| key.name),
            })?;
            write_whole(folder, &marker, &text)?;
        }
        Self::open(folder, key)
    }

    /// Refuses a folder of other files; an empty or missing one, and one of backups, is none.
    pub fn refuse_others(folder: &Path) -> Result<(), Error> {
        let mut files = match std::fs::read_dir(folder) {
            Ok(files) => files,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(Error::at(folder, error)),
        };
        if files.next().is_some() && !folder.join(MARKER).exists() {
            return Err(Error::NotARepository(folder.to_owned()));
        }
        Ok(())
    }

    /// Opens the repository in a folder.
    ///
    /// # Errors
    /// As [`Self::open_or_make`]; an empty or missing folder is [`Error::NoBackup`].
    pub fn open(folder: &Path, key: Option<&Secret>) -> Result<Self, Error> {
        let marker = match std::fs::read(folder.join(MARKER)) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(Error::NoBackup(folder.to_owned()));
            }
            Err(error) => return Err(Error::at(folder, error)),
        };
        let marker: Marker =
            serde_json::from_slice(&marker).map_err(|error| Error::Damaged(format!("{MARKER}: {error}")))?;
        if marker.format > FORMAT {
            return Err(Error::Newer {
                what: format!("format {}", marker.format),
            });
        }
        let key = key.map(Key::read).transpose()?;
        match (&key, marker.key) {
            (Some(_), None) => return Err(Error::NotEncrypted(folder.to_owned())),
            (key, Some(name)) if key.as_ref().is_none_or(|key| key.name != name) => {
                return Err(Error::OtherKey {
                    folder: folder.to_owned(),
                    key: name,
                });
            }
            _ => {}
        }
        let path = folder.join(LOCK);
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(|reason| Error::at(&path, reason))?;
        lock.try_lock().map_err(|_| Error::InUse(folder.to_owned()))?;
        let backups = folder.join(BACKUPS);
        std::fs::create_dir_all(&backups).map_err(|reason| Error::at(&backups, reason))?;
        Ok(Self {
            pieces: Pieces::open(&folder.join(PIECES), key)?,
            folder: folder.to_owned(),
            _lock: lock,
        })
    }

    /// The backups, oldest first.
    pub fn backups(&self) -> Result<Vec<BackupId>, Error> {
        let folder = self.folder.join(BACKUPS);
        let failed = |reason| Error::at(&folder, reason);
        let mut found = Vec::new();
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let id = name
                .to_str()
                .and_then(|name| name.strip_suffix(SUFFIX)?.parse::<BackupId>().ok());
            found.extend(id);
        }
        found.sort_unstable();
        Ok(found)
    }

    /// The backup of this name, or the newest.
    ///
    /// # Errors
    /// [`Error::NoBackup`] and [`Error::UnknownBackup`] when there is none.
    pub fn find(&self, name: Option<&str>) -> Result<BackupId, Error> {
        let all = self.backups()?;
        let Some(name) = name else {
            return all.last().copied().ok_or_else(|| Error::NoBackup(self.folder.clone()));
        };
        let found = all.iter().find(|id| id.to_string() == name);
        found.copied().ok_or_else(|| Error::UnknownBackup {
            name: name.to_owned(),
            known: all.iter().map(BackupId::to_string).collect(),
        })
    }

    /// What a backup consists of.
    ///
    /// # Errors
    /// [`Error::Damaged`] when its file was cut off or changed, [`Error::Newer`] when a later version made it.
    pub fn contents(&self, id: BackupId) -> Result<Contents, Error> {
        let path = self.path(id);
        let sealed = std::fs::read(&path).map_err(|reason| Error::at(&path, reason))?;
        let damaged = |cause: String| Error::Damaged(format!("the list of the backup {id} {cause}"));
        let text = self
            .pieces
            .unseal(id.to_string().as_bytes(), &sealed)
            .ok_or_else(|| damaged("cannot be decrypted".to_owned()))?;
        let broken = |error: serde_json::Error| damaged(format!("cannot be read: {error}"));
        let format = serde_json::from_slice::<Format>(&text).map_err(broken)?.format;
        if format > FORMAT {
            return Err(Error::Newer {
                what: format!("format {format}"),
            });
        }
        serde_json::from_slice(&text).map_err(broken)
    }

    /// Writes the list of a backup, with which it begins to exist.
    pub(crate) fn write(&self, id: BackupId, contents: &Contents) -> Result<(), Error> {
        let text = self
            .pieces
            .seal(id.to_string().as_bytes(), serde_json::to_vec(contents)?)?;
        write_whole(&self.folder.join(BACKUPS), &self.path(id), &text)
    }

    /// Deletes the list of a backup, with which it ends to exist. Its pieces stay.
    pub(crate) fn delete(&self, id: BackupId) -> Result<(), Error> {
        let path = self.path(id);
        std::fs::remove_file(&path).map_err(|reason| Error::at(&path, reason))
    }

    fn path(&self, id: BackupId) -> PathBuf {
        self.folder.join(BACKUPS).join(format!("{id}{SUFFIX}"))
    }
}

/// Writes a file that is there whole, and on the disk, or not at all.
fn write_whole(folder: &Path, path: &Path, content: &[u8]) -> Result<(), Error> {
    let write = || -> std::io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(content)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        File::open(folder)?.sync_all()
    };
    write().map_err(|reason| Error::at(path, reason))
}
