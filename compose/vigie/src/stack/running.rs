//! The settings of a running stack, written to a file so that other commands (`vigie create-admin`, `vigie doctor`) find its stores.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::postgres::write_secret;

/// The file of settings for other commands. Removed when the stack ends.
#[derive(Debug)]
pub struct Running(PathBuf);

impl Running {
    /// Writes the settings into the data folder, readable by its owner only; the file is removed when the returned value is dropped.
    pub fn write(data: &Path, settings: &[(&'static str, OsString)]) -> io::Result<Self> {
        let text: String = settings.iter().fold(String::new(), |text, (name, value)| {
            text + name + "=" + &value.to_string_lossy() + "\n"
        });
        write_secret(&file(data), &text)?;
        Ok(Self(file(data)))
    }

    /// Reads the settings of the stack that runs on `data`, as names of variables and values; empty when none runs, or when they belong to another
    /// user.
    pub fn read(data: &Path) -> Vec<(String, String)> {
        let text = std::fs::read_to_string(file(data)).unwrap_or_default();
        text.lines()
            .filter_map(|line| line.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // A leftover does little harm: the addresses in it no longer respond.
        let _ = std::fs::remove_file(&self.0);
    }
}

fn file(data: &Path) -> PathBuf {
    data.join("running.env")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_other_commands_the_addresses_until_it_ends() {
        let data = tempfile::tempdir().unwrap();
        let running = Running::write(data.path(), &[("VIGIE__REDIS__URL", "redis://:a=b@127.0.0.1:1".into())]).unwrap();
        let settings = [("VIGIE__REDIS__URL".to_owned(), "redis://:a=b@127.0.0.1:1".to_owned())];
        assert_eq!(Running::read(data.path()), settings);
        drop(running);
        assert!(Running::read(data.path()).is_empty());
    }
}
