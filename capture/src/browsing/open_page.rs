//! A captured page kept open in its tab, for a picture that is decided on after reading the page.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

use super::device::DeviceProfile;
use super::failure::CaptureError;
use super::screenshot::screenshot;
use super::tab::Tab;

/// A picture that takes longer is abandoned, and the tab with it.
const PICTURE_LIMIT: Duration = Duration::from_secs(15);

type Picture = Result<Vec<u8>, CaptureError>;

/// A captured page in its tab. The tab loads no other page until this is dropped or [`OpenPage::LIMIT`] has passed.
#[derive(Debug)]
pub struct OpenPage {
    requests: oneshot::Sender<oneshot::Sender<Picture>>,
}

impl OpenPage {
    /// Longest time a page is kept open.
    pub const LIMIT: Duration = Duration::from_secs(10);

    /// Takes a picture of the whole page, in the same form as [`super::CapturedPage::screenshot`], and releases the page, also on failure. Fails when
    /// the page has been open for [`OpenPage::LIMIT`] or the picture cannot be taken.
    pub async fn screenshot(self) -> Picture {
        let (reply, picture) = oneshot::channel();
        // Fails when the time is over; the reply is then dropped too.
        let _ = self.requests.send(reply);
        picture.await.unwrap_or_else(|_| {
            Err(CaptureError::Browser(format!(
                "the page was held for {:?} and is gone",
                Self::LIMIT
            )))
        })
    }
}

/// The pool's end of an open page.
pub(super) struct PictureRequests(oneshot::Receiver<oneshot::Sender<Picture>>);

/// Creates the holder's and the pool's end of a page that is kept open.
pub(super) fn pair() -> (OpenPage, PictureRequests) {
    let (requests, receiver) = oneshot::channel();
    (OpenPage { requests }, PictureRequests(receiver))
}

impl PictureRequests {
    /// Waits until the holder releases the page, at most [`OpenPage::LIMIT`], and takes the picture if one is requested, within [`PICTURE_LIMIT`].
    /// Returns whether the tab is still usable: false when the picture failed.
    pub async fn serve(self, tab: &Tab, device: &DeviceProfile) -> bool {
        let Ok(Ok(reply)) = timeout(OpenPage::LIMIT, self.0).await else {
            return true;
        };
        let picture = timeout(PICTURE_LIMIT, screenshot(tab, device))
            .await
            .unwrap_or(Err(CaptureError::Timeout(PICTURE_LIMIT)));
        let usable = picture.is_ok();
        // The holder may be gone by now.
        let _ = reply.send(picture);
        usable
    }
}
