//! Sample records for tests.

use postgres::brands::{self, NewBrand};
use postgres::localizations;
use postgres::terms::{self, NewTerm, TermOptions};
use vocabulary::{BrandId, Device, Engine, Frequency, KeywordType, SystemScope, TermId, TermState};

use crate::Postgres;

/// The scope in which tests create their sample records.
pub const SETUP: SystemScope = SystemScope::new("setting up a test");

impl Postgres {
    /// Creates a validated brand that turns text ads, not shopping ads, into actions. Panics if the name is taken.
    pub async fn brand(&self, name: &str) -> BrandId {
        let new = NewBrand {
            name,
            label: name,
            validated: true,
            create_notification: true,
            create_shopping_notification: false,
        };
        brands::create(&self.pool, &SETUP, &new)
            .await
            .expect("the name is new to this database")
    }

    /// Creates an enabled term, searched on Google from Paris with a desktop every `every_millis`, that keeps text and shopping ads. `None` is a term
    /// without a brand.
    pub async fn term(&self, words: &str, brand: Option<BrandId>, every_millis: i64) -> TermId {
        let localization = localizations::find(&self.pool, "fr_FR", "Paris")
            .await
            .expect("the database answers");
        let options = TermOptions {
            save_shopping_ads: true,
            ..TermOptions::default()
        };
        let new = NewTerm {
            term: words,
            engine: Engine::Google,
            localization: localization.expect("Paris is in a new database"),
            region: None,
            devices: &[Device::Desktop],
            every: Frequency::from_millis(every_millis).expect("not negative"),
            state: TermState::Enabled,
            keyword_type: KeywordType::Generic,
            brand,
            options: &options,
            can_be_accessed_by: &[],
        };
        let mut connection = self.pool.acquire().await.expect("the database answers");
        terms::create(&mut connection, &SETUP, &new)
            .await
            .expect("the words are new to this database")
    }
}
