//! A sem, as entered by hand and as it is read.

use chrono::DateTime;
use clickhouse::Row;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use vocabulary::resources::models::SEM;
use vocabulary::resources::{Fields, Value};

use crate::ingest::{AdRow, MOST_ROWS};

/// A sem of either kind.
#[derive(Clone, Debug, Row, Deserialize)]
pub(super) struct SemRow {
    pub id: u64,
    pub by_hand: u8,
    pub brand_id: u32,
    pub term: Option<String>,
    pub date: Option<i64>,
    pub brand: Option<String>,
    pub title: Option<String>,
    pub description: Option<String>,
    pub display_url: Option<String>,
    pub target_url: Option<String>,
    pub position: Option<f64>,
    pub real_position: Option<f64>,
    pub domain: Option<String>,
    pub country: Option<String>,
    pub language: Option<String>,
    pub region: Option<String>,
    pub engine: Option<String>,
    pub r#type: Option<String>,
    pub device: Option<String>,
    pub term_id: Option<i64>,
    pub dealer_id: Option<i64>,
}

impl SemRow {
    /// A sem entered by hand under this id and for no brand (0), whose other fields are all null.
    pub(super) const fn empty(id: u64) -> Self {
        Self {
            id,
            by_hand: 1,
            brand_id: 0,
            term: None,
            date: None,
            brand: None,
            title: None,
            description: None,
            display_url: None,
            target_url: None,
            position: None,
            real_position: None,
            domain: None,
            country: None,
            language: None,
            region: None,
            engine: None,
            r#type: None,
            device: None,
            term_id: None,
            dealer_id: None,
        }
    }

    /// The id of the row that a field refers to: for `termId` and `dealerId` of the term or dealer (`None` without one), for every other field of the
    /// sem itself.
    pub(super) fn key(&self, field: &str) -> Option<String> {
        match field {
            "termId" => self.term_id.map(|id| id.to_string()),
            "dealerId" => self.dealer_id.map(|id| id.to_string()),
            _ => Some(self.id.to_string()),
        }
    }

    /// The brand of a captured sem; `None` if it has none, or was entered by hand.
    pub(super) fn brand_of_captured(&self) -> Option<i32> {
        i32::try_from(self.brand_id)
            .ok()
            .filter(|id| self.by_hand == 0 && *id > 0)
    }

    /// The sem as clients get it, with these fields only.
    pub(super) fn json(&self, fields: &Fields) -> Json {
        let shown = SEM.fields.iter().filter(|field| fields.contain(field.name));
        let pairs = shown.map(|field| (field.name.to_owned(), self.value(field.column).to_json()));
        Json::Object(pairs.collect::<Map<_, _>>())
    }

    /// The value of a column, the date as an instant; null if the sem has none, and for an unknown column.
    pub(super) fn value(&self, column: &str) -> Value {
        let text = |text: &Option<String>| text.clone().map_or(Value::Null, Value::Text);
        let number = |number: Option<f64>| number.map_or(Value::Null, Value::Number);
        let whole = |number: Option<i64>| number.map_or(Value::Null, Value::Whole);
        match column {
            "id" => Value::Whole(i64::try_from(self.id).unwrap_or(i64::MAX)),
            "term" => text(&self.term),
            "date" => self
                .date
                .and_then(DateTime::from_timestamp_millis)
                .map_or(Value::Null, Value::Date),
            "brand" => text(&self.brand),
            "title" => text(&self.title),
            "description" => text(&self.description),
            "display_url" => text(&self.display_url),
            "target_url" => text(&self.target_url),
            "position" => number(self.position),
            "real_position" => number(self.real_position),
            "domain" => text(&self.domain),
            "country" => text(&self.country),
            "language" => text(&self.language),
            "region" => text(&self.region),
            "engine" => text(&self.engine),
            "type" => text(&self.r#type),
            "device" => text(&self.device),
            "term_id" => whole(self.term_id),
            "dealer_id" => whole(self.dealer_id),
            _ => Value::Null,
        }
    }

    /// Sets a column; a value of the wrong type makes it null. A term also sets the id of the brand, from `brands` (0 if the term is not in it). Id
    /// and unknown columns cannot be set: they change nothing.
    pub(super) fn set(&mut self, column: &str, value: &Value, brands: &super::Brands) {
        let text = || match value {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        };
        #[expect(clippy::cast_precision_loss, reason = "positions are small")]
        let number = || match value {
            Value::Number(number) => Some(*number),
            Value::Whole(number) => Some(*number as f64),
            _ => None,
        };
        let whole = || match value {
            Value::Whole(number) => Some(*number),
            _ => None,
        };
        match column {
            "term" => self.term = text(),
            "date" => {
                self.date = match value {
                    Value::Date(date) => Some(date.timestamp_millis()),
                    _ => None,
                }
            }
            "brand" => self.brand = text(),
            "title" => self.title = text(),
            "description" => self.description = text(),
            "display_url" => self.display_url = text(),
            "target_url" => self.target_url = text(),
            "position" => self.position = number(),
            "real_position" => self.real_position = number(),
            "domain" => self.domain = text(),
            "country" => self.country = text(),
            "language" => self.language = text(),
            "region" => self.region = text(),
            "engine" => self.engine = text(),
            "type" => self.r#type = text(),
            "device" => self.device = text(),
            "term_id" => {
                self.term_id = whole();
                let brand = self
                    .term_id
                    .and_then(|term| brands.get(&term))
                    .copied()
                    .unwrap_or_default();
                self.brand_id = u32::try_from(brand).unwrap_or_default();
            }
            "dealer_id" => self.dealer_id = whole(),
            _ => {}
        }
    }
}

impl From<&AdRow> for SemRow {
    /// A captured ad as a sem, with the values that `sems.sql` computes for it: empty texts and ids of 0 become null, the brand is its id as text.
    /// The dealer is null: that of a captured ad follows from its domain.
    fn from(ad: &AdRow) -> Self {
        let text = |text: &String| Some(text).filter(|text| !text.is_empty()).cloned();
        Self {
            id: ad.batch * MOST_ROWS as u64 + u64::from(ad.row),
            by_hand: 0,
            brand_id: ad.brand_id,
            term: text(&ad.keyword),
            date: Some(i64::from(ad.seen_at) * 1_000),
            brand: (ad.brand_id != 0).then(|| ad.brand_id.to_string()),
            title: text(&ad.title),
            description: text(&ad.description),
            display_url: text(&ad.display_url),
            target_url: text(&ad.target_url),
            position: Some(ad.position.into()),
            real_position: Some(ad.real_position.into()),
            domain: text(&ad.domain),
            country: text(&ad.country),
            language: text(&ad.language),
            region: text(&ad.region),
            engine: text(&ad.engine),
            r#type: text(&ad.kind),
            device: text(&ad.device),
            term_id: (ad.term_id != 0).then(|| ad.term_id.into()),
            dealer_id: None,
        }
    }
}

/// A version of a sem entered by hand.
#[derive(Clone, Debug, Row, Serialize)]
pub(super) struct ManualRow {
    id: u64,
    version: u64,
    removed: bool,
    brand_id: u32,
    term: Option<String>,
    date: Option<i64>,
    brand: Option<String>,
    title: Option<String>,
    description: Option<String>,
    display_url: Option<String>,
    target_url: Option<String>,
    position: Option<f64>,
    real_position: Option<f64>,
    domain: Option<String>,
    country: Option<String>,
    language: Option<String>,
    region: Option<String>,
    engine: Option<String>,
    r#type: Option<String>,
    device: Option<String>,
    term_id: Option<i64>,
    dealer_id: Option<i64>,
}

impl ManualRow {
    /// Makes the row to store for a sem, as version `version` and not marked as removed; all fields are copied.
    pub(super) fn from_sem(row: SemRow, version: u64) -> Self {
        Self {
            id: row.id,
            version,
            removed: false,
            brand_id: row.brand_id,
            term: row.term,
            date: row.date,
            brand: row.brand,
            title: row.title,
            description: row.description,
            display_url: row.display_url,
            target_url: row.target_url,
            position: row.position,
            real_position: row.real_position,
            domain: row.domain,
            country: row.country,
            language: row.language,
            region: row.region,
            engine: row.engine,
            r#type: row.r#type,
            device: row.device,
            term_id: row.term_id,
            dealer_id: row.dealer_id,
        }
    }

    /// The same version, marked as removed: it deletes the sem.
    pub(super) fn removed(self) -> Self {
        Self { removed: true, ..self }
    }
}
