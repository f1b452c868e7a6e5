//! Two companies, and every operation of a resource on the records of the one.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::{SECRET, needs};
use crate::app::App;

/// A call of an operation.
pub struct OperationCall {
    pub name: String,
    pub method: String,
    pub path: String,
    pub body: Value,
}

/// Two companies with a user each, an administrator, an operator, and records of the one company.
pub struct World {
    pub app: App,
    pub admin: String,
    pub stranger: String,
    pub operator: String,
    /// Ids of the one company's records, by resource.
    pub ids: BTreeMap<&'static str, i64>,
    /// The same, with what all share in place of what can be shared.
    pub shared: BTreeMap<&'static str, i64>,
}

impl World {
    pub async fn new() -> Self {
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

    pub async fn send(&self, method: &str, path: &str, token: &str) -> (StatusCode, String) {
        let headers = [("token", token), ("content-type", "application/json")];
        self.app.text(method, path, "", &headers).await
    }

    /// The same with the values that the operation's rows take.
    pub async fn write(&self, operation: &OperationCall, token: &str) -> (StatusCode, String) {
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
    pub async fn hashes(&self) -> BTreeMap<String, String> {
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
    pub async fn records(&self) -> Vec<String> {
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
    pub async fn operations(&self) -> Vec<OperationCall> {
        self.operations_on(&self.ids, &self.ids).await
    }

    /// The same with ids of these rows, and of those that they are related to.
    pub async fn operations_on(
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
