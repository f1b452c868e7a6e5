//! What is wrong with the fields of a request, said in the language of its reader.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;

use texts::text;
use vocabulary::Language;

use super::ApiError;

/// What is wrong with a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldFault {
    field: String,
    key: &'static str,
    values: Vec<(&'static str, String)>,
}

/// The faults of a response, from which it can be made again in another language.
#[derive(Clone)]
pub(super) struct TranslatableFaults(pub(super) Arc<[FieldFault]>);

impl FieldFault {
    /// A fault of a field; `key` is that of a text, which reads on from the name of the field.
    pub fn new(field: &str, key: &'static str) -> Self {
        Self {
            field: field.to_owned(),
            key,
            values: Vec::new(),
        }
    }

    /// Fills in `{{name}}` of the text.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Display) -> Self {
        self.values.push((name, value.to_string()));
        self
    }

    /// The text in a language.
    fn text(&self, language: Language) -> String {
        let words = text(language, self.key).to_owned();
        self.values.iter().fold(words, |words, (name, value)| {
            words.replace(&format!("{{{{{name}}}}}"), value)
        })
    }
}

impl From<FieldFault> for ApiError {
    fn from(fault: FieldFault) -> Self {
        Self::Faulty(vec![fault])
    }
}

/// The texts of faults by field.
pub(super) fn by_field(faults: &[FieldFault], language: Language) -> BTreeMap<String, Vec<String>> {
    let mut texts = BTreeMap::<String, Vec<String>>::new();
    for fault in faults {
        texts.entry(fault.field.clone()).or_default().push(fault.text(language));
    }
    texts
}
