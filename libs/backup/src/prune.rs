//! Deleting old backups.

use std::collections::HashSet;

use blobs::Digest;

use crate::check::file_names;
use crate::{Error, Repository};

/// What was deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Backups older than those that are kept.
    pub backups: u64,
    /// Pieces that no backup has any more.
    pub pieces: u64,
}

/// Keeps the newest backups, `keep` of them and at least one, and deletes the others with the pieces that they alone have.
///
/// # Errors
/// [`Error::Damaged`] when the list of a kept backup cannot be read: nothing is deleted then.
pub async fn prune(repository: &Repository, keep: usize) -> Result<Pruned, Error> {
    let all = repository.backups()?;
    let (old, kept) = all.split_at(all.len().saturating_sub(keep.max(1)));
    let mut used: HashSet<Digest> = HashSet::new();
    for id in kept {
        let contents = repository.contents(*id)?;
        let pieces = contents.streams().flat_map(|stored| &stored.pieces).copied();
        let files = file_names(repository, &contents).await?;
        used.extend(pieces.chain(files).map(|piece| repository.pieces.stored_name(&piece)));
    }
    // First, so that no backup is left without its pieces.
    for id in old {
        repository.delete(*id)?;
    }
    let mut pieces = 0;
    for name in repository.pieces.stored_names().await?.difference(&used) {
        repository.pieces.delete(name).await?;
        pieces += 1;
    }
    Ok(Pruned {
        backups: old.len() as u64,
        pieces,
    })
}
