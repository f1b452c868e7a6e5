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
}
