//! What a client gives, as the values of a row; and why the row is refused.

use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use postgres::resources::Assignment;
use serde_json::{Map, Value as Json, json};
use vocabulary::is_mail_address;
use vocabulary::resources::{Access, Default, Field, Kind, Model, Relation, Value, ValueError};

use super::body::Fields;
use crate::failure::{ApiError, FieldProblem};

/// What is done with the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WriteKind {
    /// It is made.
    Create,
    /// All that may change does: to what is given, to the default, or to null.
    Replace,
    /// What is given changes.
    Patch,
}

/// The writer of a row, and the time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Author {
    /// Whether fields of administrators may be given.
    pub(super) administers: bool,
    /// The time of rows that want it.
    pub(super) now: DateTime<Utc>,
}

/// The values of a row.
#[derive(Clone, Debug)]
pub(super) struct RowValues {
    /// What is stored.
    pub(super) values: Vec<Assignment>,
    /// What a create or replace answers: what was given, and defaults.
    pub(super) answer: Map<String, Json>,
    /// The rows to link it with when it is created: their ids by relation.
    pub(super) links: Vec<(&'static Relation, Vec<i64>)>,
    /// The history of an action that is given with it.
    pub(super) history: Vec<Json>,
    /// Whether the other sessions of the account end with the change.
    pub(super) ends_sessions: bool,
}

impl RowValues {
    /// Sets a field to a value, in place of any that was given, and shows it in the answer if clients may read the field.
    pub(super) fn set(&mut self, field: &'static Field, value: Value) {
        if field.is_readable() {
            self.answer.insert(field.name.to_owned(), value.to_json());
        }
        self.values.retain(|(other, _)| other.name != field.name);
        self.values.push((field, value));
    }

    /// Puts the fields that keep their value of the creation into what a replace answers, as the row has them.
    pub(super) fn keep_from_creation(&mut self, model: &Model, row: &Json) {
        let kept = model
            .fields
            .iter()
            .filter(|field| field.is_readable() && field.is_stored_on_write() && !field.is_changeable());
        for field in kept {
            if let Some(value) = row.get(field.name) {
                self.answer.insert(field.name.to_owned(), value.clone());
            }
        }
    }

    /// The row as a create or replace answers it: the values given and defaults, with the id.
    pub(super) fn answered(mut self, model: &Model, id: &Json) -> Json {
        for field in model.fields.iter().filter(|field| field.column == model.id().column) {
            self.answer.insert(field.name.to_owned(), id.clone());
        }
        Json::Object(self.answer)
    }
}

/// Whether a value is null, an empty text or nothing but white space.
fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Text(text) => text.trim().is_empty(),
        value => value.is_blank(),
    }
}

/// The error code and the message that a value is refused with, in this order; `None` for one that follows the rules of its field. With
/// `must_say_something`, null, empty and blank values are refused even if the field is not required.
fn refusal(field: &Field, must_say_something: bool, value: &Value) -> Option<(&'static str, &'static str)> {
    if (field.required && value.is_blank()) || (must_say_something && says_nothing(value)) {
        return Some(("presence", "can't be blank"));
    }
    if field.mail_address && matches!(value, Value::Text(address) if !is_mail_address(address)) {
        return Some(("custom.email", "is invalid"));
    }
    field.rule.and_then(|rule| rule(value))
}

/// Turns the fields that a client gives into the values of a row. An absent field gets its default, in a create also one that is null, or is left out
/// of a patch; unknown names, and fields that the server alone sets, are ignored silently. All broken rules, an id in a create and fields that only
/// administrators may set are collected into one `Refused` error. Passwords are only checked to be there.
pub(super) fn read(
    model: &'static Model,
    fields: &Fields,
    purpose: WriteKind,
    by: Author,
) -> Result<RowValues, ApiError> {
    let mut record = RowValues {
        values: Vec::new(),
        answer: Map::new(),
        links: Vec::new(),
        history: Vec::new(),
        ends_sessions: false,
    };
    let mut problems = Vec::new();
    if purpose == WriteKind::Create
        && let Some(id) = fields.get("id").filter(|id| !id.is_null())
    {
        problems.push(FieldProblem::new("id", "absence", "can't be set", shown(Some(id))));
    }
    for field in model.fields {
        let changes = if purpose == WriteKind::Create {
            field.is_stored_on_write()
        } else {
            field.is_changeable()
        };
        let given = fields.get(field.name);
        if field.column.is_empty() && purpose == WriteKind::Create {
            if let Some(Json::Array(entries)) = given {
                record.history.clone_from(entries);
                record.answer.insert(field.name.to_owned(), json!(entries));
            }
            continue;
        }
        if !changes {
            if purpose == WriteKind::Create && field.is_readable() && field.default != Default::Nothing {
                record
                    .answer
                    .insert(field.name.to_owned(), default(field, by.now).to_json());
            }
            continue;
        }
        if is_secret_of_account(field) {
            if purpose != WriteKind::Patch && given.is_none_or(Json::is_null) {
                problems.push(FieldProblem::new(
                    field.name,
                    "presence",
                    "can't be blank",
                    shown(given),
                ));
            }
            continue;
        }
        if matches!(field.access, Access::ByAdmin | Access::WriteOnly) && !by.administers {
            if given.is_some() {
                problems.push(FieldProblem::new(field.name, "absence", "can't be set", shown(given)));
            }
            continue;
        }
        // What a new row leaves open has its default.
        let is_open = purpose == WriteKind::Create && field.default != Default::Nothing && given == Some(&Json::Null);
        let value = match given.filter(|_| !is_open) {
            None if purpose == WriteKind::Patch => continue,
            None => default(field, by.now),
            Some(given) => match parse(field, given)? {
                Ok(value) => value,
                Err(problem) => {
                    problems.push(problem);
                    continue;
                }
            },
        };
        let must_say_something = field.named && (purpose == WriteKind::Create || given.is_some());
        if let Some((code, text)) = refusal(field, must_say_something, &value) {
            problems.push(FieldProblem::new(field.name, code, text, shown(given)));
            continue;
        }
        if (given.is_some() || value != Value::Null) && field.is_readable() {
            record.answer.insert(field.name.to_owned(), value.to_json());
        }
        record.values.push((field, value));
    }
    if purpose == WriteKind::Create {
        read_links(model, fields, &mut record, &mut problems);
    } else {
        move_dates(model, &mut record, by.now);
    }
    if problems.is_empty() {
        Ok(record)
    } else {
        Err(ApiError::Refused {
            model: model.name,
            problems,
        })
    }
}

/// Parses one value. The inner error is a problem of this field, to be reported with those of the others; the outer one, a text where a list is
/// needed, refuses the request at once.
fn parse(field: &Field, given: &Json) -> Result<Result<Value, FieldProblem>, ApiError> {
    Ok(match Value::parse(field, given) {
        Ok(value) => Ok(value),
        Err(ValueError::Date) => Err(FieldProblem::new(
            field.name,
            "date",
            "is not a valid date",
            "Invalid Date".to_owned(),
        )),
        Err(unfit @ ValueError::List) => {
            return Err(ApiError::BadRequest(format!("Value of {} {unfit}.", field.name)));
        }
        Err(unfit) => Err(FieldProblem::new(
            field.name,
            "type",
            &unfit.to_string(),
            shown(Some(given)),
        )),
    })
}

/// Sets the fields that hold the date of the last change to now, unless they are given; a record without any values stays empty.
fn move_dates(model: &'static Model, record: &mut RowValues, now: DateTime<Utc>) {
    if record.values.is_empty() {
        return;
    }
    for field in model.fields.iter().filter(|field| field.moves) {
        if !record.values.iter().any(|(other, _)| *other == field) {
            record.values.push((field, Value::Date(now)));
        }
    }
}

/// Reads the related rows that a new row is to be linked with, from the relations that may be given with it: a list of ids or of objects with an
/// `id`. Adds them to the links of `record`, and the value as given to its answer, or a problem where the value is something else. Null and an absent
/// relation mean no links. Whether the rows exist is not checked here.
fn read_links(model: &'static Model, fields: &Fields, record: &mut RowValues, problems: &mut Vec<FieldProblem>) {
    for relation in model.relations.iter().filter(|relation| relation.given_at_creation) {
        let Some(given) = fields.get(relation.name).filter(|given| !given.is_null()) else {
            continue;
        };
        let id = |item: &Json| item.get("id").unwrap_or(item).as_i64();
        let ids: Option<Vec<i64>> = given.as_array().and_then(|items| items.iter().map(id).collect());
        let Some(ids) = ids else {
            problems.push(FieldProblem::new(
                relation.name,
                "type",
                "is not a list of ids",
                shown(Some(given)),
            ));
            continue;
        };
        record.answer.insert(relation.name.to_owned(), given.clone());
        record.links.push((relation, ids));
    }
}

/// Whether a field is the password, whose value `accounts` hashes and checks.
fn is_secret_of_account(field: &Field) -> bool {
    field.column == "password_hash"
}

/// The value of a field that is not given when a row is created, with `now` as the present; null where it has no default.
fn default(field: &Field, now: DateTime<Utc>) -> Value {
    match field.default {
        Default::Nothing => Value::Null,
        Default::Text(text) => Value::Text(text.to_owned()),
        Default::Number(number) if field.kind == Kind::Number => Value::Number(number.into()),
        Default::Number(number) => Value::Whole(number.into()),
        Default::Flag(flag) => Value::Flag(flag),
        Default::Now => Value::Date(now),
        Default::EmptyList => Value::Json(json!([])),
        Default::Texts(texts) => Value::Texts(texts.iter().map(|text| (*text).to_owned()).collect()),
    }
}

/// A value as messages show it: its JSON, cut after 40 characters, or `undefined` for none.
pub(super) fn shown(given: Option<&Json>) -> String {
    const MOST: usize = 40;
    let text = match given {
        None => "undefined".to_owned(),
        Some(json) => json.to_string(),
    };
    if text.chars().count() > MOST {
        text.chars().take(MOST).collect::<String>() + "..."
    } else {
        text
    }
}

/// Turns the error of a write into what clients are answered: a broken unique key, check, reference or presence becomes a problem of its field, a
/// unique key of no field a conflict, a row that others still need the conflict IN_USE. Any other error stays as it is. `values` are empty for a
/// removal.
pub(super) fn refused(model: &'static Model, values: &[Assignment], error: postgres::Error) -> ApiError {
    let value_of = |field: &Field| {
        let found = values.iter().find(|(other, _)| other.name == field.name);
        shown(found.map(|(_, value)| value.to_json()).as_ref())
    };
    let refuse = |field: &Field, code: &'static str, text: &str| ApiError::Refused {
        model: model.name,
        problems: vec![FieldProblem::new(field.name, code, text, value_of(field))],
    };
    if let Some(key) = error.violated_key() {
        let broken = model.unique.iter().find(|unique| unique.key == key);
        return match broken.and_then(|unique| Some((model.field(unique.field)?, unique.text))) {
            Some((field, text)) => refuse(field, "uniqueness", text),
            None => ApiError::Conflict(format!("There is such a {} already.", model.name)),
        };
    }
    let column = error
        .violated_check(model.table)
        .map(|column| (column, "inclusion", "is not a value it can have"));
    let column = column.or_else(|| {
        error
            .violated_reference()
            .map(|column| (column, "reference", "does not exist"))
    });
    let column = column.or_else(|| {
        error
            .violated_presence()
            .map(|column| (column, "presence", "can't be blank"))
    });
    if let Some((column, code, text)) = column
        && let Some(field) = model.field_of_column(column)
        && !values.is_empty()
    {
        return refuse(field, code, text);
    }
    if error.violates_reference() {
        let text = format!("Other records still need this {}; remove them first.", model.name);
        return ApiError::Coded(StatusCode::CONFLICT, "IN_USE", text);
    }
    error.into()
}
