//! Stop and Go over HTTP: brands, keywords, their lanes, and who may see them.

use axum::body::Body;
use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::app::App;

/// A Google term and one of Bing of each brand.
const TERMS: &str = "insert into term (term, engine, state, localization_id, brand_id)
    select b.name || ' shoes', engine, 'enabled', (select id from localization where locale = 'fr_FR' order by id limit 1), b.id
    from brand b, unnest(array['GOOGLE', 'BING']) engine order by b.id";

struct World {
    app: App,
    token: String,
    brand: i32,
    term: i32,
}

impl World {
    async fn new() -> Self {
        let app = App::start().await;
        app.company_user("acme").await;
        app.admin().await;
        app.postgres.execute(TERMS).await;
        let token = app.login("admin@vigie.example").await;
        let brand = app.postgres.fetch("select id from brand where name = 'acme'").await;
        let term = app.postgres.fetch("select id from term where engine = 'GOOGLE'").await;
        Self {
            app,
            token,
            brand,
            term,
        }
    }

    async fn get(&self, path: &str) -> (StatusCode, Value) {
        let response = self.app.get(path, &[("token", &self.token)]).await;
        (response.status, response.body)
    }

    async fn send(&self, method: &str, path: &str, body: Value) -> (StatusCode, Value) {
        let headers = [("token", self.token.as_str()), ("content-type", "application/json")];
        let response = self
            .app
            .send(method, path, Body::from(body.to_string()), &headers)
            .await;
        (response.status, response.body)
    }

    /// Links the brand and its keyword, and returns the ids of both.
    async fn linked(&self) -> (i64, i64) {
        let body = json!({"brandID": self.brand, "domains": ["acme.example"]});
        let (status, brand) = self.send("POST", "/api/stop-go/brand", body).await;
        assert_eq!(status, StatusCode::CREATED, "{brand}");
        let body = json!({"brandID": self.brand, "keywordID": self.term, "averageCTR": "0,055", "averageCPC": "0.50"});
        let (status, keyword) = self.send("POST", "/api/stop-go/keyword", body).await;
        assert_eq!(status, StatusCode::CREATED, "{keyword}");
        (
            brand["data"]["ID"].as_i64().unwrap(),
            keyword["data"]["ID"].as_i64().unwrap(),
        )
    }
}

#[tokio::test]
async fn a_brand_and_a_keyword_are_linked_changed_and_removed() {
    let world = World::new().await;
    let (_, linkable) = world
        .get(&format!("/api/stop-go/keyword/linkable?brandID={}", world.brand))
        .await;
    assert_eq!(
        linkable["data"].as_array().unwrap().len(),
        1,
        "Bing is left out: {linkable}"
    );
    let (brand, keyword) = world.linked().await;

    let (_, one) = world.get(&format!("/api/stop-go/brand/?ID={brand}")).await;
    assert_eq!(one["data"]["domains"], json!(["acme.example"]));
    assert_eq!(
        (&one["data"]["state"], &one["data"]["mode"]),
        (&json!("enable"), &json!("observe"))
    );
    let (_, shown) = world.get(&format!("/api/stop-go/keyword/?ID={keyword}")).await;
    assert_eq!(
        (&shown["data"]["averageCTR"], &shown["data"]["averageCPC"]),
        (&json!("0,055"), &json!("0.50"))
    );
    assert_eq!(shown["data"]["inGoogle"], "not-connected");
    let number: f64 = world
        .app
        .postgres
        .fetch("select average_ctr::float8 from stop_go_keyword")
        .await;
    assert!((number - 0.055).abs() < 1e-12, "not rounded: {number}");

    let (status, after) = world
        .send(
            "POST",
            "/api/stop-go/keyword/exclude",
            json!({"ID": keyword, "exclude": true}),
        )
        .await;
    assert_eq!(status, StatusCode::OK, "{after}");
    assert_eq!(
        (&after["data"]["saveToGoogle"], &after["data"]["lane"]["state"]),
        (&json!(true), &json!("manual"))
    );
    let (_, after) = world
        .send(
            "POST",
            "/api/stop-go/keyword/enable",
            json!({"ID": keyword, "enable": false}),
        )
        .await;
    assert_eq!(
        (&after["data"]["enable"], &after["data"]["saveToGoogle"]),
        (&json!(false), &json!(false))
    );

    let (status, saved) = world
        .send(
            "PUT",
            "/api/stop-go/keyword",
            json!({"ID": keyword, "averageCTR": "5", "enable": true}),
        )
        .await;
    assert_eq!((status, &saved["data"]), (StatusCode::OK, &json!(true)));
    for wrong in ["101", "-1", "many"] {
        let (status, _) = world
            .send(
                "PUT",
                "/api/stop-go/keyword",
                json!({"ID": keyword, "averageCTR": wrong}),
            )
            .await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{wrong}");
    }
    let (status, _) = world
        .send(
            "PUT",
            "/api/stop-go/brand",
            json!({"brandID": world.brand, "state": "disable"}),
        )
        .await;
    assert_eq!(status, StatusCode::OK);

    let (status, _) = world
        .send("DELETE", &format!("/api/stop-go/keyword?ID={keyword}"), json!({}))
        .await;
    assert_eq!(status, StatusCode::OK);
    let (status, _) = world.get(&format!("/api/stop-go/keyword/?ID={keyword}")).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_lane_shows_its_guards_its_log_and_what_would_have_happened() {
    let world = World::new().await;
    let (_, keyword) = world.linked().await;
    world.app.postgres.execute("insert into term_due (term_id, device, every_ms, first_slot, next_slot)
        select id, 'desktop', 3600000, '2026-01-01', '2026-01-01' from term where engine = 'GOOGLE';
        insert into stop_go_reading (lane_id, capture_id, term_id, device, at, verdict, organic_first, own_ad)
        select lane_id, gen_random_uuid(), term_id, 'desktop', at, case extract(hour from at) when 20 then 'rival' else 'clean' end, true, true
        from stop_go_keyword, generate_series(timestamptz '2026-03-02 08:00Z' - interval '9 days', timestamptz '2026-03-02 08:00Z' - interval '1 minute', '1 hour') at").await;
    let (_, shown) = world.get(&format!("/api/stop-go/keyword/?ID={keyword}")).await;
    let id = shown["data"]["lane"]["ID"].as_i64().unwrap();
    let (status, lane) = world.get(&format!("/api/stop-go/lane?ID={id}")).await;
    assert_eq!(status, StatusCode::OK, "{lane}");
    let guards = lane["data"]["guards"].as_array().unwrap();
    assert_eq!(guards.len(), 8);
    assert!(
        guards
            .iter()
            .any(|guard| guard["guard"] == "grant" && guard["passes"] == false)
    );
    assert_eq!(lane["data"]["strip"].as_array().unwrap().len(), 169);

    let period: Value = {
        let from: String = world
            .app
            .postgres
            .fetch(
                "select to_char(timestamptz '2026-03-02 08:00Z' - interval '8 days', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')",
            )
            .await;
        let until: String = world
            .app
            .postgres
            .fetch("select to_char(timestamptz '2026-03-02 08:00Z', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')")
            .await;
        json!({"ID": id, "from": from, "until": until})
    };
    let (status, dry) = world.send("POST", "/api/stop-go/lane/dryRun", period).await;
    assert_eq!(status, StatusCode::OK, "{dry}");
    let runs = dry["data"].as_array().unwrap();
    let stopped: Vec<f64> = runs.iter().map(|run| run["stoppedHours"].as_f64().unwrap()).collect();
    assert!(
        stopped.windows(2).all(|pair| pair[0] >= pair[1]),
        "slower stops less: {stopped:?}"
    );
    assert!(
        stopped[0] > 0.0 && runs[0]["harmHours"].as_f64().unwrap() > 0.0,
        "{dry}"
    );
    let (_, lane) = world.get(&format!("/api/stop-go/lane?ID={id}")).await;
    let seen = lane["data"]["guards"]
        .as_array()
        .unwrap()
        .iter()
        .find(|guard| guard["guard"] == "dry-run")
        .cloned();
    assert_eq!(seen.unwrap()["passes"], true);
    let (status, _) = world
        .send("POST", "/api/stop-go/lane/act", json!({"ID": id, "act": "approve"}))
        .await;
    assert_eq!(status, StatusCode::CONFLICT);
}

#[tokio::test]
async fn options_keep_their_bounds_and_nobody_overwrites_those_of_another() {
    let world = World::new().await;
    let (brand, _) = world.linked().await;
    let body = |version: i32, settings: Value| json!({"ID": brand, "version": version, "mode": "propose", "settings": settings});
    let (status, after) = world
        .send(
            "PUT",
            "/api/stop-go/brand/options",
            body(1, json!({"stopSpanHours": 8})),
        )
        .await;
    assert_eq!(
        (status, &after["data"]["version"]),
        (StatusCode::OK, &json!(2)),
        "{after}"
    );
    let (status, _) = world
        .send("PUT", "/api/stop-go/brand/options", body(1, json!({})))
        .await;
    assert_eq!(status, StatusCode::CONFLICT);
    let (status, _) = world
        .send(
            "PUT",
            "/api/stop-go/brand/options",
            body(2, json!({"stopSpanHours": 37})),
        )
        .await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn an_emergency_needs_the_name_of_the_brand() {
    let world = World::new().await;
    let (brand, keyword) = world.linked().await;
    world
        .send(
            "POST",
            "/api/stop-go/keyword/exclude",
            json!({"ID": keyword, "exclude": true}),
        )
        .await;
    let (status, _) = world
        .send(
            "POST",
            "/api/stop-go/emergency",
            json!({"ID": brand, "confirmation": "other"}),
        )
        .await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    let name: String = world
        .app
        .postgres
        .fetch("select coalesce(nullif(label, ''), name) from brand where name = 'acme'")
        .await;
    let (status, done) = world
        .send(
            "POST",
            "/api/stop-go/emergency",
            json!({"ID": brand, "confirmation": name}),
        )
        .await;
    assert_eq!(
        (status, &done["data"]),
        (StatusCode::OK, &json!({"lists": 1, "lanes": 1}))
    );
    let (_, shown) = world.get(&format!("/api/stop-go/keyword/?ID={keyword}")).await;
    assert_eq!(shown["data"]["saveToGoogle"], false);
}

#[tokio::test]
async fn what_is_left_in_google_without_access_is_told() {
    let world = World::new().await;
    world.linked().await;
    let (status, all_well) = world.get("/api/stop-go/stranded").await;
    assert_eq!((status, &all_well["data"]), (StatusCode::OK, &json!([])));
    world
        .app
        .postgres
        .execute(
            "insert into google_grant (kind, scopes, refresh_token, status, checked_at, created_date)
                 values ('manager', '{}', 'sealed', 'revoked', now(), now());
             insert into google_connect (customer_id, brand_id, ads_grant_id) select '1234567890', b.id, g.id from brand b, google_grant g where b.name = 'acme';
             update stop_go_lane set google_connect_id = (select id from google_connect), account = 'customer:1234567890', observed = true",
        )
        .await;
    let (_, stranded) = world.get("/api/stop-go/stranded").await;
    let left = json!([{"customer": "1234567890", "country": "FR", "texts": ["acme shoes"]}]);
    assert_eq!(stranded["data"], left);
    world
        .app
        .postgres
        .execute("update google_grant set status = 'ok'")
        .await;
    let (_, again) = world.get("/api/stop-go/stranded").await;
    assert_eq!(again["data"], json!([]), "access is back");
}

#[tokio::test]
async fn only_administrators_see_it() {
    let world = World::new().await;
    world.app.operator().await;
    for (email, status) in [
        ("user@acme.example", StatusCode::FORBIDDEN),
        ("operator@vigie.example", StatusCode::FORBIDDEN),
    ] {
        let token = world.app.login(email).await;
        for path in [
            "/api/stop-go/brand",
            "/api/stop-go/keyword",
            "/api/stop-go/savings",
            "/api/stop-go/stranded",
            "/api/stop-go/brand/export",
            "/api/stop-go/keyword/export",
            "/api/stop-go/savings/export",
            "/api/stop-go/lane?ID=1",
        ] {
            assert_eq!(
                world.app.get(path, &[("token", &token)]).await.status,
                status,
                "{email} {path}"
            );
        }
    }
}

#[tokio::test]
async fn the_tables_are_files() {
    let world = World::new().await;
    for (path, title) in [
        ("/api/stop-go/brand/export", "Official domains"),
        ("/api/stop-go/keyword/export", "Average CTR"),
        ("/api/stop-go/savings/export", "Saving at least"),
    ] {
        let token = [("token", world.token.as_str())];
        let (status, csv) = world.app.text("GET", path, "", &token).await;
        assert_eq!(status, StatusCode::OK, "{path}: {csv}");
        assert!(csv.contains(title), "{path}: {csv}");
    }
}
