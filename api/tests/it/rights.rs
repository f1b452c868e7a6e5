//! The rights of every role, checked on every operation of the contract.

mod outside_resources;
mod world;

use axum::http::StatusCode;
use serde_json::json;

use crate::app::App;
use world::World;

/// Part of every record of the one company and of nothing else.
const SECRET: &str = "acmesecret";

/// What a role without all rights may do with a resource, as decision D21 has it.
struct Rule {
    company: &'static str,
    operator: &'static str,
}

#[expect(clippy::match_same_arms, reason = "a table, by resource")]
/// By resource, or by resource and relation. Letters: read, create, change, remove, link.
fn rule(operation: &str) -> Rule {
    let subject = operation
        .rsplit_once('_')
        .unwrap_or_else(|| panic!("{operation} is no operation of a resource"))
        .0;
    let (company, operator) = match subject {
        "Actions" | "Brands" | "CompanyAccounts" | "Localizations" | "Sems" | "Terms" => ("r", "r"),
        "Categories" => ("rcud", "rcud"),
        "Dealers" => ("r", "rcu"),
        "Roles" => ("", "r"),
        "UserAccounts" => ("ru", "ru"),
        "Actions_dealer" | "Categories_owner" | "Categories_parent" | "Terms_brand" | "Terms_localization" => {
            ("r", "r")
        }
        "Actions_emails" => ("", "rcud"),
        "Brands_companyAccounts" | "Brands_terms" | "CompanyAccounts_canBeAccessTo" | "Localizations_terms" => {
            ("r", "r")
        }
        "CompanyAccounts_userAccounts" => ("ru", "ru"),
        "Categories_children" => ("rcud", "rcud"),
        "Categories_dealers" => ("rl", "rcul"),
        "Dealers_actions" => ("r", "r"),
        "Dealers_categories" | "Terms_categories" => ("rcudl", "rcudl"),
        "Dealers_contacts" => ("r", "rud"),
        "Roles_principals" => ("", ""),
        "Terms_ads" | "Terms_canBeAccessBy" => ("r", "r"),
        "UserAccounts_accessTokens" => ("rcd", "rcd"),
        "UserAccounts_alerts" => ("r", "r"),
        "UserAccounts_avatar" | "UserAccounts_companyAccount" => ("r", "r"),
        "UserAccounts_categoryFilters" => ("rcudl", "rcudl"),
        "UserAccounts_roles" => ("r", "r"),
        other => panic!("{other} has no rule: say who may use it"),
    };
    Rule { company, operator }
}

/// What an operation needs.
#[expect(clippy::match_same_arms, reason = "a table, by operation")]
fn needs(operation: &str) -> &'static str {
    match operation
        .rsplit_once('_')
        .map(|(subject, name)| (subject.contains('_'), name))
        .unwrap()
    {
        (
            _,
            "Get" | "GetById" | "IsLinked" | "Count" | "Find" | "FindOne" | "FindRequest" | "Export" | "FindById"
            | "Head" | "Exists" | "ReadChanges" | "PostChanges",
        ) => "r",
        (_, "Create") => "c",
        (_, "PutById" | "PatchById" | "Replace" | "UpdateAll") => "u",
        (_, "PatchOrCreate" | "PutOrCreate" | "ReplaceOrCreate" | "UpsertWithWhere") => "cu",
        (_, "DeleteById") => "d",
        (true, "DeleteAll") => "dl",
        (false, "DeleteAll") => "d",
        (_, "Link" | "Unlink") => "l",
        (_, other) => panic!("{other} is no known operation"),
    }
}

#[tokio::test]
async fn nothing_of_another_company_is_read_or_changed() {
    let world = World::new().await;
    let before = world.records().await;
    for asked in world.operations().await {
        let (name, rule) = (&asked.name, rule(&asked.name));
        let (status, body) = world.write(&asked, &world.stranger).await;
        assert!(!body.contains(SECRET), "{name}: {body}");
        assert!(
            status.as_u16() < 500 && status != StatusCode::UNAUTHORIZED,
            "{name}: {status} {body}"
        );
        if !needs(name).chars().any(|deed| rule.company.contains(deed)) {
            let hidden = [StatusCode::FORBIDDEN, StatusCode::NOT_FOUND].contains(&status);
            assert!(hidden, "{name} is not for company users: {status} {body}");
        }
    }
    assert_eq!(world.records().await, before);
}

#[tokio::test]
async fn a_write_to_rows_of_another_company_or_of_all_is_refused_and_changes_nothing() {
    let world = World::new().await;
    let before = world.hashes().await;
    let mut refused = 0;
    for (of, ids, related) in [
        ("another company's", &world.ids, &world.ids),
        ("another company's, shared", &world.ids, &world.shared),
        ("shared", &world.shared, &world.shared),
        ("shared, another company's", &world.shared, &world.ids),
    ] {
        for asked in world.operations_on(ids, related).await {
            let name = &asked.name;
            if needs(name) == "r" {
                continue;
            }
            let (status, body) = world.write(&asked, &world.stranger).await;
            // A condition that meets nothing, or a link that is not there, is no fault; what follows holds all the same.
            let met_nothing = status.is_success() && (body.is_empty() || body == "{\"count\":0}");
            assert!(
                met_nothing || [StatusCode::FORBIDDEN, StatusCode::NOT_FOUND].contains(&status),
                "{of}: {name} {}: {status} {body}",
                asked.path
            );
            assert_eq!(world.hashes().await, before, "{of}: {name} {} {status}", asked.path);
            refused += 1;
        }
    }
    assert!(refused > 400, "{refused} writes");
}

#[tokio::test]
async fn the_values_that_are_written_are_ones_that_models_take() {
    let world = World::new().await;
    let mut taken = 0;
    for asked in world.operations().await {
        if !asked.name.ends_with("_PatchById") {
            continue;
        }
        let before = world.hashes().await;
        let (status, body) = world.write(&asked, &world.admin).await;
        assert_eq!(status, StatusCode::OK, "{}: {body}", asked.name);
        // Sems are kept elsewhere.
        assert!(
            world.hashes().await != before || asked.name == "Sems_PatchById",
            "{}",
            asked.name
        );
        taken += 1;
    }
    assert_eq!(taken, 10);
}

#[tokio::test]
async fn an_operator_does_no_more_than_the_table_says() {
    let world = World::new().await;
    for asked in world.operations().await {
        let (name, rule) = (&asked.name, rule(&asked.name));
        let before = world.hashes().await;
        let (status, body) = world.write(&asked, &world.operator).await;
        assert!(
            status.as_u16() < 500 && status != StatusCode::UNAUTHORIZED,
            "{name}: {status} {body}"
        );
        // Deleting all that a row is related to removes or parts, as the relation is.
        let mut needed = needs(name).chars();
        let allowed = if name.ends_with("_DeleteAll") {
            needed.any(|deed| rule.operator.contains(deed))
        } else {
            needed.all(|deed| rule.operator.contains(deed))
        };
        if !allowed {
            let refused = [StatusCode::FORBIDDEN, StatusCode::NOT_FOUND].contains(&status);
            assert!(refused, "{name} is not for operators: {status} {body}");
            assert_eq!(world.hashes().await, before, "{name}");
        }
    }
}

#[tokio::test]
async fn an_administrator_is_never_refused_for_lack_of_rights() {
    let world = World::new().await;
    for asked in world.operations().await {
        let name = &asked.name;
        rule(name);
        let (status, body) = world.write(&asked, &world.admin).await;
        let refused = [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN].contains(&status) || status.as_u16() >= 500;
        assert!(!refused, "{name}: {status} {body}");
    }
}

#[tokio::test]
async fn a_user_changes_nothing_but_names_password_and_avatar_of_the_own_account() {
    let app = App::start().await;
    app.company_user("acme").await;
    let token = app.login("user@acme.example").await;
    let before: String = app
        .postgres
        .fetch("select (to_jsonb(u) - 'first_name')::text from user_account u")
        .await;
    for (field, value) in [
        ("companyAccountId", json!(null)),
        ("emailVerified", json!(true)),
        ("email", json!("other@acme.example")),
        ("username", json!("root")),
        ("dashboards", json!({"clicdata": {"login": "x", "password": "y"}})),
        ("verificationToken", json!("mine")),
        ("realm", json!("admin")),
    ] {
        let body = json!({ field: value }).to_string();
        let headers = [("token", token.as_str()), ("content-type", "application/json")];
        let (status, answer) = app.text("PATCH", "/api/UserAccounts/me", &body, &headers).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{field}: {answer}");
    }
    let body =
        json!({"firstName": "Ann", "roles": [{"name": "admin"}], "id": null, "passwordHash": "x", "created_at": 1})
            .to_string();
    let headers = [("token", token.as_str()), ("content-type", "application/json")];
    let (status, answer) = app.text("PATCH", "/api/UserAccounts/me", &body, &headers).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let after: String = app
        .postgres
        .fetch("select (to_jsonb(u) - 'first_name')::text from user_account u")
        .await;
    assert_eq!(after, before);
    assert_eq!(
        app.postgres
            .fetch::<String>("select first_name from user_account")
            .await,
        "Ann"
    );
}
