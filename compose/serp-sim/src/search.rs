//! A search: what was asked, where from and with which device.

use std::fmt;

use axum::http::HeaderMap;
use axum::http::header::{ACCEPT_LANGUAGE, USER_AGENT};
use serde::{Deserialize, Serialize};

use crate::generation::Generation;
use crate::place::{Country, Language, place_of};

/// Most characters of a query that are used; the rest is cut, as engines do.
const QUERY_CHARS: usize = 256;

/// The engine that is stood in for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// Google Search.
    Google,
    /// Microsoft Bing.
    Bing,
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Google => "google",
            Self::Bing => "bing",
        })
    }
}

/// The device a page is laid out for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Device {
    /// A computer.
    Desktop,
    /// A telephone.
    Mobile,
    /// A tablet: the desktop layout without a side column, with ads of its own.
    Tablet,
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Desktop => "desktop",
            Self::Mobile => "mobile",
            Self::Tablet => "tablet",
        })
    }
}

impl Device {
    /// By client hints and user agent, as the engines do: a tablet says so or is an Android without `Mobile`.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Self {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("");
        let agent = header(USER_AGENT.as_str());
        let android_tablet = agent.contains("Android") && !agent.contains("Mobile");
        if header("sec-ch-ua-form-factors").contains("Tablet")
            || agent.contains("iPad")
            || agent.contains("Tablet")
            || android_tablet
        {
            Self::Tablet
        } else if agent.contains("Mobi") || agent.contains("iPhone") || header("sec-ch-ua-mobile") == "?1" {
            Self::Mobile
        } else {
            Self::Desktop
        }
    }
}

/// The parameters of an address; of a name given twice the last counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// Of the part of an address after `?`.
    pub(crate) fn from_query(query: &str) -> Self {
        Self(url::form_urlencoded::parse(query.as_bytes()).into_owned().collect())
    }

    /// The value of a parameter that is given and not empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let value = self
            .0
            .iter()
            .rev()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str());
        value.filter(|value| !value.is_empty())
    }
}

/// A search, fully known.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    pub engine: Engine,
    pub device: Device,
    pub query: String,
    pub language: Language,
    pub country: &'static Country,
    /// The place inside the country (`Lyon`), where the address names one.
    pub place: Option<String>,
    /// Organic results wished for.
    pub results: usize,
    pub generation: Option<Generation>,
}

impl Search {
    /// Reads the address; the language falls back to `Accept-Language`, then to the country's, then to English.
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
        let wished = parameters.get("num").and_then(|num| num.parse().ok());
        let words: Vec<&str> = parameters.get("q").unwrap_or_default().split_whitespace().collect();
        Self {
            engine,
            device,
            query: words.join(" ").chars().take(QUERY_CHARS).collect(),
            language,
            country: country.unwrap_or_else(|| Country::home_of(language)),
            place: parameters.get("uule").and_then(place_of),
            results: wished.unwrap_or(10_usize).clamp(1, 100),
            generation: parameters.get("gen").and_then(|name| name.parse().ok()),
        }
    }

    /// The query as ads are sold for it: case and spaces do not matter.
    pub(crate) fn keyword(&self) -> String {
        self.query.to_lowercase()
    }
}

/// The first language of an `Accept-Language` header.
pub(crate) fn accepted_language(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(ACCEPT_LANGUAGE)?.to_str().ok()?;
    value.split([',', ';']).next().map(|tag| tag.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(agent: &str) -> Device {
        Device::from_headers(&HeaderMap::from_iter([(USER_AGENT, agent.parse().unwrap())]))
    }

    #[test]
    fn tells_devices_by_their_user_agent() {
        assert_eq!(
            device("Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0 Safari/537.36"),
            Device::Desktop
        );
        assert_eq!(
            device("Mozilla/5.0 (Linux; Android 10; K) Chrome/156.0 Mobile Safari/537.36"),
            Device::Mobile
        );
        assert_eq!(
            device("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile/15E148"),
            Device::Mobile
        );
        assert_eq!(
            device("Mozilla/5.0 (Linux; Android 10; K) Chrome/156.0 Safari/537.36"),
            Device::Tablet
        );
        assert_eq!(
            device("Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) Mobile/15E148"),
            Device::Tablet
        );
    }

    #[test]
    fn takes_language_and_country_from_the_address_then_from_the_browser() {
        let parameters = Parameters::from_query("q=x&mkt=de-CH");
        let search = Search::new(Engine::Bing, Device::Desktop, &parameters, Some("fr-FR"));
        assert_eq!((search.language, search.country.code), (Language::German, "CH"));
        let search = Search::new(Engine::Google, Device::Desktop, &Parameters::default(), Some("fr-FR"));
        assert_eq!((search.language, search.country.code), (Language::French, "FR"));
    }
}
