//! `GET …/export`: the rows of a model as a file, with the related rows that their lists show.

use std::collections::HashMap;
use std::sync::Arc;

use axum::response::Response;
use futures::{StreamExt, TryStreamExt, stream};
use postgres::localizations;
use postgres::resources::ReachedFrom;
use serde_json::Value as Json;
use texts::text as text_in;
use vocabulary::resources::models::{BRAND, CATEGORY, COMPANY_ACCOUNT, DEALER, TERM, USER_ACCOUNT};
use vocabulary::resources::{Filter, Model};
use vocabulary::{Language, LocalizationId};

use super::call::Call;
use super::row::Row;
use super::store::ReadConnection;
use super::{arguments, read};
use crate::failure::ApiError;
use crate::list_file::{self, Cell};

/// How the rows of a model become a file.
struct File {
    model: &'static Model,
    name: &'static str,
    include: &'static [&'static str],
    /// Keys of the titles of columns.
    titles: &'static [&'static str],
    /// Those of them that administrators alone see, as on the screen.
    of_administrators: &'static [&'static str],
    cells: fn(&Json, &Wording) -> Vec<Cell>,
}

/// What rows are called in a file.
struct Wording {
    language: Language,
    /// The names of places, for files that name them.
    places: HashMap<LocalizationId, String>,
}

impl File {
    /// The keys of the titles that a reader sees, in their order.
    fn titles_for(&self, administers: bool) -> Vec<&'static str> {
        let shown = self.titles.iter().filter(|title| self.shows(administers, title));
        shown.copied().collect()
    }

    /// The cells of a row under those titles.
    fn cells_for(&self, administers: bool, row: &Json, wording: &Wording) -> Vec<Cell> {
        let cells = self.titles.iter().zip((self.cells)(row, wording));
        let shown = cells.filter(|(title, _)| self.shows(administers, title));
        shown.map(|(_, cell)| cell).collect()
    }

    fn shows(&self, administers: bool, title: &str) -> bool {
        administers || !self.of_administrators.contains(&title)
    }
}

static FILES: [File; 6] = [
    File {
        model: &DEALER,
        name: "dealers",
        include: &["categories"],
        titles: &[
            "monitoring:column.domain",
            "monitoring:column.tags",
            "files:column.note",
            "files:column.date",
            "files:column.updated",
            "files:column.processed",
        ],
        of_administrators: &[],
        cells: dealer,
    },
    File {
        model: &USER_ACCOUNT,
        name: "users",
        include: &["companyAccount"],
        titles: &[
            "users:column.email",
            "users:column.firstName",
            "users:column.lastName",
            "users:column.company",
        ],
        of_administrators: &[],
        cells: user,
    },
    File {
        model: &COMPANY_ACCOUNT,
        name: "company-accounts",
        include: &["brands"],
        titles: &[
            "companies:column.name",
            "companies:column.brands",
            "companies:column.totalViews",
        ],
        of_administrators: &[],
        cells: company,
    },
    File {
        model: &CATEGORY,
        name: "tags",
        include: &["parent", "owner"],
        titles: &[
            "tags:column.scope",
            "tags:column.label",
            "tags:column.parent",
            "tags:column.brand",
            "tags:column.visibility",
            "tags:column.totalViews",
        ],
        of_administrators: &[],
        cells: tag,
    },
    File {
        model: &TERM,
        name: "setting-terms",
        include: &["brand", "localization", "categories", "canBeAccessBy"],
        titles: &[
            "settingTerms:column.id",
            "settingTerms:column.term",
            "settingTerms:column.locale",
            "settingTerms:column.localization",
            "settingTerms:column.region",
            "settingTerms:column.engine",
            "settingTerms:column.devices",
            "settingTerms:column.brand",
            "settingTerms:column.keywordType",
            "settingTerms:column.tags",
            "settingTerms:column.hours",
            "settingTerms:column.state",
            "settingTerms:column.companies",
        ],
        of_administrators: &[
            "settingTerms:column.id",
            "settingTerms:column.locale",
            "settingTerms:column.localization",
            "settingTerms:column.region",
            "settingTerms:column.devices",
            "settingTerms:column.companies",
        ],
        cells: term,
    },
    File {
        model: &BRAND,
        name: "brands",
        include: &["companyAccounts"],
        titles: &[
            "brands:column.label",
            "brands:column.name",
            "brands:column.autoMatch",
            "brands:column.exclusion",
            "brands:column.companyAccount",
            "brands:flag.validated",
            "brands:flag.createNotification",
            "brands:flag.createShoppingNotification",
            "brands:flag.notificationAuto",
            "brands:flag.autoReminder",
            "brands:column.reminderFrequency",
            "brands:column.quota",
        ],
        of_administrators: &[
            "brands:column.autoMatch",
            "brands:column.exclusion",
            "brands:column.companyAccount",
            "brands:flag.validated",
            "brands:flag.createNotification",
            "brands:flag.createShoppingNotification",
            "brands:flag.notificationAuto",
            "brands:flag.autoReminder",
            "brands:column.reminderFrequency",
            "brands:column.quota",
        ],
        cells: brand,
    },
];

/// Frequencies are stored in milliseconds.
const HOUR_MS: f64 = 3_600_000.0;

/// Rows asked for at a time: what a download holds in memory.
const AT_ONCE: u64 = 1_000;

/// Whether the rows of a model are to be had as a file.
pub(super) fn is_offered(model: &Model) -> bool {
    FILES.iter().any(|file| file.model.name == model.name)
}

/// Answers `GET /X/export`: the rows that `filter` asks for, in its order, as a file; all of them unless it has a limit. The `include` of `filter` is
/// ignored: the file's own is used. `NotFound` for a model without a file.
pub(super) async fn rows(call: Call, model: &'static Model) -> Result<Response, ApiError> {
    let file = FILES
        .iter()
        .find(|file| file.model.name == model.name)
        .ok_or_else(|| ApiError::NotFound(model.name.to_owned()))?;
    let given = arguments::object(&call.pairs, "filter")?;
    let mut filter = Filter::parse(model, &given)?;
    filter.include = Filter::parse(model, &serde_json::json!({ "include": file.include }))?.include;
    let most = if asks_for_some(&given) { filter.limit } else { u64::MAX };
    let places = if file.include.contains(&"localization") {
        localizations::names(&localizations::in_order(&call.state.postgres).await?)
    } else {
        HashMap::new()
    };
    let wording = Arc::new(Wording {
        language: list_file::language(&call.pairs),
        places,
    });
    let administers = call.caller.scope.administers();
    let (state, call) = (call.state.clone(), Arc::new(call));
    let rows = pages(Arc::clone(&call), model, filter, most)
        .map_ok(move |rows| {
            let wording = Arc::clone(&wording);
            stream::iter(rows).map(move |row| Ok(file.cells_for(administers, &row, &wording)))
        })
        .try_flatten();
    let titles = list_file::titles(&call.pairs, &file.titles_for(administers));
    list_file::download(&state, &call.pairs, file.name, titles, rows, stream::empty()).await
}

/// Whether a filter as JSON has a limit.
pub(super) fn asks_for_some(filter: &Json) -> bool {
    filter.get("limit").is_some_and(|limit| !limit.is_null())
}

/// The rows of a filter from its `skip` on, `most` of them at most, in lists of up to [`AT_ONCE`] rows; each list is read when the stream gets there.
/// The filter's own limit is ignored.
pub(super) fn pages(
    call: Arc<Call>,
    model: &'static Model,
    filter: Filter,
    most: u64,
) -> impl stream::Stream<Item = Result<Vec<Json>, ApiError>> {
    let start = filter.skip;
    stream::try_unfold((start, most), move |(skip, left)| {
        let (call, filter) = (Arc::clone(&call), filter.clone());
        async move {
            if left == 0 {
                return Ok(None);
            }
            let limit = left.min(AT_ONCE);
            let filter = Filter { limit, skip, ..filter };
            let rows = read::list(&mut ReadConnection::new(&call), model, ReachedFrom::Anywhere, filter).await?;
            let rows: Vec<Json> = rows.iter().map(Row::json).collect();
            let found = u64::try_from(rows.len()).unwrap_or(AT_ONCE);
            let left = if found < limit { 0 } else { left - found };
            Ok((found > 0).then_some((rows, (skip + found, left))))
        }
    })
}

/// The cells of an advertiser, in the order of the titles: domain, tags, note, dates, and whether it is processed; empty for what it lacks.
fn dealer(row: &Json, _: &Wording) -> Vec<Cell> {
    let processed = row.get("processed").and_then(Json::as_bool);
    vec![
        Cell::Text(text(row, "domain")),
        Cell::Text(labels(row, "categories")),
        Cell::Text(text(row, "note")),
        Cell::Time(text(row, "date")),
        Cell::Time(text(row, "updated")),
        Cell::Text(processed.map(|flag| flag.to_string()).unwrap_or_default()),
    ]
}

/// The cells of a user account, in the order of the titles: e-mail, names and the label of its company account; empty for what it lacks.
fn user(row: &Json, _: &Wording) -> Vec<Cell> {
    vec![
        Cell::Text(text(row, "email")),
        Cell::Text(text(row, "firstName")),
        Cell::Text(text(row, "lastName")),
        Cell::Text(row.get("companyAccount").map(label).unwrap_or_default()),
    ]
}

/// The cells of a company account, in the order of the titles: its label, the labels of its brands, its views; no views count as 0.
fn company(row: &Json, _: &Wording) -> Vec<Cell> {
    let views = row.get("totalViews").and_then(Json::as_i64);
    vec![
        Cell::Text(label(row)),
        Cell::Text(labels(row, "brands")),
        Cell::number(&views.unwrap_or_default()),
    ]
}

/// The cells of a tag, in the order of the titles; no views count as 0.
fn tag(row: &Json, wording: &Wording) -> Vec<Cell> {
    let named = |field: &str| match text(row, field).as_str() {
        "" => String::new(),
        value => text_in(wording.language, &format!("tags:{field}.{value}")).to_owned(),
    };
    let views = row.get("totalViews").and_then(Json::as_f64);
    vec![
        Cell::Text(named("scope")),
        Cell::Text(label(row)),
        Cell::Text(row.get("parent").map(label).unwrap_or_default()),
        Cell::Text(row.get("owner").map(label).unwrap_or_default()),
        Cell::Text(named("visibility")),
        Cell::number(&views.unwrap_or_default()),
    ]
}

/// The cells of a term, in the order of the titles. The hours between captures are 0 for auto and empty for none.
fn term(row: &Json, wording: &Wording) -> Vec<Cell> {
    let place = row.get("localization");
    let id = row.get("localizationId").and_then(Json::as_i64);
    let id = id.and_then(|id| i32::try_from(id).ok()).map(LocalizationId);
    let name_of_place = id.and_then(|id| wording.places.get(&id)).cloned();
    let devices: Vec<&str> = row
        .get("devices")
        .and_then(Json::as_array)
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
        .collect();
    let every = row.get("every").and_then(Json::as_f64);
    vec![
        Cell::number(&row.get("id").and_then(Json::as_i64).unwrap_or_default()),
        Cell::Text(text(row, "term")),
        Cell::Text(place.map(|place| text(place, "locale")).unwrap_or_default()),
        Cell::Text(name_of_place.unwrap_or_default()),
        Cell::Text(text(row, "region")),
        Cell::Text(text(row, "engine")),
        Cell::Text(devices.join(", ")),
        Cell::Text(row.get("brand").map(label).unwrap_or_default()),
        Cell::Text(text(row, "keywordType")),
        Cell::Text(labels(row, "categories")),
        every.map_or_else(|| Cell::Text(String::new()), |millis| Cell::number(&(millis / HOUR_MS))),
        Cell::Text(text(row, "state")),
        Cell::Text(labels(row, "canBeAccessBy")),
    ]
}

/// The cells of a brand, in the order of the titles: switches are `true` or `false`; what the reminder of the brand does not say is empty.
fn brand(row: &Json, _: &Wording) -> Vec<Cell> {
    let flag = |value: Option<&Json>| Cell::Text(value.is_some_and(|flag| flag == true).to_string());
    let reminder = |name: &str| row.get("reminder").and_then(|reminder| reminder.get(name));
    let whole = |name: &str| {
        let number = reminder(name).and_then(Json::as_i64);
        number.map_or_else(|| Cell::Text(String::new()), |number| Cell::number(&number))
    };
    vec![
        Cell::Text(label(row)),
        Cell::Text(text(row, "name")),
        Cell::Text(text(row, "autoMatchRegExp")),
        Cell::Text(text(row, "autoMatchExcludeRegExp")),
        Cell::Text(labels(row, "companyAccounts")),
        flag(row.get("validated")),
        flag(row.get("createNotification")),
        flag(row.get("createShoppingNotification")),
        flag(row.get("notificationAuto")),
        flag(reminder("autoReminder")),
        whole("frequency"),
        whole("quota"),
    ]
}

/// A field of a row as text; empty where it is absent or no text.
fn text(row: &Json, name: &str) -> String {
    row.get(name).and_then(Json::as_str).unwrap_or_default().to_owned()
}

/// The label of a row, or its name where it has no label.
fn label(row: &Json) -> String {
    let label = text(row, "label");
    if label.is_empty() { text(row, "name") } else { label }
}

/// The labels of the rows included under a relation, joined by commas; empty where there are none.
fn labels(row: &Json, relation: &str) -> String {
    row.get(relation).map(joined_labels).unwrap_or_default()
}

/// The labels of the rows of a JSON list, joined by commas; empty for anything but a list.
pub(super) fn joined_labels(rows: &Json) -> String {
    let labels: Vec<String> = rows.as_array().into_iter().flatten().map(label).collect();
    labels.join(", ")
}
