//! Quotes names and texts for ClickHouse's SQL.

/// Quotes a name: `` `vigie` ``.
pub(crate) fn name(name: &str) -> String {
    format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`"))
}

/// Quotes a text: `'it\'s'`.
pub(crate) fn text(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// Returns whether this is a plain name, as those of settings and parameters are: ASCII letters, digits and `_`, not beginning with a digit.
pub(crate) fn is_plain_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || character == '_')
}

#[cfg(test)]
mod tests {
    use super::{is_plain_name, name, text};

    #[test]
    fn quotes_what_would_end_a_name_or_text() {
        assert_eq!(name("a`b\\"), "`a\\`b\\\\`");
        assert_eq!(text("it's \\"), "'it\\'s \\\\'");
    }

    #[test]
    fn takes_only_plain_names_for_settings() {
        assert!(is_plain_name("max_threads"));
        assert!(!is_plain_name("max threads"));
        assert!(!is_plain_name("1=1, x"));
        assert!(!is_plain_name(""));
    }
}
