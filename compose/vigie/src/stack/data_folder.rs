//! The folder that holds everything a private stack keeps.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Free space below which `vigie up` does not start: a store that fills the disk while running is worse.
pub const LEAST_FREE_BYTES: u64 = 1 << 30;

/// Why the data folder cannot be used.
#[derive(Debug, Error)]
pub enum DataFolderError {
    /// The folder cannot be created or written.
    #[error("the data folder {} cannot be used ({reason}). Give user '{user}' a folder it owns: set VIGIE__DATA", .folder.display())]
    Unusable {
        /// Path of the folder.
        folder: PathBuf,
        /// The system's error.
        reason: io::Error,
        /// The user of this process.
        user: String,
    },
    /// Another supervisor uses the folder.
    #[error("another `vigie up` (process {pid}) runs on {}. Stop it, or set VIGIE__DATA to another folder", .folder.display())]
    Taken {
        /// Path of the folder.
        folder: PathBuf,
        /// Process id of the other supervisor.
        pid: String,
    },
    /// The disk is full, or nearly.
    #[error("only {} MiB are free under {}, and the stack needs {} MiB to start. Free some space, or set VIGIE__DATA to a folder on another disk", .free >> 20, .folder.display(), LEAST_FREE_BYTES >> 20)]
    Full {
        /// Path of the folder.
        folder: PathBuf,
        /// Free bytes on the disk.
        free: u64,
    },
}

/// A data folder, locked by this process until dropped.
#[derive(Debug)]
pub struct DataFolder {
    path: PathBuf,
    /// The lock lives as long as the open file.
    _lock: File,
}

impl DataFolder {
    /// Creates the folder if needed, closes it to other users, locks it for this process and creates `logs`, `blobs` and `capture` in it. Does not
    /// wait: fails when another supervisor has the lock, with less free space than [`LEAST_FREE_BYTES`], or when the folder cannot be used.
    pub fn lock(path: &Path) -> Result<Self, DataFolderError> {
        let unusable = |reason| DataFolderError::Unusable {
            folder: path.to_owned(),
            reason,
            user: super::user::user_name(),
        };
        make(path).and_then(|()| close_to_others(path)).map_err(unusable)?;
        let path = path.canonicalize().map_err(unusable)?;
        let lock = lock_folder(&path)?;
        let free = free_bytes(&path).map_err(unusable)?;
        check_space(&path, free)?;
        for part in ["logs", "blobs", "capture"] {
            make(&path.join(part)).map_err(unusable)?;
        }
        Ok(Self { path, _lock: lock })
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of a part's folder; creates it, closed to other users, if needed.
    pub fn for_part(&self, part: &str) -> io::Result<PathBuf> {
        let folder = self.path.join(part);
        make(&folder)?;
        Ok(folder)
    }

    /// Path of a part's log.
    pub fn log(&self, part: &str) -> PathBuf {
        self.path.join("logs").join(format!("{part}.log"))
    }

    /// Returns the random key of this name, 32 bytes in hexadecimal digits; generated at the first call and kept in the folder, readable by its owner
    /// only.
    pub fn key(&self, name: &str) -> io::Result<String> {
        load_or_create(&self.path.join(format!("{name}.key")), crate::random::key)
    }

    /// Returns the random password of a part; generated at the first call and kept in the folder, readable by its owner only.
    pub fn password(&self, part: &str) -> io::Result<String> {
        kept_password(&self.path, part)
    }
}

/// Returns the password of `part` kept in `folder`; `None` if none was generated or it cannot be read. Generates nothing.
pub fn made_password(folder: &Path, part: &str) -> Option<String> {
    let secret_text = fs::read_to_string(password_file(folder, part)).ok()?;
    (!secret_text.is_empty()).then_some(secret_text)
}

/// Returns the password of `part` in `folder`; generates and keeps it, readable by its owner only, if there is none.
pub fn kept_password(folder: &Path, part: &str) -> io::Result<String> {
    load_or_create(&password_file(folder, part), crate::random::password)
}

fn password_file(folder: &Path, part: &str) -> PathBuf {
    folder.join(format!("{part}.password"))
}

/// Returns the content of a secret's file; a missing or empty one is first written with what `make` returns. Fails when an existing file cannot be
/// read.
fn load_or_create(file: &Path, make: fn() -> io::Result<String>) -> io::Result<String> {
    match fs::read_to_string(file) {
        Ok(secret_text) if !secret_text.is_empty() => Ok(secret_text),
        Ok(_) => create_secret(file, make),
        Err(error) if error.kind() == io::ErrorKind::NotFound => create_secret(file, make),
        Err(error) => Err(error),
    }
}

/// Makes a secret with `make`, writes it to `file`, replacing one there, and returns it. The file is readable by its owner only and never there in
/// part.
fn create_secret(file: &Path, make: fn() -> io::Result<String>) -> io::Result<String> {
    let secret = make()?;
    let half_written = file.with_extension("new");
    let mut secret_text = OpenOptions::new()
        .create(true)
        .write(true)
        .truncate(true)
        .mode(0o600)
        .open(&half_written)?;
    secret_text.write_all(secret.as_bytes())?;
    secret_text.sync_all()?;
    fs::rename(half_written, file)?;
    Ok(secret)
}

/// Creates a folder, with its parents, that other users cannot enter; an existing one is left as it is.
pub fn make(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Takes all rights on an existing folder, not on what is in it, from its group and other users.
fn close_to_others(folder: &Path) -> io::Result<()> {
    let mode = fs::metadata(folder)?.permissions().mode();
    let closed = mode & !0o077;
    if closed == mode {
        return Ok(());
    }
    fs::set_permissions(folder, Permissions::from_mode(closed))
}

/// Locks the file `up.lock` in the folder, which must exist, creates the file if it is missing, and writes this process's id into it. The lock is
/// held until the returned file is dropped. Does not wait: fails with `Taken`, which names the holder's process id, while another process has the
/// lock, and with `Full` when the disk has no space for the id.
fn lock_folder(folder: &Path) -> Result<File, DataFolderError> {
    let unusable = |reason| DataFolderError::Unusable {
        folder: folder.to_owned(),
        reason,
        user: super::user::user_name(),
    };
    let file = folder.join("up.lock");
    let mut lock = OpenOptions::new()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .mode(0o640)
        .open(file)
        .map_err(unusable)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut pid = String::new();
            let _unreadable = lock.read_to_string(&mut pid);
            return Err(DataFolderError::Taken {
                folder: folder.to_owned(),
                pid: pid.trim().to_owned(),
            });
        }
        Err(TryLockError::Error(error)) => return Err(unusable(error)),
    }
    let written = lock
        .set_len(0)
        .and_then(|()| lock.rewind())
        .and_then(|()| writeln!(lock, "{}", std::process::id()));
    match written {
        Ok(()) => Ok(lock),
        Err(error) if error.kind() == io::ErrorKind::StorageFull => Err(DataFolderError::Full {
            folder: folder.to_owned(),
            free: 0,
        }),
        Err(error) => Err(unusable(error)),
    }
}

/// Fails when `free`, in bytes, is less than [`LEAST_FREE_BYTES`]; `folder` is for the error.
fn check_space(folder: &Path, free: u64) -> Result<(), DataFolderError> {
    if free < LEAST_FREE_BYTES {
        Err(DataFolderError::Full {
            folder: folder.to_owned(),
            free,
        })
    } else {
        Ok(())
    }
}

/// Bytes that an ordinary user can still write under `folder`.
pub fn free_bytes(folder: &Path) -> io::Result<u64> {
    let found = nix::sys::statvfs::statvfs(folder)?;
    Ok(found.blocks_available().saturating_mul(found.fragment_size()))
}

/// The share of the disk under `folder` that an ordinary user can still write, 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "a share")]
pub fn free_share(folder: &Path) -> io::Result<f64> {
    let found = nix::sys::statvfs::statvfs(folder)?;
    Ok(found.blocks_available() as f64 / found.blocks().max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_taken_by_one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let lock = DataFolder::lock(folder.path()).unwrap();
        let refused = DataFolder::lock(folder.path()).unwrap_err().to_string();
        assert!(
            refused.contains(&format!("process {}", std::process::id())),
            "{refused}"
        );
        drop(lock);
        DataFolder::lock(folder.path()).unwrap();
    }

    #[test]
    fn keeps_a_password_once_made() {
        let folder = tempfile::tempdir().unwrap();
        let data = DataFolder::lock(folder.path()).unwrap();
        let first = data.password("postgres").unwrap();
        assert_eq!(first.len(), 48);
        assert_eq!(data.password("postgres").unwrap(), first);
        assert_ne!(data.password("redis").unwrap(), first);
        assert_eq!(data.key("secrets").unwrap().len(), 64);
    }

    #[test]
    fn other_users_see_nothing_of_it_whoever_made_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data");
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        let data = DataFolder::lock(&path).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o700);
        assert_eq!(mode(&data.for_part("logs").unwrap()), 0o700);
    }

    #[test]
    fn does_not_start_on_a_nearly_full_disk() {
        let folder = Path::new("/data");
        check_space(folder, LEAST_FREE_BYTES).unwrap();
        let refused = check_space(folder, 3 << 20).unwrap_err().to_string();
        assert!(
            refused.contains("only 3 MiB are free under /data") && refused.contains("VIGIE__DATA"),
            "{refused}"
        );
    }

    #[test]
    fn names_the_folder_it_cannot_make() {
        let refused = DataFolder::lock(Path::new("/proc/nowhere")).unwrap_err().to_string();
        assert!(
            refused.contains("/proc/nowhere") && refused.contains("VIGIE__DATA"),
            "{refused}"
        );
    }
}
