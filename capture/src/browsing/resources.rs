//! What a page has loaded besides its document.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use headless_chrome::protocol::cdp::Network::{GetResponseBody, GetResponseBodyReturnObject};
use tokio::time::{Instant, timeout_at};

use super::failure::CaptureError;
use super::page::{RESOURCE_BYTES, RESOURCES_BYTES, Resource};
use super::tab::Tab;
use super::watch::Loaded;
use super::wire::WireError;

/// Resources that have not arrived by then are left out: a page counts without them.
const LIMIT: Duration = Duration::from_secs(5);

/// Reads the images, style sheets and fonts of the loaded page, in the order in which they arrived, as the browser still has them: no network request
/// is made. Left out are those over [`RESOURCE_BYTES`], those that would exceed [`RESOURCES_BYTES`] together, and what is not read within [`LIMIT`].
pub(super) async fn resources(tab: &Tab) -> Result<Vec<Resource>, CaptureError> {
    let loaded = tab.state().borrow().resources.clone();
    let until = Instant::now() + LIMIT;
    let mut resources = Vec::with_capacity(loaded.len());
    let mut room = RESOURCES_BYTES;
    for one in loaded {
        if one.announced_bytes > RESOURCE_BYTES as u64 {
            continue;
        }
        let Ok(bytes) = timeout_at(until, read_content(tab, &one)).await else {
            break;
        };
        if let Some(bytes) = bytes?.filter(|bytes| bytes.len() <= room.min(RESOURCE_BYTES)) {
            room -= bytes.len();
            resources.push(Resource {
                url: one.url,
                mime: one.mime,
                bytes,
            });
        }
    }
    Ok(resources)
}

/// Reads a resource's content; `None` when the browser has dropped it or does not have it yet, or the content is not valid base64.
async fn read_content(tab: &Tab, loaded: &Loaded) -> Result<Option<Vec<u8>>, CaptureError> {
    let request = GetResponseBody {
        request_id: loaded.request.clone(),
    };
    match tab.call(request).await {
        Ok(GetResponseBodyReturnObject { body, base_64_encoded }) if base_64_encoded => Ok(STANDARD.decode(body).ok()),
        Ok(GetResponseBodyReturnObject { body, .. }) => Ok(Some(body.into_bytes())),
        Err(WireError::Refused { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
