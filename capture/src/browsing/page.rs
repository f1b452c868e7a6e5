//! What a capture gives.

use std::time::Duration;

use url::Url;

/// A resource of a page is given up to this size.
pub const RESOURCE_BYTES: usize = 2_000_000;
/// The resources of a page are given up to this size together.
pub const RESOURCES_BYTES: usize = 10_000_000;

/// A page as the browser had it once it was loaded.
#[derive(Clone, Debug)]
pub struct CapturedPage {
    /// The document after its scripts ran, serialised, with its doctype.
    pub html: String,
    /// Where the search ended, on one of the engine's own hosts.
    pub final_url: Url,
    /// The HTTP status of the document; pages of 400 and over are given as they are.
    pub status: u16,
    /// The headers of the document in alphabetical order, names in lower case; `set-cookie` is left out.
    pub headers: Vec<(String, String)>,
    /// Images, style sheets and fonts the page has loaded over the network, in the order of their requests, when they were
    /// asked for: at most [`RESOURCE_BYTES`] each and [`RESOURCES_BYTES`] together, larger ones are left out.
    pub resources: Vec<Resource>,
    /// The whole page as WebP when it was asked for, one pixel a CSS pixel, cut at 16,383 pixels of height.
    pub screenshot: Option<Vec<u8>>,
    /// What took how long.
    pub timings: Timings,
    /// Whether the engine asked for consent during this capture and was answered.
    pub consent_answered: bool,
    /// As in `Chrome/156.0.8078.79`.
    pub browser_version: String,
}

/// What a page has loaded besides its document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The absolute address the page asked for, before redirects.
    pub url: String,
    /// As in `image/webp`, without parameters.
    pub mime: String,
    /// Its content, decoded from the transfer. Style sheets are UTF-8 whatever they were sent as.
    pub bytes: Vec<u8>,
}

/// What took how long.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timings {
    /// From the request to the tab being ready: waiting for a free tab, starting a browser, emulation.
    pub ready: Duration,
    /// From the navigation to the last load event, with consent and settling.
    pub load: Duration,
    /// Serialising the document, and taking resources and picture where asked for.
    pub read: Duration,
}
