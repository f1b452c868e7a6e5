//! What a tab pretends to be.

use vocabulary::{Device, Engine, Locale};

use super::request::{SearchLocation, SearchRequest};

/// What a tab pretends to be. Two searches with the same profile can use one tab as it is, and share the answer given to consent.
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
    /// The profile of a search.
    pub fn for_request(request: &SearchRequest) -> Self {
        Self {
            engine: request.engine,
            device: request.device,
            locale: request.locale.clone(),
            location: request.location.clone(),
        }
    }

    /// The key of its stored consent.
    pub fn consent_key(&self) -> ConsentKey {
        (self.engine, self.device, self.locale.clone())
    }
}
