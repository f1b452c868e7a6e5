//! The folder of the stores, and the locks on it.

use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::programs::Runner;

/// The folder of the stores of this user's test runs.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

/// A shared lock that every test process keeps until it ends; the watchdog stops the stores when no process has it.
static USE: OnceLock<File> = OnceLock::new();

impl Folder {
    /// The folder of the user that runs the tests, which may not exist yet.
    pub fn of_this_user() -> Self {
        Self(std::env::temp_dir().join(format!("vigie-testkit-{}", nix::unistd::geteuid())))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// The path of a file in the folder.
    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Creates the folder if it is missing, for the user that runs the stores.
    fn make(&self, runner: &Runner) {
        fs::create_dir_all(&self.0).unwrap_or_else(|error| panic!("testkit: {}: {error}", self.0.display()));
        fs::set_permissions(&self.0, fs::Permissions::from_mode(0o755)).expect("the folder is ours");
        if let Some((user, group)) = runner.switch {
            chown(&self.0, Some(user), Some(group)).expect("root may give the folder away");
        }
    }

    /// Creates the folder if it is missing, and runs `act` while no other process may start or stop stores. From then on, until this process ends,
    /// the stores count as used.
    pub(crate) fn with_lock<T>(&self, runner: &Runner, act: impl FnOnce() -> T) -> T {
        self.make(runner);
        let _lock = loop {
            let lock = open(&self.join("start.lock"));
            lock.lock().expect("a local file can be locked");
            // The watchdog may have removed the folder while we waited for it.
            let here = fs::metadata(self.join("start.lock")).map(|file| file.ino());
            if here.is_ok_and(|here| lock.metadata().is_ok_and(|file| file.ino() == here)) {
                break lock;
            }
            self.make(runner);
        };
        USE.get_or_init(|| {
            let users = open(&self.join("users.lock"));
            users.lock_shared().expect("a local file can be locked");
            users
        });
        act()
    }
}

/// Opens a file, which is created empty if it is missing.
fn open(path: &Path) -> File {
    let mut options = File::options();
    options.create(true).truncate(false).read(true).write(true);
    options
        .open(path)
        .unwrap_or_else(|error| panic!("testkit: {}: {error}", path.display()))
}
