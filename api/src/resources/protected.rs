//! What must not be changed or deleted, whoever asks. Rows are looked at in the transaction of the change, locked.

use axum::http::StatusCode;
use postgres::capture_quotas::TouchedPlans;
use postgres::resources::Assignment;
use serde_json::Value as Json;
use vocabulary::resources::models::{BRAND, CATEGORY, ROLE, ROLE_MAPPING, TERM, USER_ACCOUNT};
use vocabulary::resources::{Link, Model, Relation};
use vocabulary::{BrandId, CompanyAccountId, Role, TermId, UserId};

use super::call::Call;
use crate::failure::ApiError;
use crate::quotas;

/// Tags that the product itself relies on (decisions D98, D100).
const SYSTEM_TAGS: [&str; 2] = ["website-classification", "official"];
/// The key of links to company accounts.
const ACCOUNT_KEY: &str = "companyAccountId";
/// What such a tag is known by.
const FIXED_OF_TAG: [&str; 6] = ["label", "name", "scope", "visibility", "brandOwnerId", "parentId"];

/// Refuses, with a conflict, to change what the product knows its own tags and roles by: the fields [`FIXED_OF_TAG`], the name of a role. `rows` are
/// the rows before the change; giving a field its old value passes.
pub(super) fn check_change(model: &Model, rows: &[Json], changes: &[Assignment]) -> Result<(), ApiError> {
    let fixed: &[&str] = match model.name {
        name if name == CATEGORY.name => &FIXED_OF_TAG,
        name if name == ROLE.name => &["name"],
        _ => return Ok(()),
    };
    let differs = |row: &Json| {
        let mut given = changes.iter().filter(|(field, _)| fixed.contains(&field.name));
        given.any(|(field, value)| row.get(field.name).unwrap_or(&Json::Null) != &value.to_json())
    };
    if rows.iter().any(|row| is_of_the_product(model, row) && differs(row)) {
        return Err(of_the_product(model, "changed"));
    }
    Ok(())
}

/// Refuses, with a conflict, terms that were made or changed so that a company account has more captures planned than its quota allows. Other rows
/// pass. Call it last before the commit.
pub(super) async fn keep_quotas(
    transaction: &mut postgres::Connection,
    call: &Call,
    model: &Model,
    ids: impl Iterator<Item = i64>,
) -> Result<(), ApiError> {
    if model.name != TERM.name {
        return Ok(());
    }
    let terms: Vec<TermId> = ids.filter_map(|id| i32::try_from(id).ok()).map(TermId).collect();
    quotas::keep(&call.state, transaction, TouchedPlans::Terms(&terms)).await
}

/// Refuses, with a conflict, to give a company account a brand or term whose captures its quota does not allow. `ids` are the row's own and the other's,
/// now linked. Links of other kinds pass. Call it last before the commit.
pub(super) async fn keep_quota_of_linked(
    transaction: &mut postgres::Connection,
    call: &Call,
    relation: &Relation,
    ids: [i64; 2],
) -> Result<(), ApiError> {
    let Link::Through { own, other, .. } = relation.link else {
        return Ok(());
    };
    let mut linked = [own, other].into_iter().zip(ids);
    let account = linked.find(|(key, _)| *key == ACCOUNT_KEY);
    let Some(account) = account.and_then(|(_, id)| i32::try_from(id).ok()) else {
        return Ok(());
    };
    let touched = TouchedPlans::Account(CompanyAccountId(account));
    quotas::keep(&call.state, transaction, touched).await
}

/// Refuses, with a conflict, to delete tags and roles of the product, the caller's own account, and brands with enabled terms. Call it in the
/// transaction of the removal, with the locked rows. See [`check_administrator_left`], too.
pub(super) async fn check_removal(
    call: &Call,
    connection: &mut postgres::Connection,
    model: &Model,
    rows: &[Json],
) -> Result<(), ApiError> {
    if rows.iter().any(|row| is_of_the_product(model, row)) {
        return Err(of_the_product(model, "deleted"));
    }
    let ids = rows
        .iter()
        .filter_map(|row| i32::try_from(row.get("id")?.as_i64()?).ok());
    for id in ids {
        if model.name == USER_ACCOUNT.name && call.caller.user.id == UserId(id) {
            return Err(refused("OWN_ACCOUNT", "Nobody can delete the own account."));
        }
        if model.name == BRAND.name && postgres::brands::lock_and_check_enabled(&mut *connection, BrandId(id)).await? {
            let text = "This brand has enabled terms; disable or archive them first.";
            return Err(refused("BRAND_ENABLED", text));
        }
    }
    Ok(())
}

/// Refuses, with a conflict, when no user has the role of an administrator any more. Call it in the transaction of a change, after it; for models
/// that give no roles it does nothing.
pub(super) async fn check_administrator_left(
    connection: &mut postgres::Connection,
    changed: &Model,
) -> Result<(), ApiError> {
    let gives_roles = [&USER_ACCOUNT, &ROLE, &ROLE_MAPPING]
        .iter()
        .any(|model| model.name == changed.name);
    if gives_roles && !postgres::users::keeps_role(connection, Role::Admin).await? {
        return Err(refused("LAST_ADMINISTRATOR", "The last administrator must stay one."));
    }
    Ok(())
}

/// Whether the product itself relies on this row: one of [`SYSTEM_TAGS`], or a role that it knows.
fn is_of_the_product(model: &Model, row: &Json) -> bool {
    let name = row.get("name").and_then(Json::as_str).unwrap_or_default();
    if model.name == CATEGORY.name {
        SYSTEM_TAGS.contains(&name)
    } else {
        model.name == ROLE.name && name.parse::<Role>().is_ok()
    }
}

/// The conflict for a tag or role of the product that cannot be `what`, such as "deleted".
fn of_the_product(model: &Model, what: &str) -> ApiError {
    if model.name == ROLE.name {
        refused(
            "SYSTEM_ROLE",
            &format!("This role belongs to the product and cannot be {what}."),
        )
    } else {
        refused(
            "SYSTEM_TAG",
            &format!("This tag belongs to the product and cannot be {what}."),
        )
    }
}

fn refused(code: &'static str, text: &str) -> ApiError {
    ApiError::Coded(StatusCode::CONFLICT, code, text.to_owned())
}
