//! What must not be deleted, whoever asks.

use axum::http::StatusCode;
use records::resources::Within;
use serde_json::Value as Json;
use vocabulary::resources::models::{BRAND, CATEGORY, ROLE, ROLE_MAPPING, USER_ACCOUNT};
use vocabulary::resources::{Filter, MAX_ROWS, Model, Relation};
use vocabulary::{BrandId, Role, UserId};

use super::call::{Call, Id};
use super::store;
use crate::failure::Failure;

/// Tags that the product itself relies on (decisions D98, D100).
const SYSTEM_TAGS: [&str; 2] = ["website-classification", "official"];

/// Refuses the removal of a row that is still needed.
pub(super) async fn allowed(call: &Call, model: &'static Model, id: &Id) -> Result<(), Failure> {
    let pool = &call.state.records;
    let Some(number) = id.number().and_then(|number| i32::try_from(number).ok()) else {
        return Ok(());
    };
    let refuse = |code, text: &str| Err(Failure::Coded(StatusCode::CONFLICT, code, text.to_owned()));
    match model.name {
        name if name == USER_ACCOUNT.name => {
            if call.caller.user.id == UserId(number) {
                return refuse("OWN_ACCOUNT", "Nobody can delete the own account.");
            }
            if records::users::is_last_with_role(pool, UserId(number), Role::Admin).await? {
                return refuse("LAST_ADMINISTRATOR", "The last administrator cannot be deleted.");
            }
        }
        name if name == BRAND.name && records::brands::is_enabled(pool, BrandId(number)).await? => {
            return refuse(
                "BRAND_ENABLED",
                "This brand has enabled terms; disable or archive them first.",
            );
        }
        name if name == CATEGORY.name || name == ROLE.name => {
            let row = store::by_id(call, model, id, Filter::everything())
                .await?
                .unwrap_or_default();
            let name = row.get("name").and_then(Json::as_str).unwrap_or_default();
            if model.name == CATEGORY.name && SYSTEM_TAGS.contains(&name) {
                return refuse("SYSTEM_TAG", "This tag belongs to the product and cannot be deleted.");
            }
            if model.name == ROLE.name && name.parse::<Role>().is_ok() {
                return refuse("SYSTEM_ROLE", "This role belongs to the product and cannot be deleted.");
            }
        }
        name if name == ROLE_MAPPING.name && records::users::is_last_mapping(pool, number, Role::Admin).await? => {
            return refuse("LAST_ADMINISTRATOR", "The last administrator must stay one.");
        }
        _ => {}
    }
    Ok(())
}

/// The same for all rows that are reached from there.
pub(super) async fn allowed_within(call: &Call, model: &'static Model, within: Within<'_>) -> Result<(), Failure> {
    let guarded = [&USER_ACCOUNT, &BRAND, &CATEGORY, &ROLE, &ROLE_MAPPING];
    if !guarded.iter().any(|guarded| guarded.name == model.name) {
        return Ok(());
    }
    let filter = Filter {
        limit: MAX_ROWS,
        ..Filter::everything()
    };
    for row in store::find(call, model, within, filter).await? {
        allowed(call, model, &Id::of_json(model, &row.get("id").unwrap_or_default())).await?;
    }
    Ok(())
}

/// Refuses to take a role away that somebody must have.
pub(super) async fn unlink_allowed(call: &Call, relation: &Relation, user: i64, role: i64) -> Result<(), Failure> {
    if relation.target.name != ROLE.name {
        return Ok(());
    }
    let row = store::by_id(
        call,
        &ROLE,
        &Id::of_json(&ROLE, &Json::from(role)),
        Filter::everything(),
    )
    .await?
    .unwrap_or_default();
    let is_admin = row.get("name").and_then(Json::as_str) == Some("admin");
    let user = UserId(i32::try_from(user).unwrap_or_default());
    if is_admin && records::users::is_last_with_role(&call.state.records, user, Role::Admin).await? {
        let text = "The last administrator must stay one.".to_owned();
        return Err(Failure::Coded(StatusCode::CONFLICT, "LAST_ADMINISTRATOR", text));
    }
    Ok(())
}
