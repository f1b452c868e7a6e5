//! Creates what is watched: one brand of one fictional company, with one term that is due at once, and a user that may read its ads.

use postgres::terms::{NewTerm, TermOptions};
use postgres::users::NewUser;
use vocabulary::{Device, Engine, Frequency, KeywordType, SystemScope, TermState};

use super::SmokeError;
use crate::trial::{BRAND, TrialStack};

const EMAIL: &str = "reader@alba-shoes.example";
/// With a word of buying, for which the simulated engine always shows ads.
const WORDS: &str = "acheter alba running shoes";
const LOCALE: &str = "fr_FR";
const CITY: &str = "Paris";

/// A user who may read what the term finds.
#[derive(Debug)]
pub struct CompanyUser {
    /// The address to sign in with.
    pub email: &'static str,
    /// Password of the account.
    pub password: String,
}

/// Ends the captures of all terms of the stack, so that another one made of it captures nothing either.
pub async fn disable(stack: &TrialStack) -> Result<(), SmokeError> {
    let scope = SystemScope::new("smoke");
    let pool = postgres::connect(
        stack.setting("VIGIE__POSTGRES__URL", "where PostgreSQL is")?,
        1,
        "vigie smoke",
    )?;
    for term in postgres::terms::search(&pool, &scope, WORDS, 1).await? {
        postgres::terms::set_state(&pool, &scope, &[term.id], TermState::Disabled).await?;
    }
    Ok(())
}

/// Creates a company, a brand, a term and a user who may read its ads, in one transaction; returns the user. The term is due in the current slot.
/// Call it once per stack: a second call fails.
pub async fn make_due(stack: &TrialStack) -> Result<CompanyUser, SmokeError> {
    let scope = SystemScope::new("smoke");
    let pool = postgres::connect(
        stack.setting("VIGIE__POSTGRES__URL", "where PostgreSQL is")?,
        1,
        "vigie smoke",
    )?;
    let password = crate::random::password()?;
    let hash = api::passwords::hash(password.clone())
        .await
        .map_err(|error| SmokeError::Hash(error.to_string()))?;
    let mut tx = postgres::begin(&pool).await?;
    let localization = postgres::localizations::find(&mut *tx, LOCALE, CITY)
        .await?
        .ok_or(SmokeError::NoLocalization(CITY))?;
    let company = postgres::companies::create(&mut *tx, &scope, "alba-shoes", "Alba Shoes").await?;
    let brand = postgres::brands::create(&mut *tx, &scope, &BRAND).await?;
    postgres::companies::link_brand(&mut *tx, &scope, company, brand).await?;
    let user = NewUser {
        email: EMAIL,
        password_hash: Some(&hash),
        first_name: None,
        last_name: None,
        company: Some(company),
        roles: &[],
    };
    postgres::users::create(&mut tx, &user).await?;
    let options = TermOptions {
        save_shopping_ads: true,
        ..TermOptions::default()
    };
    let term = NewTerm {
        term: WORDS,
        engine: Engine::Google,
        localization,
        region: None,
        devices: &[Device::Desktop],
        every: Frequency::AUTO,
        state: TermState::Enabled,
        keyword_type: KeywordType::Generic,
        brand: Some(brand),
        options: &options,
        can_be_accessed_by: &[],
    };
    postgres::terms::create(&mut tx, &scope, &term).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(CompanyUser { email: EMAIL, password })
}
