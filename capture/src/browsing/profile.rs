//! Who a tab pretends to be.

use vocabulary::{Device, Engine, Locale};

use super::request::{SearchLocation, SearchRequest};

/// Who a tab pretends to be. Two searches of one profile can use one tab as it is, and share the answer given to consent.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Profile {
    /// Searched engine.
    pub engine: Engine,
    /// Device pretended.
    pub device: Device,
    /// Language and country pretended.
    pub locale: Locale,
    /// Place pretended.
    pub place: Option<SearchLocation>,
}

/// What consent is stored by: the place changes neither the question nor the answer.
pub(super) type ConsentKey = (Engine, Device, Locale);

impl Profile {
    /// The profile a search is made with.
    pub fn for_request(request: &SearchRequest) -> Self {
        Self {
            engine: request.engine,
            device: request.device,
            locale: request.locale.clone(),
            place: request.place.clone(),
        }
    }

    /// What its consent is stored by.
    pub fn consent_key(&self) -> ConsentKey {
        (self.engine, self.device, self.locale.clone())
    }
}
