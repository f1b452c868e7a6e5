//! What a change of fields makes of a captured ad.

use std::collections::BTreeMap;

use chrono::{DateTime, Datelike, Utc};
use vocabulary::resources::{Field, Value};
use vocabulary::{AdKind, Device, Engine, WebHost};

use super::row::SemRow;
use super::write::Assignment;
use crate::ingest::AdRow;

/// What an ad has from its term.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TermFacts {
    /// The brand of the term; 0: none.
    pub brand_id: u32,
    /// Words of the term.
    pub keyword: String,
    /// As [`vocabulary::KeywordType`] displays.
    pub keyword_type: String,
    /// Where it is searched from.
    pub localization_id: u32,
    /// The city of that place.
    pub city: String,
}

/// A value that a captured ad cannot have.
#[derive(Clone, Debug, PartialEq)]
pub struct CorrectionError {
    /// Where it was given.
    pub field: &'static Field,
    /// The rule that it breaks.
    pub code: &'static str,
    /// The rule in words.
    pub text: &'static str,
}

const PRESENCE: (&str, &str) = ("presence", "can't be blank for a captured ad");

/// A captured ad after a change, with all that follows from it: the registrable domain from the domain; brand, words, kind of words and place from
/// the term, as `terms` has it now. Given words win over those of the term. A value that the ad has already changes nothing.
///
/// # Errors
/// One for each value that a captured ad cannot have; nothing is changed then.
pub fn corrected(
    ad: &AdRow,
    changes: &[Assignment],
    terms: &BTreeMap<i64, TermFacts>,
) -> Result<AdRow, Vec<CorrectionError>> {
    let stored = SemRow::from(ad);
    let mut next = ad.clone();
    let mut unfit = Vec::new();
    let differs = |(field, value): &&Assignment| stored.value(field.column) != *value;
    // The term first, so that given words overwrite those of the term.
    let (of_term, others): (Vec<_>, Vec<_>) = changes
        .iter()
        .filter(differs)
        .partition(|(field, _)| field.column == "term_id");
    for (field, value) in of_term {
        match term(value, terms) {
            Ok((id, facts)) => take_term(&mut next, id, facts),
            Err((code, text)) => unfit.push(CorrectionError { field, code, text }),
        }
    }
    if let Some((_, Value::Text(words))) = changes.iter().find(|(field, _)| field.column == "term") {
        next.keyword.clone_from(words);
    }
    for (field, value) in others {
        if let Err((code, text)) = set_column(&mut next, field.column, value) {
            unfit.push(CorrectionError { field, code, text });
        }
    }
    if unfit.is_empty() { Ok(next) } else { Err(unfit) }
}

/// The code and the words of a rule that a value breaks.
type CodeAndText = (&'static str, &'static str);

/// The id and facts of the term that a value names: 0 and `None` for no term, an error for one that is not in `terms`.
fn term<'a>(value: &Value, terms: &'a BTreeMap<i64, TermFacts>) -> Result<(u32, Option<&'a TermFacts>), CodeAndText> {
    let Value::Whole(id) = value else { return Ok((0, None)) };
    let unknown = ("reference", "does not exist");
    let facts = terms.get(id).ok_or(unknown)?;
    Ok((u32::try_from(*id).map_err(|_| unknown)?, Some(facts)))
}

/// Sets the term of an ad and what follows from it: brand, words, kind of words and place. Without `facts` the ad loses its brand and keeps the rest.
fn take_term(ad: &mut AdRow, id: u32, facts: Option<&TermFacts>) {
    ad.term_id = id;
    ad.brand_id = facts.map_or(0, |facts| facts.brand_id);
    if let Some(facts) = facts {
        ad.keyword.clone_from(&facts.keyword);
        ad.keyword_type.clone_from(&facts.keyword_type);
        ad.localization_id = facts.localization_id;
        ad.city.clone_from(&facts.city);
    }
}

/// Sets a column of an ad to a value, or says which rule the value breaks. For brand and dealer, null changes nothing and anything else is an error.
/// Unknown columns change nothing.
fn set_column(ad: &mut AdRow, column: &str, value: &Value) -> Result<(), CodeAndText> {
    match column {
        "term" => ad.keyword = text_of(value),
        "title" => ad.title = text_of(value),
        "description" => ad.description = text_of(value),
        "display_url" => ad.display_url = text_of(value),
        "target_url" => ad.target_url = text_of(value),
        "region" => ad.region = text_of(value),
        "country" => ad.country = country_code(value)?,
        "language" => ad.language = language_code(value)?,
        "engine" => ad.engine = vocabulary_word::<Engine>(value)?,
        "type" => ad.kind = vocabulary_word::<AdKind>(value)?,
        "device" => ad.device = vocabulary_word::<Device>(value)?,
        "position" => ad.position = rank(value)?,
        "real_position" => ad.real_position = rank(value)?,
        "domain" => take_domain(ad, value)?,
        "date" => ad.seen_at = seen_at_seconds(ad.seen_at, value)?,
        "brand" if *value != Value::Null => {
            return Err(("absence", "of a captured ad is that of its term; change termId"));
        }
        "dealer_id" if *value != Value::Null => {
            return Err((
                "absence",
                "cannot be set for a captured ad, whose dealer is that of its domain",
            ));
        }
        _ => {}
    }
    Ok(())
}

/// The text of a value; empty for null and any other value.
fn text_of(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        _ => String::new(),
    }
}

/// The value as a country code of two capital letters; the code and text of a failure for anything else, null too. Whether the country exists is not
/// checked.
fn country_code(value: &Value) -> Result<String, CodeAndText> {
    let code = text_of(value);
    if code.len() == 2 && code.bytes().all(|letter| letter.is_ascii_uppercase()) {
        Ok(code)
    } else {
        Err(("format", "of a captured ad is two capital letters"))
    }
}

/// The value as a language code of two or three small letters; the code and text of a failure for anything else, null too.
fn language_code(value: &Value) -> Result<String, CodeAndText> {
    let code = text_of(value);
    if (2..=3).contains(&code.len()) && code.bytes().all(|letter| letter.is_ascii_lowercase()) {
        Ok(code)
    } else {
        Err(("format", "of a captured ad is two or three small letters"))
    }
}

/// The value as a word of the vocabulary `T`, in the spelling of the store; anything else is an error, null too.
fn vocabulary_word<T: std::str::FromStr + std::fmt::Display>(value: &Value) -> Result<String, CodeAndText> {
    match value {
        Value::Text(text) => match text.parse::<T>() {
            Ok(word) => Ok(word.to_string()),
            Err(_) => Err(("inclusion", "is not a value that a captured ad can have")),
        },
        _ => Err(PRESENCE),
    }
}

/// The value as a rank: a whole number from 1 to 65535. Null fails as missing, anything else by its format.
fn rank(value: &Value) -> Result<u16, CodeAndText> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole and within bounds"
    )]
    match value {
        Value::Number(rank) if rank.fract() == 0.0 && (1.0..=f64::from(u16::MAX)).contains(rank) => Ok(*rank as u16),
        Value::Null => Err(PRESENCE),
        _ => Err(("format", "of a captured ad is a whole number from 1 to 65535")),
    }
}

/// Sets the domain and the registrable domain, both empty for null; a text that is no web host is refused. A domain given by hand no longer counts as
/// learnt from the merchant.
fn take_domain(ad: &mut AdRow, value: &Value) -> Result<(), CodeAndText> {
    let text = text_of(value);
    let host = match WebHost::parse(&text) {
        None if !text.is_empty() => return Err(("format", "is no web host")),
        host => host,
    };
    ad.master = host.as_ref().map(|host| host.master().to_string()).unwrap_or_default();
    ad.domain = host.map(|host| host.to_string()).unwrap_or_default();
    ad.domain_learnt = false;
    Ok(())
}

/// The time of a value in seconds since 1970; null is refused. It must be in the same UTC month as the stored one: retention and the ledger count an
/// ad in the month of its capture.
fn seen_at_seconds(stored: u32, value: &Value) -> Result<u32, CodeAndText> {
    let Value::Date(date) = value else {
        return Err(PRESENCE);
    };
    let month = |date: &DateTime<Utc>| (date.year(), date.month());
    let stored = DateTime::from_timestamp(stored.into(), 0);
    match u32::try_from(date.timestamp()) {
        Ok(seconds) if stored.as_ref().map(month) == Some(month(date)) => Ok(seconds),
        _ => Err(("range", "of a captured ad stays in its month (UTC)")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::Uuid;
    use vocabulary::resources::models::SEM;

    use super::*;

    /// That is 2026-03-31T23:00:00Z.
    const SEEN: u32 = 1_774_998_000;

    fn ad() -> AdRow {
        AdRow {
            batch: 3,
            row: 5,
            capture_id: Uuid::nil(),
            slot_time: SEEN,
            seen_at: SEEN,
            brand_id: 1,
            term_id: 10,
            keyword: "red shoes".to_owned(),
            keyword_type: "GENERIC".to_owned(),
            localization_id: 2,
            country: "FR".to_owned(),
            language: "fr".to_owned(),
            city: "Paris".to_owned(),
            region: String::new(),
            engine: "google".to_owned(),
            device: "desktop".to_owned(),
            kind: "ads".to_owned(),
            position: 1,
            real_position: 2,
            mark: 2,
            block: "top".to_owned(),
            domain: "m.shop.example".to_owned(),
            domain_learnt: true,
            master: "shop.example".to_owned(),
            title: "Shoes".to_owned(),
            description: String::new(),
            display_url: "m.shop.example".to_owned(),
            target_url: "https://m.shop.example/".to_owned(),
            aclk_urls: Vec::new(),
            image: String::new(),
            price: String::new(),
            merchant: String::new(),
            merchant_id: String::new(),
            comparator_name: String::new(),
            comparator_url: String::new(),
        }
    }

    fn change(name: &str, value: &serde_json::Value) -> Assignment {
        let field = SEM.field(name).unwrap();
        (field, Value::parse(field, value).unwrap())
    }

    fn after(changes: &[(&str, serde_json::Value)]) -> Result<AdRow, Vec<(&'static str, &'static str)>> {
        let facts = TermFacts {
            brand_id: 7,
            keyword: "blue shoes".to_owned(),
            keyword_type: "BRAND".to_owned(),
            localization_id: 4,
            city: "Lyon".to_owned(),
        };
        let changes: Vec<Assignment> = changes.iter().map(|(name, value)| change(name, value)).collect();
        corrected(&ad(), &changes, &BTreeMap::from([(11, facts)]))
            .map_err(|unfit| unfit.iter().map(|unfit| (unfit.field.name, unfit.code)).collect())
    }

    #[test]
    fn what_follows_from_a_domain_follows_it() {
        let ad = after(&[("domain", json!("https://www.Shop.Other.co.uk/x"))]).unwrap();
        assert_eq!(
            (&*ad.domain, &*ad.master, ad.domain_learnt),
            ("shop.other.co.uk", "other.co.uk", false)
        );
        let none = after(&[("domain", json!(null))]).unwrap();
        assert_eq!((&*none.domain, &*none.master), ("", ""));
        assert_eq!(after(&[("domain", json!("no host"))]), Err(vec![("domain", "format")]));
    }

    #[test]
    fn a_term_brings_its_brand_words_and_place_and_given_words_overwrite_them() {
        let moved = after(&[("termId", json!(11))]).unwrap();
        assert_eq!(
            (
                moved.term_id,
                moved.brand_id,
                &*moved.keyword,
                &*moved.keyword_type,
                moved.localization_id,
                &*moved.city
            ),
            (11, 7, "blue shoes", "BRAND", 4, "Lyon")
        );
        let worded = after(&[("term", json!("red shoes")), ("termId", json!(11))]).unwrap();
        assert_eq!((worded.brand_id, &*worded.keyword), (7, "red shoes"));
        let nobody = after(&[("termId", json!(null))]).unwrap();
        assert_eq!((nobody.term_id, nobody.brand_id, &*nobody.keyword), (0, 0, "red shoes"));
        assert_eq!(after(&[("termId", json!(12))]), Err(vec![("termId", "reference")]));
    }

    #[test]
    fn what_an_ad_has_already_changes_nothing() {
        let same = SemRow::from(&ad()).json(&vocabulary::resources::Fields::All);
        let changes: Vec<Assignment> = SEM.fields[1..]
            .iter()
            .map(|field| change(field.name, &same[field.name]))
            .collect();
        assert_eq!(corrected(&ad(), &changes, &BTreeMap::new()), Ok(ad()));
    }

    #[test]
    fn what_cannot_be_held_is_refused_by_the_name_of_its_field() {
        for (name, value, code) in [
            ("dealerId", json!(3), "absence"),
            ("brand", json!("Acme"), "absence"),
            ("date", json!(null), "presence"),
            ("date", json!("2026-04-01T00:00:00Z"), "range"),
            ("position", json!(null), "presence"),
            ("position", json!(1.5), "format"),
            ("realPosition", json!(0), "format"),
            ("type", json!("banner"), "inclusion"),
            ("engine", json!(null), "presence"),
            ("device", json!("watch"), "inclusion"),
            ("country", json!("fr"), "format"),
            ("language", json!("FR"), "format"),
        ] {
            assert_eq!(
                after(&[(name, value.clone())]),
                Err(vec![(name, code)]),
                "{name} {value}"
            );
        }
        let both = after(&[("dealerId", json!(3)), ("position", json!(0))]);
        assert_eq!(both, Err(vec![("dealerId", "absence"), ("position", "format")]));
    }

    #[test]
    fn an_ad_moves_within_its_month() {
        let moved = after(&[("date", json!("2026-03-01T00:00:00.500Z")), ("type", json!("SHOPPING"))]).unwrap();
        assert_eq!((moved.seen_at, &*moved.kind), (1_772_323_200, "shopping"));
    }
}
