//! Creates the companies, brands and terms, and finds them again.

use std::collections::BTreeMap;

use analytics::sample::SampleTerm;
use chrono::{DateTime, Utc};
use postgres::brands::NewBrand;
use postgres::categories::{CategoryKind, NewCategory};
use postgres::terms::{NewTerm, TermOptions, TermToCapture};
use postgres::users::NewUser;
use runtime::Settings;
use vocabulary::{BrandId, CompanyAccountId, Device, Engine, Frequency, KeywordType, SystemScope, TermState};

use super::DemoError;
use super::market::Market;
use super::people::{Account, accounts, password_to_make};

/// A brand of the demonstration.
struct Brand {
    /// Slug of the company account that owns the brand.
    company: &'static str,
    name: &'static str,
    label: &'static str,
    official: &'static str,
    /// Words of its terms. Brands with more words have more results.
    words: &'static [&'static str],
}

const COMPANIES: [(&str, &str); 2] = [
    ("brivault-group", "Brivault Group"),
    ("kestrel-retail", "Kestrel Retail"),
];

const BRANDS: [Brand; 4] = [
    Brand {
        company: "brivault-group",
        name: "maison-brivault",
        label: "Maison Brivault",
        official: "brivault.example",
        words: &[
            "brivault",
            "leather bag",
            "travel bag",
            "wallet",
            "belt",
            "brivault outlet",
            "handbag sale",
            "suitcase",
        ],
    },
    Brand {
        company: "brivault-group",
        name: "atelier-corvane",
        label: "L’Atelier Corvane",
        official: "corvane.example",
        words: &["corvane", "silk scarf", "wool coat"],
    },
    Brand {
        company: "kestrel-retail",
        name: "kestrel-outlet",
        label: "Kestrel Outlet",
        official: "kestrel-outlet.example",
        words: &["kestrel outlet", "running shoes", "trail shoes", "rain jacket", "tent"],
    },
    Brand {
        company: "kestrel-retail",
        name: "okimarket",
        label: "Okimarket",
        official: "okimarket.example",
        words: &["okimarket", "coffee machine"],
    },
];

/// The official domains of the demonstration's brands.
pub fn official_domains() -> [&'static str; BRANDS.len()] {
    BRANDS.each_ref().map(|brand| brand.official)
}

/// A localization in which terms are searched.
struct SearchedLocalization {
    locale: &'static str,
    city: &'static str,
    engine: Engine,
    region: Option<&'static str>,
    devices: &'static [Device],
}

const LOCALIZATIONS: [SearchedLocalization; 3] = [
    SearchedLocalization {
        locale: "fr_FR",
        city: "Paris",
        engine: Engine::Google,
        region: Some("Ile-de-France"),
        devices: &[Device::Desktop, Device::Mobile],
    },
    SearchedLocalization {
        locale: "fr_BE",
        city: "Brussels",
        engine: Engine::Google,
        region: None,
        devices: &[Device::Desktop],
    },
    SearchedLocalization {
        locale: "en_GB",
        city: "London",
        engine: Engine::Bing,
        region: None,
        devices: &[Device::Desktop],
    },
];
/// Every eight hours: with a page's ads this gives about as many views a day as the generated results.
const EVERY_MILLIS: i64 = 8 * 3_600_000;
/// Most terms with generated results.
const MOST_TERMS: i64 = 1_000;
/// Most brands whose name contains one of ours.
const MOST_BRANDS: i64 = 100;

/// Creates the companies, users, brands and terms of the demonstration in one transaction of its own; does nothing when the first account exists,
/// even if others are missing.
pub(super) async fn make_once(pool: &postgres::Pool, settings: &Settings) -> Result<(), DemoError> {
    let [first, ..] = accounts();
    if postgres::users::credentials(pool, first.email).await?.is_some() {
        return Ok(());
    }
    let scope = SystemScope::new("demonstration data");
    let hash = api::passwords::hash(password_to_make(settings)?).await?;
    let mut tx = postgres::begin(pool).await?;
    let mut companies = BTreeMap::new();
    for (name, label) in COMPANIES {
        companies.insert(name, postgres::companies::create(&mut *tx, &scope, name, label).await?);
    }
    for account in accounts() {
        make_user(&mut tx, account, &companies, &hash).await?;
    }
    for brand in &BRANDS {
        make_brand(&mut tx, &scope, brand, &companies).await?;
    }
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(())
}

/// Creates the user of an account with this password hash, linked to its company if `companies`, ids by slug, has it; the caller commits.
async fn make_user(
    connection: &mut postgres::Connection,
    account: &Account,
    companies: &BTreeMap<&str, CompanyAccountId>,
    hash: &str,
) -> Result<(), DemoError> {
    let roles: Vec<_> = account.role.into_iter().collect();
    let user = NewUser {
        email: account.email,
        password_hash: Some(hash),
        first_name: Some(account.first_name),
        last_name: Some(account.last_name),
        company: account.company.and_then(|name| companies.get(name).copied()),
        roles: &roles,
    };
    postgres::users::create(connection, &user).await?;
    Ok(())
}

/// Creates a brand with its terms and its tag `official`, which it links to its official domain; links the brand to its company if `companies`, ids
/// by slug, has it. The caller commits.
async fn make_brand(
    connection: &mut postgres::Connection,
    scope: &SystemScope,
    brand: &Brand,
    companies: &BTreeMap<&str, CompanyAccountId>,
) -> Result<(), DemoError> {
    let new = NewBrand {
        name: brand.name,
        label: brand.label,
        validated: true,
        create_notification: true,
        create_shopping_notification: true,
    };
    let id = postgres::brands::create(&mut *connection, scope, &new).await?;
    if let Some(company) = companies.get(brand.company) {
        postgres::companies::link_brand(&mut *connection, scope, *company, id).await?;
    }
    let official = NewCategory {
        kind: CategoryKind::Dealers,
        name: "official",
        label: "Official",
        owner: Some(id),
        for_all: false,
    };
    let official = postgres::categories::create(&mut *connection, scope, &official).await?;
    postgres::categories::link_domain(&mut *connection, scope, official, brand.official).await?;
    for (index, words) in brand.words.iter().enumerate() {
        make_terms(&mut *connection, scope, id, words, index == 0).await?;
    }
    Ok(())
}

/// Creates an enabled term of these words in each of [`LOCALIZATIONS`]; its keyword type is brand if the words are the brand's name (`is_name`), else
/// generic. The caller commits. Fails when the schema lacks a localization.
async fn make_terms(
    connection: &mut postgres::Connection,
    scope: &SystemScope,
    brand: BrandId,
    words: &str,
    is_name: bool,
) -> Result<(), DemoError> {
    let options = TermOptions {
        save_shopping_ads: true,
        ..TermOptions::default()
    };
    for searched in &LOCALIZATIONS {
        let (locale, city) = (searched.locale, searched.city);
        let localization = postgres::localizations::find(&mut *connection, locale, city)
            .await?
            .ok_or(DemoError::NoLocalization { locale, city })?;
        let term = NewTerm {
            term: words,
            engine: searched.engine,
            localization,
            region: searched.region,
            devices: searched.devices,
            every: Frequency::from_millis(EVERY_MILLIS).unwrap_or(Frequency::AUTO),
            state: TermState::Enabled,
            keyword_type: if is_name {
                KeywordType::Brand
            } else {
                KeywordType::Generic
            },
            brand: Some(brand),
            options: &options,
            can_be_accessed_by: &[],
        };
        postgres::terms::create(&mut *connection, scope, &term).await?;
    }
    Ok(())
}

/// A captured term with the grids of its slots.
#[derive(Clone, Debug)]
pub(super) struct WatchedTerm {
    pub(super) term: TermToCapture,
    pub(super) devices: Vec<Device>,
    pub(super) every_millis: i64,
}

/// Finds which brands of the demonstration exist, by comparing their names; returns their ids in the order of [`BRANDS`], each with the slug of the
/// company that owns the brand.
pub(super) async fn brands(pool: &postgres::Pool) -> Result<Vec<(BrandId, &'static str)>, DemoError> {
    let scope = SystemScope::new("demonstration data");
    let mut found = Vec::new();
    for brand in &BRANDS {
        let named = postgres::brands::search(pool, &scope, brand.name, MOST_BRANDS).await?;
        let is_of_term = |there: &&postgres::brands::Brand| there.name.as_deref() == Some(brand.name);
        found.extend(named.iter().find(is_of_term).map(|there| (there.id, brand.company)));
    }
    Ok(found)
}

/// Lists all terms, also disabled ones and those not of the demonstration, ordered by their words, at most [`MOST_TERMS`]; incomplete ones are left
/// out.
pub(super) async fn terms(pool: &postgres::Pool) -> Result<Vec<TermToCapture>, DemoError> {
    let scope = SystemScope::new("demonstration data");
    let mut terms = Vec::new();
    for name in postgres::terms::search(pool, &scope, "", MOST_TERMS).await? {
        terms.extend(postgres::terms::to_capture(pool, &scope, name.id).await?);
    }
    Ok(terms)
}

/// Selects the enabled terms of `brands` that are in a localization of the demonstration, each with the devices of that localization and the interval
/// [`EVERY_MILLIS`], not those that the term has.
pub(super) fn watched(terms: &[TermToCapture], brands: &[(BrandId, &'static str)]) -> Vec<WatchedTerm> {
    let is_ours = |term: &&TermToCapture| {
        term.brand
            .is_some_and(|brand| brands.iter().any(|(ours, _)| *ours == brand))
    };
    let enabled = terms.iter().filter(|term| term.state == TermState::Enabled);
    let watched = enabled.filter(is_ours).filter_map(|term| {
        Some(WatchedTerm {
            term: term.clone(),
            devices: localization_of(term)?.devices.to_vec(),
            every_millis: EVERY_MILLIS,
        })
    });
    watched.collect()
}

/// Returns the localization of the demonstration in which a term is searched; `None` when none has its engine, locale, city and region.
fn localization_of(term: &TermToCapture) -> Option<&'static SearchedLocalization> {
    let is_of_term = |localization: &&SearchedLocalization| {
        localization.engine == term.engine
            && localization.locale == term.locale.to_string()
            && Some(localization.city) == term.city.as_deref()
            && localization.region == term.region.as_deref()
    };
    LOCALIZATIONS.iter().find(is_of_term)
}

/// Turns the terms into input for generated results, with an official domain of their brand (empty without one; the last in alphabetical order of
/// several) and the domains that advertise on them between two instants, on desktops.
pub(super) async fn sampled(
    pool: &postgres::Pool,
    market: &Market,
    terms: &[TermToCapture],
    between: (DateTime<Utc>, DateTime<Utc>),
) -> Result<Vec<SampleTerm>, DemoError> {
    let scope = SystemScope::new("demonstration data");
    let mut brands: Vec<BrandId> = terms.iter().filter_map(|term| term.brand).collect();
    brands.sort_unstable();
    brands.dedup();
    let officials: BTreeMap<BrandId, String> = postgres::brands::official_domains(pool, &scope, &brands)
        .await?
        .into_iter()
        .collect();
    let sampled = terms.iter().map(|term| {
        Ok(SampleTerm {
            official: term
                .brand
                .and_then(|brand| officials.get(&brand).cloned())
                .unwrap_or_default(),
            id: term.id,
            words: term.term.clone(),
            keyword_type: term.keyword_type,
            engine: term.engine,
            localization: term.localization,
            locale: term.locale.clone(),
            city: term.city.clone().unwrap_or_default(),
            region: term.region.clone().unwrap_or_default(),
            brand: term.brand,
            advertisers: market.advertisers(term, Device::Desktop, between)?,
        })
    });
    sampled.collect()
}
