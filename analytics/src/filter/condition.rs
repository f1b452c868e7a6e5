//! One condition of a list: how it is read, and its SQL.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use strum::{Display, EnumString, VariantArray};
use thiserror::Error;
use vocabulary::{AdKind, Device, Engine, KeywordType, WebHost};

use super::Field;
use super::field::Nature;
use crate::statement::{Conditions, Value};

/// How the values of a condition are compared (decision D8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumString, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Operator {
    /// Equal to one of the values.
    Inq,
    /// Equal to none of them.
    Nin,
    /// Texts: holds one of the values, without regard to case. Other fields: as `inq`.
    Contain,
    /// Texts: holds none of the values. Other fields: as `nin`.
    Exclude,
    /// From the first value to the second, both included. An empty value is an open end.
    Between,
}

/// One condition on one field, read and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    field: Field,
    test: Predicate,
}

/// What a value must meet. `include` is off for conditions that exclude.
#[derive(Clone, Debug, PartialEq)]
enum Predicate {
    Ids {
        include: bool,
        ids: Vec<i64>,
    },
    Texts {
        include: bool,
        texts: Vec<String>,
    },
    Holds {
        include: bool,
        texts: Vec<String>,
    },
    /// Hosts, and registrable domains by their number of labels, which mean every host under them.
    Hosts {
        include: bool,
        hosts: Vec<String>,
        masters: BTreeMap<u64, Vec<String>>,
    },
    Range {
        from: Option<i64>,
        to: Option<i64>,
    },
}

/// A condition on what was searched, for a store of captures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The field it is about.
    pub field: Field,
    /// Whether one of the texts must fit, or none may.
    pub include: bool,
    /// Whether it is enough that the value contains a text, whatever the case.
    pub contains: bool,
    /// The texts; numbers are written out.
    pub texts: Vec<String>,
}

/// What is wrong with a condition. Its message names the field and says what it takes.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ConditionError {
    /// The operator does not fit the field.
    #[error("{field} takes {takes}, not '{operator}'")]
    Operator {
        /// The field it is about.
        field: Field,
        /// The operator given.
        operator: Operator,
        /// The operators that fit.
        takes: &'static str,
    },
    /// A value of the wrong form.
    #[error("'{value}' is no value of {field}: it takes {takes}")]
    Value {
        /// The field it is about.
        field: Field,
        /// The value given, shortened.
        value: String,
        /// The form that fits.
        takes: &'static str,
    },
    /// `between` without its two ends, or with the first after the second.
    #[error("{0} between takes two values, the first not after the second; one of them may be empty")]
    Range(Field),
    /// More values than a condition may have.
    #[error("{field} takes at most {most} values")]
    Count {
        /// The field it is about.
        field: Field,
        /// The most values it takes.
        most: usize,
    },
}

/// Values of one condition.
const MOST_VALUES: usize = 1_000;
/// Texts in one search; the engine's search takes at most 255.
const MOST_TEXTS: usize = 100;
/// Characters of one value.
const LONGEST_VALUE: usize = 500;
/// Offered by the provider filter although it is never captured (decision D79).
const YAHOO: &str = "yahoo";
/// Where the scale of positions ends: this position, or a later one.
const LAST_POSITION: i64 = 15;

impl Condition {
    /// Reads the values of a condition as they are written in an address or a saved filter: white space around them is dropped, and words get the
    /// spelling of the store. Without values, `inq` and `contain` match nothing, `nin` and `exclude` everything.
    ///
    /// # Errors
    /// An operator that does not fit the field, a malformed value, a wrong range, or more than 1,000 values (100 for `contain` and `exclude` on a
    /// text).
    pub fn read(field: Field, operator: Operator, values: &[String]) -> Result<Self, ConditionError> {
        let nature = field.nature();
        let most = match operator {
            Operator::Contain | Operator::Exclude if nature == Nature::Text => MOST_TEXTS,
            _ => MOST_VALUES,
        };
        if values.len() > most {
            return Err(ConditionError::Count { field, most });
        }
        let include = matches!(operator, Operator::Inq | Operator::Contain);
        let test = match (nature, operator) {
            (Nature::Instant | Nature::Number, Operator::Between) => Predicate::range(field, values)?,
            (Nature::Instant, _) => return Err(wrong_operator(field, operator, "between")),
            (_, Operator::Between) => return Err(wrong_operator(field, operator, "inq, nin, contain or exclude")),
            (Nature::Number | Nature::Id, _) => Predicate::Ids {
                include,
                ids: read_all(field, values, read_number)?,
            },
            (Nature::Text, Operator::Contain | Operator::Exclude) => Predicate::Holds {
                include,
                texts: read_all(field, values, read_text)?,
            },
            (Nature::Text | Nature::Word, _) => Predicate::Texts {
                include,
                texts: read_all(field, values, read_word)?,
            },
        };
        Ok(Self { field, test })
    }

    /// The results from one instant to another, both included; `None` is an open end. Instants outside 1970 to 2105 count as these ends.
    pub fn seen_between(from: Option<DateTime<Utc>>, to: Option<DateTime<Utc>>) -> Self {
        Self {
            field: Field::Date,
            test: Predicate::Range {
                from: from.map(stored_seconds),
                to: to.map(stored_seconds),
            },
        }
    }

    /// Results whose domain is in a list or, with `include` off, not in the list. Only equal hosts count, so they must be spelled as stored. The list
    /// may have any length; an empty list with `include` matches nothing.
    pub const fn domains(include: bool, domains: Vec<String>) -> Self {
        Self {
            field: Field::Domain,
            test: Predicate::Texts {
                include,
                texts: domains,
            },
        }
    }

    /// Results whose advertiser is one of these domains; with `include` off, is none of them. A registrable domain covers every host below it,
    /// any other host covers itself only. The list may have any length; an empty list with `include` matches nothing.
    pub fn advertisers(include: bool, domains: Vec<String>) -> Self {
        let is_master = |domain: &str| WebHost::parse(domain).is_some_and(|host| host.master().as_str() == domain);
        let (under, hosts): (Vec<String>, Vec<String>) = domains.into_iter().partition(|domain| is_master(domain));
        let mut masters: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        for master in under {
            let labels = u64::try_from(master.split('.').count()).unwrap_or(u64::MAX);
            masters.entry(labels).or_default().push(master);
        }
        Self {
            field: Field::Domain,
            test: Predicate::Hosts {
                include,
                hosts,
                masters,
            },
        }
    }

    /// The results on terms of these brands; none for an empty list.
    pub fn of_brands(brands: &[vocabulary::BrandId]) -> Self {
        Self {
            field: Field::Brand,
            test: Predicate::Ids {
                include: true,
                ids: brands.iter().map(|brand| brand.0.into()).collect(),
            },
        }
    }

    /// Results whose term is in a list or, with `include` off, not in the list. The list may have any length; an empty list with `include` matches
    /// nothing.
    pub fn terms(include: bool, terms: &[vocabulary::TermId]) -> Self {
        Self {
            field: Field::Term,
            test: Predicate::Ids {
                include,
                ids: terms.iter().map(|term| term.0.into()).collect(),
            },
        }
    }

    /// The field that the condition is about.
    pub const fn field(&self) -> Field {
        self.field
    }

    /// The brands that the condition allows, without ids that are negative; `None` if it is no condition on brands, or one that excludes some.
    pub(crate) fn brands(&self) -> Option<Vec<u32>> {
        match (self.field, &self.test) {
            (Field::Brand, Predicate::Ids { include: true, ids }) => {
                Some(ids.iter().filter_map(|id| u32::try_from(*id).ok()).collect())
            }
            _ => None,
        }
    }

    /// The first and the last instant that the condition allows, in seconds since 1970, where an inner `None` is an open end. `None` if it is no
    /// condition on the date.
    pub(crate) const fn instants(&self) -> Option<(Option<i64>, Option<i64>)> {
        match (self.field, &self.test) {
            (Field::Date, Predicate::Range { from, to }) => Some((*from, *to)),
            _ => None,
        }
    }

    /// The condition as a [`Fact`], ids as texts; `None` for a range (a date, a position) and for a condition on hosts or master domains.
    pub(crate) fn fact(&self) -> Option<Fact> {
        let (include, contains, texts) = match &self.test {
            Predicate::Ids { include, ids } => (*include, false, ids.iter().map(ToString::to_string).collect()),
            Predicate::Texts { include, texts } => (*include, false, texts.clone()),
            Predicate::Holds { include, texts } => (*include, true, texts.clone()),
            Predicate::Range { .. } | Predicate::Hosts { .. } => return None,
        };
        Some(Fact {
            field: self.field,
            include,
            contains,
            texts,
        })
    }

    /// Adds the condition as SQL, with its values as parameters. An empty list matches nothing if it includes, and everything if it excludes.
    pub(crate) fn add_to(&self, conditions: &mut Conditions) {
        let column = self.field.column();
        let (include, is_empty, [included, excluded], values) = match &self.test {
            Predicate::Ids { include, ids } => (
                *include,
                ids.is_empty(),
                ["# IN {$:Array(UInt32)}", "# NOT IN {$:Array(UInt32)}"],
                Value::Integers(ids.clone()),
            ),
            Predicate::Texts { include, texts } => (
                *include,
                texts.is_empty(),
                ["# IN {$:Array(String)}", "# NOT IN {$:Array(String)}"],
                Value::Texts(texts.clone()),
            ),
            Predicate::Holds { include, texts } => (
                *include,
                texts.is_empty(),
                [
                    "multiSearchAnyCaseInsensitiveUTF8(#, {$:Array(String)})",
                    "NOT multiSearchAnyCaseInsensitiveUTF8(#, {$:Array(String)})",
                ],
                Value::Texts(texts.clone()),
            ),
            Predicate::Hosts {
                include,
                hosts,
                masters,
            } => {
                let under = masters
                    .iter()
                    .map(|(labels, masters)| ("# IN {$:Array(String)}", last_labels(column, *labels), masters));
                let own = ("# IN {$:Array(String)}", column.to_owned(), hosts);
                let tests = std::iter::once(own)
                    .chain(under)
                    .filter(|(.., texts)| !texts.is_empty())
                    .map(|(test, column, texts)| (test, column, Value::Texts(texts.clone())));
                return conditions.push_any(*include, tests.collect());
            }
            Predicate::Range { from, to } => return self.add_range(*from, *to, conditions),
        };
        match (include, is_empty) {
            (true, true) => conditions.push_nothing(),
            (false, true) => {}
            (true, false) => conditions.push(column, included, values),
            (false, false) => conditions.push(column, excluded, values),
        }
    }

    /// Adds a range as SQL, both ends included, each end only if given. One on the date (in seconds) is also a range of UTC days, which are in the
    /// sort key.
    fn add_range(&self, from: Option<i64>, to: Option<i64>, conditions: &mut Conditions) {
        let column = self.field.column();
        let (least, most) = if self.field == Field::Date {
            if let Some(from) = from {
                conditions.push(
                    "day",
                    "# >= toDate(toDateTime({$:UInt32}, 'UTC'))",
                    Value::Integer(from),
                );
            }
            if let Some(to) = to {
                conditions.push("day", "# <= toDate(toDateTime({$:UInt32}, 'UTC'))", Value::Integer(to));
            }
            (
                "# >= toDateTime({$:UInt32}, 'UTC')",
                "# <= toDateTime({$:UInt32}, 'UTC')",
            )
        } else {
            ("# >= {$:Int64}", "# <= {$:Int64}")
        };
        if let Some(from) = from {
            conditions.push(column, least, Value::Integer(from));
        }
        if let Some(to) = to {
            conditions.push(column, most, Value::Integer(to));
        }
    }
}

/// SQL for the last `labels` labels of the host in a column.
fn last_labels(column: &str, labels: u64) -> String {
    format!("substringIndex({column}, '.', -{labels})")
}

impl Predicate {
    /// Reads the two values of `between`; an empty one is an open end. As an upper end, so is the last position of the scale: it means that position
    /// and all after it. [`ConditionError::Range`] unless there are two values, the first not after the second.
    fn range(field: Field, values: &[String]) -> Result<Self, ConditionError> {
        let [from, to] = values else {
            return Err(ConditionError::Range(field));
        };
        let read = |value: &String| match (value.trim(), field.nature()) {
            ("", _) => Ok(None),
            (text, Nature::Instant) => read_instant(field, text).map(Some),
            (text, _) => read_number(field, text).map(Some),
        };
        let (from, to) = (read(from)?, read(to)?);
        if from.zip(to).is_some_and(|(from, to)| from > to) {
            return Err(ConditionError::Range(field));
        }
        let to = to.filter(|to| field != Field::Position || *to != LAST_POSITION);
        Ok(Self::Range { from, to })
    }
}

/// The values, each as `read` reads it; the error of the first that it refuses.
fn read_all<T>(
    field: Field,
    values: &[String],
    read: fn(Field, &str) -> Result<T, ConditionError>,
) -> Result<Vec<T>, ConditionError> {
    values.iter().map(|value| read(field, value)).collect()
}

/// The error of an operator that does not fit its field.
fn wrong_operator(field: Field, operator: Operator, takes: &'static str) -> ConditionError {
    ConditionError::Operator { field, operator, takes }
}

/// The error of a malformed value, of which it shows the first 60 characters; `takes` says in words what the field takes.
fn wrong_value(field: Field, value: &str, takes: &'static str) -> ConditionError {
    const SHOWN: usize = 60;
    ConditionError::Value {
        field,
        value: value.chars().take(SHOWN).collect(),
        takes,
    }
}

/// A whole number from 0 to 2,147,483,647.
fn read_number(field: Field, value: &str) -> Result<i64, ConditionError> {
    let number: Option<i32> = value.trim().parse().ok().filter(|number| *number >= 0);
    number
        .map(i64::from)
        .ok_or_else(|| wrong_value(field, value, "a whole number from 0"))
}

/// The seconds since 1970 of the nearest instant that the store can hold: it keeps the seconds of 1970 to 2105.
fn stored_seconds(instant: DateTime<Utc>) -> i64 {
    instant.timestamp().clamp(0, i64::from(u32::MAX))
}

/// Seconds since 1970, rounded down, of an instant in RFC 3339 between 1970 and 2105.
fn read_instant(field: Field, value: &str) -> Result<i64, ConditionError> {
    let instant = DateTime::parse_from_rfc3339(value).map(|instant| instant.timestamp());
    instant
        .ok()
        .filter(|seconds| u32::try_from(*seconds).is_ok())
        .ok_or_else(|| wrong_value(field, value, "an instant like 2026-01-31T00:00:00Z"))
}

/// The text without white space around it, of 1 to [`LONGEST_VALUE`] characters.
fn read_text(field: Field, value: &str) -> Result<String, ConditionError> {
    let text = value.trim();
    if text.is_empty() || text.chars().count() > LONGEST_VALUE {
        return Err(wrong_value(field, value, "a text of 1 to 500 characters"));
    }
    Ok(text.to_owned())
}

/// The value, trimmed, as the store spells it: words of the vocabulary (and `yahoo` as an engine), countries of two capital letters, languages of two
/// or three small letters, domains in small letters, and any text of 1 to 500 characters for the other fields. Anything else is an error.
fn read_word(field: Field, value: &str) -> Result<String, ConditionError> {
    let word = value.trim();
    let wrong = |takes| wrong_value(field, value, takes);
    match field {
        Field::Engine if word.eq_ignore_ascii_case(YAHOO) => Ok(YAHOO.to_owned()),
        Field::Engine => word
            .parse::<Engine>()
            .map(|engine| engine.to_string())
            .map_err(|_| wrong("google, bing or yahoo")),
        Field::Device => word
            .parse::<Device>()
            .map(|device| device.to_string())
            .map_err(|_| wrong("desktop, mobile or tablet")),
        Field::Type => word
            .parse::<AdKind>()
            .map(|kind| kind.to_string())
            .map_err(|_| wrong("ads or shopping")),
        Field::KeywordType => word
            .parse::<KeywordType>()
            .map(|kind| kind.to_string())
            .map_err(|_| wrong("GENERIC, BRAND, GENERIC_BRAND or MULTIBRAND")),
        Field::Country if word.len() == 2 && word.bytes().all(|byte| byte.is_ascii_alphabetic()) => {
            Ok(word.to_ascii_uppercase())
        }
        Field::Country => Err(wrong("a country of two letters")),
        Field::Language if (2..=3).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_alphabetic()) => {
            Ok(word.to_ascii_lowercase())
        }
        Field::Language => Err(wrong("a language of two or three letters")),
        Field::Domain => Ok(read_text(field, word)?.to_lowercase()),
        _ => read_text(field, word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(field: Field, operator: Operator, values: &[&str]) -> Result<Condition, ConditionError> {
        let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        Condition::read(field, operator, &values)
    }

    #[test]
    fn spells_words_as_the_store_does() {
        for (field, given, stored) in [
            (Field::Engine, "GOOGLE", "google"),
            (Field::Engine, "Yahoo", "yahoo"),
            (Field::Device, "TABLET", "tablet"),
            (Field::Type, "Shopping", "shopping"),
            (Field::KeywordType, "generic+brand", "GENERIC_BRAND"),
            (Field::Country, "fr", "FR"),
            (Field::Domain, "Shop.Example", "shop.example"),
        ] {
            let expected = Predicate::Texts {
                include: true,
                texts: vec![stored.to_owned()],
            };
            assert_eq!(read(field, Operator::Inq, &[given]).unwrap().test, expected, "{given}");
        }
    }

    #[test]
    fn refuses_values_and_operators_that_do_not_fit() {
        for (field, operator, values) in [
            (Field::Brand, Operator::Inq, &["x"][..]),
            (Field::Brand, Operator::Inq, &["-1"]),
            (Field::Brand, Operator::Between, &["1", "2"]),
            (Field::Country, Operator::Inq, &["FRA"]),
            (Field::Engine, Operator::Inq, &["altavista"]),
            (Field::Date, Operator::Inq, &["2026-01-01T00:00:00Z"]),
            (Field::Date, Operator::Between, &["2026-01-01T00:00:00Z"]),
            (
                Field::Date,
                Operator::Between,
                &["2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z"],
            ),
            (Field::Date, Operator::Between, &["1900-01-01T00:00:00Z", ""]),
            (Field::Date, Operator::Between, &["yesterday", ""]),
            (Field::Position, Operator::Between, &["5", "1"]),
            (Field::AdTitle, Operator::Contain, &[" "]),
        ] {
            assert!(read(field, operator, values).is_err(), "{field} {operator} {values:?}");
        }
    }

    #[test]
    fn the_end_of_the_scale_of_positions_is_open() {
        let up_to = |last: &str| match read(Field::Position, Operator::Between, &["3", last]).unwrap().test {
            Predicate::Range { to, .. } => to,
            _ => unreachable!("a range"),
        };
        assert_eq!(up_to("14"), Some(14));
        assert_eq!(up_to("15"), None);
    }

    #[test]
    fn refuses_too_many_values() {
        let values: Vec<String> = (0..=MOST_VALUES).map(|number| number.to_string()).collect();
        assert!(Condition::read(Field::Brand, Operator::Inq, &values).is_err());
        assert!(Condition::read(Field::AdTitle, Operator::Contain, &values[..=MOST_TEXTS]).is_err());
    }

    #[test]
    fn says_which_field_and_what_it_takes() {
        let text = read(Field::Brand, Operator::Inq, &["x"]).unwrap_err().to_string();
        assert_eq!(text, "'x' is no value of brandID: it takes a whole number from 0");
    }
}
