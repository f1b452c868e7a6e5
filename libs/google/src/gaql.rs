//! Texts in queries of Google Ads, which have no parameters.

use thiserror::Error;

/// Characters of a text: Google takes no longer keyword.
const LONGEST: usize = 200;

/// Why a text cannot be part of a query.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum UnquotableError {
    /// Nothing could be found by it.
    #[error("it is empty")]
    Empty,
    /// Longer than a keyword of Google.
    #[error("it has more than {LONGEST} characters")]
    TooLong,
    /// A character that could end the text early.
    #[error("it has a double quote, a backslash or a control character")]
    Character,
}

/// A text as a literal of a query: in double quotes, so that it may have an apostrophe. A double quote, a backslash and control characters are refused:
/// nothing is escaped.
///
/// # Errors
/// For a text that is empty, too long, or has one of these characters.
pub fn quote(text: &str) -> Result<String, UnquotableError> {
    if text.trim().is_empty() {
        return Err(UnquotableError::Empty);
    }
    if text.chars().count() > LONGEST {
        return Err(UnquotableError::TooLong);
    }
    if text
        .chars()
        .any(|letter| matches!(letter, '"' | '\\') || letter.is_control())
    {
        return Err(UnquotableError::Character);
    }
    Ok(format!("\"{text}\""))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_apostrophe_is_part_of_a_text_and_a_quote_is_not() {
        assert_eq!(quote("l'eau d'or").unwrap(), "\"l'eau d'or\"");
        assert_eq!(quote("a\" OR 1"), Err(UnquotableError::Character));
        assert_eq!(quote("a\\"), Err(UnquotableError::Character));
        assert_eq!(quote("a\nb"), Err(UnquotableError::Character));
        assert_eq!(quote("  "), Err(UnquotableError::Empty));
        assert_eq!(quote(&"a".repeat(201)), Err(UnquotableError::TooLong));
    }

    proptest! {
        #[test]
        fn a_literal_ends_where_it_should_and_has_the_text(text in "\\PC{0,80}|[\"'\\\\ a\n]{0,20}|.{0,250}") {
            match quote(&text) {
                Ok(literal) => {
                    prop_assert_eq!(literal.matches('"').count(), 2);
                    prop_assert!(!literal.contains('\\') && !literal.contains(char::is_control));
                    prop_assert_eq!(&literal[1..literal.len() - 1], &text);
                }
                Err(UnquotableError::Empty) => prop_assert!(text.trim().is_empty()),
                Err(UnquotableError::TooLong) => prop_assert!(text.chars().count() > LONGEST),
                Err(UnquotableError::Character) => prop_assert!(text.contains(['"', '\\']) || text.contains(char::is_control)),
            }
        }
    }
}
