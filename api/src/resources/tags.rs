//! Where tags differ from other resources: their slugs and their parents.

use postgres::resources::Assignment;
use serde_json::{Value as Json, json};
use vocabulary::resources::Value;
use vocabulary::resources::models::CATEGORY;
use vocabulary::slug;

use super::body::Fields;
use super::call::{Call, Id};
use super::record::{self, RowValues};
use super::store;
use crate::failure::{ApiError, FieldProblem};

/// Sets the name of a tag that is given without one to the slug of its label; a label without letters or digits sets none.
pub(super) fn name_by_label(fields: &mut Fields) {
    let has_name = fields.get("name").is_some_and(|name| !name.is_null());
    let label = fields.get("label").and_then(Json::as_str).map(slug);
    if let Some(slug) = label.filter(|slug| !has_name && !slug.is_empty()) {
        fields.insert("name".to_owned(), Json::String(slug));
    }
}

/// Refuses, with `Forbidden`, to give a tag to a brand that the caller does not see, to nobody or, unless the caller is an administrator, to all
/// readers; passes where neither is given. Call it before the database compares the tag with others: whether one has its name is not the caller's to
/// learn.
pub(super) fn check_owner(call: &Call, record: &RowValues) -> Result<(), ApiError> {
    let scope = &call.caller.scope;
    let is_out_of_reach = |(field, value): &Assignment| match (field.name, value) {
        ("visibility", Value::Text(visibility)) => visibility == "all" && !scope.administers(),
        ("brandOwnerId", Value::Whole(brand)) => scope
            .brands()
            .is_some_and(|brands| brands.iter().all(|own| i64::from(own.0) != *brand)),
        ("brandOwnerId", _) => !scope.is_everything(),
        _ => false,
    };
    if record.values.iter().any(is_out_of_reach) {
        return Err(ApiError::Forbidden);
    }
    Ok(())
}

/// Refuses, with `Refused`, a parent tag that does not exist or that the caller does not see; passes without a parent. Postgres checks that both are
/// tags of the same kind of rows, and that no tag is below itself.
pub(super) async fn check_parent(call: &Call, record: &RowValues) -> Result<(), ApiError> {
    let given = record.values.iter().find_map(|(field, value)| match value {
        Value::Whole(id) if field.name == "parentId" => Some(*id),
        _ => None,
    });
    let Some(parent) = given else { return Ok(()) };
    if store::exists(call, &CATEGORY, &Id::known(Value::Whole(parent))).await? {
        return Ok(());
    }
    Err(ApiError::Refused {
        model: CATEGORY.name,
        problems: vec![FieldProblem::new(
            "parentId",
            "reference",
            "does not exist",
            record::shown(Some(&json!(parent))),
        )],
    })
}
