//! A file store that accepts nothing, as on a full disk.

use std::io;
use std::path::{Path, PathBuf};

/// While it lives, a plain file replaces the folder, so that every write fails, whatever the user's rights.
pub struct FullDisk {
    folder: PathBuf,
    aside: PathBuf,
}

impl FullDisk {
    /// Moves the folder aside and puts a file in its place.
    pub fn make(folder: &Path) -> io::Result<Self> {
        let aside = folder.with_extension("aside");
        std::fs::rename(folder, &aside)?;
        std::fs::write(folder, b"")?;
        Ok(Self {
            folder: folder.to_owned(),
            aside,
        })
    }

    /// Moves the folder back. Without this call it stays aside.
    pub fn end(self) -> io::Result<()> {
        std::fs::remove_file(&self.folder)?;
        std::fs::rename(&self.aside, &self.folder)
    }
}
