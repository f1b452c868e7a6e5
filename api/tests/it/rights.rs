//! Who may do what, asked of every operation of the contract.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::app::App;

/// Stands in every record of the one company and in nothing else.
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

struct World {
    app: App,
    admin: String,
    stranger: String,
    operator: String,
    /// Ids of the one company's records, by resource.
    ids: BTreeMap<&'static str, i64>,
}

impl World {
    async fn new() -> Self {
        let app = App::start().await;
        app.admin().await;
        let user = app.company_user(SECRET).await;
        app.company_user("bolt").await;
        app.operator().await;
        let admin = app.login("admin@vigie.example").await;
        let stranger = app.login("user@bolt.example").await;
        let operator = app.login("operator@vigie.example").await;
        let mut world = Self {
            app,
            admin,
            stranger,
            operator,
            ids: BTreeMap::new(),
        };
        world.ids.insert("UserAccounts", user.0.into());
        let find = |name: &str| format!("{name}/findOne?filter={{%22where%22:{{%22name%22:%22{SECRET}%22}}}}");
        for name in ["Brands", "CompanyAccounts"] {
            let found = world
                .app
                .get(&format!("/api/{}", find(name)), &[("token", &world.admin)])
                .await;
            world.ids.insert(name, found.body["id"].as_i64().unwrap());
        }
        let brand = world.ids["Brands"];
        world
            .make("Terms", &json!({"term": format!("{SECRET} shoes"), "brandId": brand}))
            .await;
        world
            .make(
                "Categories",
                &json!({"label": SECRET, "visibility": "owner", "brandOwnerId": brand}),
            )
            .await;
        world
            .make(
                "Actions",
                &json!({"domain": "shop.example", "note": SECRET, "brandId": brand}),
            )
            .await;
        world
            .make("Sems", &json!({"title": SECRET, "termId": world.ids["Terms"]}))
            .await;
        world.make("Dealers", &json!({"domain": "shared.example"})).await;
        world.make("Localizations", &json!({"city": "Shared"})).await;
        world.make("Roles", &json!({"name": format!("{SECRET}-role")})).await;
        let path = format!("/api/Actions/{}/emails", world.ids["Actions"]);
        world.under("emails", &path, &json!({"subject": SECRET})).await;
        let path = format!("/api/UserAccounts/{}/alerts", user.0);
        world.under("alerts", &path, &json!({"subject": SECRET})).await;
        let path = format!("/api/Dealers/{}/contacts", world.ids["Dealers"]);
        world
            .under("contacts", &path, &json!({"email": "jane@shared.example"}))
            .await;
        let path = format!("/api/Roles/{}/principals", world.ids["Roles"]);
        world
            .under(
                "principals",
                &path,
                &json!({"principalId": user.0.to_string(), "principalType": "USER"}),
            )
            .await;
        let link = format!(
            "/api/Dealers/{}/categories/rel/{}",
            world.ids["Dealers"], world.ids["Categories"]
        );
        assert_eq!(world.send("PUT", &link, &world.admin).await.0, StatusCode::OK);
        let link = format!(
            "/api/Terms/{}/categories/rel/{}",
            world.ids["Terms"], world.ids["Categories"]
        );
        assert_eq!(world.send("PUT", &link, &world.admin).await.0, StatusCode::OK);
        world
    }

    async fn make(&mut self, name: &'static str, body: &Value) {
        self.under(name, &format!("/api/{name}"), body).await;
    }

    async fn under(&mut self, name: &'static str, path: &str, body: &Value) {
        let made = self.app.post(path, body, &[("token", &self.admin)]).await;
        assert_eq!(made.status, StatusCode::OK, "{path}: {}", made.body);
        self.ids.insert(name, made.body["id"].as_i64().unwrap());
    }

    async fn send(&self, method: &str, path: &str, token: &str) -> (StatusCode, String) {
        let body = if ["POST", "PUT", "PATCH"].contains(&method) {
            "{\"label\":\"stolen\"}"
        } else {
            ""
        };
        let headers = [("token", token), ("content-type", "application/json")];
        self.app.text(method, path, body, &headers).await
    }

    /// Every record of the one company, and who is linked with what.
    async fn records(&self) -> Vec<String> {
        let mut records = Vec::new();
        for table in [
            "brand",
            "company_account",
            "term",
            "category",
            "action",
            "email",
            "alert",
            "user_account",
            "role",
            "role_mapping",
            "term_category",
            "category_dealer",
            "brand_company_account",
            "dealer_contact",
            "contact",
            "dealer",
            "localization",
        ] {
            let shared = [
                "role_mapping",
                "term_category",
                "category_dealer",
                "brand_company_account",
                "dealer_contact",
            ]
            .contains(&table);
            let only = if shared {
                "true".to_owned()
            } else {
                format!("t::text like '%{SECRET}%'")
            };
            let query =
                format!("select coalesce(string_agg(t::text, '|' order by t.id), '') from {table} t where {only}");
            let rows: String = sqlx::query_scalar(sqlx::AssertSqlSafe(query))
                .fetch_one(&self.app.postgres.pool)
                .await
                .unwrap();
            records.push(format!("{table}: {rows}"));
        }
        records
    }

    /// Every operation of a resource: its name, method and path, with ids of the one company.
    async fn operations(&self) -> Vec<(String, String, String)> {
        let contract = self.app.get("/api/openapi.json", &[]).await.body;
        let mut operations = Vec::new();
        for (path, methods) in contract["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                let name = operation["operationId"].as_str().unwrap_or_default();
                let plural = path.split('/').nth(2).unwrap_or_default();
                if !name.starts_with(&format!("{plural}_")) {
                    continue;
                }
                let relation = path.split('/').nth(4).unwrap_or_default();
                let related = match relation {
                    "emails" | "alerts" | "contacts" | "principals" => self.ids[relation],
                    "children" | "categories" | "categoryFilters" => self.ids["Categories"],
                    "dealers" => self.ids["Dealers"],
                    "canBeAccessTo" | "terms" => self.ids["Terms"],
                    "canBeAccessBy" | "companyAccounts" => self.ids["CompanyAccounts"],
                    "userAccounts" => self.ids["UserAccounts"],
                    "actions" => self.ids["Actions"],
                    "ads" => self.ids["Sems"],
                    "roles" => self.ids["Roles"],
                    _ => 1,
                };
                let path = path
                    .replace("{id}", &self.ids[plural].to_string())
                    .replace("{fk}", &related.to_string());
                operations.push((name.to_owned(), method.to_uppercase(), path));
            }
        }
        operations.sort();
        assert!(operations.len() > 300, "{} operations", operations.len());
        operations
    }
}

#[tokio::test]
async fn nothing_of_another_company_is_read_or_changed() {
    let world = World::new().await;
    let before = world.records().await;
    for (name, method, path) in world.operations().await {
        let rule = rule(&name);
        let (status, body) = world.send(&method, &path, &world.stranger).await;
        assert!(!body.contains(SECRET), "{name}: {body}");
        assert!(
            status.as_u16() < 500 && status != StatusCode::UNAUTHORIZED,
            "{name}: {status} {body}"
        );
        if !needs(&name).chars().any(|deed| rule.company.contains(deed)) {
            let hidden = [StatusCode::FORBIDDEN, StatusCode::NOT_FOUND].contains(&status);
            assert!(hidden, "{name} is not for company users: {status} {body}");
        }
    }
    assert_eq!(world.records().await, before);
}

#[tokio::test]
async fn an_operator_does_no_more_than_the_table_says() {
    let world = World::new().await;
    for (name, method, path) in world.operations().await {
        let rule = rule(&name);
        let before = world.records().await;
        let (status, body) = world.send(&method, &path, &world.operator).await;
        assert!(
            status.as_u16() < 500 && status != StatusCode::UNAUTHORIZED,
            "{name}: {status} {body}"
        );
        // Deleting all that a row is related to removes or parts, as the relation is.
        let mut needed = needs(&name).chars();
        let allowed = if name.ends_with("_DeleteAll") {
            needed.any(|deed| rule.operator.contains(deed))
        } else {
            needed.all(|deed| rule.operator.contains(deed))
        };
        if !allowed {
            let refused = [StatusCode::FORBIDDEN, StatusCode::NOT_FOUND].contains(&status);
            assert!(refused, "{name} is not for operators: {status} {body}");
            assert_eq!(world.records().await, before, "{name}");
        }
    }
}

#[tokio::test]
async fn an_administrator_is_never_refused_for_lack_of_rights() {
    let world = World::new().await;
    for (name, method, path) in world.operations().await {
        rule(&name);
        let (status, body) = world.send(&method, &path, &world.admin).await;
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

/// Whom an operation outside the resources is for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Audience {
    /// Everybody.
    Visitors,
    /// Whoever is signed in, within sight.
    Users,
    /// Administrators alone.
    Administrators,
    /// Who holds the token of a link, and no session.
    LinkHolders,
}

/// By path.
fn audience(path: &str) -> Audience {
    const VISITORS: [&str; 6] = [
        "/UserAccounts/login",
        "/UserAccounts/reset",
        "/UserAccounts/confirm",
        "/result/",
        "/capture-iframe/",
        "/openapi.json",
    ];
    const ADMINISTRATORS: [&str; 3] = ["/operations/", "/audit", "/FeatureFlags/users/"];
    const USERS: [&str; 15] = [
        "/UserAccounts/",
        "/Files/",
        "/FeatureFlags",
        "/Sems/",
        "/actions",
        "/advertisement",
        "/advertiserTag/",
        "/advertisers/",
        "/brand",
        "/captures",
        "/exportTickets",
        "/keywords/",
        "/monitoring/",
        "/savedViews",
        "/sessions",
    ];
    let path = path.strip_prefix("/api").unwrap_or(path);
    let is_of = |list: &[&str]| list.iter().any(|start| path.starts_with(start));
    if path == "/UserAccounts/reset-password" {
        Audience::LinkHolders
    } else if is_of(&VISITORS) {
        Audience::Visitors
    } else if is_of(&ADMINISTRATORS) {
        Audience::Administrators
    } else if is_of(&USERS) {
        Audience::Users
    } else {
        panic!("{path} has no rule: say whom it is for")
    }
}

#[tokio::test]
async fn an_operation_outside_the_resources_is_for_whom_the_table_says() {
    let world = World::new().await;
    let resources: Vec<String> = world.operations().await.into_iter().map(|(name, _, _)| name).collect();
    let contract = world.app.get("/api/openapi.json", &[]).await.body;
    let mut asked = 0;
    for (path, methods) in contract["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let name = operation["operationId"].as_str().unwrap_or_default().to_owned();
            // Signing out ends the sessions that ask here.
            if resources.contains(&name) || path.ends_with("/logout") {
                continue;
            }
            let audience = audience(path);
            for (token, administers) in [(&world.stranger, false), (&world.operator, false), (&world.admin, true)] {
                let (status, body) = world.send(&method.to_uppercase(), path, token).await;
                assert!(status.as_u16() < 500, "{method} {path}: {status} {body}");
                assert!(
                    administers || !body.contains(SECRET) || audience == Audience::Visitors || token == &world.operator,
                    "{method} {path}: {body}"
                );
                let refused = status == StatusCode::FORBIDDEN;
                assert_eq!(
                    refused,
                    audience == Audience::Administrators && !administers,
                    "{method} {path}: {status} {body}"
                );
                let unknown = status == StatusCode::UNAUTHORIZED;
                let for_others = [Audience::LinkHolders, Audience::Visitors].contains(&audience);
                assert!(!unknown || for_others, "{method} {path}: {status} {body}");
            }
            asked += 1;
        }
    }
    assert!(asked > 40, "{asked} operations");
}
