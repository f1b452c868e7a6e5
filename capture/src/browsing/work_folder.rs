//! The folder of a pool, with one folder per browser in it. It is removed with the pool; what killed pools left is swept at start.

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use uuid::Uuid;

/// Prefix of pools' folders. Short, as all names here: Chromium puts a socket below, whose path may have 107 bytes.
const PREFIX: &str = "pool-";
/// Random digits in a pool's folder name.
const SUFFIX_DIGITS: usize = 8;
/// The longest path of the work folder that leaves room for the socket.
const LONGEST_PARENT: usize = 107 - "/pool-12345678/12345/org.chromium.Chromium.123456/SingletonSocket".len();
/// Locked as long as the pool lives; the system unlocks it however the process ends.
const LOCK_FILE: &str = "in-use";
/// Only this user may read what browsers keep.
const PRIVATE: u32 = 0o700;

/// Attempts to remove a folder.
const REMOVALS: usize = 100;

/// A pool's folder, locked while the pool lives.
pub(super) struct WorkFolder {
    path: PathBuf,
    browsers: AtomicU32,
    _lock: File,
}

impl WorkFolder {
    /// Creates `parent` if it is missing, removes the folders of dead pools in it, creates a new one that only this user may read, and locks it.
    /// Fails when the path of `parent` is over [`LONGEST_PARENT`] bytes.
    pub fn create(parent: &Path) -> io::Result<Self> {
        fs::create_dir_all(parent)?;
        let parent = parent.canonicalize()?;
        remove_dead_pools(&parent)?;
        if parent.as_os_str().len() > LONGEST_PARENT {
            let reason =
                format!("its path has more than {LONGEST_PARENT} bytes, which leaves Chromium's socket no room");
            return Err(io::Error::new(io::ErrorKind::InvalidFilename, reason));
        }
        let path = parent.join(format!(
            "{PREFIX}{:.SUFFIX_DIGITS$}",
            Uuid::new_v4().simple().to_string()
        ));
        fs::DirBuilder::new().mode(PRIVATE).create(&path)?;
        let lock = File::create(path.join(LOCK_FILE))?;
        lock.lock()?;
        Ok(Self {
            path,
            browsers: AtomicU32::new(0),
            _lock: lock,
        })
    }

    /// Creates an empty folder for one browser, named by a running number.
    pub fn browser_folder(&self) -> io::Result<PathBuf> {
        let path = self
            .path
            .join(self.browsers.fetch_add(1, Ordering::Relaxed).to_string());
        fs::DirBuilder::new().mode(PRIVATE).create(&path)?;
        Ok(path)
    }
}

impl Drop for WorkFolder {
    /// Removes the folder with all in it, in up to [`REMOVALS`] attempts; logs a folder that is left.
    fn drop(&mut self) {
        // A process that was just killed may still add a file meanwhile.
        let removed = (0..REMOVALS).find_map(|_| fs::remove_dir_all(&self.path).ok());
        if removed.is_none() && self.path.exists() {
            tracing::warn!(folder = %self.path.display(), "a work folder was not removed");
        }
    }
}

/// Removes the folders of pools in `parent` whose process is gone. One that cannot be removed is logged and skipped; an unreadable `parent` is an
/// error.
fn remove_dead_pools(parent: &Path) -> io::Result<()> {
    for entry in fs::read_dir(parent)? {
        let path = entry?.path();
        let ours = path
            .file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| name.starts_with(PREFIX));
        if ours && is_abandoned(&path) {
            match fs::remove_dir_all(&path) {
                Ok(()) => tracing::info!(folder = %path.display(), "removed what a dead pool left"),
                Err(error) => tracing::warn!(folder = %path.display(), %error, "a dead pool's folder was not removed"),
            }
        }
    }
    Ok(())
}

/// Returns whether nothing holds the folder's lock. A folder without a lock file may be in the making and counts as in use.
fn is_abandoned(folder: &Path) -> bool {
    File::open(folder.join(LOCK_FILE)).is_ok_and(|file| !matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweeps_what_dead_pools_left_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let alive = WorkFolder::create(parent.path()).unwrap();
        let dead = parent.path().join("pool-dead");
        fs::create_dir(&dead).unwrap();
        File::create(dead.join(LOCK_FILE)).unwrap();
        let foreign = parent.path().join("something");
        fs::create_dir(&foreign).unwrap();

        let own = WorkFolder::create(parent.path()).unwrap();

        assert!(!dead.exists());
        assert!(alive.path.exists() && foreign.exists() && own.path.exists());
    }

    #[test]
    fn refuses_a_path_that_leaves_chromium_no_room() {
        let parent = tempfile::tempdir().unwrap();
        let error = WorkFolder::create(&parent.path().join("x".repeat(LONGEST_PARENT)))
            .err()
            .unwrap();
        assert!(error.to_string().contains("socket"), "{error}");
    }

    #[test]
    fn leaves_nothing_behind() {
        let parent = tempfile::tempdir().unwrap();
        let folder = WorkFolder::create(parent.path()).unwrap();
        fs::write(folder.browser_folder().unwrap().join("cookies"), "x").unwrap();
        drop(folder);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }
}
