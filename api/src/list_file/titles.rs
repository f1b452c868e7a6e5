//! The titles of columns in the reader's language.

use texts::text;
use vocabulary::Language;

/// The language that the pair `lng` of a query names, such as `fr-BE`; English where it names none that is spoken.
pub(crate) fn language(pairs: &[(String, String)]) -> Language {
    let named = pairs.iter().find(|(key, _)| key == "lng");
    named.and_then(|(_, tag)| Language::of_tag(tag)).unwrap_or(Language::En)
}

/// The texts of these keys, in the language that the pair `lng` of a query names.
pub(crate) fn titles(pairs: &[(String, String)], keys: &[&str]) -> Vec<String> {
    let language = language(pairs);
    keys.iter().map(|key| text(language, key).to_owned()).collect()
}
