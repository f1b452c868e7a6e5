//! The `filter` of a read: its parts and its parser.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json};

use super::condition::{Condition, MAX_DEPTH, MAX_LIST, MAX_NODES, Usage};
use super::filter_error::FilterError;
use super::model::{Field, Model, Relation};

/// Rows answered when the filter does not say how many (decision D160).
const DEFAULT_ROWS: u64 = 100;
/// Rows answered at most (decision D160).
pub const MAX_ROWS: u64 = 10_000;

/// What a client wants to read: which rows in which order, and what of each.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// Which rows are answered.
    pub condition: Condition,
    /// In which order; the id decides between equals.
    pub order: Vec<OrderBy>,
    /// How many at most.
    pub limit: u64,
    /// How many are left out before.
    pub skip: u64,
    /// What of each row.
    pub fields: Fields,
    /// The related rows that are answered with each.
    pub include: Vec<Include>,
}

/// One step of an order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrderBy {
    /// The field whose values are compared.
    pub field: &'static Field,
    /// Whether the greatest comes first.
    pub descending: bool,
    /// Whether rows without a value come after all others, whichever way the order goes.
    pub nulls_last: bool,
}

/// Which fields are answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fields {
    /// All that can be read.
    All,
    /// Only the named ones.
    Only(BTreeSet<&'static str>),
    /// All but these.
    But(BTreeSet<&'static str>),
}

impl Fields {
    /// Whether responses have the field of this name.
    pub fn contain(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.contains(name),
            Self::But(names) => !names.contains(name),
        }
    }

    /// Makes sure that responses have a field by which rows are joined, even if the client's choice leaves it out.
    pub fn add(&mut self, name: &'static str) {
        match self {
            Self::All => {}
            Self::Only(names) => {
                names.insert(name);
            }
            Self::But(names) => {
                names.remove(name);
            }
        }
    }
}

/// Related rows that are returned within a row.
#[derive(Clone, Debug)]
pub enum Include {
    /// Of a relation of the model.
    Relation {
        /// The relation to follow.
        relation: &'static Relation,
        /// What of the other rows; its limit counts for each row.
        filter: Box<Filter>,
    },
    /// There is no such relation. It is refused only where there are rows, as in LoopBack.
    Unknown(FilterError),
}

impl PartialEq for Include {
    /// Relations are equal if their names and filters are, unknown ones if their errors are.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Relation { relation, filter },
                Self::Relation {
                    relation: same,
                    filter: alike,
                },
            ) => relation.name == same.name && filter == alike,
            (Self::Unknown(one), Self::Unknown(two)) => one == two,
            _ => false,
        }
    }
}

impl Filter {
    /// The filter for every row: all fields, no order, nothing included, as many as the default limit.
    pub const fn everything() -> Self {
        Self::from_condition(Condition::everything())
    }

    /// The filter for the rows that meet a condition: all fields, no order, nothing included, as many as the default limit.
    pub const fn from_condition(condition: Condition) -> Self {
        Self {
            condition,
            order: Vec::new(),
            limit: DEFAULT_ROWS,
            skip: 0,
            fields: Fields::All,
            include: Vec::new(),
        }
    }

    /// Reads a filter of a client; `null` means no filter. The limit is `DEFAULT_ROWS` if none is given, and [`MAX_ROWS`] if it is null, 0 or above
    /// that. Refused: what is no filter, fields that clients may not read, and what exceeds the limits on conditions, relations, depth and lists.
    /// Other unknown names are ignored.
    pub fn parse(model: &'static Model, json: &Json) -> Result<Self, FilterError> {
        let filter = Self::read(model, json, 1, DEFAULT_ROWS)?;
        if filter.nodes() > MAX_NODES {
            return Err(FilterError::TooManyNodes);
        }
        Ok(filter)
    }

    /// How many conditions and relations there are in it, those of included filters among them.
    fn nodes(&self) -> usize {
        let included = self.include.iter().map(|include| match include {
            Include::Relation { filter, .. } => 1 + filter.nodes(),
            Include::Unknown(_) => 1,
        });
        self.condition.nodes() + included.sum::<usize>()
    }

    /// Reads a filter at this depth of nesting, from 1; `rows` is its limit where it gives none, and [`MAX_ROWS`] where it gives 0 or more than that.
    /// `offset` counts where there is no `skip`. Refuses what [`Self::parse`] refuses, except for the total of conditions and relations, which the
    /// caller checks.
    fn read(model: &'static Model, json: &Json, depth: usize, rows: u64) -> Result<Self, FilterError> {
        if depth > MAX_DEPTH {
            return Err(FilterError::TooDeep);
        }
        let map = match json {
            Json::Null => {
                return Ok(Self {
                    limit: rows,
                    ..Self::everything()
                });
            }
            Json::Object(map) => map,
            _ => return Err(FilterError::NotObject),
        };
        let none = Json::Null;
        let given = |name: &str| map.get(name).unwrap_or(&none);
        Ok(Self {
            condition: Condition::parse(model, given("where"), Usage::Read)?,
            order: read_order(model, given("order"))?,
            limit: match map.get("limit") {
                None => rows,
                Some(limit) => match read_count(limit).ok_or_else(|| FilterError::Limit(limit.clone()))? {
                    0 => MAX_ROWS,
                    limit => limit.min(MAX_ROWS),
                },
            },
            skip: {
                let skip = map.get("skip").or_else(|| map.get("offset")).unwrap_or(&none);
                read_count(skip).ok_or_else(|| FilterError::Skip(skip.clone()))?
            },
            fields: read_fields(model, given("fields"))?,
            include: read_include(model, given("include"), depth)?,
        })
    }
}

/// Reads an order such as `name DESC NULLS LAST, id`, as a text or a list of texts; null is no order. Unknown fields and those without a column are
/// ignored; a field that clients may not read, a malformed direction, other JSON and more than `MAX_NODES` steps are refused.
fn read_order(model: &Model, json: &Json) -> Result<Vec<OrderBy>, FilterError> {
    let parts: Vec<&str> = match json {
        Json::Null => Vec::new(),
        Json::String(text) => text.split(',').collect(),
        Json::Array(items) => {
            let mut parts = Vec::new();
            for item in items {
                parts.extend(
                    item.as_str()
                        .ok_or_else(|| FilterError::Order(item.clone()))?
                        .split(','),
                );
            }
            parts
        }
        other => return Err(FilterError::Order(other.clone())),
    };
    if parts.len() > MAX_NODES {
        return Err(FilterError::TooManyNodes);
    }
    let mut order = Vec::new();
    for part in parts {
        let mut words = part.split_whitespace();
        let Some(name) = words.next() else { continue };
        let descending = match words.next().map(str::to_ascii_uppercase).as_deref() {
            None | Some("ASC") => false,
            Some("DESC") => true,
            Some(_) => return Err(FilterError::Direction(part.trim().to_owned())),
        };
        let rest: Vec<_> = words.map(str::to_ascii_uppercase).collect();
        let nulls_last = match rest.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            [] => false,
            ["NULLS", "LAST"] => true,
            _ => return Err(FilterError::Direction(part.trim().to_owned())),
        };
        let Some(field) = model.field(name) else { continue };
        if !field.is_readable() {
            return Err(FilterError::Hidden(name.to_owned()));
        }
        if !field.column.is_empty() {
            order.push(OrderBy {
                field,
                descending,
                nulls_last,
            });
        }
    }
    Ok(order)
}

/// A count from a number, a text or a truth value; 0 for null and blank texts, cut to `i64::MAX`. `None` for fractions, negative numbers and anything
/// else.
fn read_count(json: &Json) -> Option<u64> {
    let number = match json {
        Json::Null => return Some(0),
        Json::Number(number) => number.as_f64()?,
        Json::String(text) if text.trim().is_empty() => 0.0,
        Json::String(text) => text.trim().parse().ok()?,
        Json::Bool(flag) => f64::from(u8::from(*flag)),
        _ => return None,
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked; larger ones are clamped"
    )]
    (number >= 0.0 && number.fract() == 0.0 && number.is_finite()).then_some((number as u64).min(i64::MAX as u64))
}

/// Reads which fields are chosen: one name, a list of names, or an object of names with whether each is wanted. If any is wanted, known or not, only
/// the wanted known ones are chosen; else all but the unwanted. Fields that clients may not read are refused; other JSON chooses all.
fn read_fields(model: &'static Model, json: &Json) -> Result<Fields, FilterError> {
    let known = |name: &str| match model.field(name) {
        Some(field) if !field.is_readable() => Err(FilterError::Hidden(name.to_owned())),
        found => Ok(found.map(|field| field.name)),
    };
    let mut only = BTreeSet::new();
    let mut but = BTreeSet::new();
    let mut any_only = false;
    match json {
        Json::String(name) => {
            any_only = true;
            only.extend(known(name)?);
        }
        Json::Array(names) => {
            for name in names.iter().filter_map(Json::as_str) {
                any_only = true;
                only.extend(known(name)?);
            }
        }
        Json::Object(choices) => {
            for (name, choice) in choices {
                let chosen = match choice {
                    Json::Null => false,
                    Json::Bool(flag) => *flag,
                    Json::Number(number) => number.as_f64() != Some(0.0),
                    Json::String(text) => !text.is_empty(),
                    Json::Array(_) | Json::Object(_) => true,
                };
                if chosen {
                    any_only = true;
                    only.extend(known(name)?);
                } else {
                    but.extend(known(name)?);
                }
            }
        }
        _ => {}
    }
    Ok(match (any_only, but.is_empty()) {
        (true, _) => Fields::Only(only),
        (false, false) => Fields::But(but),
        (false, true) => Fields::All,
    })
}

/// Reads the `include` of a filter at this depth, in any form that [`collect_includes`] accepts. Of a relation that is named twice, only the last is
/// kept.
fn read_include(model: &'static Model, json: &Json, depth: usize) -> Result<Vec<Include>, FilterError> {
    let mut found = Vec::new();
    collect_includes(model, json, depth, &mut found)?;
    // Of a relation named twice, the last counts.
    let mut list: Vec<Include> = Vec::new();
    for include in found {
        if let Include::Relation { relation, .. } = &include {
            list.retain(
                |other| !matches!(other, Include::Relation { relation: same, .. } if same.name == relation.name),
            );
        }
        list.push(include);
    }
    Ok(list)
}

/// Adds the inclusions that JSON of any accepted form means to `found`: a relation's name, a list, `{relation, scope}`, or an object whose keys are
/// relations and whose values are their own `include`. Null, numbers, truth values and the empty text add nothing; lists longer than `MAX_LIST` are
/// refused.
fn collect_includes(
    model: &'static Model,
    json: &Json,
    depth: usize,
    found: &mut Vec<Include>,
) -> Result<(), FilterError> {
    match json {
        Json::Null | Json::Bool(_) | Json::Number(_) => Ok(()),
        Json::String(name) if name.is_empty() => Ok(()),
        Json::String(name) => push_include(model, name, &Json::Null, depth, found),
        Json::Array(items) => {
            if items.len() > MAX_LIST {
                return Err(FilterError::ListTooLong);
            }
            items
                .iter()
                .try_for_each(|item| collect_includes(model, item, depth, found))
        }
        Json::Object(map) => match map.get("relation") {
            Some(Json::String(name)) => {
                push_include(model, name, map.get("scope").unwrap_or(&Json::Null), depth, found)
            }
            Some(_) => Err(FilterError::Include(json.clone())),
            None => map.iter().try_for_each(|(name, nested)| {
                let scope = Json::Object(Map::from_iter([("include".to_owned(), nested.clone())]));
                push_include(model, name, &scope, depth, found)
            }),
        },
    }
}

/// Adds the inclusion of one relation to `found`, with `scope` read as its filter, one level deeper and limited to [`MAX_ROWS`] by default. A name
/// that the model does not have is added as [`Include::Unknown`]; a relation that may not be included is skipped.
fn push_include(
    model: &'static Model,
    name: &str,
    scope: &Json,
    depth: usize,
    found: &mut Vec<Include>,
) -> Result<(), FilterError> {
    let Some(relation) = model.relation(name) else {
        let error = FilterError::Relation {
            relation: name.to_owned(),
            model: model.name,
        };
        found.push(Include::Unknown(error));
        return Ok(());
    };
    if relation.includable {
        let filter = Box::new(Filter::read(relation.target, scope, depth + 1, MAX_ROWS)?);
        found.push(Include::Relation { relation, filter });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::models::{TERM, USER_ACCOUNT};
    use super::*;

    fn read(json: &Json) -> Result<Filter, FilterError> {
        Filter::parse(&TERM, json)
    }

    #[test]
    fn limits_are_counts_in_any_form() {
        for (limit, rows) in [
            (json!(3), 3),
            (json!("3"), 3),
            (json!(0), MAX_ROWS),
            (json!(""), MAX_ROWS),
            (json!(null), MAX_ROWS),
            (json!(1_000_000), MAX_ROWS),
        ] {
            assert_eq!(read(&json!({ "limit": limit })).unwrap().limit, rows, "{limit}");
        }
        assert_eq!(read(&json!({})).unwrap().limit, DEFAULT_ROWS);
        assert_eq!(
            read(&json!({"limit": "abc"})).unwrap_err().to_string(),
            "The limit parameter \"abc\" is not valid"
        );
        assert_eq!(
            read(&json!({"skip": 1.5})).unwrap_err().to_string(),
            "The offset/skip parameter 1.5 is not valid"
        );
    }

    #[test]
    fn an_order_names_fields_and_directions() {
        let order = read(&json!({"order": "term asc, every DESC"})).unwrap().order;
        assert_eq!(
            order
                .iter()
                .map(|step| (step.field.name, step.descending))
                .collect::<Vec<_>>(),
            [("term", false), ("every", true)]
        );
        assert!(read(&json!({"order": ["nope", ""]})).unwrap().order.is_empty());
        assert_eq!(
            read(&json!({"order": "term SIDEWAYS"})).unwrap_err().to_string(),
            "The order \"term SIDEWAYS\" has invalid direction"
        );
        assert_eq!(
            read(&json!({"order": 5})).unwrap_err().to_string(),
            "The order 5 is not valid"
        );
    }

    #[test]
    fn hidden_fields_are_refused_everywhere() {
        for filter in [
            json!({"where": {"password": {"like": "$argon2%"}}}),
            json!({"where": {"or": [{"verificationToken": "x"}]}}),
            json!({"fields": ["password"]}),
            json!({"fields": {"password": false}}),
            json!({"order": "password DESC"}),
        ] {
            let refused = Filter::parse(&USER_ACCOUNT, &filter);
            assert!(matches!(refused, Err(FilterError::Hidden(_))), "{filter}");
        }
        assert!(
            Filter::parse(&USER_ACCOUNT, &json!({"include": "accessTokens"}))
                .unwrap()
                .include
                .is_empty()
        );
    }

    #[test]
    fn deep_and_wide_filters_are_refused() {
        let deep = (0..20).fold(json!({"term": "a"}), |inner, _| json!({"and": [inner]}));
        assert_eq!(read(&json!({ "where": deep })), Err(FilterError::TooDeep));
        let wide: Vec<_> = (0..201).map(|n| json!({ "term": n })).collect();
        assert_eq!(read(&json!({"where": {"or": wide}})), Err(FilterError::TooManyNodes));
        let tests = json!({"gt": 1, "gte": 1, "lt": 9, "lte": 9, "neq": 5});
        let many: Vec<_> = (0..60).map(|_| json!({ "id": tests })).collect();
        let condition = Condition::parse(&TERM, &json!({ "or": many }), Usage::Change);
        assert_eq!(condition, Err(FilterError::TooManyNodes));
        let joined = |count: usize| json!({"where": {"and": vec![json!({"categories": 1}); count]}});
        assert!(read(&joined(9)).is_ok());
        assert_eq!(read(&joined(10)), Err(FilterError::TooManyNodes));
        let long: Vec<_> = (0..1_001).collect();
        assert_eq!(
            read(&json!({"where": {"id": {"inq": long}}})),
            Err(FilterError::ListTooLong)
        );
        let include = (0..20).fold(json!("brand"), |inner, _| json!({"brand": {"terms": inner}}));
        assert_eq!(read(&json!({ "include": include })), Err(FilterError::TooDeep));
    }
}
