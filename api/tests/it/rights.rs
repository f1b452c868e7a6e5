//! The rights of every role, checked on every operation of the contract.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::app::App;

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

/// A call of an operation.
struct OperationCall {
    name: String,
    method: String,
    path: String,
    body: Value,
}

struct World {
    app: App,
    admin: String,
    stranger: String,
    operator: String,
    /// Ids of the one company's records, by resource.
    ids: BTreeMap<&'static str, i64>,
    /// The same, with what all share in place of what can be shared.
    shared: BTreeMap<&'static str, i64>,
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
            shared: BTreeMap::new(),
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
        world.share().await;
        world
    }

    /// Rows that all see: a tag that staff put on things of both companies, one that belongs to the product, the role of administrators.
    async fn share(&mut self) {
        let one_s = self.ids.clone();
        self.make(
            "Categories",
            &json!({"label": "Shared", "visibility": "all", "scope": "tag"}),
        )
        .await;
        for (path, id) in [("Dealers", one_s["Dealers"]), ("Terms", one_s["Terms"])] {
            let link = format!("/api/{path}/{id}/categories/rel/{}", self.ids["Categories"]);
            assert_eq!(self.send("PUT", &link, &self.admin).await.0, StatusCode::OK);
        }
        self.shared = std::mem::replace(&mut self.ids, one_s);
        let admin: i64 = self
            .app
            .postgres
            .fetch("select id::int8 from role where name = 'admin'")
            .await;
        self.shared.insert("Roles", admin);
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
        let headers = [("token", token), ("content-type", "application/json")];
        self.app.text(method, path, "", &headers).await
    }

    /// The same with the values that the operation's rows take.
    async fn write(&self, operation: &OperationCall, token: &str) -> (StatusCode, String) {
        let body = if ["POST", "PUT", "PATCH"].contains(&operation.method.as_str()) {
            operation.body.to_string()
        } else {
            String::new()
        };
        let headers = [("token", token), ("content-type", "application/json")];
        self.app.text(&operation.method, &operation.path, &body, &headers).await
    }

    /// What a thief would write of a model: values that it takes, of the one company where it names one.
    fn values(&self, model: &str) -> Value {
        let brand = self.ids["Brands"];
        match model {
            "Actions" | "actions" => json!({"domain": "stolen.example", "note": "stolen", "brandId": brand}),
            "Brands" | "brands" => json!({"label": "stolen", "name": "stolen", "validated": true}),
            "Categories" | "categories" | "categoryFilters" | "children" => {
                json!({"label": "Stolen", "scope": "tag", "visibility": "owner", "brandOwnerId": brand})
            }
            "CompanyAccounts" | "companyAccounts" | "canBeAccessBy" => json!({"label": "stolen", "name": "stolen"}),
            "Dealers" | "dealers" => json!({"domain": "stolen.example", "note": "stolen"}),
            "Localizations" => json!({"city": "Stolen", "language": "fr"}),
            "Roles" | "roles" => json!({"name": "stolen", "description": "stolen"}),
            "Sems" | "ads" => json!({"title": "stolen", "termId": self.ids["Terms"]}),
            "Terms" | "terms" | "canBeAccessTo" => {
                json!({"term": "stolen shoes", "state": "enabled", "brandId": brand})
            }
            "UserAccounts" | "userAccounts" => json!({"firstName": "Stolen", "lastName": "Stolen"}),
            "accessTokens" => json!({"ttl": 60}),
            "alerts" => json!({"subject": "stolen", "enable": true}),
            "contacts" => json!({"email": "stolen@shared.example", "name": "stolen"}),
            "emails" => json!({"subject": "stolen", "body": "stolen"}),
            "principals" => json!({"principalId": self.ids["UserAccounts"].to_string(), "principalType": "USER"}),
            other => panic!("{other} has no values: say what is written of it"),
        }
    }

    /// Every row there is, by table, but for what a request itself leaves behind.
    async fn hashes(&self) -> BTreeMap<String, String> {
        let tables: Vec<String> = sqlx::query_scalar(
            "select table_name::text from information_schema.tables
             where table_schema = 'public' and table_type = 'BASE TABLE'
                 and table_name not in ('audit_entry', '_sqlx_migrations')",
        )
        .fetch_all(&self.app.postgres.pool)
        .await
        .unwrap();
        let mut queries = Vec::new();
        for table in tables {
            let row = if table == "access_token" {
                "(to_jsonb(t) - 'last_used')::text"
            } else {
                "t::text"
            };
            queries.push(format!(
                "select '{table}', md5(coalesce(string_agg({row}, '|' order by {row}), '')) from \"{table}\" t"
            ));
        }
        let rows: Vec<(String, String)> = sqlx::query_as(sqlx::AssertSqlSafe(queries.join(" union all ")))
            .fetch_all(&self.app.postgres.pool)
            .await
            .unwrap();
        rows.into_iter().collect()
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

    /// Every operation of a resource, with ids of the one company.
    async fn operations(&self) -> Vec<OperationCall> {
        self.operations_on(&self.ids, &self.ids).await
    }

    /// The same with ids of these rows, and of those that they are related to.
    async fn operations_on(
        &self,
        ids: &BTreeMap<&'static str, i64>,
        related_ids: &BTreeMap<&'static str, i64>,
    ) -> Vec<OperationCall> {
        let contract = self.app.get("/api/openapi.json", &[]).await.body;
        let mut operations = Vec::new();
        for (path, methods) in contract["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                let name = operation["operationId"].as_str().unwrap_or_default();
                let plural = path.split('/').nth(2).unwrap_or_default();
                if !name.starts_with(&format!("{plural}_")) {
                    continue;
                }
                let is_related = name.matches('_').count() > 1;
                let relation = path.split('/').nth(4).filter(|_| is_related).unwrap_or_default();
                let related = match relation {
                    "emails" | "alerts" | "contacts" | "principals" => related_ids[relation],
                    "children" | "categories" | "categoryFilters" => related_ids["Categories"],
                    "dealers" => related_ids["Dealers"],
                    "canBeAccessTo" | "terms" => related_ids["Terms"],
                    "canBeAccessBy" | "companyAccounts" => related_ids["CompanyAccounts"],
                    "userAccounts" => related_ids["UserAccounts"],
                    "actions" => related_ids["Actions"],
                    "ads" => related_ids["Sems"],
                    "roles" => related_ids["Roles"],
                    _ => 1,
                };
                let id = ids[plural];
                let is_write = needs(name) != "r";
                let mut body = if is_write && method != "delete" && !name.ends_with("_Link") {
                    self.values(if relation.is_empty() { plural } else { relation })
                } else {
                    json!({})
                };
                let mut path = path
                    .replace("{id}", &id.to_string())
                    .replace("{fk}", &related.to_string());
                // Collections name the row in the body or in a condition.
                let operation = name.rsplit('_').next().unwrap_or_default();
                match operation {
                    "PatchOrCreate" | "PutOrCreate" | "ReplaceOrCreate" => body["id"] = json!(id),
                    "UpdateAll" | "UpsertWithWhere" => path = format!("{path}?where=%7B%22id%22:{id}%7D"),
                    "DeleteAll" if relation.is_empty() => path = format!("{path}?where=%7B%22id%22:{id}%7D"),
                    _ => {}
                }
                operations.push(OperationCall {
                    name: name.to_owned(),
                    method: method.to_uppercase(),
                    path,
                    body,
                });
            }
        }
        operations.sort_by(|one, other| one.name.cmp(&other.name));
        assert!(operations.len() > 300, "{} operations", operations.len());
        operations
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

/// Whom an operation outside the resources is for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Audience {
    /// Everybody, signed in or not.
    Visitors,
    /// Whoever is signed in, within sight.
    Users,
    /// Administrators and nobody else.
    Administrators,
    /// A client with the token of a link, and no session.
    LinkHolders,
}

/// The answers by path.
fn audience(path: &str) -> Audience {
    const VISITORS: [&str; 6] = [
        "/UserAccounts/login",
        "/UserAccounts/reset",
        "/UserAccounts/confirm",
        "/result/",
        "/capture-iframe/",
        "/openapi.json",
    ];
    const ADMINISTRATORS: [&str; 5] = ["/operations/", "/audit", "/Brands/", "/FeatureFlags/users/", "/Terms/"];
    const USERS: [&str; 16] = [
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
        "/coverage",
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
    let resources: Vec<String> = world.operations().await.into_iter().map(|asked| asked.name).collect();
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
