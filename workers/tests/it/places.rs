//! What every place of a new installation becomes in the searches of either engine.

use std::collections::{BTreeSet, HashMap};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use capture::browsing::{EngineAddress, canonical_name, search_address};
use postgres::localizations::{self, Localization};
use postgres::terms::{TermOptions, TermToCapture};
use testkit::Postgres;
use vocabulary::{Device, Engine, KeywordType, TermId, TermState, regions};

/// The seeded locales that Bing has no market of.
const WITHOUT_MARKET: [&str; 11] = [
    "ar_MA", "cs_CZ", "el_GR", "en_IE", "fr_LU", "fr_MA", "hu_HU", "it_CH", "pt_PT", "ro_RO", "uk_UA",
];

fn term(place: &Localization, engine: Engine) -> TermToCapture {
    let country = place.country.as_ref().unwrap();
    TermToCapture {
        id: TermId(1),
        term: "red shoes".to_owned(),
        engine,
        keyword_type: KeywordType::Generic,
        state: TermState::Enabled,
        localization: place.id,
        locale: place.locale.as_ref().unwrap().parse().unwrap(),
        country_name: country["en"].as_str().map(str::to_owned),
        city: place.city.clone(),
        region_of_city: place.region.clone(),
        region: None,
        brand: None,
        brand_label: None,
        options: TermOptions::default(),
    }
}

/// The parameters of the address that a term is searched at.
fn parameters(term: &TermToCapture) -> HashMap<String, String> {
    let request = workers::search_for(term, Device::Desktop);
    let url = search_address(&EngineAddress::real(term.engine), &request).unwrap();
    url.query_pairs().into_owned().collect()
}

/// The name in the `uule` of a term's address.
fn place_named_to_google(term: &TermToCapture) -> String {
    let uule = &parameters(term)["uule"];
    // Read as a form, the plus sign is a space.
    let message = URL_SAFE_NO_PAD.decode(uule.strip_prefix("w ").unwrap()).unwrap();
    let (head, name) = message.split_at(6);
    assert_eq!(head, [8, 2, 16, 32, 34, u8::try_from(name.len()).unwrap()]);
    String::from_utf8(name.to_vec()).unwrap()
}

async fn seeded() -> Vec<Localization> {
    let store = Postgres::new().await;
    localizations::in_order(&store.pool).await.unwrap()
}

#[tokio::test]
async fn every_seeded_place_is_whole_and_there_once() {
    let places = seeded().await;
    assert_eq!(places.len(), 186);
    let mut keys = BTreeSet::new();
    for place in &places {
        let (locale, country) = (place.locale.as_deref().unwrap(), place.country.as_ref().unwrap());
        assert_eq!(place.language.as_deref(), locale.split('_').next(), "{place:?}");
        assert!(country["fr"].is_string() && country["en"].is_string(), "{place:?}");
        assert!(
            place.region.is_some() && keys.insert((locale, &place.city, &place.region)),
            "{place:?}"
        );
    }
    let names = localizations::names(&places);
    let unique: BTreeSet<_> = places.iter().map(|place| (&place.locale, &names[&place.id])).collect();
    assert_eq!(unique.len(), places.len());
}

#[tokio::test]
async fn google_gets_language_country_and_listed_name_of_every_seeded_place() {
    let mut names = HashMap::new();
    for place in seeded().await {
        let term = term(&place, Engine::Google);
        let (city, region) = (place.city.clone().unwrap(), place.region.clone().unwrap());
        let name = place_named_to_google(&term);
        let country = term.locale.country();
        assert_eq!(
            canonical_name(country, &city, Some(&region)),
            Some(name.as_str()),
            "{place:?}"
        );
        let parts: Vec<_> = name.split(',').collect();
        assert!(parts.contains(&region.as_str()), "{place:?}");
        // Overseas regions are countries to Google.
        assert!(
            parts.last() == term.country_name.as_deref().as_ref() || name.ends_with(",Reunion"),
            "{place:?}"
        );
        let given = parameters(&term);
        assert_eq!(
            (given["hl"].as_str(), given["gl"].to_uppercase()),
            (term.locale.language(), country.to_owned())
        );

        let key = (country.to_owned(), city, region);
        assert_eq!(
            names.entry(name).or_insert_with(|| key.clone()),
            &key,
            "a name of two places"
        );
    }
}

#[tokio::test]
async fn bing_gets_country_language_and_its_market_of_every_seeded_place() {
    let mut without = BTreeSet::new();
    for place in seeded().await {
        let term = term(&place, Engine::Bing);
        let given = parameters(&term);
        let (language, country) = (term.locale.language(), term.locale.country());
        assert_eq!((given["setlang"].as_str(), given["cc"].as_str()), (language, country));
        assert!(!given.contains_key("uule"), "{place:?}");
        if let Some(market) = given.get("mkt") {
            assert_eq!(*market, format!("{language}-{country}"));
        } else {
            without.insert(place.locale.unwrap());
        }
    }
    assert_eq!(without, WITHOUT_MARKET.map(str::to_owned).into());
}

#[tokio::test]
async fn google_gets_the_listed_name_of_a_region_and_no_other_name_of_an_unlisted_place() {
    let places = seeded().await;
    let of = |locale: &str| {
        places
            .iter()
            .find(|place| place.locale.as_deref() == Some(locale))
            .unwrap()
    };
    for locale in ["fr_FR", "fr_BE", "pt_PT"] {
        for region in regions(&locale[3..]) {
            let term = TermToCapture {
                region: Some(region.name.to_owned()),
                ..term(of(locale), Engine::Google)
            };
            assert_eq!(place_named_to_google(&term), region.canonical_name);
        }
    }
    let unlisted = |city: &str, region: Option<&str>| {
        let place = Localization {
            city: Some(city.to_owned()),
            region: region.map(str::to_owned),
            ..of("fr_FR").clone()
        };
        place_named_to_google(&term(&place, Engine::Google))
    };
    assert_eq!(unlisted("Nice", Some("Normandy")), "Nice,Normandy,France");
    assert_eq!(unlisted("Saint-Denis", None), "Saint-Denis,France");
    assert_eq!(unlisted("Nice", None), "Nice,Provence-Alpes-Cote d'Azur,France");
}
