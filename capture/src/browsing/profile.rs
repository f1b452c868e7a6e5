//! What a tab pretends to be.

use vocabulary::{Device, Engine, Locale};

use super::request::{SearchLocation, SearchRequest};

/// What a tab pretends to be: the engine, device, locale and location of a search. A tab is cleared between searches whatever their profiles, so that
/// the only state that searches share is the consent answer, by [`Profile::consent_key`].
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Profile {
    /// The engine that is searched.
    pub engine: Engine,
    /// The device that is emulated.
    pub device: Device,
    /// The language and country that are emulated.
    pub locale: Locale,
    /// The location that is emulated; `None` leaves it to the engine.
    pub location: Option<SearchLocation>,
}

/// Key of stored consent: the location changes neither the dialog nor the answer.
pub(super) type ConsentKey = (Engine, Device, Locale);

impl Profile {
    /// Takes the engine, device, locale and location of a request. The term plays no part: searches for different terms share a profile.
    pub fn for_request(request: &SearchRequest) -> Self {
        Self {
            engine: request.engine,
            device: request.device,
            locale: request.locale.clone(),
            location: request.location.clone(),
        }
    }

    /// Returns the key under which the profile's consent answer is stored: engine, device and locale, without the location.
    pub fn consent_key(&self) -> ConsentKey {
        (self.engine, self.device, self.locale.clone())
    }
}
