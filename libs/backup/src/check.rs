//! Reading a backup without restoring it.

use futures::{StreamExt, TryStreamExt, stream};

use crate::contents::{Contents, PieceName};
use crate::{Error, Repository};

/// Pieces that are read at a time.
const PIECES_AT_ONCE: usize = 4;
/// The length of a name in the list of files.
const NAME_BYTES: usize = 32;

/// What was found whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Pieces that were read and match their names; one that is used twice counts twice.
    pub pieces: u64,
    /// The bytes that they unpack to.
    pub bytes: u64,
}

/// Reads every piece of a backup and compares it with its name.
///
/// # Errors
/// [`Error::Damaged`] names the first piece that is missing, cut off or was changed.
pub async fn check(repository: &Repository, contents: &Contents) -> Result<Checked, Error> {
    let mut pieces: Vec<PieceName> = contents.streams().flat_map(|stored| &stored.pieces).copied().collect();
    pieces.extend(file_names(repository, contents).await?);
    stream::iter(pieces)
        .map(|piece| async move { repository.pieces.read(&piece).await.map(|content| content.len() as u64) })
        .buffer_unordered(PIECES_AT_ONCE)
        .try_fold(Checked::default(), |found, bytes| async move {
            Ok(Checked {
                pieces: found.pieces + 1,
                bytes: found.bytes + bytes,
            })
        })
        .await
}

/// The names of a backup's captured pages and files.
///
/// # Errors
/// [`Error::Damaged`] when the list is.
pub(crate) async fn file_names(repository: &Repository, contents: &Contents) -> Result<Vec<PieceName>, Error> {
    let list: Vec<u8> = repository
        .pieces
        .stream(&contents.file_names)
        .try_fold(Vec::new(), |mut list, bytes| async move {
            list.extend_from_slice(&bytes);
            Ok(list)
        })
        .await?;
    let (names, rest) = list.as_chunks::<NAME_BYTES>();
    if names.len() as u64 != contents.files || !rest.is_empty() {
        return Err(Error::Damaged("its list of files is cut off".to_owned()));
    }
    Ok(names.iter().copied().map(PieceName).collect())
}
