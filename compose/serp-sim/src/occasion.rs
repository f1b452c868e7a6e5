//! What the randomness of a page depends on.

use chrono::{DateTime, Utc};

use crate::draw::DrawKey;
use crate::search::Search;

const MILLIS_PER_DAY: i64 = 86_400_000;

/// Keys of draws: for what never changes for a query in a country, for what changes daily (UTC), and for what changes with rotation, town and device.
#[derive(Clone, Copy)]
pub(crate) struct Occasion {
    pub always: DrawKey,
    pub today: DrawKey,
    pub now: DrawKey,
}

impl Occasion {
    /// Builds the keys of a search at an instant: `always` for engine, words and country; `today` also for the UTC day; `now` also for town, device
    /// and the period of `rotation_millis`.
    pub(crate) fn new(seed: u64, rotation_millis: i64, search: &Search, at: DateTime<Utc>) -> Self {
        let always = DrawKey::of_seed(seed)
            .with(search.engine)
            .with(search.keyword())
            .with(search.country.code);
        let millis = at.timestamp_millis();
        let now = always.with("now").with(millis.div_euclid(rotation_millis.max(1)));
        let town = search.town.as_deref().unwrap_or("");
        Self {
            always,
            today: always.with("today").with(millis.div_euclid(MILLIS_PER_DAY)),
            now: now.with(town).with(search.device),
        }
    }
}
