//! The files of a captured page, in the file store.

use blobs::Blobs;
use postgres::captures::Digest;

/// The names of the files of a page, and their sizes in bytes before compression.
pub struct PageFiles {
    pub page: Digest,
    pub page_bytes: u32,
    pub view: Digest,
    pub view_bytes: u32,
    pub screenshot: Option<Digest>,
}

/// Compresses and stores a page as received, its viewing copy, and its picture if there is one. They are on the disk when this returns.
pub async fn store(
    blobs: &Blobs,
    page: String,
    view: String,
    screenshot: Option<Vec<u8>>,
) -> Result<PageFiles, blobs::Error> {
    Ok(PageFiles {
        page_bytes: size(&page),
        view_bytes: size(&view),
        page: blobs.put(page.into_bytes()).await?,
        view: blobs.put(view.into_bytes()).await?,
        screenshot: match screenshot {
            Some(picture) => Some(blobs.put(picture).await?),
            None => None,
        },
    })
}

/// The bytes of a text, at most `u32::MAX`.
fn size(text: &str) -> u32 {
    u32::try_from(text.len()).unwrap_or(u32::MAX)
}
