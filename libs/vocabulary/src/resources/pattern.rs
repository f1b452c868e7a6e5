//! Patterns that clients search texts with.

use regex::Regex;

use super::filter_error::FilterError;
use crate::bounded_regex;

/// Characters of a regular expression.
const MAX_PATTERN: usize = 512;

/// A `LIKE` pattern: `%` any text, `_` any character, backslash makes either literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Like {
    /// The pattern; never ends within an escape.
    pub pattern: String,
    /// Whether letters match in either case.
    pub folds_case: bool,
    /// Whether the texts that do not match are meant.
    pub negated: bool,
}

impl Like {
    /// The pattern as a client wrote it, except that a last backslash that escapes nothing is doubled, so that it is literal. `folds_case` ignores
    /// case; `negated` is the test that a text does not match.
    pub fn new(pattern: &str, folds_case: bool, negated: bool) -> Self {
        let trailing = pattern.chars().rev().take_while(|letter| *letter == '\\').count();
        let mut pattern = pattern.to_owned();
        if trailing % 2 == 1 {
            pattern.push('\\');
        }
        Self {
            pattern,
            folds_case,
            negated,
        }
    }

    /// Whether every text matches: the pattern is `%` alone, once or more, and not negated.
    pub fn is_anything(&self) -> bool {
        !self.negated && !self.pattern.is_empty() && self.pattern.chars().all(|letter| letter == '%')
    }
}

/// A regular expression that clients search texts with: `^a` or `/^a/i`. Flags other than `i` have no effect.
#[derive(Clone, Debug)]
pub struct Pattern {
    source: String,
    regex: Regex,
    folds_case: bool,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source && self.folds_case == other.folds_case
    }
}

impl Pattern {
    /// Reads an expression, with or without slashes and flags (`^a` or `/^a/i`); only the flag `i` has an effect. [`FilterError::Pattern`] for one
    /// that is malformed, longer than `MAX_PATTERN` characters, or too large or too deep when compiled.
    pub fn parse(text: &str) -> Result<Self, FilterError> {
        let refused = |reason: &str| FilterError::Pattern {
            pattern: text.chars().take(MAX_PATTERN).collect(),
            reason: reason.to_owned(),
        };
        if text.chars().count() > MAX_PATTERN {
            return Err(refused("it is longer than 512 characters"));
        }
        let (source, flags) = match text.strip_prefix('/').and_then(|rest| rest.rsplit_once('/')) {
            Some((source, flags)) if flags.chars().all(|flag| flag.is_ascii_lowercase()) => (source, flags),
            _ => (text, ""),
        };
        let folds_case = flags.contains('i');
        let source = source.replace("\\/", "/");
        let regex = bounded_regex::compile(&source, folds_case)
            .map_err(|error| refused(error.to_string().lines().last().unwrap_or("it cannot be read")))?;
        Ok(Self {
            source,
            regex,
            folds_case,
        })
    }

    /// Whether the expression is found anywhere in a text.
    pub fn matches(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// The expression without slashes and flags.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether letters match in either case.
    pub const fn folds_case(&self) -> bool {
        self.folds_case
    }

    /// The text that the expression looks for anywhere in texts; `None` unless it is made of literal characters alone, without anchors. Whether case
    /// counts, [`Self::folds_case`] says.
    pub fn as_text(&self) -> Option<String> {
        let like = self.as_like()?;
        let body = like.pattern.strip_prefix('%')?.strip_suffix('%')?;
        // After an odd number of backslashes the last `%` is a literal, and the expression is anchored at its end.
        if (body.len() - body.trim_end_matches('\\').len()) % 2 == 1 {
            return None;
        }
        let mut text = String::with_capacity(body.len());
        let mut letters = body.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '%' | '_' => return None,
                '\\' => text.extend(letters.next()),
                letter => text.push(letter),
            }
        }
        Some(text)
    }

    /// The `LIKE` pattern that matches the same texts; `None` unless the expression is made of literal characters and anchors alone.
    pub fn as_like(&self) -> Option<Like> {
        let (start, body) = self
            .source
            .strip_prefix('^')
            .map_or(("%", self.source.as_str()), |rest| ("", rest));
        let escaped_end = body.ends_with("\\$");
        let (end, body) = match body.strip_suffix('$') {
            Some(rest) if !escaped_end => ("", rest),
            _ => ("%", body),
        };
        let mut pattern = start.to_owned();
        let mut letters = body.chars();
        while let Some(letter) = letters.next() {
            let literal = match letter {
                '\\' => letters.next().filter(char::is_ascii_punctuation)?,
                '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '^' | '$' => return None,
                other => other,
            };
            if matches!(literal, '%' | '_' | '\\') {
                pattern.push('\\');
            }
            pattern.push(literal);
        }
        pattern.push_str(end);
        Some(Like {
            pattern,
            folds_case: self.folds_case,
            negated: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn like(text: &str) -> Option<(String, bool)> {
        Pattern::parse(text)
            .unwrap()
            .as_like()
            .map(|like| (like.pattern, like.folds_case))
    }

    #[test]
    fn a_literal_expression_without_anchors_is_a_text_to_look_for() {
        let text = |pattern: &str| Pattern::parse(pattern).unwrap().as_text();
        assert_eq!(text("Red"), Some("Red".to_owned()));
        assert_eq!(text("50%_"), Some("50%_".to_owned()));
        for anchored in ["^Red", "Red$", "/50%$/", "a_$"] {
            assert_eq!(text(anchored), None, "{anchored}");
        }
    }

    #[test]
    fn literal_expressions_become_like() {
        assert_eq!(like("^Red"), Some(("Red%".into(), false)));
        assert_eq!(like("/SHOES/i"), Some(("%SHOES%".into(), true)));
        assert_eq!(like("^Boots$"), Some(("Boots".into(), false)));
        assert_eq!(like(r"/\(new\)/"), Some(("%(new)%".into(), false)));
        assert_eq!(like("50%_"), Some((r"%50\%\_%".into(), false)));
        assert_eq!(like("[0-9]"), None);
        assert_eq!(like(r"\d"), None);
    }

    #[test]
    fn hostile_expressions_are_refused_or_harmless() {
        for hostile in [
            r"(a|a)*\1$",
            "(?:a{1000}){1000}",
            r"(?i)[\s\S]{0,5000}x",
            "(",
            &"x".repeat(513),
        ] {
            assert!(Pattern::parse(hostile).is_err(), "{hostile}");
        }
        assert!(!Pattern::parse("(a+)+$").unwrap().matches(&("a".repeat(4_000) + "b")));
    }

    #[test]
    fn a_like_pattern_never_ends_within_an_escape() {
        assert_eq!(Like::new("a\\", false, false).pattern, "a\\\\");
        assert_eq!(Like::new("a\\\\", false, false).pattern, "a\\\\");
    }
}
