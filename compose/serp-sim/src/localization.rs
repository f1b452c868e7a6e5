//! Where a search is made from: language, country and town.

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD};
use serde::Serialize;

/// A language of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub(crate) enum Language {
    #[serde(rename = "en")]
    English,
    #[serde(rename = "fr")]
    French,
    #[serde(rename = "de")]
    German,
}

impl Language {
    /// Parses a tag such as `fr-CH` by its first two letters, in any case; `None` for languages that are not simulated.
    pub(crate) fn from_tag(tag: &str) -> Option<Self> {
        match tag.get(..2)?.to_ascii_lowercase().as_str() {
            "en" => Some(Self::English),
            "fr" => Some(Self::French),
            "de" => Some(Self::German),
            _ => None,
        }
    }

    /// Returns the language's ISO 639 code of two letters, in lower case.
    pub(crate) const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::French => "fr",
            Self::German => "de",
        }
    }
}

/// The currency of prices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Currency {
    Euro,
    Pound,
    Dollar,
    Franc,
}

/// A country, with what differs between countries on a result page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Country {
    /// ISO 3166 code of two letters, upper case.
    pub code: &'static str,
    pub language: Language,
    pub currency: Currency,
    /// The town that ads mention when the search names none.
    pub town: &'static str,
    /// Whether comparison services place shopping ads there, as they do in Europe.
    pub has_comparison_services: bool,
}

/// Makes an entry of [`COUNTRIES`]; the arguments are the fields of [`Country`] in their order.
const fn country(
    code: &'static str,
    language: Language,
    currency: Currency,
    town: &'static str,
    has_comparison_services: bool,
) -> Country {
    Country {
        code,
        language,
        currency,
        town,
        has_comparison_services,
    }
}

static COUNTRIES: &[Country] = &[
    country("US", Language::English, Currency::Dollar, "New York", false),
    country("FR", Language::French, Currency::Euro, "Paris", true),
    country("DE", Language::German, Currency::Euro, "Berlin", true),
    country("GB", Language::English, Currency::Pound, "London", true),
    country("BE", Language::French, Currency::Euro, "Liège", true),
    country("CH", Language::German, Currency::Franc, "Zürich", true),
    country("AT", Language::German, Currency::Euro, "Wien", true),
    country("LU", Language::French, Currency::Euro, "Luxembourg", true),
    country("IE", Language::English, Currency::Euro, "Dublin", true),
    country("NL", Language::English, Currency::Euro, "Utrecht", true),
    country("ES", Language::English, Currency::Euro, "Sevilla", true),
    country("IT", Language::English, Currency::Euro, "Torino", true),
    country("CA", Language::English, Currency::Dollar, "Montréal", false),
    country("AU", Language::English, Currency::Dollar, "Perth", false),
];

impl Country {
    /// Finds a country by its code of two letters, in any case (`uk` is an alias of `gb`); `None` for a country that is not simulated.
    pub(crate) fn from_code(code: &str) -> Option<&'static Self> {
        let code = if code.eq_ignore_ascii_case("uk") { "GB" } else { code };
        COUNTRIES.iter().find(|country| country.code.eq_ignore_ascii_case(code))
    }

    /// Returns the country assumed for a language when a search names none.
    pub(crate) fn home_of(language: Language) -> &'static Self {
        &COUNTRIES[match language {
            Language::English => 0,
            Language::French => 1,
            Language::German => 2,
        }]
    }
}

/// Returns the town of a `uule` parameter: `w+CAIQICI`, a character for the length, then the canonical name (`Lyon,…,France`) in base64. Any other
/// value is taken as the name itself, so that it still makes a difference; `None` when the name is empty.
pub(crate) fn town_of(uule: &str) -> Option<String> {
    let named = uule
        .strip_prefix("w+")
        .or_else(|| uule.strip_prefix("w "))
        .and_then(|rest| {
            let name = rest.strip_prefix("CAIQICI")?.get(1..)?.trim_end_matches('=');
            let bytes = BASE64_STANDARD_NO_PAD
                .decode(name)
                .or_else(|_| BASE64_URL_SAFE_NO_PAD.decode(name))
                .ok()?;
            String::from_utf8(bytes).ok()
        });
    let name = named.as_deref().unwrap_or(uule);
    let town = name.split(',').next().unwrap_or(name).trim();
    (!town.is_empty()).then(|| town.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_town_out_of_a_uule() {
        let uule = format!(
            "w+CAIQICIZ{}",
            BASE64_STANDARD_NO_PAD.encode("Lyon,Auvergne-Rhone-Alpes,France")
        );
        assert_eq!(town_of(&uule).as_deref(), Some("Lyon"));
        assert_eq!(town_of("Berlin,Germany").as_deref(), Some("Berlin"));
        assert_eq!(town_of(""), None);
    }

    #[test]
    fn knows_a_country_by_either_code() {
        assert_eq!(Country::from_code("uk"), Country::from_code("GB"));
        assert_eq!(Country::from_code("zz"), None);
    }
}
