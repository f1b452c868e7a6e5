//! A search as a caller asks for it.

use std::time::Duration;

use vocabulary::{Device, Engine, Locale};

/// One search on one engine.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// The engine to search on.
    pub engine: Engine,
    /// The device to search with.
    pub device: Device,
    /// The words, as a person would type them.
    pub term: String,
    /// The language of the page and the country searched from.
    pub locale: Locale,
    /// Where in the country the search is made from; `None` leaves it to the engine.
    pub location: Option<SearchLocation>,
    /// Whether to take a picture of the whole page. To decide after reading the page, use [`super::Pool::capture_and_hold`].
    pub screenshot: bool,
    /// Whether to return the images, style sheets and fonts of the page.
    pub resources: bool,
    /// Deadline of this search; `None` uses [`super::Limits::deadline`].
    pub deadline: Option<Duration>,
}

/// Where a search is made from.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchLocation {
    /// The name in Google's list of places, as in `Lyon,Auvergne-Rhone-Alpes,France`.
    pub canonical_name: String,
    /// Degrees north and east, given to pages that ask for the position; `None` uses those of the city the name begins with, if it is
    /// known.
    pub coordinates: Option<(f64, f64)>,
    /// IANA name; `None` uses that of the city, else that of the locale's country.
    pub time_zone: Option<String>,
}
