//! The error of this crate.

use thiserror::Error;

/// Why evidence could not be sealed, verified or bundled.
#[derive(Debug, Error)]
pub enum Error {
    /// Postgres could not be read or written.
    #[error(transparent)]
    Postgres(#[from] postgres::Error),
    /// The file store could not be read.
    #[error(transparent)]
    Blobs(#[from] blobs::Error),
    /// A bundle could not be packed.
    #[error("the evidence cannot be packed: {0}")]
    Packing(#[from] zip::result::ZipError),
    /// The summary page could not be written.
    #[error("the summary of the evidence cannot be written: {0}")]
    Summary(#[from] minijinja::Error),
    /// The picture of a page could not be drawn.
    #[error("the picture of a page cannot be drawn: {0}")]
    Picture(#[from] image::ImageError),
    /// The runtime stopped the task that packs.
    #[error("the evidence is not packed: the process is being shut down")]
    Stopped,
}
