//! A template filled in with what is known of a case.

mod values;

use std::io;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use minijinja::value::Value;
use minijinja::{Environment, ErrorKind, UndefinedBehavior};
use vocabulary::{ActionId, Engine, Language};

use crate::template::{LONGEST_BODY, LONGEST_SUBJECT, TemplateError, check_source};
use values::{Holes, values};

/// Steps of a template: lists in lists of the longest letter take a tenth of it.
const MOST_STEPS: u64 = 200_000;
/// Bytes that a template may become.
const LONGEST_LETTER: usize = 100_000;

/// What is known of a case, as templates name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LetterFacts {
    /// The case that it is about.
    pub action: ActionId,
    /// The name of the brand.
    pub brand: String,
    /// The host of the advertiser.
    pub domain: String,
    /// The country of the case by its name in the language of the letter.
    pub country: String,
    /// The search engine.
    pub engine: Option<Engine>,
    /// When the advertiser was first seen.
    pub first_seen: Option<DateTime<Utc>>,
    /// When it was last seen.
    pub last_seen: Option<DateTime<Utc>>,
    /// Days of the last 30 on which it was seen.
    pub days_seen: Option<u32>,
    /// Words of terms that show its ads, ten at most.
    pub keywords: Vec<String>,
    /// Its ads, three at most.
    pub ads: Vec<LetterAd>,
    /// Other open cases of the brand against the same advertiser.
    pub siblings: Vec<LetterSibling>,
    /// What was written before, oldest first.
    pub previous_mails: Vec<LetterMail>,
    /// The first name of the person who sends it; `None` for Vigie.
    pub sender: Option<String>,
    /// Where dates are reckoned.
    pub zone: Tz,
}

/// An ad of the advertiser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LetterAd {
    /// What the ad is headed.
    pub title: String,
    /// Its text below the headline.
    pub text: String,
    /// When it was last seen.
    pub seen_at: DateTime<Utc>,
}

/// Another case of the brand against the same advertiser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LetterSibling {
    /// Its country by name.
    pub country: String,
    /// Its search engine.
    pub engine: Option<Engine>,
    /// The host of the advertiser there.
    pub domain: String,
}

/// A mail that was sent in the case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LetterMail {
    /// Its subject line.
    pub subject: String,
    /// When it left.
    pub at: DateTime<Utc>,
}

/// A template filled in on a case. A hole is a value that the case does not have; it is left in the text as `{{ name }}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// The subject, on one line.
    pub subject: String,
    /// The text, without markup.
    pub body: String,
    /// The names of the holes, each once, in the order of the letter.
    pub holes: Vec<String>,
}

/// Fills a template in. The result is plain text, in which no value of the case reads as a hole.
///
/// # Errors
/// A template that is too long, has a tag that templates may not have, does not end, or becomes too long.
pub fn fill_in(
    (subject, body): (&str, &str),
    facts: &LetterFacts,
    language: Language,
) -> Result<Letter, TemplateError> {
    check_source(subject, LONGEST_SUBJECT)?;
    check_source(body, LONGEST_BODY)?;
    let holes = Holes::default();
    let root = values(facts, language, &holes);
    let subject = render(subject, &root)?;
    let body = render(body, &root)?;
    Ok(Letter {
        subject: subject.split_whitespace().collect::<Vec<_>>().join(" "),
        body: body.trim().to_owned(),
        holes: holes.names(),
    })
}

/// Fills in one text.
pub(crate) fn render(source: &str, root: &Value) -> Result<String, TemplateError> {
    let mut environment = Environment::empty();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(MOST_STEPS));
    values::add_filters(&mut environment);
    let unfit = |error: &minijinja::Error| {
        let line = error.line().map(|line| format!("line {line}: ")).unwrap_or_default();
        let cause = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
        TemplateError::Unfit(format!("{line}{cause}"))
    };
    let template = environment.template_from_str(source).map_err(|error| unfit(&error))?;
    let mut text = LimitedText::default();
    match template.render_captured_to(root.clone(), &mut text) {
        Ok(_) => Ok(String::from_utf8_lossy(&text.bytes).into_owned()),
        Err(_) if text.is_full => Err(TemplateError::TooLongLetter),
        Err(error) if error.kind() == ErrorKind::OutOfFuel => Err(TemplateError::TooMuchWork),
        Err(error) => Err(unfit(&error)),
    }
}

/// A text of at most [`LONGEST_LETTER`] bytes.
#[derive(Default)]
struct LimitedText {
    bytes: Vec<u8>,
    is_full: bool,
}

impl io::Write for LimitedText {
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + more.len() > LONGEST_LETTER {
            self.is_full = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(more);
        Ok(more.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn facts() -> LetterFacts {
        LetterFacts {
            action: ActionId(2041),
            brand: "L'Atelier & Co".to_owned(),
            domain: "solmart.example".to_owned(),
            country: "Belgium".to_owned(),
            engine: Some(Engine::Bing),
            first_seen: None,
            last_seen: Some(at("2026-11-18T23:30:00Z")),
            days_seen: Some(11),
            keywords: vec!["bags".to_owned(), "scarfs".to_owned()],
            ads: vec![LetterAd {
                title: "Bags {{ sender.firstName }}\r\nBcc: eve@evil.example".to_owned(),
                text: "Two days.".to_owned(),
                seen_at: at("2026-11-01T12:00:00Z"),
            }],
            siblings: vec![LetterSibling {
                country: "France".to_owned(),
                engine: Some(Engine::Google),
                domain: "solmart.example".to_owned(),
            }],
            previous_mails: vec![LetterMail {
                subject: "Your ads".to_owned(),
                at: at("2026-11-09T12:00:00Z"),
            }],
            sender: None,
            zone: chrono_tz::Europe::Brussels,
        }
    }

    fn filled(body: &str, language: Language) -> Letter {
        fill_in(("", body), &facts(), language).unwrap()
    }

    #[test]
    fn a_template_becomes_a_letter_in_its_language() {
        let body = "{{ brand.label }} {{ domain }} {{ country }} {{ engine }} {{ reference }}: {{ lastSeen }}, {{ daysSeen30 }}, \
            {{ previousMails.last.date }}; {{ keywords }}; {{ keywords|join(' / ') }}; {{ siblings }}\
            {% for ad in ads %}; {{ loop.index }} {{ ad.text }} {{ ad.seenAt }}{% endfor %}\
            {% if firstSeen %}first{% endif %}{% if daysSeen30 > 10 and siblings %} often{% endif %}";
        let english = filled(body, Language::En);
        assert_eq!(
            english.body,
            "L'Atelier & Co solmart.example Belgium Bing VG-2041: 19 November 2026, 11, 9 November 2026; bags, scarfs; bags / scarfs; \
             France (Google); 1 Two days. 1 November 2026 often"
        );
        assert_eq!(english.holes, Vec::<String>::new());
        let french = filled("{{ lastSeen }}, {{ ads.first.seenAt }}", Language::Fr);
        assert_eq!(french.body, "19 novembre 2026, 1er novembre 2026");
    }

    #[test]
    fn what_a_case_does_not_have_is_a_hole_with_a_name() {
        let letter = fill_in(
            ("About {{ firstSeen }}\u{a0}", "{{ sender.firstName }} {{ brnad.label }} {{ sender.firstName|upper }}{% for ad in ads %}{{ ad.titel }}{% endfor %}{{ ads.0 }}"),
            &facts(),
            Language::En,
        )
        .unwrap();
        assert_eq!(letter.subject, "About {{ firstSeen }}");
        assert!(
            letter.body.starts_with("{{ sender.firstName }} {{ brnad.label }}"),
            "{}",
            letter.body
        );
        let holes = ["firstSeen", "sender.firstName", "brnad.label", "ads.titel", "ads"];
        assert_eq!(letter.holes[..4], holes[..4]);
        let fallback = filled(
            "{{ sender.firstName|default('The team') }}{% if sender.firstName %}x{% endif %}",
            Language::En,
        );
        assert_eq!((fallback.body.as_str(), fallback.holes.len()), ("The team", 0));
        let none = LetterFacts {
            ads: Vec::new(),
            keywords: Vec::new(),
            ..facts()
        };
        let letter = fill_in(
            ("", "{{ keywords }}{% for ad in ads %}x{% endfor %}{{ ads.last.title }}"),
            &none,
            Language::En,
        )
        .unwrap();
        assert_eq!(letter.holes, ["keywords", "ads.last.title"]);
        let sent = LetterFacts {
            sender: Some("Ann".to_owned()),
            ..facts()
        };
        let letter = fill_in(("", "{{ sender.firstName }}"), &sent, Language::En).unwrap();
        assert_eq!((letter.body.as_str(), letter.holes.len()), ("Ann", 0));
    }

    #[test]
    fn a_value_is_neither_a_hole_nor_a_header() {
        let letter = fill_in(("{{ ads.first.title }}", ""), &facts(), Language::En).unwrap();
        assert_eq!(letter.subject, "Bags { { sender.firstName } } Bcc: eve@evil.example");
        assert!(letter.holes.is_empty());
    }

    #[test]
    fn a_template_that_does_not_end_or_fit_together_is_refused() {
        let many = LetterFacts {
            keywords: vec!["a".to_owned(); 10],
            ..facts()
        };
        let nested = |depth: usize, inner: &str| {
            let loops: Vec<String> = (0..depth).map(|n| format!("{{% for k{n} in keywords %}}")).collect();
            format!("{}{inner}{}", loops.concat(), "{% endfor %}".repeat(depth))
        };
        let endless = fill_in(("", &nested(9, "")), &many, Language::En);
        assert_eq!(endless, Err(TemplateError::TooMuchWork));
        let long = fill_in(("", &nested(2, &"x".repeat(2_000))), &many, Language::En);
        assert_eq!(long, Err(TemplateError::TooLongLetter));
        for bad in ["{% if ads %}", "{{ brand.label|unknown }}", "{% endfor %}"] {
            let refused = fill_in(("", bad), &facts(), Language::En);
            assert!(matches!(refused, Err(TemplateError::Unfit(_))), "{bad}: {refused:?}");
        }
    }
}
