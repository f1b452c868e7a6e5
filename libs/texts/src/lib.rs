//! The texts of the product, in English and French: one JSON file for each language and namespace, in the folders `en` and `fr`.
//!
//! The web client loads all of them except `fields`, `files` and `mails`, which the server alone uses: what is wrong with fields of requests, words of
//! downloaded files, and mails to the holders of accounts. Keys are the web client's: `namespace:path.to.text`.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::Value;
use vocabulary::{Language, MailKind};

/// Embeds the namespaces of a language.
macro_rules! namespaces {
    ($language:literal: $($name:literal),+) => {
        [$(($name, include_str!(concat!("../", $language, "/", $name, ".json")))),+]
    };
}

type Texts = HashMap<String, String>;

static ENGLISH: LazyLock<Texts> = LazyLock::new(|| {
    flatten(
        &namespaces!("en": "advertisers", "brands", "companies", "comparator", "domains", "fields", "files", "google", "mails", "monitoring", "portal", "settingTerms", "stopGo", "tags", "terms", "users"),
    )
});
static FRENCH: LazyLock<Texts> = LazyLock::new(|| {
    flatten(
        &namespaces!("fr": "advertisers", "brands", "companies", "comparator", "domains", "fields", "files", "google", "mails", "monitoring", "portal", "settingTerms", "stopGo", "tags", "terms", "users"),
    )
});

/// The text of a key in this language; the key itself when there is none, which a test rules out for keys written in the server's code. Placeholders
/// and plural forms are left to the caller.
pub fn text(language: Language, key: &str) -> &str {
    let texts = match language {
        Language::En => &ENGLISH,
        Language::Fr => &FRENCH,
    };
    texts.get(key).map_or(key, String::as_str)
}

/// The texts of a mail to the holder of an account, as templates: `{{ name }}`, `{{ email }}`, `{{ product }}` and `{{ link }}` are filled in.
#[derive(Clone, Debug)]
pub struct MailTexts {
    /// The subject line.
    pub subject: String,
    /// The words on the button of the link.
    pub action: String,
    /// Paragraphs with a blank line between them; the paragraph `{{ link }}` becomes the button.
    pub body: String,
}

/// The subject, action and body of a kind of mail in this language, their placeholders not yet filled in; a text that is missing is its key (decision
/// D150).
pub fn mail(language: Language, kind: MailKind) -> MailTexts {
    let part = |name: &str| text(language, &format!("mails:{kind}.{name}")).to_owned();
    MailTexts {
        subject: part("subject"),
        action: part("action"),
        body: part("body"),
    }
}

/// All texts of the namespaces, given as pairs of name and JSON, by keys such as `mails:reset.subject`. Panics on malformed JSON.
fn flatten(namespaces: &[(&str, &str)]) -> Texts {
    let mut texts = Texts::new();
    for (namespace, json) in namespaces {
        let tree: Value = serde_json::from_str(json).expect("a file of this crate");
        collect_texts(&format!("{namespace}:"), &tree, &mut texts);
    }
    texts
}

/// Adds the texts of a tree, each under `prefix` directly followed by the names on the way to it, joined by dots. Anything but texts and objects adds
/// nothing.
fn collect_texts(prefix: &str, tree: &Value, texts: &mut Texts) {
    for (name, value) in tree.as_object().into_iter().flatten() {
        let key = format!("{prefix}{name}");
        match value {
            Value::String(text) => {
                texts.insert(key, text.clone());
            }
            branch => collect_texts(&format!("{key}."), branch, texts),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use regex::Regex;
    use strum::VariantArray;

    use super::*;

    /// The text of every source file below a folder.
    fn sources(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let read = |path: std::path::PathBuf| {
            if path.is_dir() {
                sources(&path)
            } else {
                vec![fs::read_to_string(path).unwrap()]
            }
        };
        entries.flat_map(read).collect()
    }

    #[test]
    fn every_key_in_the_servers_code_has_a_text_in_both_languages() {
        let key = Regex::new(
            r#""((?:advertisers|brands|companies|domains|fields|files|google|mails|monitoring|portal|settingTerms|tags|terms|users):[\w.-]+)""#,
        )
        .unwrap();
        let code = sources(Path::new("../../api/src")).concat();
        let keys: Vec<&str> = key
            .captures_iter(&code)
            .map(|found| found.extract::<1>().1[0])
            .collect();
        assert!(keys.len() > 30, "{keys:?}");
        for key in keys {
            for language in Language::VARIANTS {
                assert_ne!(text(*language, key), key, "{language}");
            }
        }
    }

    #[test]
    fn every_mail_has_its_texts_and_one_paragraph_that_is_the_link() {
        for (kind, language) in MailKind::VARIANTS
            .iter()
            .flat_map(|kind| Language::VARIANTS.iter().map(move |language| (*kind, *language)))
        {
            let MailTexts { subject, action, body } = mail(language, kind);
            for part in [&subject, &action, &body] {
                assert!(!part.starts_with("mails:"), "{part}");
            }
            let links = body
                .split("\n\n")
                .filter(|paragraph| *paragraph == "{{ link }}")
                .count();
            assert_eq!(links, 1, "{kind} {language}");
        }
        let all = ENGLISH.keys().filter(|key| key.starts_with("mails:")).count();
        assert_eq!(all, 3 * MailKind::VARIANTS.len());
    }

    #[test]
    fn a_key_without_a_text_is_shown_as_it_is() {
        assert_eq!(text(Language::Fr, "files:column.nothing"), "files:column.nothing");
    }
}
