//! What is watched: one brand of one fictional company, with one term that is due at once, and somebody who may read its ads.

use records::brands::NewBrand;
use records::terms::{NewTerm, TermOptions};
use records::users::NewUser;
use vocabulary::{Device, Engine, Frequency, KeywordType, Scope, TermState};

use super::SmokeError;
use super::stack::TrialStack;

const EMAIL: &str = "reader@alba-shoes.example";
const LOCALE: &str = "fr_FR";
const CITY: &str = "Paris";

/// Who may read what the term finds.
#[derive(Debug)]
pub struct Reader {
    /// The address to sign in with.
    pub email: &'static str,
    /// The password.
    pub password: String,
}

/// Writes the term and its reader. A term that is new is due in the slot that runs.
pub async fn make_due(stack: &TrialStack) -> Result<Reader, SmokeError> {
    let scope = Scope::system("smoke");
    let pool = records::connect(
        stack.told("VIGIE__POSTGRES__URL", "where PostgreSQL is")?,
        1,
        "vigie smoke",
    )?;
    let password = crate::random::password()?;
    let hash = api::passwords::hash(password.clone())
        .await
        .map_err(|error| SmokeError::Hash(error.to_string()))?;
    let mut tx = records::begin(&pool).await?;
    let localization = records::localizations::find(&mut *tx, LOCALE, CITY)
        .await?
        .ok_or(SmokeError::NoLocalization(CITY))?;
    let company = records::companies::create(&mut *tx, &scope, "alba-shoes", "Alba Shoes").await?;
    let brand = NewBrand {
        name: "alba",
        label: "Alba",
        validated: true,
        create_notification: true,
        create_shopping_notification: true,
    };
    let brand = records::brands::create(&mut *tx, &scope, &brand).await?;
    records::companies::link_brand(&mut *tx, &scope, company, brand).await?;
    let user = NewUser {
        email: EMAIL,
        password_hash: Some(&hash),
        first_name: None,
        last_name: None,
        company: Some(company),
        roles: &[],
    };
    records::users::create(&mut tx, &user).await?;
    let options = TermOptions {
        save_shopping_ads: true,
        ..TermOptions::default()
    };
    let term = NewTerm {
        // A word of buying: the simulated engine always shows ads for it.
        term: "acheter alba running shoes",
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
    records::terms::create(&mut tx, &scope, &term).await?;
    tx.commit().await.map_err(records::Error::from)?;
    Ok(Reader { email: EMAIL, password })
}
