//! Rows as answered: the JSON text that the store wrote is passed on unparsed. A row that several others include is kept once, and written as often
//! as they include it.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::sync::Arc;

use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde_json::Value as Json;

use crate::failure::ApiError;

const JSON: [(axum::http::HeaderName, &str); 1] = [(CONTENT_TYPE, "application/json")];
/// How long an answer may be. Rows that include each other through many levels would be any length.
pub(super) const MOST_BYTES: usize = 32 << 20;

/// A JSON object, as text, with the rows that it includes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    text: String,
    related: Vec<(&'static str, Related)>,
    /// Bytes of the whole, when it is written.
    size: usize,
}

/// What a row includes under one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Related {
    One(Arc<Row>),
    Many(Vec<Arc<Row>>),
}

impl Related {
    /// Bytes of the rows when written, with the brackets and commas of a list; for a list up to one byte too many.
    fn size(&self) -> usize {
        match self {
            Self::One(row) => row.size,
            Self::Many(rows) => rows
                .iter()
                .fold(2, |size: usize, row| size.saturating_add(row.size).saturating_add(1)),
        }
    }
}

impl Row {
    /// A row whose own fields are the text of a JSON object, without any included rows; the text is not checked.
    pub(super) const fn new(text: String) -> Self {
        let size = text.len();
        Self {
            text,
            related: Vec::new(),
            size,
        }
    }

    /// The value of one of the row's own fields; `None` when the row does not have it, or its text is no JSON object. Parses the text each time.
    pub(super) fn get(&self, name: &str) -> Option<Json> {
        let mut reader = serde_json::Deserializer::from_str(&self.text);
        reader.deserialize_map(SingleField(name)).ok().flatten()
    }

    /// The row's own fields as the text of a JSON object, without included rows.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Adds a field that the row does not have yet, with the text of its value.
    pub(crate) fn put(&mut self, name: &str, value: &str) {
        self.text.truncate(opened(&self.text).len());
        let separator = separator(&self.text);
        self.text.extend([separator, "\"", name, "\":", value, "}"]);
        self.size = self.size.saturating_add(name.len() + value.len() + 4);
    }

    /// Adds what the row includes under a name that it does not have yet.
    pub(super) fn include(&mut self, name: &'static str, related: Related) {
        self.size = self.size.saturating_add(name.len() + 4).saturating_add(related.size());
        self.related.push((name, related));
    }

    /// The row with its included rows, parsed; null if its text is no JSON.
    pub(crate) fn json(&self) -> Json {
        serde_json::from_str(&self.to_string()).unwrap_or_default()
    }

    /// The bytes that a list of these rows takes when written, or a few more; included rows count wherever they appear. A `BadRequest` over
    /// [`MOST_BYTES`].
    pub(super) fn checked_size(rows: &[Self]) -> Result<usize, ApiError> {
        let size = rows
            .iter()
            .fold(2, |size: usize, row| size.saturating_add(row.size + 1));
        if size > MOST_BYTES {
            return Err(ApiError::BadRequest(format!(
                "This answer would be over {} MiB. Ask for fewer rows, fields or included relations.",
                MOST_BYTES >> 20
            )));
        }
        Ok(size)
    }

    /// A response with the rows as a JSON list, in their order; a `BadRequest` over [`MOST_BYTES`].
    pub(super) fn answer(rows: &[Self]) -> Result<Response, ApiError> {
        let mut text = String::with_capacity(Self::checked_size(rows)?);
        text.push('[');
        for (index, row) in rows.iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            write!(text, "{row}").map_err(ApiError::internal)?;
        }
        text.push(']');
        Ok((JSON, text).into_response())
    }
}

/// The text of an object without its closing brace.
fn opened(text: &str) -> &str {
    let text = text.trim_end();
    text.strip_suffix('}').unwrap_or(text)
}

/// The separator between an opened object and its next field.
fn separator(opened: &str) -> &'static str {
    if opened.trim() == "{" { "" } else { "," }
}

impl fmt::Display for Row {
    /// Writes the row as one JSON object: its own fields, then what it includes, an object for [`Related::One`] and a list for [`Related::Many`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.related.is_empty() {
            return f.write_str(&self.text);
        }
        let own = opened(&self.text);
        f.write_str(own)?;
        for (index, (name, related)) in self.related.iter().enumerate() {
            let separator = if index > 0 { "," } else { separator(own) };
            write!(f, "{separator}\"{name}\":")?;
            match related {
                Related::One(row) => write!(f, "{row}")?,
                Related::Many(rows) => {
                    f.write_char('[')?;
                    for (index, row) in rows.iter().enumerate() {
                        write!(f, "{}{row}", if index > 0 { "," } else { "" })?;
                    }
                    f.write_char(']')?;
                }
            }
        }
        f.write_char('}')
    }
}

impl IntoResponse for Row {
    fn into_response(self) -> Response {
        (JSON, self.to_string()).into_response()
    }
}

/// Reads the field of this name from an object.
struct SingleField<'a>(&'a str);

impl<'de> Visitor<'de> for SingleField<'_> {
    type Value = Option<Json>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    /// Returns the value of the field, the last one where the name is repeated; `None` when the object does not have it. Reads the object to its end.
    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(name) = fields.next_key::<Cow<'_, str>>()? {
            if name == self.0 {
                found = Some(fields.next_value()?);
            } else {
                fields.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row(text: &str) -> Row {
        Row::new(text.to_owned())
    }

    #[test]
    fn a_row_tells_its_fields_and_takes_more() {
        let mut known = row(r#"{"id" : 7, "words" : "a \"b\" }", "none" : null}"#);
        assert_eq!(known.get("id"), Some(json!(7)));
        assert_eq!(known.get("none"), Some(Json::Null));
        assert_eq!(known.get("brand"), None);
        known.put("language", "\"en\"");
        known.include("brand", Related::One(Arc::new(row(r#"{"id" : 1}"#))));
        known.include("tags", Related::Many(Vec::new()));
        let whole =
            json!({ "id": 7, "words": "a \"b\" }", "none": null, "language": "en", "brand": { "id": 1 }, "tags": [] });
        assert_eq!(known.json(), whole);
        assert!(known.size >= known.to_string().len());
    }

    #[test]
    fn a_row_without_fields_takes_some() {
        let mut empty = row("{}");
        empty.put("id", "1");
        assert_eq!(empty.json(), json!({ "id": 1 }));
        let mut parent = row("{}");
        let child = Arc::new(empty);
        parent.include("both", Related::Many(vec![Arc::clone(&child), child]));
        assert_eq!(parent.json(), json!({ "both": [{ "id": 1 }, { "id": 1 }] }));
    }

    /// Each level names the one below ten times: written out it is ten times as long, kept it is one row.
    #[test]
    fn rows_that_include_each_other_through_many_levels_are_told_before_they_are_written() {
        let mut level = row(r#"{"id":1}"#);
        for _ in 0..12 {
            let below = Arc::new(level);
            level = row(r#"{"id":1}"#);
            level.include("related", Related::Many(vec![below; 10]));
        }
        let refused = Row::checked_size(std::slice::from_ref(&level));
        assert!(matches!(refused, Err(ApiError::BadRequest(_))), "{refused:?}");
    }
}
