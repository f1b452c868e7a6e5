//! The address of a search.

use thiserror::Error;
use url::Url;
use vocabulary::{Engine, Locale};

use super::request::SearchRequest;
use super::settings::EngineAddress;
use super::uule::uule;

/// The longest term that is searched, in characters; engines cut longer ones.
const LONGEST_TERM: usize = 2_048;

/// The markets Bing has, by Microsoft's list of market codes for the Bing search APIs.
const BING_MARKETS: [&str; 38] = [
    "es-AR", "en-AU", "de-AT", "nl-BE", "fr-BE", "pt-BR", "en-CA", "fr-CA", "es-CL", "da-DK", "fi-FI", "fr-FR",
    "de-DE", "zh-HK", "en-IN", "en-ID", "it-IT", "ja-JP", "ko-KR", "en-MY", "es-MX", "nl-NL", "en-NZ", "no-NO",
    "zh-CN", "pl-PL", "en-PH", "ru-RU", "en-ZA", "es-ES", "sv-SE", "fr-CH", "de-CH", "zh-TW", "tr-TR", "en-GB",
    "en-US", "es-US",
];

/// Why a request has no address to search at.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum AddressError {
    /// The term has no words.
    #[error("the term is empty")]
    EmptyTerm,
    /// The term has too many characters.
    #[error("the term has more than {LONGEST_TERM} characters")]
    LongTerm,
    /// No address is set for the engine.
    #[error("no address is set for {0}; set VIGIE__CAPTURE__ENGINES")]
    NoEngine(Engine),
    /// The address is neither http nor https.
    #[error("the address of an engine must start with http:// or https://, not {0}")]
    Scheme(String),
}

/// Bing's market of a locale. `None` for one without a market: Bing would take another one for it, by rules that it changes.
fn bing_market(locale: &Locale) -> Option<&'static str> {
    let code = format!("{}-{}", locale.language(), locale.country());
    BING_MARKETS.into_iter().find(|market| *market == code)
}

/// Builds the address of a search's result page: `{base}/search` with the base's own query, the term, language and country in the engine's
/// parameters, for Google the location as `uule`, and for Bing the market if it has one of the locale. Fails when the term is blank or has more than `LONGEST_TERM` characters, or the base is neither
/// http nor https; never returns [`AddressError::NoEngine`].
pub fn search_address(engine: &EngineAddress, request: &SearchRequest) -> Result<Url, AddressError> {
    if request.term.trim().is_empty() {
        return Err(AddressError::EmptyTerm);
    }
    if request.term.chars().count() > LONGEST_TERM {
        return Err(AddressError::LongTerm);
    }
    let mut url = engine.base.clone();
    if !matches!(url.scheme(), "http" | "https") {
        return Err(AddressError::Scheme(url.scheme().to_owned()));
    }
    url.path_segments_mut()
        .map_err(|()| AddressError::Scheme(engine.base.to_string()))?
        .pop_if_empty()
        .push("search");
    let (language, country) = (request.locale.language(), request.locale.country());
    {
        let mut query = url.query_pairs_mut();
        query.append_pair("q", &request.term);
        match request.engine {
            Engine::Google => query
                .append_pair("hl", language)
                .append_pair("gl", &country.to_ascii_lowercase()),
            Engine::Bing => {
                query.append_pair("cc", country).append_pair("setlang", language);
                if let Some(market) = bing_market(&request.locale) {
                    query.append_pair("mkt", market);
                }
                &mut query
            }
        };
    }
    if let (Engine::Google, Some(location)) = (request.engine, &request.location) {
        // Google takes this value with its plus sign unescaped.
        let query = format!(
            "{}&uule={}",
            url.query().unwrap_or_default(),
            uule(&location.canonical_name)
        );
        url.set_query(Some(&query));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::super::request::SearchLocation;
    use super::*;
    use vocabulary::Device;

    fn request(engine: Engine, term: &str) -> SearchRequest {
        SearchRequest {
            engine,
            device: Device::Desktop,
            term: term.to_owned(),
            locale: "fr_FR".parse().unwrap(),
            location: None,
            screenshot: false,
            resources: false,
            deadline: None,
        }
    }

    #[test]
    fn google_gets_language_country_and_place() {
        let mut request_with_location = request(Engine::Google, "chaussures & bottes");
        request_with_location.location = Some(SearchLocation {
            canonical_name: "Paris,France".into(),
            coordinates: None,
            time_zone: None,
        });
        let url = search_address(&EngineAddress::real(Engine::Google), &request_with_location).unwrap();
        assert_eq!(
            url.as_str(),
            "https://www.google.com/search?q=chaussures+%26+bottes&hl=fr&gl=fr&uule=w+CAIQICIMUGFyaXMsRnJhbmNl"
        );
    }

    #[test]
    fn bing_gets_country_language_and_market() {
        let url = search_address(&EngineAddress::real(Engine::Bing), &request(Engine::Bing, "bottes")).unwrap();
        assert_eq!(
            url.as_str(),
            "https://www.bing.com/search?q=bottes&cc=FR&setlang=fr&mkt=fr-FR"
        );
    }

    #[test]
    fn bing_gets_country_and_language_alone_of_a_locale_without_a_market() {
        let request = SearchRequest {
            locale: "it_CH".parse().unwrap(),
            ..request(Engine::Bing, "scarpe")
        };
        let url = search_address(&EngineAddress::real(Engine::Bing), &request).unwrap();
        assert_eq!(url.as_str(), "https://www.bing.com/search?q=scarpe&cc=CH&setlang=it");
    }

    #[test]
    fn a_query_of_the_base_address_is_kept() {
        let mut engine = EngineAddress::real(Engine::Bing);
        engine.base = "http://serp.test/bing/?fault=captcha".parse().unwrap();
        let url = search_address(&engine, &request(Engine::Bing, "bottes")).unwrap();
        assert_eq!(
            url.as_str(),
            "http://serp.test/bing/search?fault=captcha&q=bottes&cc=FR&setlang=fr&mkt=fr-FR"
        );
    }

    #[test]
    fn a_term_cannot_add_parameters_or_leave_the_host() {
        let url = search_address(
            &EngineAddress::real(Engine::Google),
            &request(Engine::Google, "a&gl=us#@evil.example/?"),
        )
        .unwrap();
        assert_eq!(url.host_str(), Some("www.google.com"));
        assert_eq!(url.query_pairs().filter(|(name, _)| name == "gl").count(), 1);
        assert_eq!(url.fragment(), None);
    }

    #[test]
    fn refuses_what_cannot_be_searched() {
        let engine = EngineAddress::real(Engine::Google);
        assert_eq!(
            search_address(&engine, &request(Engine::Google, " \n")),
            Err(AddressError::EmptyTerm)
        );
        assert_eq!(
            search_address(&engine, &request(Engine::Google, &"x".repeat(2_049))),
            Err(AddressError::LongTerm)
        );
        let file = EngineAddress {
            base: "file:///etc".parse().unwrap(),
            ..engine
        };
        assert_eq!(
            search_address(&file, &request(Engine::Google, "x")),
            Err(AddressError::Scheme("file".into()))
        );
    }
}
