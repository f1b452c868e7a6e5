//! The values of a template, and the holes where there is none.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Datelike, Utc};
use chrono_tz::Tz;
use minijinja::value::{Enumerator, Object, ObjectRepr, Rest, Value, ValueKind};
use minijinja::{Environment, Error, ErrorKind};
use vocabulary::{Engine, Language};

use super::LetterFacts;

const MONTHS_EN: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const MONTHS_FR: [&str; 12] = [
    "janvier",
    "février",
    "mars",
    "avril",
    "mai",
    "juin",
    "juillet",
    "août",
    "septembre",
    "octobre",
    "novembre",
    "décembre",
];
/// What joins the entries of a list that a template writes as a whole.
const BETWEEN: &str = ", ";

/// The holes that a letter has so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Holes(Arc<Mutex<Vec<String>>>);

impl Holes {
    /// The names of the holes, each once, in the order in which they were found.
    pub(super) fn names(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn add(&self, name: &str) {
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
}

/// A value that is not there. Written out it is a hole; in a condition it is false, in a loop empty.
#[derive(Debug)]
struct Hole {
    name: String,
    holes: Holes,
}

impl Object for Hole {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        Some(hole(&format!("{}.{key}", self.name), &self.holes))
    }

    fn is_true(self: &Arc<Self>) -> bool {
        false
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.holes.add(&self.name);
        write!(f, "{{{{ {} }}}}", self.name)
    }
}

/// Named values; any other name is a hole.
#[derive(Debug)]
struct Group {
    /// Empty for the values that a template begins with.
    name: &'static str,
    values: Vec<(&'static str, Option<Value>)>,
    /// How it is written as a whole; without it, it is a hole.
    text: Option<String>,
    holes: Holes,
}

impl Object for Group {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let key = key.as_str()?;
        let known = self.values.iter().find(|(name, _)| *name == key);
        let value = known.and_then(|(_, value)| value.clone());
        let name = if self.name.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.name)
        };
        Some(value.unwrap_or_else(|| hole(&name, &self.holes)))
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(text) = &self.text {
            return f.write_str(text);
        }
        self.holes.add(self.name);
        write!(f, "{{{{ {} }}}}", self.name)
    }
}

/// A list with `first` and `last`; empty it is a hole where it is written as a whole.
#[derive(Debug)]
struct List {
    name: &'static str,
    entries: Vec<Value>,
    holes: Holes,
}

impl Object for List {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let found = match key.as_str() {
            Some("first") => self.entries.first(),
            Some("last") => self.entries.last(),
            Some(_) => None,
            None => self.entries.get(key.as_usize()?),
        };
        match found {
            Some(value) => Some(value.clone()),
            None if key.kind() == ValueKind::Number => None,
            None => Some(hole(&format!("{}.{key}", self.name), &self.holes)),
        }
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(self.entries.len())
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.entries.is_empty() {
            self.holes.add(self.name);
            return write!(f, "{{{{ {} }}}}", self.name);
        }
        for (number, entry) in self.entries.iter().enumerate() {
            let between = if number == 0 { "" } else { BETWEEN };
            write!(f, "{between}{entry}")?;
        }
        Ok(())
    }
}

fn hole(name: &str, holes: &Holes) -> Value {
    Value::from_object(Hole {
        name: name.to_owned(),
        holes: holes.clone(),
    })
}

/// All values of a template.
pub(super) fn values(facts: &LetterFacts, language: Language, holes: &Holes) -> Value {
    let day = |at: DateTime<Utc>| Value::from(day(at, facts.zone, language));
    let group = |name, values, text| {
        Value::from_object(Group {
            name,
            values,
            text,
            holes: holes.clone(),
        })
    };
    let list = |name, entries| {
        Value::from_object(List {
            name,
            entries,
            holes: holes.clone(),
        })
    };
    let ads = facts.ads.iter().map(|ad| {
        let values = vec![
            ("title", text(&ad.title)),
            ("text", text(&ad.text)),
            ("seenAt", Some(day(ad.seen_at))),
        ];
        group("ads", values, None)
    });
    let siblings = facts.siblings.iter().map(|sibling| {
        let engine = sibling.engine.map(engine_name);
        let written = engine.map(|engine| format!("{} ({engine})", on_one_line(&sibling.country)));
        let values = vec![
            ("country", text(&sibling.country)),
            ("engine", engine.map(Value::from)),
            ("domain", text(&sibling.domain)),
        ];
        group("siblings", values, written)
    });
    let mails = facts.previous_mails.iter().map(|mail| {
        let values = vec![("subject", text(&mail.subject)), ("date", Some(day(mail.at)))];
        group("previousMails", values, None)
    });
    let known = vec![
        ("brand", Some(group("brand", vec![("label", text(&facts.brand))], None))),
        ("domain", text(&facts.domain)),
        ("country", text(&facts.country)),
        ("engine", facts.engine.map(engine_name).map(Value::from)),
        ("firstSeen", facts.first_seen.map(day)),
        ("lastSeen", facts.last_seen.map(day)),
        ("daysSeen30", facts.days_seen.map(Value::from)),
        (
            "keywords",
            Some(list(
                "keywords",
                facts.keywords.iter().filter_map(|word| text(word)).collect(),
            )),
        ),
        ("ads", Some(list("ads", ads.collect()))),
        ("siblings", Some(list("siblings", siblings.collect()))),
        ("previousMails", Some(list("previousMails", mails.collect()))),
        (
            "sender",
            Some(group(
                "sender",
                vec![("firstName", facts.sender.as_deref().and_then(text))],
                None,
            )),
        ),
        ("reference", Some(Value::from(format!("VG-{}", facts.action)))),
    ];
    group("", known, None)
}

/// The filters that templates have.
pub(super) fn add_filters(environment: &mut Environment<'_>) {
    environment.add_filter("default", |value: Value, instead: Value| {
        let is_missing = value.is_undefined() || value.downcast_object_ref::<Hole>().is_some();
        if is_missing { instead } else { value }
    });
    environment.add_filter("upper", |value: Value| value.to_string().to_uppercase());
    environment.add_filter("lower", |value: Value| value.to_string().to_lowercase());
    environment.add_filter("length", |value: Value| {
        value
            .len()
            .ok_or_else(|| Error::new(ErrorKind::InvalidOperation, "length is for lists and texts"))
    });
    environment.add_filter("join", |value: Value, between: Rest<String>| {
        let between = between.first().map_or(BETWEEN, String::as_str);
        if value.len() == Some(0) {
            return Ok(value.to_string());
        }
        let entries: Vec<String> = value.try_iter()?.map(|entry| entry.to_string()).collect();
        Ok::<_, Error>(entries.join(between))
    });
}

/// A text on one line, in which nothing reads as a tag; `None` for an empty one.
fn text(text: &str) -> Option<Value> {
    Some(on_one_line(text)).filter(|text| !text.is_empty()).map(Value::from)
}

/// A text on one line, in which nothing reads as a tag.
fn on_one_line(text: &str) -> String {
    let words: Vec<&str> = text
        .split(|sign: char| sign.is_whitespace() || sign.is_control())
        .filter(|word| !word.is_empty())
        .collect();
    words.join(" ").replace("{{", "{ {").replace("}}", "} }")
}

/// A day in words, as `19 November 2026`.
fn day(at: DateTime<Utc>, zone: Tz, language: Language) -> String {
    let day = at.with_timezone(&zone).date_naive();
    let month = usize::try_from(day.month0()).unwrap_or_default();
    match language {
        Language::En => format!("{} {} {}", day.day(), MONTHS_EN[month], day.year()),
        Language::Fr => {
            let ordinal = if day.day() == 1 { "er" } else { "" };
            format!("{}{ordinal} {} {}", day.day(), MONTHS_FR[month], day.year())
        }
    }
}

/// The name of a search engine.
const fn engine_name(engine: Engine) -> &'static str {
    match engine {
        Engine::Google => "Google",
        Engine::Bing => "Bing",
    }
}
