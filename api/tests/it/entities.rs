//! What clients find in each entity: the names are a promise to them.

use std::collections::BTreeSet;

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::resources::{Admin, argument};

/// What a row of each resource answers, and the related rows that may be asked for with it.
const ENTITIES: [(&str, &str, &str); 10] = [
    (
        "Actions",
        "ID id domain country engine status waiting priority lastView createdDate updatedDate requestedDate inprogressDate acceptedDate \
         refusedDate ignoredDate remindedDate blockedDate disappearedDate reappearanceDate lastStatusDate advertiserID brandId \
         receivedCount sendedCount remindedCount unreadCount history metas presence note",
        "brand dealer emails",
    ),
    (
        "Brands",
        "id label name autoMatchRegExp autoMatchExcludeRegExp validated createNotification createShoppingNotification notificationAuto \
         reminder totalViews",
        "companyAccounts terms",
    ),
    (
        "Categories",
        "id label name scope visibility brandOwnerId parentId totalViews",
        "children dealers owner parent",
    ),
    (
        "CompanyAccounts",
        "id name label totalViews notificationAuto reminder captureQuota",
        "brands canBeAccessTo userAccounts",
    ),
    (
        "Dealers",
        "id domain tests date updated datas processed note metas tags",
        "actions categories contacts",
    ),
    ("Localizations", "id locale city region language country", "terms"),
    ("Roles", "id name description created modified", "principals"),
    (
        "Sems",
        "id term date brand title description displayUrl targetUrl position realPosition domain country language region engine type \
         device termId dealerId",
        "termRel dealer",
    ),
    (
        "Terms",
        "id term keywordType devices every engine state region localizationId options searchConvertRate brandId createdDate updatedDate \
         searchStats",
        "ads brand canBeAccessBy categories localization",
    ),
    (
        "UserAccounts",
        "id email emailVerified emailAtCreation username realm firstName lastName queries dashboardCategoryFilters avatarId \
         companyAccountId dashboards",
        "alerts avatar categoryFilters companyAccount roles",
    ),
];

/// The rows that only relations lead to.
const RELATED: [(&str, &str); 5] = [
    (
        "emails",
        "id email body subject status templateType createdDate receivedDate sendedDate open events actionId",
    ),
    (
        "contacts",
        "id email name address city region postcode country notes tags state",
    ),
    (
        "alerts",
        "id brand templateId templateType enable cron frequency startDate nextSend lastSend from fromName subject type hookTrigger context \
         recipientIds userAccountId",
    ),
    ("accessTokens", "id ttl scopes created userId"),
    ("principals", "id principalType principalId roleId"),
];

fn names(text: &str) -> BTreeSet<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn keys(row: &Value) -> BTreeSet<String> {
    row.as_object().unwrap().keys().cloned().collect()
}

/// One row of every resource, joined where they can be.
async fn world(admin: &Admin) -> Value {
    let brand = admin.id("/api/Brands", &json!({"label": "Acme", "name": "acme"})).await;
    let company = admin.id("/api/CompanyAccounts", &json!({"name": "Acme"})).await;
    let dealer = admin.id("/api/Dealers", &json!({"domain": "shop.example"})).await;
    let place: i32 = admin.app.postgres.fetch("select min(id) from localization").await;
    let term = json!({"term": "red shoes", "brandId": brand, "localizationId": place, "canBeAccessBy": [company]});
    let term = admin.id("/api/Terms", &term).await;
    let sem = json!({"title": "Sale", "termId": term, "dealerId": dealer});
    admin.id("/api/Sems", &sem).await;
    let parent = admin.id("/api/Categories", &json!({"label": "All"})).await;
    let tag = json!({"label": "Shops", "brandOwnerId": brand, "parentId": parent});
    admin.id("/api/Categories", &tag).await;
    let action = json!({"domain": "shop.example", "brandId": brand, "advertiserID": dealer});
    let action = admin.id("/api/Actions", &action).await;
    let email = admin
        .id(&format!("/api/Actions/{action}/emails"), &json!({"subject": "Hello"}))
        .await;
    let contact = json!({"email": "sales@shop.example"});
    admin.id(&format!("/api/Dealers/{dealer}/contacts"), &contact).await;
    admin.app.company_user("bolt").await;
    let (_, me) = admin.get("/api/UserAccounts/me").await;
    let alerts = format!("/api/UserAccounts/{}/alerts", me["id"]);
    admin.id(&alerts, &json!({"subject": "Weekly"})).await;
    json!({ "action": action, "dealer": dealer, "user": me["id"], "email": email })
}

#[tokio::test]
async fn a_row_has_the_names_of_its_entity_and_no_others() {
    let admin = Admin::new().await;
    let world = world(&admin).await;
    for (path, fields, relations) in ENTITIES {
        let (status, rows) = admin.get(&format!("/api/{path}?filter[limit]=1")).await;
        assert_eq!(status, StatusCode::OK, "{path}: {rows}");
        assert_eq!(keys(&rows[0]), names(fields), "{path}");
        let wanted: Vec<String> = names(relations).into_iter().collect();
        let filter = json!({ "limit": 50, "include": wanted });
        let (status, rows) = admin.get(&format!("/api/{path}?{}", argument("filter", &filter))).await;
        assert_eq!(status, StatusCode::OK, "{path}: {rows}");
        let known = &names(fields) | &names(relations);
        let mut found = BTreeSet::new();
        for row in rows.as_array().unwrap() {
            assert!(keys(row).is_subset(&known), "{path}: {row}");
            found.extend(keys(row));
        }
        // A row without a picture has none.
        let missing: Vec<_> = known.difference(&found).filter(|name| *name != "avatar").collect();
        assert!(missing.is_empty(), "{path} lacks {missing:?}");
    }
    for (name, fields) in RELATED {
        let role: i32 = admin
            .app
            .postgres
            .fetch("select id from role where name = 'admin'")
            .await;
        let path = match name {
            "emails" => format!("/api/Actions/{}/emails", world["action"]),
            "contacts" => format!("/api/Dealers/{}/contacts", world["dealer"]),
            "principals" => format!("/api/Roles/{role}/principals"),
            name => format!("/api/UserAccounts/{}/{name}", world["user"]),
        };
        let (status, rows) = admin.get(&path).await;
        assert_eq!(status, StatusCode::OK, "{path}: {rows}");
        assert_eq!(keys(&rows[0]), names(fields), "{name}");
    }
}

#[tokio::test]
async fn a_dealer_needs_a_domain_and_keeps_what_is_known_of_it() {
    let admin = Admin::new().await;
    for body in [
        json!({}),
        json!({"domain": null}),
        json!({"domain": ""}),
        json!({"note": "x"}),
    ] {
        let (status, answer) = admin.post("/api/Dealers", &body).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{body}: {answer}");
        assert_eq!(answer["error"]["details"]["codes"], json!({"domain": ["presence"]}));
    }
    let known = json!({
        "domain": "shop.example", "tests": {"live": true}, "date": "2026-01-01T00:00:00.000Z", "updated": "2026-01-02T00:00:00.000Z",
        "datas": [1, 2], "processed": true, "note": "x", "metas": {"a": 1}, "tags": ["b"]
    });
    let dealer = admin.id("/api/Dealers", &known).await;
    let (_, row) = admin.get(&format!("/api/Dealers/{dealer}")).await;
    for (name, value) in known.as_object().unwrap() {
        assert_eq!(&row[name], value, "{name}");
    }
}
