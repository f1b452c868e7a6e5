//! Rows as they are answered: the text that the store wrote is handed on, and not taken apart and put together again.

use std::borrow::Cow;
use std::fmt;

use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde_json::Value as Json;

const JSON: [(axum::http::HeaderName, &str); 1] = [(CONTENT_TYPE, "application/json")];

/// A JSON object, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row(String);

impl Row {
    /// The text of an object.
    pub(super) const fn new(text: String) -> Self {
        Self(text)
    }

    /// The value of a field.
    pub(super) fn get(&self, name: &str) -> Option<Json> {
        let mut reader = serde_json::Deserializer::from_str(&self.0);
        reader.deserialize_map(Only(name)).ok().flatten()
    }

    /// Adds a field that the row does not have yet, with the text of its value.
    pub(crate) fn put(&mut self, name: &str, value: &str) {
        let last = self.0.trim_end().len().saturating_sub(1);
        self.0.truncate(last);
        let separator = if self.0.trim() == "{" { "" } else { "," };
        self.0.extend([separator, "\"", name, "\":", value, "}"]);
    }

    /// The whole of it.
    pub(crate) fn json(&self) -> Json {
        serde_json::from_str(&self.0).unwrap_or_default()
    }

    /// The text of a list of rows.
    pub(super) fn list<'a>(rows: impl IntoIterator<Item = &'a Self>) -> String {
        let mut text = "[".to_owned();
        for (place, row) in rows.into_iter().enumerate() {
            if place > 0 {
                text.push(',');
            }
            text.push_str(&row.0);
        }
        text.push(']');
        text
    }

    /// Answers a list of rows.
    pub(super) fn answer(rows: &[Self]) -> Response {
        (JSON, Self::list(rows)).into_response()
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl IntoResponse for Row {
    fn into_response(self) -> Response {
        (JSON, self.0).into_response()
    }
}

/// Reads the one field of an object.
struct Only<'a>(&'a str);

impl<'de> Visitor<'de> for Only<'_> {
    type Value = Option<Json>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

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

    #[test]
    fn a_row_tells_its_fields_and_takes_more() {
        let mut row = Row::new(r#"{"id" : 7, "words" : "a \"b\" }", "none" : null}"#.to_owned());
        assert_eq!(row.get("id"), Some(json!(7)));
        assert_eq!(row.get("none"), Some(Json::Null));
        assert_eq!(row.get("brand"), None);
        row.put("brand", r#"{"id" : 1}"#);
        row.put("tags", "[]");
        let whole = json!({ "id": 7, "words": "a \"b\" }", "none": null, "brand": { "id": 1 }, "tags": [] });
        assert_eq!(row.json(), whole);
        assert_eq!(row.get("brand"), Some(json!({ "id": 1 })));
        assert_eq!(
            serde_json::from_str::<Json>(&Row::list([&row, &row])).unwrap(),
            json!([whole, whole])
        );
    }

    #[test]
    fn a_row_without_fields_takes_some() {
        let mut row = Row::new("{}".to_owned());
        row.put("id", "1");
        assert_eq!(row.json(), json!({ "id": 1 }));
        assert_eq!(Row::list([]), "[]");
    }
}
