//! What a capture gives.

use std::time::Duration;

use url::Url;

/// A page as the browser had it once it was loaded.
#[derive(Clone, Debug)]
pub struct CapturedPage {
    /// The document after its scripts ran, serialised, with its doctype.
    pub html: String,
    /// Where the search ended, on one of the engine's own hosts.
    pub final_url: Url,
    /// The HTTP status of the document; pages of 400 and over are given as they are.
    pub status: u16,
    /// The headers of the document, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The whole page as WebP, one pixel a CSS pixel, cut at 16,383 pixels of height.
    pub screenshot: Option<Vec<u8>>,
    /// What took how long.
    pub timings: Timings,
    /// Whether the engine asked for consent during this capture and was answered.
    pub consent_answered: bool,
    /// As in `Chrome/156.0.8078.79`.
    pub browser_version: String,
}

/// What took how long.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timings {
    /// From the request to the tab being ready: waiting for a free tab, starting a browser, emulation.
    pub ready: Duration,
    /// From the navigation to the last load event, with consent and settling.
    pub load: Duration,
    /// Serialising the document and taking the picture.
    pub read: Duration,
}
