//! Terms from files: what a dry run says is what the import does.

use axum::body::Body;
use axum::http::StatusCode;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use crate::app::{App, TestResponse};
use crate::resources::{Admin, argument};

const IMPORT: &str = "/api/Terms/import";
const TITLES: &str = "Term,Locale,Location,Engine,Hours between captures";

/// Sends a file as a form.
async fn send(app: &App, token: &str, path: &str, content: &[u8]) -> TestResponse {
    let mut body = b"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"terms\"\r\n\r\n".to_vec();
    body.extend_from_slice(content);
    body.extend_from_slice(b"\r\n--x--\r\n");
    let headers = [("token", token), ("content-type", "multipart/form-data; boundary=x")];
    app.send("POST", path, Body::from(body), &headers).await
}

impl Admin {
    /// What the import of a file would do.
    async fn dry_run(&self, content: &[u8]) -> Value {
        let answer = send(&self.app, &self.token, IMPORT, content).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        answer.body["data"].clone()
    }

    /// Does what a dry run said.
    async fn import(&self, content: &[u8], dry: &Value) -> (StatusCode, Value) {
        let path = format!("{IMPORT}?token={}", dry["token"].as_str().unwrap());
        let answer = send(&self.app, &self.token, &path, content).await;
        (answer.status, answer.body)
    }

    /// Imports a file, as its dry run says, and answers the dry run.
    async fn imported(&self, content: &[u8]) -> Value {
        let dry = self.dry_run(content).await;
        let (status, answer) = self.import(content, &dry).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        assert_eq!(answer["data"]["counts"], dry["counts"]);
        dry
    }

    /// The code that a file is refused with.
    async fn refusal(&self, content: &[u8]) -> String {
        let answer = send(&self.app, &self.token, IMPORT, content).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", answer.body);
        answer.body["error"]["code"].as_str().unwrap().to_owned()
    }

    /// The file of all terms.
    async fn exported(&self, query: &str) -> Vec<u8> {
        let headers = [("token", self.token.as_str())];
        let answer = self.app.get(&format!("/api/Terms/export?{query}"), &headers).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        answer.bytes
    }

    /// The terms that meet a condition, by id.
    async fn terms(&self, condition: &Value) -> Vec<Value> {
        let include = json!(["brand", "localization", "categories", "canBeAccessBy"]);
        let filter = argument(
            "filter",
            &json!({"where": condition, "order": "id", "include": include}),
        );
        let (status, rows) = self.get(&format!("/api/Terms?{filter}")).await;
        assert_eq!(status, StatusCode::OK, "{rows}");
        rows.as_array().unwrap().clone()
    }

    /// Brands, tags, a company account, and two terms that have them.
    async fn furnished() -> Self {
        let admin = Self::new().await;
        let acme = json!({"label": "Acme", "validated": true, "autoMatchRegExp": "acme"});
        let acme = admin.id("/api/Brands", &acme).await;
        admin.id("/api/Brands", &json!({"label": "Bolt, Sons & Co"})).await;
        let company = admin
            .id("/api/CompanyAccounts", &json!({"name": "kestrel", "label": "Kestrel"}))
            .await;
        let tag = json!({"label": "Winter, sale", "scope": "term", "visibility": "all"});
        let tag = admin.id("/api/Categories", &tag).await;
        admin
            .id(
                "/api/Categories",
                &json!({"label": "Summer", "scope": "term", "visibility": "all"}),
            )
            .await;
        let place: i32 = admin
            .app
            .postgres
            .fetch("select id from localization where locale = 'fr_FR' and city = 'Paris'")
            .await;
        for (words, state) in [("acme shoes", "enabled"), ("=acme +bags", "disabled")] {
            let term = json!({
                "term": words, "engine": "GOOGLE", "localizationId": place, "region": "Brittany", "every": 7_200_000, "state": state,
                "devices": ["MOBILE", "DESKTOP"], "brandId": acme, "keywordType": "BRAND", "categories": [tag], "canBeAccessBy": [company],
                "options": {"saveShoppingAds": true}
            });
            admin.id("/api/Terms", &term).await;
        }
        admin
    }
}

fn line(dry: &Value, number: u64) -> &Value {
    let lines = dry["lines"].as_array().unwrap();
    lines.iter().find(|line| line["line"] == number).unwrap()
}

#[tokio::test]
async fn a_file_makes_terms_as_its_dry_run_says() {
    let admin = Admin::furnished().await;
    let file = format!(
        "{TITLES},State,Tag,Devices,Customer access\nAcme boots,fr_FR,Paris,google,24,enabled,\"winter, Sale; Summer\",mobile,Kestrel\n"
    );
    let dry = admin.dry_run(file.as_bytes()).await;
    assert_eq!(
        dry["counts"],
        json!({"created": 1, "changed": 0, "unchanged": 0, "refused": 0})
    );
    let created = line(&dry, 2);
    assert_eq!(created["outcome"], "created");
    assert!(
        created["changes"]
            .as_array()
            .unwrap()
            .contains(&json!({"column": "brand", "to": "Acme"})),
        "{created}"
    );
    assert_eq!(admin.terms(&json!({"term": "Acme boots"})).await, Vec::<Value>::new());
    admin.imported(file.as_bytes()).await;
    let made = admin.terms(&json!({"term": "Acme boots"})).await.remove(0);
    assert_eq!(made["brand"]["label"], "Acme");
    assert_eq!(made["localization"]["city"], "Paris");
    assert_eq!(made["every"], 86_400_000);
    assert_eq!(made["state"], "enabled");
    assert_eq!(made["devices"], json!(["MOBILE"]));
    assert_eq!(made["engine"], "GOOGLE");
    assert_eq!(made["keywordType"], "GENERIC");
    assert_eq!(made["categories"].as_array().unwrap().len(), 2);
    assert_eq!(made["canBeAccessBy"][0]["label"], "Kestrel");
    let events = "select string_agg(event, ' ' order by e.id) from audit_entry e join term t on e.target = t.id::text
        where e.model = 'Term' and t.term = 'Acme boots'";
    let entries: String = admin.app.postgres.fetch(events).await;
    assert_eq!(entries, "create link link link");
    let waiting = "select schedule_stale from term where term = 'Acme boots'";
    let waits: bool = admin.app.postgres.fetch(waiting).await;
    assert!(waits, "the next pass plans it");
}

#[tokio::test]
async fn what_was_exported_changes_nothing_in_any_format_and_language() {
    let admin = Admin::furnished().await;
    // Rows as only the API stores them: without a place, with a region elsewhere, with an interval that no list has.
    let odd = json!({"term": "odd", "region": "Nowhere", "every": 1_234_567, "devices": []});
    admin.id("/api/Terms", &odd).await;
    for query in ["lng=en", "lng=fr", "lng=en&format=xlsx", "lng=fr&format=xlsx"] {
        let dry = admin.dry_run(&admin.exported(query).await).await;
        assert_eq!(
            dry["counts"],
            json!({"created": 0, "changed": 0, "unchanged": 3, "refused": 0}),
            "{query}: {dry}"
        );
        assert_eq!(dry["ignored"], json!([]));
    }
}

#[tokio::test]
async fn places_of_one_name_are_told_apart_by_the_region_behind_them() {
    let admin = Admin::new().await;
    let places = [
        ("Saint-Denis (Reunion)", "Saint-Denis", "Reunion"),
        ("saint-denis, ile-de-france", "Saint-Denis", "Ile-de-France"),
        ("Lyon (Auvergne-Rhone-Alpes)", "Lyon", "Auvergne-Rhone-Alpes"),
        ("Nantes", "Nantes", "Pays de la Loire"),
    ];
    let lines: Vec<String> = places
        .iter()
        .map(|(name, ..)| format!("shoes,fr_FR,\"{name}\",google,24"))
        .collect();
    let dry = admin
        .imported(format!("{TITLES}\n{}", lines.join("\n")).as_bytes())
        .await;
    assert_eq!(dry["counts"]["created"], places.len(), "{dry}");
    let terms = admin.terms(&json!({})).await;
    let searched: Vec<_> = terms
        .iter()
        .map(|term| {
            (
                term["localization"]["city"].as_str().unwrap(),
                term["localization"]["region"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(searched, places.map(|(_, city, region)| (city, region)));

    let file = String::from_utf8(admin.exported("lng=en").await).unwrap();
    for name in [
        "Saint-Denis (Reunion)",
        "Saint-Denis (Ile-de-France)",
        "Lyon,",
        "Nantes,",
    ] {
        assert!(file.contains(name), "{name}: {file}");
    }
    let again = admin.dry_run(file.as_bytes()).await;
    assert_eq!(again["counts"]["unchanged"], places.len(), "{again}");
}

#[tokio::test]
async fn an_edited_export_changes_what_was_edited_and_nothing_else() {
    let admin = Admin::furnished().await;
    let file = String::from_utf8(admin.exported("lng=fr").await).unwrap();
    let before = admin.terms(&json!({})).await;
    let edited = file
        .replace("acme shoes", "acme sandals")
        .replacen("enabled", "archivé", 1)
        .replacen("\"Winter, sale\"", "Summer", 1);
    let dry = admin.imported(edited.as_bytes()).await;
    assert_eq!(
        dry["counts"],
        json!({"created": 0, "changed": 1, "unchanged": 1, "refused": 0}),
        "{dry}"
    );
    let changed = dry["lines"]
        .as_array()
        .unwrap()
        .iter()
        .find(|line| line["outcome"] == "changed")
        .unwrap();
    assert_eq!(
        changed["changes"],
        json!([
            {"column": "term", "from": "acme shoes", "to": "acme sandals"},
            {"column": "tags", "from": "Winter, sale", "to": "Summer"},
            {"column": "state", "from": "enabled", "to": "archived"},
        ])
    );
    let after = admin.terms(&json!({})).await;
    assert_eq!(after[1], before[1]);
    assert_eq!(after[0]["term"], "acme sandals");
    assert_eq!(after[0]["state"], "archived");
    assert_eq!(after[0]["categories"][0]["label"], "Summer");
    for field in [
        "options",
        "region",
        "devices",
        "every",
        "canBeAccessBy",
        "createdDate",
        "brandId",
    ] {
        assert_eq!(after[0][field], before[0][field], "{field}");
    }
    let details: Value = admin
        .app
        .postgres
        .fetch("select details from audit_entry where event = 'change' and model = 'Term' order by id desc limit 1")
        .await;
    assert_eq!(details["before"]["term"], "acme shoes");
    assert_eq!(details["after"]["state"], "archived");
    assert!(details["after"].get("region").is_none(), "{details}");
}

#[tokio::test]
async fn a_line_without_an_id_is_known_by_words_engine_place_and_region() {
    let admin = Admin::furnished().await;
    let file =
        format!("{TITLES},Region\n ACME   Shoes ,fr_FR,Paris,Google,6,brittany\nacme shoes,fr_FR,Paris,Google,6,\n");
    let dry = admin.imported(file.as_bytes()).await;
    assert_eq!(line(&dry, 2)["outcome"], "changed");
    assert_eq!(line(&dry, 3)["outcome"], "created");
    let hours: i64 = admin
        .app
        .postgres
        .fetch("select every from term where term = 'ACME Shoes'")
        .await;
    assert_eq!(hours, 6 * 3_600_000);
}

#[tokio::test]
async fn each_refusal_names_its_column_and_what_may_be_meant() {
    let admin = Admin::furnished().await;
    let long = "x".repeat(81);
    let lines = [
        (",fr_FR,Paris,google,1,,,,,".to_owned(), "term", "required", None),
        (format!("{long},fr_FR,Paris,google,1,,,,,"), "term", "tooLong", None),
        (
            "a,fr_FR,Pariss,google,1,,,,,".to_owned(),
            "localization",
            "unknown",
            Some("Paris"),
        ),
        ("a,fr_RF,,google,1,,,,,".to_owned(), "locale", "unknown", Some("fr_FR")),
        ("a,,,google,1,,,,,".to_owned(), "locale", "required", None),
        (
            "a,fr_FR,Paris,gogle,1,,,,,".to_owned(),
            "engine",
            "unknown",
            Some("google"),
        ),
        ("a,fr_FR,Paris,,1,,,,,".to_owned(), "engine", "required", None),
        (
            "a,nl_NL,bergen,google,1,,,,,".to_owned(),
            "localization",
            "ambiguous",
            Some("Bergen (North Holland)"),
        ),
        (
            "a,,Kansas City,google,1,,,,,".to_owned(),
            "localization",
            "ambiguous",
            Some("Kansas City (Missouri)"),
        ),
        ("a,,London,google,1,,,,,".to_owned(), "locale", "required", None),
        ("a,fr_FR,Paris,google,5,,,,,".to_owned(), "hours", "unknown", Some("6")),
        ("a,fr_FR,Paris,google,often,,,,,".to_owned(), "hours", "number", None),
        ("a,fr_FR,Paris,google,,,,,,".to_owned(), "hours", "required", None),
        (
            "a,fr_FR,Paris,google,1,Acmee,,,,".to_owned(),
            "brand",
            "unknown",
            Some("Acme"),
        ),
        (
            "a,fr_FR,Paris,google,1,,Sumer,,,".to_owned(),
            "tags",
            "unknown",
            Some("Summer"),
        ),
        (
            "a,fr_FR,Paris,google,1,,,Britany,,".to_owned(),
            "region",
            "unknown",
            Some("Brittany"),
        ),
        (
            "a,fr_FR,Paris,bing,1,,,Brittany,,".to_owned(),
            "region",
            "noRegions",
            None,
        ),
        ("a,fr_FR,Paris,google,1,,,,on,".to_owned(), "state", "unknown", None),
        (
            "a,fr_FR,Paris,google,1,,,,,Kestral".to_owned(),
            "companies",
            "unknown",
            Some("Kestrel"),
        ),
    ];
    let titles = format!("{TITLES},Brand,Tag,Region,State,Customer access\n");
    let text: Vec<&str> = lines.iter().map(|(line, ..)| line.as_str()).collect();
    let dry = admin.dry_run(format!("{titles}{}", text.join("\n")).as_bytes()).await;
    for (place, (text, column, code, nearest)) in lines.iter().enumerate() {
        let line = line(&dry, place as u64 + 2);
        assert_eq!(line["outcome"], "refused", "{text}: {line}");
        let problem = &line["problems"][0];
        assert_eq!(
            (problem["column"].as_str(), problem["code"].as_str()),
            (Some(*column), Some(*code)),
            "{text}: {line}"
        );
        assert_eq!(problem["nearest"].as_str(), *nearest, "{text}");
    }
    assert_eq!(dry["counts"]["refused"], lines.len());
}

#[tokio::test]
async fn the_second_line_about_a_term_is_refused_and_refused_lines_are_left_out() {
    let admin = Admin::furnished().await;
    let ids: Vec<i64> = admin
        .terms(&json!({}))
        .await
        .iter()
        .map(|term| term["id"].as_i64().unwrap())
        .collect();
    let file = format!(
        "ID,{TITLES},Region\n,New,fr_FR,Paris,google,1,\n,  nEW ,fr_FR,Paris,google,2,\n{0},acme shoes,fr_FR,Paris,google,1,Brittany\n,Acme shoes,fr_FR,Paris,google,1,Brittany\n{1},acme shoes,fr_FR,Paris,google,1,Brittany\n999999,x,fr_FR,Paris,google,1,\nten,x,fr_FR,Paris,google,1,\n",
        ids[0], ids[1]
    );
    let dry = admin.imported(file.as_bytes()).await;
    let outcome = |number: u64| {
        let line = line(&dry, number);
        (
            line["outcome"].as_str().unwrap().to_owned(),
            line["problems"][0]["code"].as_str().map(str::to_owned),
        )
    };
    let refused = |code: &str| ("refused".to_owned(), Some(code.to_owned()));
    assert_eq!(outcome(2), ("created".to_owned(), None));
    assert_eq!(outcome(3), refused("duplicate"));
    assert_eq!(outcome(4), ("changed".to_owned(), None));
    assert_eq!(outcome(5), refused("duplicate"));
    assert_eq!(outcome(6), refused("exists"));
    assert_eq!(outcome(7), refused("unknown"));
    assert_eq!(outcome(8), refused("number"));
    assert_eq!(admin.terms(&json!({})).await.len(), 3);
}

#[tokio::test]
async fn nothing_is_changed_once_the_file_or_what_it_changes_is_another() {
    let admin = Admin::furnished().await;
    let file = format!("{TITLES},Region\nacme shoes,fr_FR,Paris,google,24,Brittany\nNew,fr_FR,Paris,google,1,\n");
    let dry = admin.dry_run(file.as_bytes()).await;
    let conflict = async |file: &str, code: &str| {
        let (status, answer) = admin.import(file.as_bytes(), &dry).await;
        assert_eq!(status, StatusCode::CONFLICT, "{answer}");
        assert_eq!(answer["error"]["code"], code);
    };
    conflict(&file.replace("24", "12"), "IMPORT_FILE_CHANGED").await;
    for change in [
        "update term set state = 'archived' where term = 'acme shoes'",
        "update term set state = 'enabled', updated_date = now() where term = 'acme shoes'",
        "insert into term (term, engine, localization_id) select 'new', engine, localization_id from term where term = 'acme shoes'",
    ] {
        admin.app.postgres.execute(change).await;
        conflict(&file, "IMPORT_ROWS_CHANGED").await;
    }
    let every: i64 = admin
        .app
        .postgres
        .fetch("select every from term where term = 'acme shoes'")
        .await;
    assert_eq!(every, 7_200_000);
    admin.imported(file.as_bytes()).await;
}

#[tokio::test]
async fn a_file_that_is_none_of_terms_is_refused_as_a_whole() {
    let admin = Admin::new().await;
    for (content, code) in [
        (&b"\x89PNG\0\0"[..], "IMPORT_UNREADABLE"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "IMPORT_OTHER_WORKBOOK"),
        (b"", "IMPORT_NO_LINES"),
        (b"Term\n", "IMPORT_NO_LINES"),
        (b"Price\n3\n", "IMPORT_NO_TERMS"),
        (b"Term,Mot-cl\xc3\xa9\na,b\n", "IMPORT_COLUMN_TWICE"),
        (b"PK\x03\x04 and no more", "IMPORT_UNREADABLE"),
    ] {
        assert_eq!(admin.refusal(content).await, code);
    }
    let long = format!("Term\n{}", "a\n".repeat(10_001));
    assert_eq!(admin.refusal(long.as_bytes()).await, "IMPORT_TOO_MANY_LINES");
    let large = vec![b'a'; (8 << 20) + 1];
    let answer = send(&admin.app, &admin.token, IMPORT, &large).await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn only_administrators_import_and_company_users_export_what_they_see() {
    let admin = Admin::furnished().await;
    admin.app.company_user("user").await;
    admin.app.operator().await;
    admin
        .app
        .postgres
        .execute("insert into brand_company_account (brand_id, company_account_id) select b.id, c.id from brand b, company_account c where b.label = 'Acme' and c.name = 'user'")
        .await;
    let file = format!("{TITLES},Region\nacme shoes,fr_FR,Paris,google,24,Brittany\n");
    for email in ["user@user.example", "operator@vigie.example"] {
        let token = admin.app.login(email).await;
        assert_eq!(
            send(&admin.app, &token, IMPORT, file.as_bytes()).await.status,
            StatusCode::FORBIDDEN
        );
        let exported = admin.app.get("/api/Terms/export?lng=en", &[("token", &token)]).await;
        let text = String::from_utf8(exported.bytes).unwrap();
        let mut lines = text.trim_start_matches('\u{feff}').lines();
        assert_eq!(
            lines.next(),
            Some("Term,Engine,Brand,Type,Tag,Hours between captures,State")
        );
        assert!(text.contains("acme shoes,GOOGLE,Acme,BRAND"), "{text}");
        assert!(!text.contains("Paris") && !text.contains("Kestrel"), "{text}");
        let brands = admin.app.get("/api/Brands/export?lng=en", &[("token", &token)]).await;
        let text = String::from_utf8(brands.bytes).unwrap();
        assert_eq!(text.trim_start_matches('\u{feff}').lines().next(), Some("label,name"));
    }
    let brands = admin
        .app
        .get(
            "/api/Brands/export?lng=fr&filter[where][label]=Acme",
            &[("token", &admin.token)],
        )
        .await;
    let text = String::from_utf8(brands.bytes).unwrap();
    let line = text.lines().nth(1).unwrap();
    assert_eq!(line, "Acme,acme,acme,,user,true,false,false,false,false,,");
}

/// Words as somebody may store them by the API: formulas, quotes, separators, apostrophes.
fn hostile_words() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::hash_set("[=+@'\";,|a-cÉ -]{0,10}[a-cé=]", 1..12)
        .prop_map(|words| words.into_iter().collect())
}

/// An export read back changes nothing, whatever the words, in both formats.
#[tokio::test]
async fn any_export_is_read_back_as_it_was() {
    let admin = Admin::furnished().await;
    let mut runner = TestRunner::deterministic();
    for _ in 0..12 {
        let words = hostile_words().new_tree(&mut runner).unwrap().current();
        sqlx::query(
            "insert into term (term, engine, localization_id, every, state, devices, keyword_type)
             select words, 'GOOGLE', (select min(id) from localization), 0, 'disabled', '{DESKTOP}', 'GENERIC' from unnest($1::text[]) as words
             on conflict do nothing",
        )
        .bind(&words)
        .execute(&admin.app.postgres.pool)
        .await
        .unwrap();
        for query in ["lng=fr", "lng=en&format=xlsx"] {
            let dry = admin.dry_run(&admin.exported(query).await).await;
            assert_eq!(
                dry["counts"]["unchanged"],
                dry["lines"].as_array().unwrap().len(),
                "{words:?}: {dry}"
            );
        }
    }
}

#[tokio::test]
async fn a_dry_run_says_what_the_new_and_changed_terms_cost() {
    let admin = Admin::furnished().await;
    let limit = "update company_account set capture_quota = 1000";
    admin.app.postgres.execute(limit).await;
    schedules::pass(&admin.app.postgres.pool).await.unwrap();
    let shoes = admin.terms(&json!({"term": "acme shoes"})).await.remove(0)["id"].clone();
    // One that runs every two hours on two devices now and moves to Bing, one that is new there, and one that is paused.
    let file = format!(
        "ID,{TITLES},State,Region,Devices,Customer access\n{shoes},acme shoes,fr_FR,Paris,bing,24,enabled,,desktop,\n,boots,fr_FR,Paris,bing,12,enabled,,desktop,Kestrel\n,gloves,fr_FR,Paris,google,1,disabled,,desktop,Kestrel\n"
    );
    let dry = admin.dry_run(file.as_bytes()).await;
    assert_eq!(
        dry["counts"],
        json!({"created": 2, "changed": 1, "unchanged": 0, "refused": 0}),
        "{dry}"
    );
    let cost = &dry["cost"];
    assert_eq!(
        (&cost["terms"], &cost["perDay"]),
        (&json!(3), &json!({"before": 24.0, "after": 3.0}))
    );
    let engines = cost["engines"].as_array().unwrap().iter();
    let engines: Vec<_> = engines
        .map(|engine| {
            let hours = |when: &str| (engine["perHour"][when].as_f64().unwrap() * 24.0).round();
            (engine["engine"].as_str().unwrap(), hours("before"), hours("after"))
        })
        .collect();
    assert_eq!(engines, [("google", 24.0, 0.0), ("bing", 0.0, 3.0)]);
    // 24 captures a day are 732 a month. The term that loses the account counts for it no more; two a day are 61.
    assert_eq!(cost["quotas"][0]["perMonth"], json!({"before": 732, "after": 61}));

    let (status, answer) = admin.import(file.as_bytes(), &dry).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    assert!(answer["data"].get("cost").is_none(), "{answer}");
    let (_, uses) = admin.get("/api/captureUse").await;
    assert_eq!(uses["data"][0]["planned"], 61);
}
