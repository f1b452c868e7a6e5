//! The languages Vigie speaks.

/// A language of the screens and of mails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display, strum::EnumString, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Language {
    /// English, as `en` in settings and links.
    En,
    /// French, as `fr` in settings and links.
    Fr,
}

impl Language {
    /// The language of a tag such as `fr-CA`, whatever its region and case; `None` for a language that Vigie does not have.
    pub fn of_tag(tag: &str) -> Option<Self> {
        let base = tag.split(['-', '_']).next()?.trim();
        base.to_ascii_lowercase().parse().ok()
    }

    /// The language of letters to a country (`FR`, upper case), where these languages (`fr`) are searched in: French in France, Luxembourg and Monaco,
    /// and where French is spoken in Belgium and Switzerland; English elsewhere.
    pub fn for_country(country: &str, spoken: &[String]) -> Self {
        let speaks_french = || spoken.iter().any(|language| Self::of_tag(language) == Some(Self::Fr));
        match country {
            "FR" | "LU" | "MC" => Self::Fr,
            "BE" | "CH" if speaks_french() => Self::Fr,
            _ => Self::En,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_known_by_its_first_part() {
        for (tag, language) in [
            ("fr", Some(Language::Fr)),
            ("FR-ca", Some(Language::Fr)),
            ("en_GB", Some(Language::En)),
            ("de", None),
            ("", None),
        ] {
            assert_eq!(Language::of_tag(tag), language, "{tag}");
        }
    }

    #[test]
    fn letters_to_french_speakers_are_french() {
        let spoken = |languages: &[&str]| {
            languages
                .iter()
                .map(|&language| language.to_owned())
                .collect::<Vec<_>>()
        };
        for (country, languages, language) in [
            ("FR", &["en"][..], Language::Fr),
            ("BE", &["fr", "nl"], Language::Fr),
            ("BE", &["nl"], Language::En),
            ("CH", &["de"], Language::En),
            ("CA", &["fr"], Language::En),
        ] {
            assert_eq!(
                Language::for_country(country, &spoken(languages)),
                language,
                "{country}"
            );
        }
    }
}
