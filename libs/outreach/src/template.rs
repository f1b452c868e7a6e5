//! The language of templates, a small part of Jinja: values, filters, conditions and lists. What it leaves out could make a short template long.

use std::sync::LazyLock;

use regex::Regex;
use thiserror::Error;

/// Characters of the subject of a template, like those of a line that mail programs show.
pub const LONGEST_SUBJECT: usize = 200;
/// Characters of the text of a template: a letter of several pages.
pub const LONGEST_BODY: usize = 20_000;
/// Characters of a tag that a refusal quotes.
const LONGEST_QUOTE: usize = 60;

/// A value, by names joined with dots, and the filters it goes through.
const EXPRESSION: &str = r#"[A-Za-z_]\w*(?:\.\w+)*(?:\s*\|\s*\w+(?:\(\s*(?:"[^"{}%]*"|'[^'{}%]*'|\d+)\s*\))?)*"#;

/// The tags that a template may have, at the beginning of a text: values, conditions and lists.
static TAG: LazyLock<Regex> = LazyLock::new(|| {
    let test = format!(r#"(?:not\s+)?{EXPRESSION}(?:\s*(?:==|!=|<=|>=|<|>)\s*(?:"[^"{{}}%]*"|'[^'{{}}%]*'|\d+))?"#);
    let condition = format!(r"{test}(?:\s+(?:and|or)\s+{test})*");
    let block =
        format!(r"(?:if|elif)\s+{condition}|for\s+[A-Za-z_]\w*\s+in\s+[A-Za-z_]\w*(?:\.\w+)*|else|endif|endfor");
    let tag = format!(r"^(?:\{{\{{-?\s*{EXPRESSION}\s*-?\}}\}}|\{{%-?\s*(?:{block})\s*-?%\}})");
    Regex::new(&tag).expect("it is a constant, and tested below")
});

/// Why a template is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TemplateError {
    /// Its subject or text is longer than allowed.
    #[error("it has more than {0} characters")]
    TooLong(usize),
    /// A subject has several lines.
    #[error("it has more than one line")]
    SeveralLines,
    /// A tag is none of those that templates may have.
    #[error("line {line}: {quote} is no value, condition or list of a template")]
    UnknownTag {
        /// The line of the tag, from 1.
        line: usize,
        /// How it begins.
        quote: String,
    },
    /// The tags do not fit together, or a filter is unknown.
    #[error("{0}")]
    Unfit(String),
    /// It has lists within lists, so that it does not end in time.
    #[error("it has too many lists within lists")]
    TooMuchWork,
    /// What it becomes is longer than a mail may be.
    #[error("it becomes longer than a mail may be")]
    TooLongLetter,
}

/// Refuses a subject or a text that is too long or has a tag that templates may not have. Says nothing about unknown values: they are holes.
pub(crate) fn check_source(source: &str, longest: usize) -> Result<(), TemplateError> {
    if source.chars().count() > longest {
        return Err(TemplateError::TooLong(longest));
    }
    let mut at = 0;
    while let Some(rest) = source.get(at..) {
        let Some(next) = ["{{", "{%", "{#", "}}", "%}", "#}"]
            .iter()
            .filter_map(|sign| rest.find(sign))
            .min()
        else {
            break;
        };
        let tag = &rest[next..];
        let Some(found) = TAG.find(tag) else {
            return Err(TemplateError::UnknownTag {
                line: source[..at + next].matches('\n').count() + 1,
                quote: tag
                    .chars()
                    .take_while(|sign| *sign != '\n')
                    .take(LONGEST_QUOTE)
                    .collect(),
            });
        };
        at += next + found.end();
    }
    Ok(())
}

/// Refuses a template that cannot be stored: too long, of several lines where it is a subject, or with a tag that templates may not have.
pub fn check(subject: &str, body: &str) -> Result<(), (TemplatePart, TemplateError)> {
    if subject.contains(['\n', '\r']) {
        return Err((TemplatePart::Subject, TemplateError::SeveralLines));
    }
    check_source(subject, LONGEST_SUBJECT).map_err(|error| (TemplatePart::Subject, error))?;
    check_source(body, LONGEST_BODY).map_err(|error| (TemplatePart::Body, error))
}

/// The part of a template that a refusal is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemplatePart {
    /// The subject line of it.
    Subject,
    /// The text of its mails.
    Body,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_filters_conditions_and_lists_are_what_a_template_may_have() {
        for good in [
            "Hello",
            "{{ brand.label }}, {{- reference -}}",
            "{{ sender.firstName | default(\"The team\") }}",
            "{{ keywords|join('; ')|upper }}",
            "{% if siblings %}a{% elif daysSeen30 >= 3 and not ads %}b{% else %}c{% endif %}",
            "{% for ad in ads %}{{ ad.title }}{{ loop.index }}{% endfor %}",
            "50 % {of} all }",
        ] {
            assert_eq!(check_source(good, LONGEST_BODY), Ok(()), "{good}");
        }
        for bad in [
            "{{ 'x' * 100000 }}",
            "{{ a ~ a }}",
            "{{ [1, 2] }}",
            "{{ range(9) }}",
            "{{ brand['label'] }}",
            "{% set a = brand %}",
            "{% for x in [1] %}{% endfor %}",
            "{% for x in ads recursive %}{% endfor %}",
            "{% macro a() %}{% endmacro %}",
            "{% include 'other' %}",
            "{# nothing #}",
            "{{ brand.label",
            "{{ brand.label }",
            "a }} b",
        ] {
            let refused = check_source(&format!("one\ntwo {bad}"), LONGEST_BODY);
            assert!(
                matches!(refused, Err(TemplateError::UnknownTag { line: 2, .. })),
                "{bad}: {refused:?}"
            );
        }
    }

    #[test]
    fn what_is_too_long_is_refused() {
        let long = "é".repeat(LONGEST_SUBJECT + 1);
        let refused = (TemplatePart::Subject, TemplateError::TooLong(LONGEST_SUBJECT));
        assert_eq!(check(&long, ""), Err(refused));
        let several = (TemplatePart::Subject, TemplateError::SeveralLines);
        assert_eq!(check("a\nb", ""), Err(several));
        assert!(check(&long[2..], &"é".repeat(LONGEST_BODY)).is_ok());
    }
}
