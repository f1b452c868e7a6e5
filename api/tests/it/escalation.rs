//! Complaints about trademarks in ads: the register, what speaks against a complaint, the pack, and the proof of a case; who may see them.

use std::io::{Cursor, Read};

use axum::body::Body;
use axum::http::StatusCode;
use image::codecs::png::PngDecoder;
use image::{ImageFormat, RgbImage};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use vocabulary::{AdKind, BrandId};
use zip::ZipArchive;

use crate::app::App;

struct World {
    app: App,
    acme: String,
    bolt: String,
    operator: String,
    /// Of acme's, against shop.example.
    case: i64,
    brand: i32,
    capture: String,
}

impl World {
    /// An ad of shop.example on acme's term, with a picture of its page, and a case.
    async fn new() -> Self {
        let app = App::start().await;
        app.company_user("acme").await;
        app.company_user("bolt").await;
        app.operator().await;
        let brand: i32 = app.postgres.fetch("select id from brand where name = 'acme'").await;
        let mut picture = Cursor::new(Vec::new());
        RgbImage::new(4, 3).write_to(&mut picture, ImageFormat::WebP).unwrap();
        let screenshot = app.state.blobs.put(picture.into_inner()).await.unwrap();
        let ads = [(AdKind::Text, "shop.example", 1)];
        let capture = app
            .captured_with("red shoes", Some(BrandId(brand)), "<p>page</p>", &ads, |capture| {
                capture.screenshot = Some(screenshot);
            })
            .await;
        app.postgres
            .execute(
                "insert into action (brand_id, domain, country, engine, status, accepted_date, last_status_date)
                 select id, 'shop.example', 'FR', 'google', 'accepted', '2026-03-01', '2026-03-01' from brand where name = 'acme'",
            )
            .await;
        Self {
            acme: app.login("user@acme.example").await,
            bolt: app.login("user@bolt.example").await,
            operator: app.login("operator@vigie.example").await,
            case: app.postgres.fetch("select max(id)::int8 from action").await,
            brand,
            capture: capture.to_string(),
            app,
        }
    }

    async fn send(&self, method: &str, path: &str, body: &Value, token: &str) -> (StatusCode, Value) {
        let headers = [("token", token), ("content-type", "application/json")];
        let answer = self
            .app
            .send(method, path, Body::from(body.to_string()), &headers)
            .await;
        (answer.status, answer.body)
    }

    fn of_case(&self, what: &str) -> String {
        format!("/api/actions/{}/{what}", self.case)
    }

    fn marks(&self) -> String {
        format!("/api/Brands/{}/trademarks", self.brand)
    }

    async fn obstacle(&self) -> Value {
        let (status, body) = self
            .send("GET", &self.of_case("escalation"), &Value::Null, &self.operator)
            .await;
        assert_eq!(status, StatusCode::OK, "{body}");
        body["data"]["obstacle"].clone()
    }

    /// The words of the headline of the ad.
    async fn mark_of_ad(&self) -> String {
        let path = "/api/advertisement?domain=shop.example";
        let (status, ads) = self.send("GET", path, &Value::Null, &self.operator).await;
        assert_eq!(status, StatusCode::OK, "{ads}");
        ads[0]["title"].as_str().unwrap().to_owned()
    }
}

fn mark(name: &str, number: &str) -> Value {
    json!({"mark": name, "office": "EUIPO", "number": number, "countries": ["fr"], "classes": [25, 18, 25], "owner": "Acme SA"})
}

#[tokio::test]
async fn a_complaint_waits_for_a_mark_in_the_text_and_a_proof() {
    let world = World::new().await;
    assert_eq!(world.obstacle().await, "no-trademark");
    let (status, other) = world
        .send("POST", &world.marks(), &mark("Something else", "1"), &world.operator)
        .await;
    assert_eq!(status, StatusCode::OK, "{other}");
    assert_eq!(
        (&other["countries"], &other["classes"]),
        (&json!(["FR"]), &json!([18, 25]))
    );
    assert_eq!(world.obstacle().await, "not-in-text");
    let pack = world.of_case("escalationPack?language=fr");
    let (status, refused) = world.send("GET", &pack, &Value::Null, &world.operator).await;
    assert_eq!(
        (status, &refused["error"]["code"], &refused["error"]["message"]),
        (
            StatusCode::CONFLICT,
            &json!("ESCALATION_REFUSED"),
            &json!("not-in-text")
        )
    );
    let mut named = mark(&world.mark_of_ad().await, "2");
    let (_, made) = world.send("POST", &world.marks(), &named, &world.operator).await;
    assert_eq!(world.obstacle().await, "no-authorisation");

    let form = "--x\r\ncontent-disposition: form-data; name=\"f\"; filename=\"power.txt\"\r\n\r\nWe act for Acme.\r\n--x--\r\n";
    let headers = [
        ("token", &*world.operator),
        ("content-type", "multipart/form-data; boundary=x"),
    ];
    let file = world
        .app
        .send("POST", "/api/Files/upload?use=attachment", Body::from(form), &headers)
        .await;
    assert_eq!(file.status, StatusCode::OK, "{}", file.body);
    named["authorisationId"] = file.body["id"].clone();
    named["version"] = json!(1);
    let one = format!("{}/{}", world.marks(), made["id"]);
    let (status, changed) = world.send("PUT", &one, &named, &world.operator).await;
    assert_eq!((status, &changed["version"]), (StatusCode::OK, &json!(2)), "{changed}");
    assert_eq!(
        world.send("PUT", &one, &named, &world.operator).await.0,
        StatusCode::CONFLICT
    );
    assert_eq!(world.obstacle().await, Value::Null);

    let numbers = world.of_case("complaint");
    for number in [json!("7-001"), Value::Null, json!(" 7-002 ")] {
        let (status, body) = world
            .send("PUT", &numbers, &json!({ "number": number }), &world.operator)
            .await;
        assert_eq!(status, StatusCode::OK, "{body}");
    }
    let (_, body) = world
        .send("GET", &world.of_case("escalation"), &Value::Null, &world.operator)
        .await;
    assert_eq!(body["data"]["complaintNumber"], "7-002");
    let kept = body["data"]["complaints"].as_array().unwrap();
    let kept: Vec<&Value> = kept.iter().map(|complaint| &complaint["number"]).collect();
    assert_eq!(kept, [&json!("7-002"), &Value::Null, &json!("7-001")]);

    let answer = world.app.open(&pack, &[("token", &world.operator)]).await;
    assert_eq!(answer.status(), StatusCode::OK);
    let bytes = axum::body::to_bytes(answer.into_body(), 1 << 20).await.unwrap();
    let mut archive = ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut read = |name: &str| {
        let mut content = Vec::new();
        archive.by_name(name).unwrap().read_to_end(&mut content).unwrap();
        content
    };
    let manifest: Value = serde_json::from_slice(&read("manifest.json")).unwrap();
    for file in manifest["files"].as_array().unwrap() {
        let content = read(file["name"].as_str().unwrap());
        assert_eq!(file["sha256"], hex::encode(Sha256::digest(&content)), "{file}");
    }
    let ad = &manifest["ads"][0];
    assert_eq!(
        (&ad["capture"], &ad["term"], &ad["country"], &ad["taken"]),
        (
            &json!(world.capture),
            &json!("red shoes"),
            &json!("FR"),
            &json!("2026-03-02T07:59:58Z")
        )
    );
    let letter = String::from_utf8(read("letter.txt")).unwrap();
    assert!(
        letter.contains("Numéro de réclamation : 7-002") && letter.contains(&world.capture),
        "{letter}"
    );
    PngDecoder::new(Cursor::new(read("page-1.png"))).unwrap();
    assert_eq!(read("authorisation-1-power.txt"), b"We act for Acme.");
}

#[tokio::test]
async fn complaints_and_marks_are_for_staff_and_another_company_finds_nothing() {
    let world = World::new().await;
    let (_, made) = world
        .send("POST", &world.marks(), &mark("Acme", "1"), &world.operator)
        .await;
    let one = format!("{}/{}", world.marks(), made["id"]);
    let number = json!({"number": "1"});
    let complaint = world.of_case("complaint");
    for (method, path, body) in [
        ("GET", world.of_case("escalation"), &Value::Null),
        ("GET", world.of_case("escalationPack"), &Value::Null),
        ("PUT", complaint.clone(), &number),
        ("POST", world.marks(), &mark("Acme", "2")),
        ("PUT", one.clone(), &mark("Acme", "2")),
        ("DELETE", one.clone(), &Value::Null),
    ] {
        assert_eq!(
            world.send(method, &path, body, &world.acme).await.0,
            StatusCode::FORBIDDEN,
            "{method} {path}"
        );
        assert_eq!(
            world.send(method, &path, body, &world.bolt).await.0,
            StatusCode::NOT_FOUND,
            "{method} {path}"
        );
    }
    for path in [world.marks(), world.of_case("proof")] {
        assert_eq!(
            world.send("GET", &path, &Value::Null, &world.acme).await.0,
            StatusCode::OK,
            "{path}"
        );
        assert_eq!(
            world.send("GET", &path, &Value::Null, &world.bolt).await.0,
            StatusCode::NOT_FOUND,
            "{path}"
        );
    }
    let template = "/api/mailTemplates/1/results";
    assert_eq!(
        world.send("GET", template, &Value::Null, &world.acme).await.0,
        StatusCode::FORBIDDEN
    );
    let unchanged = "select count(*) = 1 and not exists (select from complaint) from trademark";
    assert!(world.app.postgres.fetch::<bool>(unchanged).await);
    // Nobody names a file of somebody else as an authorisation.
    world
        .app
        .postgres
        .execute("insert into file (id, name, sha256, owner_id, purpose) values (repeat('1', 32)::uuid, 'x', sha256('x'), 1, 'attachment')")
        .await;
    let mut stolen = mark("Acme", "3");
    stolen["authorisationId"] = json!("11111111-1111-1111-1111-111111111111");
    let (status, body) = world.send("POST", &world.marks(), &stolen, &world.operator).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{body}");
}

#[tokio::test]
async fn a_case_shows_its_checks_and_what_was_seen_again() {
    let world = World::new().await;
    let statement = format!(
        "insert into action_history (action_id, status, at, is_automatic) values ({0}, 'reappearance', '2026-02-01', true);
         insert into relapse (history_id, accepted_at, capture_id, seen_at, term, kind, words, rank)
             select max(id), '2026-01-01', '{1}', '2026-02-01', 'red shoes', 'ads', 'Acme', 2 from action_history;
         insert into acceptance_check (action_id, accepted_at, day, planned_at) values ({0}, '2026-03-01', 3, '2026-03-04');
         insert into acceptance_check_slot (check_id, slot_id, is_extra) select 1, id, true from slot",
        world.case, world.capture
    );
    world.app.postgres.execute(statement.leak()).await;
    let (status, body) = world
        .send("GET", &world.of_case("proof"), &Value::Null, &world.acme)
        .await;
    assert_eq!(status, StatusCode::OK, "{body}");
    let proof = &body["data"];
    assert_eq!(
        proof["relapses"][0],
        json!({"historyID": proof["relapses"][0]["historyID"], "acceptedDate": "2026-01-01T00:00:00Z", "captureID": world.capture,
            "hasPage": true, "seenDate": "2026-02-01T00:00:00Z", "term": "red shoes", "kind": "ads", "text": "Acme", "rank": 2})
    );
    assert_eq!(proof["graceUntil"], "2026-03-08T00:00:00Z");
    let checks = proof["checks"].as_array().unwrap();
    let checks: Vec<_> = checks
        .iter()
        .map(|check| {
            (
                check["day"].as_i64().unwrap(),
                check["plannedDate"].is_string(),
                check["valid"].as_i64().unwrap(),
            )
        })
        .collect();
    assert_eq!(checks, [(3, true, 1), (7, false, 0), (14, false, 0), (30, false, 0)]);
}
