//! The query of a list in an address: `page[size]`, `sort[by]`, `filters[name][operator]`, `filter` as JSON, or a filter by its plain name
//! (`brandID=5`, `date[start]=…`), which asks for equality.

use std::str::FromStr;
use std::sync::LazyLock;

use analytics::filter::Operator;
use analytics::reports::page::{Direction, MOST_ROWS, Page};
use serde_json::{Map, Value};
use vocabulary::resources::brackets;

use crate::failure::ApiError;

/// Rows a page without `page[size]`.
pub(super) const PAGE_SIZE: u32 = 30;
/// What `page[size]` takes.
static SIZES: LazyLock<String> = LazyLock::new(|| format!("a number of rows from 0 (all) to {MOST_ROWS}"));
/// What `page[number]` takes.
const NUMBERS: &str = "a number from 1";
/// Filters of a list at most: more than there are names and operators.
const MOST_FILTERS: usize = 100;
/// Names that say how an answer is given, or defeat caches; `limit`, `skip` and `order` are those of the resource set and order no list.
const IGNORED_NAMES: [&str; 8] = ["_t", "access_token", "csv", "format", "limit", "lng", "order", "skip"];

/// A list query, with the filters as they were asked for.
#[derive(Debug, PartialEq)]
pub(crate) struct ListQuery {
    pub(crate) page: Page,
    /// Name of the column to order by.
    pub(crate) sort: Option<String>,
    pub(crate) direction: Direction,
    pub(crate) filters: Vec<RawFilter>,
}

/// One filter, not yet read.
#[derive(Debug, PartialEq)]
pub(crate) struct RawFilter {
    pub(crate) name: String,
    pub(crate) operator: Operator,
    pub(crate) values: Vec<String>,
}

impl ListQuery {
    /// Reads the pairs of a query: page and order (by default the first [`PAGE_SIZE`] rows, descending), and every other name as a filter, except
    /// `others`, which the caller reads itself. A `BadRequest` for a page size over `MOST_ROWS`, page 0, more than [`MOST_FILTERS`] filters, or a
    /// value that cannot be read. Names of filters and columns are not checked here.
    pub(crate) fn read(pairs: &[(String, String)], others: &[&str]) -> Result<Self, ApiError> {
        let mut size = PAGE_SIZE;
        let mut number = 1;
        let mut query = Self {
            page: Page::All,
            sort: None,
            direction: Direction::Desc,
            filters: Vec::new(),
        };
        for (name, value) in brackets::object(pairs)? {
            for (key, value) in split_pair(&name, value) {
                match key.as_str() {
                    "page[size]" | "page.size" | "perPage" => {
                        size = parse_single(&key, &value, &SIZES)?;
                    }
                    "page[number]" | "page.number" | "page" => number = parse_single(&key, &value, NUMBERS)?,
                    "sort[by]" | "sort.by" | "sort" => {
                        query.sort = Some(parse_single(&key, &value, "the name of a column")?);
                    }
                    "sort[direction]" | "sort.direction" => {
                        query.direction = parse_single(&key, &value, "ASC or DESC")?;
                    }
                    "filter" | "filters" => query.read_object(&key, &value)?,
                    key if IGNORED_NAMES.contains(&key) || others.contains(&key) => {}
                    key if key.starts_with("page[") || key.starts_with("sort[") => {
                        return Err(ApiError::BadRequest(format!(
                            "{key}: a list takes page[size], page[number], sort[by] and sort[direction]"
                        )));
                    }
                    key => query.read_filter(key, &value)?,
                }
            }
        }
        if query.filters.len() > MOST_FILTERS {
            return Err(ApiError::BadRequest(format!("filters: at most {MOST_FILTERS} of them")));
        }
        if size > MOST_ROWS {
            return Err(wrong_value("page[size]", &size.to_string(), &SIZES));
        }
        if number == 0 {
            return Err(wrong_value("page[number]", "0", NUMBERS));
        }
        if size > 0 {
            query.page = Page::Of { number, size };
        }
        Ok(query)
    }

    /// Adds every filter of an object `{name: value}`, or of the JSON text of one; a `BadRequest` for anything else. An error leaves earlier filters
    /// added.
    fn read_object(&mut self, key: &str, given: &Value) -> Result<(), ApiError> {
        let read = match given {
            Value::Object(filters) => Some(filters.clone()),
            Value::String(text) => serde_json::from_str::<Map<_, _>>(text).ok(),
            _ => None,
        };
        let filters = read.ok_or_else(|| wrong_value(key, &given.to_string(), "a JSON object of filters by name"))?;
        for (name, value) in &filters {
            self.read_filter(name, value)?;
        }
        Ok(())
    }

    /// Adds the filter `name` with its value: a scalar, a list or a numbered list (equality), `{"start","end"}` (a range), values by operator as in
    /// `{"nin": …}`, or `{"type","value"}` with the operator as type. Anything else is a `BadRequest`.
    fn read_filter(&mut self, name: &str, value: &Value) -> Result<(), ApiError> {
        let refused = |part: &str| unreadable_filter(&format!("filters[{name}]{part}"));
        let Value::Object(object) = value else {
            return self.add_values(name, Operator::Inq, value).ok_or_else(|| refused(""));
        };
        if let (Some(Value::String(operator)), Some(value)) = (object.get("type"), object.get("value")) {
            let operator = operator.parse().map_err(|_| refused("[type]"))?;
            return self.add_values(name, operator, value).ok_or_else(|| refused("[value]"));
        }
        if object.contains_key("start") || object.contains_key("end") {
            return self
                .add_values(name, Operator::Between, value)
                .ok_or_else(|| refused(""));
        }
        for (part, value) in object {
            // A place in a list asks for equality, as the list itself does.
            let operator = match part.parse() {
                Ok(operator) => operator,
                Err(_) if part.parse::<usize>().is_ok() => Operator::Inq,
                Err(_) => return Err(refused(&format!("[{part}]"))),
            };
            self.add_values(name, operator, value)
                .ok_or_else(|| refused(&format!("[{part}]")))?;
        }
        Ok(())
    }

    /// Adds a value, or all values of a list, to the filter with this name and operator; the ends of a range replace those it has. An empty list adds
    /// a filter without values. `None` when a value is no scalar, or a range has other keys than `start` and `end`.
    fn add_values(&mut self, name: &str, operator: Operator, value: &Value) -> Option<()> {
        match value {
            Value::Array(list) => {
                // An empty list is a filter too: nothing is one of no values.
                let values = self.values_of(name, operator);
                for value in list {
                    values.push(scalar_text(value)?);
                }
            }
            Value::Object(ends) if operator == Operator::Between => {
                let known = |end: &String| end == "start" || end == "end";
                if !ends.keys().all(known) {
                    return None;
                }
                let end = |name: &str| ends.get(name).map_or(Some(String::new()), scalar_text);
                let (start, end) = (end("start")?, end("end")?);
                *self.values_of(name, operator) = vec![start, end];
            }
            value => self.values_of(name, operator).push(scalar_text(value)?),
        }
        Some(())
    }

    /// The values, to add to, of the filter with this name and operator; an empty filter is added first if there is none yet.
    fn values_of(&mut self, name: &str, operator: Operator) -> &mut Vec<String> {
        let known = self
            .filters
            .iter()
            .position(|filter| filter.name == name && filter.operator == operator);
        let index = known.unwrap_or_else(|| {
            self.filters.push(RawFilter {
                name: name.to_owned(),
                operator,
                values: Vec::new(),
            });
            self.filters.len() - 1
        });
        &mut self.filters[index].values
    }
}

/// Splits an object under `page` or `sort` into pairs such as `page[size]`; any other name or value stays one pair.
fn split_pair(name: &str, value: Value) -> Vec<(String, Value)> {
    match value {
        Value::Object(parts) if name == "page" || name == "sort" => parts
            .into_iter()
            .map(|(part, value)| (format!("{name}[{part}]"), value))
            .collect(),
        value => vec![(name.to_owned(), value)],
    }
}

/// A text, number or null (an empty text) as text; `None` for anything else.
fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null => Some(String::new()),
        _ => None,
    }
}

/// Parses a value that counts once: of several the last. A `BadRequest` that names what the key takes when it does not parse.
fn parse_single<T: FromStr>(key: &str, value: &Value, takes: &str) -> Result<T, ApiError> {
    let last = match value {
        Value::Array(values) => values.last(),
        value => Some(value),
    };
    let text = last.and_then(Value::as_str).unwrap_or_default();
    text.parse().map_err(|_| wrong_value(key, text, takes))
}

/// The `BadRequest` for a value that is not what the key takes; a long value is cut.
fn wrong_value(key: &str, value: &str, takes: &str) -> ApiError {
    const SHOWN: usize = 60;
    let value: String = value.chars().take(SHOWN).collect();
    ApiError::BadRequest(format!("{key}: '{value}' is not {takes}"))
}

/// The `BadRequest` for a filter that is written in no known way.
fn unreadable_filter(key: &str) -> ApiError {
    const SHOWN: usize = 80;
    let key: String = key.chars().take(SHOWN).collect();
    ApiError::BadRequest(format!(
        "{key}: write filters[name][operator] with the operator inq, nin, contain, exclude or between"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect()
    }

    fn filters(given: &[(&str, &str)]) -> Vec<(String, String, Vec<String>)> {
        let query = ListQuery::read(&pairs(given), &["timeZone"]).unwrap();
        query
            .filters
            .into_iter()
            .map(|filter| (filter.name, filter.operator.to_string(), filter.values))
            .collect()
    }

    fn raw_filter(name: &str, operator: &str, values: &[&str]) -> (String, String, Vec<String>) {
        (
            name.to_owned(),
            operator.to_owned(),
            values.iter().map(|value| (*value).to_owned()).collect(),
        )
    }

    #[test]
    fn all_spellings_of_a_filter_are_one() {
        let two = [raw_filter("country", "inq", &["FR", "BE"])];
        assert_eq!(
            filters(&[("filters[country][inq][]", "FR"), ("filters[country][inq][]", "BE")]),
            two
        );
        assert_eq!(
            filters(&[("filters[country][inq][0]", "FR"), ("filters[country][inq][1]", "BE")]),
            two
        );
        assert_eq!(
            filters(&[("filters[country][]", "FR"), ("filters[country]", "BE")]),
            two
        );
        assert_eq!(filters(&[("filter", r#"{"country":["FR","BE"]}"#)]), two);
        assert_eq!(filters(&[("filter", r#"{"country":{"inq":["FR","BE"]}}"#)]), two);
        assert_eq!(
            filters(&[("filter", r#"{"country":{"type":"inq","value":["FR","BE"]}}"#)]),
            two
        );
    }

    #[test]
    fn both_spellings_of_a_range_are_one() {
        let range = [raw_filter("position", "between", &["2", "5"])];
        assert_eq!(
            filters(&[
                ("filters[position][between][start]", "2"),
                ("filters[position][between][end]", "5")
            ]),
            range
        );
        assert_eq!(
            filters(&[("filters[position][start]", "2"), ("filters[position][end]", "5")]),
            range
        );
        assert_eq!(filters(&[("filter", r#"{"position":{"start":2,"end":5}}"#)]), range);
    }

    #[test]
    fn plain_names_ask_for_equality_and_some_names_are_no_filters() {
        let five = [raw_filter("brandID", "inq", &["5"])];
        for (name, value) in [
            ("brandID", "5"),
            ("brandID[]", "5"),
            ("filter[brandID]", "5"),
            ("filters[brandID]", "5"),
            ("filter", r#"{"brandID":5}"#),
        ] {
            assert_eq!(filters(&[(name, value)]), five, "{name}");
        }
        assert_eq!(
            filters(&[("date[start]", "2026-01-01"), ("date[end]", "2026-01-31")]),
            [raw_filter("date", "between", &["2026-01-01", "2026-01-31"])]
        );
        for name in IGNORED_NAMES
            .into_iter()
            .chain(["page", "perPage", "page[size]", "sort[by]", "timeZone"])
        {
            assert_eq!(filters(&[(name, "1")]), [], "{name}");
        }
        assert_eq!(filters(&[("colour", "red")]), [raw_filter("colour", "inq", &["red"])]);
    }

    #[test]
    fn a_page_of_size_zero_is_every_row() {
        assert_eq!(
            ListQuery::read(&pairs(&[("page.size", "0")]), &[]).unwrap().page,
            Page::All
        );
        let second = ListQuery::read(&pairs(&[("page[number]", "2")]), &[]).unwrap();
        assert_eq!(
            second.page,
            Page::Of {
                number: 2,
                size: PAGE_SIZE
            }
        );
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for (key, value) in [
            ("page[size]", "many"),
            ("page[size]", "10001"),
            ("page[number]", "0"),
            ("sort[direction]", "up"),
            ("filter", "{"),
            ("filter", "[]"),
            ("filters[country][like]", "FR"),
            ("filters[country][inq", "FR"),
            ("filters[date][between][middle]", "x"),
            ("filters[date][start][deep]", "x"),
            ("page[rows]", "5"),
        ] {
            let Err(ApiError::BadRequest(text)) = ListQuery::read(&pairs(&[(key, value)]), &[]) else {
                panic!("{key}={value} was read");
            };
            let named = text.split_once(':').map_or("", |(named, _)| named);
            assert!(named.starts_with("filter") || named == key, "{text}");
            assert!(key.starts_with(named), "{text}");
        }
    }
}
