//! The locale of a search.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// `language_COUNTRY`, as in `fr_FR`: the language of the page and the country it is searched from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Locale {
    language: String,
    country: String,
}

/// The text is not of the form `fr_FR`.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("'{0}' is not a locale of the form fr_FR")]
pub struct LocaleError(String);

impl Locale {
    /// ISO 639 code, lower case.
    pub fn language(&self) -> &str {
        &self.language
    }

    /// ISO 3166 code of two letters, upper case.
    pub fn country(&self) -> &str {
        &self.country
    }
}

impl std::str::FromStr for Locale {
    type Err = LocaleError;
    /// Reads `fr_FR` or `fr-fr`: a language of two or three letters and a country of two, in any case. Whether they exist is not checked.
    fn from_str(text: &str) -> Result<Self, LocaleError> {
        let bad = || LocaleError(text.to_owned());
        let (language, country) = text.split_once(['_', '-']).ok_or_else(bad)?;
        let letters = |part: &str, range: std::ops::RangeInclusive<usize>| {
            range.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphabetic())
        };
        if letters(language, 2..=3) && letters(country, 2..=2) {
            Ok(Self {
                language: language.to_ascii_lowercase(),
                country: country.to_ascii_uppercase(),
            })
        } else {
            Err(bad())
        }
    }
}

impl TryFrom<String> for Locale {
    type Error = LocaleError;
    fn try_from(text: String) -> Result<Self, LocaleError> {
        text.parse()
    }
}

impl From<Locale> for String {
    fn from(locale: Locale) -> Self {
        locale.to_string()
    }
}

impl std::fmt::Display for Locale {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}_{}", self.language, self.country)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_both_separators_and_settles_the_case() {
        assert_eq!("FR-fr".parse::<Locale>().unwrap().to_string(), "fr_FR");
    }

    #[test]
    fn refuses_what_is_no_locale() {
        for text in ["", "fr", "fr_", "_FR", "fr_FRA", "f1_FR", "french_FR"] {
            assert!(text.parse::<Locale>().is_err(), "{text}");
        }
    }
}
