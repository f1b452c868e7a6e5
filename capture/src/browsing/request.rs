//! What is searched.

use std::time::Duration;

use vocabulary::{Device, Engine, Locale};

/// One search.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// The engine to ask.
    pub engine: Engine,
    /// The device to search with.
    pub device: Device,
    /// The words, as a person would type them.
    pub term: String,
    /// The language of the page and the country searched from.
    pub locale: Locale,
    /// Where in the country the search is made; `None` leaves it to the engine.
    pub place: Option<SearchLocation>,
    /// Whether to take a picture of the whole page. To decide once the page was read, use [`super::Pool::capture_and_hold`].
    pub screenshot: bool,
    /// Whether to give the images, style sheets and fonts of the page.
    pub resources: bool,
    /// Instead of [`super::Limits::deadline`].
    pub deadline: Option<Duration>,
}

/// Where a search is made.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchLocation {
    /// The name Google's list of places has for it, as in `Lyon,Auvergne-Rhone-Alpes,France`.
    pub canonical_name: String,
    /// Degrees north and east, told to pages that ask for the position; `None` takes those of the city the name begins with, if it
    /// is a known one.
    pub coordinates: Option<(f64, f64)>,
    /// IANA name; `None` takes that of the city, else that of the locale's country.
    pub time_zone: Option<String>,
}
