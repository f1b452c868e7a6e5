//! The language of a file's titles.

/// A language of the product.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Language {
    /// English.
    #[default]
    En,
    /// French.
    Fr,
}

/// A title in English and in French.
pub(crate) type EnglishAndFrench = (&'static str, &'static str);

impl Language {
    /// The language that the pair `lng` of a query names; `fr-BE` is French, what is unknown English.
    pub(crate) fn from_query(pairs: &[(String, String)]) -> Self {
        let named = pairs.iter().find(|(key, _)| key == "lng");
        match named {
            Some((_, language)) if language.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("fr")) => Self::Fr,
            _ => Self::En,
        }
    }

    /// A title in this language.
    pub(crate) const fn word(self, (english, french): EnglishAndFrench) -> &'static str {
        match self {
            Self::En => english,
            Self::Fr => french,
        }
    }

    /// The titles in this language.
    pub(crate) fn titles(self, words: &[EnglishAndFrench]) -> Vec<&'static str> {
        words.iter().map(|words| self.word(*words)).collect()
    }
}
