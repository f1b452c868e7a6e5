//! A search: words, localization and device.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT_LANGUAGE;
use chrono::{DateTime, Utc};

use crate::device::Device;
use crate::engine::Engine;
use crate::generation::Generation;
use crate::localization::{Country, Language, town_of};

/// Most characters of a query that are used; the rest is cut, as the engines do.
const QUERY_CHARS: usize = 256;

/// The parameters of an address; the last of several with the same name counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// From the part of an address after `?`.
    pub(crate) fn from_query(query: &str) -> Self {
        Self(url::form_urlencoded::parse(query.as_bytes()).into_owned().collect())
    }

    /// Returns the decoded value of a parameter, the last of several; `None` when it is absent or the last is empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let value = self
            .0
            .iter()
            .rev()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str());
        value.filter(|value| !value.is_empty())
    }

    /// Parses an instant given as RFC 3339 or as milliseconds since 1970; `None` when the parameter is absent or empty, an error for the user when it
    /// is neither.
    pub(crate) fn instant(&self, name: &str) -> Result<Option<DateTime<Utc>>, String> {
        let Some(text) = self.get(name) else { return Ok(None) };
        let millis = text.parse().ok().and_then(DateTime::from_timestamp_millis);
        let written = || DateTime::parse_from_rfc3339(text).ok().map(|at| at.with_timezone(&Utc));
        let instant = millis.or_else(written);
        instant
            .map(Some)
            .ok_or_else(|| format!("'{text}' is no instant; write 2026-01-31T12:00:00Z or milliseconds since 1970"))
    }
}

/// A search with all defaults applied.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    pub engine: Engine,
    pub device: Device,
    pub query: String,
    pub language: Language,
    pub country: &'static Country,
    /// The town inside the country (`Lyon`), where the address names one.
    pub town: Option<String>,
    /// Organic results requested.
    pub results: usize,
    pub generation: Option<Generation>,
}

impl Search {
    /// Parses the parameters of an address. The language falls back to `accept_language`, then to the country's, then to English; the country to the
    /// language's. The query is cut at [`QUERY_CHARS`] characters, and between 1 and 100 results are requested (10 by default). Unknown values are
    /// ignored.
    pub(crate) fn new(engine: Engine, device: Device, parameters: &Parameters, accept_language: Option<&str>) -> Self {
        let market = parameters.get("mkt").and_then(|mkt| mkt.split_once(['-', '_']));
        let (language, country) = match engine {
            Engine::Google => (parameters.get("hl"), parameters.get("gl")),
            Engine::Bing => (
                parameters.get("setlang").or(market.map(|(language, _)| language)),
                parameters.get("cc").or(market.map(|(_, country)| country)),
            ),
        };
        let country = country.and_then(Country::from_code);
        let language = [language, accept_language]
            .into_iter()
            .flatten()
            .find_map(Language::from_tag);
        let language = language
            .or(country.map(|country| country.language))
            .unwrap_or(Language::English);
        let requested = parameters.get("num").and_then(|num| num.parse().ok());
        let words: Vec<&str> = parameters.get("q").unwrap_or_default().split_whitespace().collect();
        Self {
            engine,
            device,
            query: words.join(" ").chars().take(QUERY_CHARS).collect(),
            language,
            country: country.unwrap_or_else(|| Country::home_of(language)),
            town: parameters.get("uule").and_then(town_of),
            results: requested.unwrap_or(10_usize).clamp(1, 100),
            generation: parameters.get("gen").and_then(|name| name.parse().ok()),
        }
    }

    /// Returns the query in lower case, as advertisers bid on it.
    pub(crate) fn keyword(&self) -> String {
        self.query.to_lowercase()
    }
}

/// Returns the first language tag of an `Accept-Language` header, whatever the weights; `None` without the header.
pub(crate) fn accepted_language(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(ACCEPT_LANGUAGE)?.to_str().ok()?;
    value.split([',', ';']).next().map(|tag| tag.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_language_and_country_from_the_address_then_from_the_browser() {
        let parameters = Parameters::from_query("q=x&mkt=de-CH");
        let search = Search::new(Engine::Bing, Device::Desktop, &parameters, Some("fr-FR"));
        assert_eq!((search.language, search.country.code), (Language::German, "CH"));
        let search = Search::new(Engine::Google, Device::Desktop, &Parameters::default(), Some("fr-FR"));
        assert_eq!((search.language, search.country.code), (Language::French, "FR"));
    }
}
