//! What a write takes, what it refuses, and what a new row has of itself.

use axum::body::Body;
use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::app::PASSWORD;
use crate::resources::{Admin, argument};

impl Admin {
    async fn send(&self, method: &str, path: &str, body: &Value) -> (StatusCode, Value) {
        let headers = [("token", self.token.as_str()), ("content-type", "application/json")];
        let answer = self
            .app
            .send(method, path, Body::from(body.to_string()), &headers)
            .await;
        (answer.status, answer.body)
    }

    async fn refused(&self, method: &str, path: &str, body: &Value, field: &str) {
        let (status, answer) = self.send(method, path, body).await;
        assert_eq!(
            status,
            StatusCode::UNPROCESSABLE_ENTITY,
            "{method} {path} {body}: {answer}"
        );
        let messages = &answer["error"]["details"]["messages"];
        assert!(messages.get(field).is_some(), "{method} {path} {body}: {answer}");
    }
}

#[tokio::test]
async fn a_body_of_a_type_that_is_not_read_makes_no_row() {
    let admin = Admin::new().await;
    for kind in ["text/plain", "application/xml", "application/vnd.api+json", ""] {
        let headers = [("token", admin.token.as_str()), ("content-type", kind)];
        let body = Body::from(r#"{"label":"Acme"}"#);
        let answer = admin.app.send("POST", "/api/Brands", body, &headers).await;
        assert_eq!(
            answer.status,
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "{kind}: {}",
            answer.body
        );
    }
    let count: i64 = admin.app.postgres.fetch("select count(*) from brand").await;
    assert_eq!(count, 0);
    let headers = [("token", admin.token.as_str()), ("content-type", "application/json")];
    let marked = Body::from("\u{feff}{\"label\":\"Acme\"}");
    let answer = admin.app.send("POST", "/api/Brands", marked, &headers).await;
    assert_eq!((answer.status, &answer.body["label"]), (StatusCode::OK, &json!("Acme")));
    let (status, _) = admin
        .send("POST", "/api/Terms", &json!({"term": "x", "devices": "MOBILE"}))
        .await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "a text is no list");
}

#[tokio::test]
async fn a_new_row_has_its_defaults_and_a_client_gives_no_totals() {
    let admin = Admin::new().await;
    let now = "2026-03-02T08:00:00.000Z";
    let body = json!({"term": "red shoes", "keywordType": null, "engine": null, "devices": null, "state": null});
    let term = admin.id("/api/Terms", &body).await;
    let (_, row) = admin.get(&format!("/api/Terms/{term}")).await;
    for (name, value) in [
        ("keywordType", json!("GENERIC")),
        ("engine", json!("GOOGLE")),
        ("devices", json!(["DESKTOP"])),
        ("state", json!("disabled")),
        ("createdDate", json!(now)),
        ("updatedDate", json!(now)),
    ] {
        assert_eq!(row[name], value, "{name}: {row}");
    }
    for (path, body) in [
        ("/api/Brands", json!({"label": "Acme", "totalViews": 500})),
        ("/api/CompanyAccounts", json!({"name": "Acme", "totalViews": 500})),
        ("/api/Categories", json!({"label": "Shops", "totalViews": 500})),
    ] {
        let (_, made) = admin.post(path, &body).await;
        assert_eq!(made["totalViews"], 0, "{path}: {made}");
        let one = format!("{path}/{}", made["id"]);
        let (status, changed) = admin.send("PATCH", &one, &json!({"totalViews": 7})).await;
        assert_eq!((status, &changed["totalViews"]), (StatusCode::OK, &json!(0)), "{path}");
        let (_, stored) = admin.get(&one).await;
        assert_eq!(stored["totalViews"], 0, "{path}");
    }
    let (_, action) = admin.post("/api/Actions", &json!({"domain": "shop.example"})).await;
    assert_eq!(action["ID"], action["id"]);
    let (_, action) = admin.get(&format!("/api/Actions/{}", action["id"])).await;
    assert_eq!(action["ID"], action["id"]);
    assert_eq!(
        (&action["receivedCount"], &action["unreadCount"]),
        (&json!(0), &json!(0))
    );
    assert_eq!(
        (&action["createdDate"], &action["waiting"]),
        (&json!(now), &json!(false))
    );
}

#[tokio::test]
async fn a_change_moves_the_date_of_the_last_one() {
    let admin = Admin::new().await;
    let term = admin.id("/api/Terms", &json!({"term": "red shoes"})).await;
    let action = admin.id("/api/Actions", &json!({"domain": "shop.example"})).await;
    let dealer = admin.id("/api/Dealers", &json!({"domain": "shop.example"})).await;
    admin.app.state.clock.advance(chrono::TimeDelta::hours(1));
    let later = "2026-03-02T09:00:00.000Z";
    for (path, body, name) in [
        (format!("/api/Terms/{term}"), json!({"state": "enabled"}), "updatedDate"),
        (format!("/api/Actions/{action}"), json!({"note": "x"}), "updatedDate"),
        (format!("/api/Dealers/{dealer}"), json!({"note": "x"}), "updated"),
    ] {
        let (status, row) = admin.send("PATCH", &path, &body).await;
        assert_eq!((status, &row[name]), (StatusCode::OK, &json!(later)), "{path}: {row}");
    }
    admin.app.state.clock.advance(chrono::TimeDelta::hours(1));
    let all = format!("/api/Terms/update?{}", argument("where", &json!({"id": term})));
    admin.post(&all, &json!({"state": "archived"})).await;
    let (_, row) = admin.get(&format!("/api/Terms/{term}")).await;
    assert_eq!(row["updatedDate"], "2026-03-02T10:00:00.000Z");
}

#[tokio::test]
async fn a_term_is_made_with_its_tags_and_who_may_read_it() {
    let admin = Admin::new().await;
    let tag = admin
        .id("/api/Categories", &json!({"label": "Shops", "scope": "term"}))
        .await;
    let company = admin.id("/api/CompanyAccounts", &json!({"name": "Bolt"})).await;
    let body = json!({
        "term": "red shoes", "keywordType": "generic+brand", "categories": [{"id": tag}], "canBeAccessBy": [company]
    });
    let term = admin.id("/api/Terms", &body).await;
    let filter = argument("filter", &json!({"include": ["categories", "canBeAccessBy"]}));
    let (_, row) = admin.get(&format!("/api/Terms/{term}?{filter}")).await;
    assert_eq!(row["keywordType"], "GENERIC_BRAND");
    assert_eq!(
        (&row["categories"][0]["id"], &row["canBeAccessBy"][0]["id"]),
        (&json!(tag), &json!(company))
    );
    let unknown = json!({"term": "blue shoes", "categories": [tag + 999]});
    admin.refused("POST", "/api/Terms", &unknown, "categories").await;
    admin
        .refused(
            "POST",
            "/api/Terms",
            &json!({"term": "x", "canBeAccessBy": "all"}),
            "canBeAccessBy",
        )
        .await;
    let count: i64 = admin.app.postgres.fetch("select count(*) from term").await;
    assert_eq!(count, 1);
}

#[tokio::test]
async fn the_state_of_a_message_is_the_mails_to_tell() {
    let admin = Admin::new().await;
    let action = admin.id("/api/Actions", &json!({"domain": "shop.example"})).await;
    let body = json!({"subject": "Hello", "status": "sent", "sendedDate": "2026-01-01", "open": true});
    let emails = format!("/api/Actions/{action}/emails");
    let (status, made) = admin.post(&emails, &body).await;
    assert_eq!((status, &made["status"]), (StatusCode::OK, &json!("draft")));
    let one = format!("{emails}/{}", made["id"]);
    admin.send("PUT", &one, &json!({"status": "sent"})).await;
    let (_, stored) = admin.get(&one).await;
    assert_eq!(
        (&stored["status"], &stored["sendedDate"], &stored["open"]),
        (&json!("draft"), &Value::Null, &json!(false))
    );
}

#[tokio::test]
async fn reminders_and_names_keep_their_bounds() {
    let admin = Admin::new().await;
    let brand = admin.id("/api/Brands", &json!({"label": "Acme"})).await;
    for reminder in [
        json!({"frequency": 9999}),
        json!({"frequency": -3}),
        json!({"quota": 51}),
        json!({"quota": -1}),
    ] {
        let body = json!({ "reminder": reminder });
        admin.refused("POST", "/api/Brands", &body, "reminder").await;
        admin
            .refused("PATCH", &format!("/api/Brands/{brand}"), &body, "reminder")
            .await;
        admin.refused("POST", "/api/CompanyAccounts", &body, "reminder").await;
    }
    let kept = json!({"reminder": {"autoReminder": true, "frequency": 365, "quota": 50}});
    let (status, _) = admin.send("PATCH", &format!("/api/Brands/{brand}"), &kept).await;
    assert_eq!(status, StatusCode::OK);
    for path in ["/api/Brands", "/api/CompanyAccounts", "/api/Categories"] {
        admin.refused("POST", path, &json!({"label": "  "}), "label").await;
    }
}

#[tokio::test]
async fn a_tag_has_a_slug_and_no_tag_stands_under_itself() {
    let admin = Admin::new().await;
    let (_, made) = admin.post("/api/Categories", &json!({"label": "Été & Noël"})).await;
    assert_eq!(
        (&made["name"], &made["visibility"]),
        (&json!("ete-noel"), &json!("owner"))
    );
    let (status, again) = admin.post("/api/Categories", &json!({"label": "été noël"})).await;
    assert_eq!(status, StatusCode::CONFLICT, "{again}");
    let top = made["id"].as_i64().unwrap();
    let middle = admin
        .id("/api/Categories", &json!({"label": "Middle", "parentId": top}))
        .await;
    let low = admin
        .id("/api/Categories", &json!({"label": "Low", "parentId": middle}))
        .await;
    for parent in [top, middle, low] {
        let body = json!({ "parentId": parent });
        admin
            .refused("PATCH", &format!("/api/Categories/{top}"), &body, "parentId")
            .await;
    }
    let all = format!(
        "/api/Categories/update?{}",
        argument("where", &json!({"id": {"inq": [top, middle]}}))
    );
    admin.refused("POST", &all, &json!({"parentId": low}), "parentId").await;
    let of_terms = json!({"label": "Words", "scope": "term", "parentId": top});
    admin.refused("POST", "/api/Categories", &of_terms, "parentId").await;
    admin
        .refused(
            "PATCH",
            &format!("/api/Categories/{middle}"),
            &json!({"scope": "term"}),
            "parentId",
        )
        .await;
    // A tag of another company is none.
    admin.app.company_user("acme").await;
    let user = admin.app.login("user@acme.example").await;
    let brand: i32 = admin
        .app
        .postgres
        .fetch("select id from brand where name = 'acme'")
        .await;
    let body = json!({"label": "Mine", "brandOwnerId": brand, "parentId": low});
    let answer = admin.app.post("/api/Categories", &body, &[("token", &user)]).await;
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", answer.body);
}

#[tokio::test]
async fn a_session_is_asked_for_as_loopback_clients_write_it() {
    let admin = Admin::new().await;
    let login = "/api/UserAccounts/login";
    let credentials = |ttl: Value| json!({"email": "admin@vigie.example", "password": PASSWORD, "ttl": ttl});
    let answer = admin.app.post(login, &credentials(json!("60")), &[]).await;
    assert_eq!(answer.body["ttl"], 60);
    let refused = admin.app.post(login, &credentials(json!("soon")), &[]).await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    let token = answer.body["id"].as_str().unwrap();
    let me = admin
        .app
        .get("/api/UserAccounts/me", &[("x-access-token", token)])
        .await;
    assert_eq!(
        (me.status, &me.body["email"]),
        (StatusCode::OK, &json!("admin@vigie.example"))
    );
    for include in [
        json!({"relation": "user", "scope": {"include": "roles"}}),
        json!({"user": "roles"}),
        json!([{"user": ["roles"]}]),
    ] {
        let path = format!("{login}?{}", argument("include", &include));
        let answer = admin.app.post(&path, &credentials(json!(60)), &[]).await;
        assert_eq!(
            answer.body["user"]["roles"][0]["name"], "admin",
            "{include}: {}",
            answer.body
        );
    }
}
