//! The query of a list as it stands in an address: `page[size]`, `sort[by]`, `filters[name][operator]`, or one `filter` of JSON.

use std::str::FromStr;

use analytics::filter::Operator;
use analytics::reports::page::{Direction, MOST_ROWS, Page};
use serde_json::Value;

use crate::failure::Failure;

/// Rows a page without `page[size]`.
const PAGE_SIZE: u32 = 30;

/// A list query, with the filters as they were asked for.
#[derive(Debug, PartialEq)]
pub(crate) struct ListQuery {
    pub(crate) page: Page,
    /// Name of the column to order by.
    pub(crate) sort: Option<String>,
    pub(crate) direction: Direction,
    pub(crate) filters: Vec<Asked>,
}

/// One filter, not yet read.
#[derive(Debug, PartialEq)]
pub(crate) struct Asked {
    pub(crate) name: String,
    pub(crate) operator: Operator,
    pub(crate) values: Vec<String>,
}

impl ListQuery {
    /// Reads the pairs of a query. Keys that are not of a list are left to others.
    pub(crate) fn read(pairs: &[(String, String)]) -> Result<Self, Failure> {
        let mut size = PAGE_SIZE;
        let mut number = 1;
        let mut query = Self {
            page: Page::All,
            sort: None,
            direction: Direction::Desc,
            filters: Vec::new(),
        };
        for (key, value) in pairs {
            match key.as_str() {
                "page[size]" | "page.size" | "perPage" => {
                    size = read(key, value, "a number of rows from 0 (all) to 10000")?;
                }
                "page[number]" | "page.number" => number = read(key, value, "a number from 1")?,
                "sort[by]" | "sort.by" => query.sort = Some(value.clone()),
                "sort[direction]" | "sort.direction" => query.direction = read(key, value, "ASC or DESC")?,
                "filter" => query.read_json(value)?,
                _ => {
                    if let Some(path) = key.strip_prefix("filters[") {
                        query.read_pair(path, value).ok_or_else(|| unreadable(key))?;
                    }
                }
            }
        }
        if size > MOST_ROWS {
            return Err(wrong(
                "page[size]",
                &size.to_string(),
                "a number of rows from 0 (all) to 10000",
            ));
        }
        if number == 0 {
            return Err(wrong("page[number]", "0", "a number from 1"));
        }
        if size > 0 {
            query.page = Page::Of { number, size };
        }
        Ok(query)
    }

    /// `path` is what follows `filters[`: `name]`, `name][operator]`, `name][operator][]`, `name][between][start]`, `name][start]`.
    fn read_pair(&mut self, path: &str, value: &str) -> Option<()> {
        let parts: Vec<&str> = path.strip_suffix(']')?.split("][").collect();
        let end = |part: &str| match part {
            "start" => Some(0),
            "end" => Some(1),
            _ => None,
        };
        match parts[..] {
            [name] | [name, ""] => self.add(name, Operator::Inq, value),
            [name, part] => match end(part) {
                Some(index) => self.add_end(name, index, value),
                None => self.add(name, part.parse().ok()?, value),
            },
            [name, "between", part] => self.add_end(name, end(part)?, value),
            [name, operator, index] if index.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.add(name, operator.parse().ok()?, value);
            }
            _ => return None,
        }
        Some(())
    }

    fn add(&mut self, name: &str, operator: Operator, value: &str) {
        let values = self.values(name, operator);
        values.push(value.to_owned());
    }

    fn add_end(&mut self, name: &str, index: usize, value: &str) {
        let values = self.values(name, Operator::Between);
        values.resize(2, String::new());
        value.clone_into(&mut values[index]);
    }

    fn values(&mut self, name: &str, operator: Operator) -> &mut Vec<String> {
        let known = self
            .filters
            .iter()
            .position(|asked| asked.name == name && asked.operator == operator);
        let index = known.unwrap_or_else(|| {
            self.filters.push(Asked {
                name: name.to_owned(),
                operator,
                values: Vec::new(),
            });
            self.filters.len() - 1
        });
        &mut self.filters[index].values
    }

    /// `{"name": value}`, in which a value is a scalar, a list, `{"start","end"}`, `{"operator": …}` or `{"type","value"}`.
    fn read_json(&mut self, text: &str) -> Result<(), Failure> {
        let wrong = || wrong("filter", text, "a JSON object of filters by name");
        let Ok(Value::Object(filters)) = serde_json::from_str(text) else {
            return Err(wrong());
        };
        for (name, value) in &filters {
            self.read_value(name, value)
                .ok_or_else(|| unreadable(&format!("filter.{name}")))?;
        }
        Ok(())
    }

    fn read_value(&mut self, name: &str, value: &Value) -> Option<()> {
        let Value::Object(object) = value else {
            return self.read_values(name, Operator::Inq, value);
        };
        if let (Some(Value::String(operator)), Some(value)) = (object.get("type"), object.get("value")) {
            return self.read_values(name, operator.parse().ok()?, value);
        }
        if object.contains_key("start") || object.contains_key("end") {
            return self.read_values(name, Operator::Between, value);
        }
        for (operator, value) in object {
            self.read_values(name, operator.parse().ok()?, value)?;
        }
        Some(())
    }

    fn read_values(&mut self, name: &str, operator: Operator, value: &Value) -> Option<()> {
        match value {
            Value::Array(list) => {
                // An empty list is a filter too: nothing is one of no values.
                self.values(name, operator);
                for value in list {
                    self.add(name, operator, &scalar(value)?);
                }
            }
            Value::Object(ends) if operator == Operator::Between => {
                for (index, end) in ["start", "end"].into_iter().enumerate() {
                    let text = ends.get(end).map_or(Some(String::new()), scalar)?;
                    self.add_end(name, index, &text);
                }
            }
            value => self.add(name, operator, &scalar(value)?),
        }
        Some(())
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null => Some(String::new()),
        _ => None,
    }
}

fn read<T: FromStr>(key: &str, value: &str, takes: &str) -> Result<T, Failure> {
    value.parse().map_err(|_| wrong(key, value, takes))
}

fn wrong(key: &str, value: &str, takes: &str) -> Failure {
    const SHOWN: usize = 60;
    let value: String = value.chars().take(SHOWN).collect();
    Failure::BadRequest(format!("{key}: '{value}' is not {takes}"))
}

fn unreadable(key: &str) -> Failure {
    Failure::BadRequest(format!(
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
        let query = ListQuery::read(&pairs(given)).unwrap();
        query
            .filters
            .into_iter()
            .map(|asked| (asked.name, asked.operator.to_string(), asked.values))
            .collect()
    }

    fn asked(name: &str, operator: &str, values: &[&str]) -> (String, String, Vec<String>) {
        (
            name.to_owned(),
            operator.to_owned(),
            values.iter().map(|value| (*value).to_owned()).collect(),
        )
    }

    #[test]
    fn all_spellings_of_a_filter_are_one() {
        let two = [asked("country", "inq", &["FR", "BE"])];
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
        let range = [asked("position", "between", &["2", "5"])];
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
    fn a_page_of_size_zero_is_every_row() {
        assert_eq!(ListQuery::read(&pairs(&[("page.size", "0")])).unwrap().page, Page::All);
        let second = ListQuery::read(&pairs(&[("page[number]", "2")])).unwrap();
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
        ] {
            let Err(Failure::BadRequest(text)) = ListQuery::read(&pairs(&[(key, value)])) else {
                panic!("{key}={value} was read");
            };
            assert!(text.starts_with(key), "{text}");
        }
    }
}
