//! Finds the programs and libraries of other projects on this machine.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// The oldest PostgreSQL version that the stack supports.
pub const POSTGRES_LEAST: u32 = 15;

/// Debian's headless shell, which needs less than half the processor time of the full browser. The program of that name on the search path
/// is a script that stays between us and the browser: it would receive our signals.
const DEBIAN_SHELL: &str = "/usr/lib/chromium/chromium-headless-shell";
/// Browsers that can capture, in order of preference.
const CHROMES: [&str; 5] = [
    "chrome-headless-shell",
    "chromium",
    "google-chrome-stable",
    "google-chrome",
    "chromium-browser",
];

/// The PostgreSQL programs of one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostgresPrograms {
    /// The folder of `initdb` and `postgres`.
    pub folder: PathBuf,
    /// Its major version.
    pub major: u32,
}

impl PostgresPrograms {
    /// The path of one of the programs; not checked.
    pub fn program(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Runs `postgres --version` in `folder` and returns the programs there; `None` when it cannot be run, prints no version, or `initdb` is missing.
    pub fn at(folder: &Path) -> Option<Self> {
        let output = std::process::Command::new(folder.join("postgres"))
            .arg("--version")
            .output()
            .ok()?;
        let major = first_number(&String::from_utf8_lossy(&output.stdout))?;
        folder.join("initdb").exists().then(|| Self {
            folder: folder.to_owned(),
            major,
        })
    }

    /// Finds all versions in Debian's folders and on the search path, by [`Self::at`], newest first; a folder found twice is listed twice.
    pub fn all() -> Vec<Self> {
        let packaged = entries_in(Path::new("/usr/lib/postgresql"))
            .into_iter()
            .map(|version| version.join("bin"));
        let mut found: Vec<Self> = packaged
            .chain(search_path())
            .filter_map(|folder| Self::at(&folder))
            .collect();
        found.sort_by_key(|programs| std::cmp::Reverse(programs.major));
        found
    }
}

/// Returns the first run of digits in a text as a number, 15 for `postgres (PostgreSQL) 15.14 (Debian 15.14-0)`; `None` without digits.
fn first_number(text: &str) -> Option<u32> {
    let digits: String = text
        .chars()
        .skip_while(|c| !c.is_ascii_digit())
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().ok()
}

/// Returns the path of the first file of this name on the search path; whether it can be executed is not checked.
pub fn find(name: &str) -> Option<PathBuf> {
    search_path()
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// Finds Chromium or Chrome on this machine, preferably the headless shell; `None` when none is installed.
pub fn chrome() -> Option<PathBuf> {
    let shell = PathBuf::from(DEBIAN_SHELL);
    if shell.is_file() {
        return Some(shell);
    }
    CHROMES.iter().find_map(|name| find(name))
}

/// The library of the embedded ClickHouse was not found.
#[derive(Debug, Error)]
#[error(
    "the embedded ClickHouse needs libchdb.so, which is not at {looked_at}. Fetch it with `make install`, name it with VIGIE__EMBEDDED__CLICKHOUSE_LIBRARY, or use a server with VIGIE__CLICKHOUSE__URL"
)]
pub struct NoLibraryError {
    looked_at: String,
}

/// Finds the library of the embedded ClickHouse: the configured file `set`, else the newest one in the first cache folder of the installation that
/// has any. Fails when it is not there; a configured file is never replaced by another.
pub fn clickhouse_library(set: Option<&Path>) -> Result<PathBuf, NoLibraryError> {
    if let Some(file) = set {
        let missing = || NoLibraryError {
            looked_at: file.display().to_string(),
        };
        return file.is_file().then(|| file.to_owned()).ok_or_else(missing);
    }
    let caches = cache_folders();
    caches
        .iter()
        .find_map(|cache| newest_library(cache))
        .ok_or_else(|| NoLibraryError {
            looked_at: caches
                .iter()
                .map(|cache| cache.join("chdb").display().to_string())
                .collect::<Vec<_>>()
                .join(" or "),
        })
}

/// Lists the folders where compose/install may keep downloads, most likely first; whether they exist is not checked.
fn cache_folders() -> Vec<PathBuf> {
    let from = |name| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    [
        from("VIGIE_CACHE"),
        from("XDG_CACHE_HOME").map(|folder| folder.join("vigie")),
        from("HOME").map(|folder| folder.join(".cache/vigie")),
        Some(PathBuf::from("/var/cache/vigie")),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Finds `chdb/VERSION/node_modules/@chdb/PLATFORM/libchdb.so` in a cache, of the highest version that has one, compared number by number; `None` if
/// there is none.
fn newest_library(cache: &Path) -> Option<PathBuf> {
    let mut versions = entries_in(&cache.join("chdb"));
    // By number: 3.10 is newer than 3.9.
    versions.sort_by_cached_key(|folder| {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let numbers = name.split(|letter: char| !letter.is_ascii_digit());
        numbers.filter_map(|number| number.parse().ok()).collect::<Vec<u64>>()
    });
    versions.into_iter().rev().find_map(|version| {
        entries_in(&version.join("node_modules/@chdb"))
            .into_iter()
            .map(|platform| platform.join("libchdb.so"))
            .find(|file| file.is_file())
    })
}

/// Lists the paths of a folder's entries, files too, in no particular order; empty when it cannot be read.
fn entries_in(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect()
}

/// Iterates over the folders of the variable `PATH`.
fn search_path() -> impl Iterator<Item = PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_major_version() {
        assert_eq!(
            first_number("postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)"),
            Some(15)
        );
        assert_eq!(first_number("nothing"), None);
    }
}
