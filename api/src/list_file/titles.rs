//! The words of files in the reader's language.

use vocabulary::Language;

/// A word in English and in French.
pub(crate) type EnglishAndFrench = (&'static str, &'static str);

/// The language that the pair `lng` of a query names, such as `fr-BE`; English where it names none that is spoken.
pub(crate) fn language(pairs: &[(String, String)]) -> Language {
    let named = pairs.iter().find(|(key, _)| key == "lng");
    named.and_then(|(_, tag)| Language::of_tag(tag)).unwrap_or(Language::En)
}

/// A word in this language.
pub(crate) const fn word(language: Language, (english, french): EnglishAndFrench) -> &'static str {
    match language {
        Language::En => english,
        Language::Fr => french,
    }
}

/// The titles of columns, in the language that the pair `lng` of a query names.
pub(crate) fn titles(pairs: &[(String, String)], titles: &[EnglishAndFrench]) -> Vec<String> {
    let language = language(pairs);
    titles.iter().map(|title| word(language, *title).to_owned()).collect()
}
