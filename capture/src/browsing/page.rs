//! The result of a capture.

use std::time::Duration;

use url::Url;

/// Largest resource returned with a page, in bytes.
pub const RESOURCE_BYTES: usize = 2_000_000;
/// Most bytes of all resources of a page together.
pub const RESOURCES_BYTES: usize = 10_000_000;

/// A page as the browser had it once it was loaded.
#[derive(Clone, Debug)]
pub struct CapturedPage {
    /// The document after its scripts ran, serialised, with its doctype.
    pub html: String,
    /// Where the search ended, on one of the engine's own hosts.
    pub final_url: Url,
    /// The HTTP status of the document; pages with 400 and above are returned as they are.
    pub status: u16,
    /// The headers of the document in alphabetical order, names in lower case; `set-cookie` is left out.
    pub headers: Vec<(String, String)>,
    /// Images, style sheets and fonts that the page loaded over the network, in the order of their requests, when requested: at most
    /// [`RESOURCE_BYTES`] each and [`RESOURCES_BYTES`] together; larger ones are left out.
    pub resources: Vec<Resource>,
    /// The whole page as WebP when requested, one pixel per CSS pixel, cut at a height of 16,383 pixels.
    pub screenshot: Option<Vec<u8>>,
    /// How long the steps of a capture took.
    pub timings: Timings,
    /// Whether the engine asked for consent during this capture and was answered.
    pub consent_answered: bool,
    /// As in `Chrome/156.0.8078.79`.
    pub browser_version: String,
}

/// A file that a page loaded besides its document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The absolute address the page asked for, before redirects.
    pub url: String,
    /// As in `image/webp`, without parameters.
    pub mime: String,
    /// Content without transfer encoding. Style sheets are UTF-8 whatever charset they were sent in.
    pub bytes: Vec<u8>,
}

/// How long the steps of a capture took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timings {
    /// From the request until the tab is ready: waiting for a free tab, starting a browser, emulation.
    pub ready: Duration,
    /// From the navigation to the last load event, including consent and settling.
    pub load: Duration,
    /// Serialising the document, and fetching resources and picture when requested.
    pub read: Duration,
}
