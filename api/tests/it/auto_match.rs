//! Terms find their brand by its patterns.

use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::resources::{Admin, argument};

/// Refusing a pattern takes a few milliseconds; an unoptimised build on a busy machine takes several times as long.
const AT_ONCE: Duration = Duration::from_millis(500);

impl Admin {
    /// A validated brand with patterns.
    async fn brand_matching(&self, label: &str, include: &str, exclude: &str) -> i64 {
        let body = json!({
            "label": label, "validated": true, "autoMatchRegExp": include, "autoMatchExcludeRegExp": exclude
        });
        self.id("/api/Brands", &body).await
    }

    /// Terms with the brands that they have, stored without being matched.
    async fn store_terms(&self, terms: &[(&str, Option<i64>)]) {
        for (words, brand) in terms {
            sqlx::query("insert into term (term, brand_id, localization_id) select $1, $2, min(id) from localization where locale = 'fr_FR'")
                .bind(words)
                .bind(brand.map(|brand| i32::try_from(brand).unwrap()))
                .execute(&self.app.postgres.pool)
                .await
                .unwrap();
        }
    }

    /// The words of the terms of a brand, or of none.
    async fn words_of(&self, brand: Option<i64>) -> Vec<String> {
        let filter = argument("filter", &json!({"where": {"brandId": brand}, "order": "term"}));
        let (status, rows) = self.get(&format!("/api/Terms?{filter}")).await;
        assert_eq!(status, StatusCode::OK, "{rows}");
        let rows = rows.as_array().unwrap().iter();
        rows.map(|row| row["term"].as_str().unwrap().to_owned()).collect()
    }

    async fn preview(&self, body: &Value) -> Value {
        let (status, answer) = self.post("/api/Brands/matchPreview", body).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        answer
    }

    async fn change(&self, path: &str, body: &Value) -> (StatusCode, Value) {
        let headers = [("token", self.token.as_str()), ("content-type", "application/json")];
        let answer = self
            .app
            .send("PATCH", path, Body::from(body.to_string()), &headers)
            .await;
        (answer.status, answer.body)
    }
}

#[tokio::test]
async fn a_preview_shows_what_patterns_would_do() {
    let admin = Admin::new().await;
    let corvane = admin.brand_matching("Corvane", "corvane", "").await;
    let brivault = admin.brand_matching("Brivault", "brivault", "").await;
    admin
        .store_terms(&[
            ("Sac Brivaut", None),
            ("brîvault lille", None),
            ("brivault outlet", Some(brivault)),
            ("brivault corvane", Some(corvane)),
            ("rue brivault", Some(brivault)),
            ("foulard", Some(brivault)),
            ("corvane", Some(corvane)),
            ("bague", None),
        ])
        .await;
    let patterns = json!({
        "brandId": brivault, "autoMatchRegExp": r"\b(?:brivault|brivaut)\b", "autoMatchExcludeRegExp": "rue|avenue"
    });
    let before: String = admin
        .app
        .postgres
        .fetch("select string_agg(t::text, '|' order by id) from term t")
        .await;
    let shown = admin.preview(&patterns).await;
    assert_eq!(
        shown["data"],
        json!({
            "total": 8, "matching": 4, "alreadyLinked": 1, "linked": 2, "taken": 1, "contested": 1, "excluded": 1, "released": 2
        })
    );
    let meta = &shown["meta"];
    let named = |list: &str| -> Value {
        let terms = meta[list].as_array().unwrap().iter();
        terms
            .map(|term| json!([term["term"], term["country"], term["at"]]))
            .collect()
    };
    assert_eq!(
        named("newlyLinked"),
        json!([["Sac Brivaut", "FR", [[4, 11]]], ["brîvault lille", "FR", [[0, 8]]]])
    );
    assert_eq!(named("alreadyLinked"), json!([["brivault outlet", "FR", [[0, 8]]]]));
    assert_eq!(
        named("released"),
        json!([["rue brivault", "FR", []], ["foulard", "FR", []]])
    );
    assert_eq!(meta["excluded"][0]["term"], "rue brivault");
    assert_eq!(meta["excluded"][0]["by"], json!([[0, 3]]));
    let contested = &meta["contested"][0];
    assert_eq!(
        (&contested["term"], &contested["brand"], &contested["wins"]),
        (
            &json!("brivault corvane"),
            &json!({"id": corvane, "label": "Corvane"}),
            &json!(true)
        )
    );
    let after: String = admin
        .app
        .postgres
        .fetch("select string_agg(t::text, '|' order by id) from term t")
        .await;
    assert_eq!(after, before, "a preview changes nothing");
    // A new brand is younger than all others.
    let shown = admin.preview(&json!({"autoMatchRegExp": "corvane"})).await;
    assert_eq!(
        (
            &shown["data"]["matching"],
            &shown["data"]["linked"],
            &shown["data"]["taken"],
            &shown["data"]["contested"]
        ),
        (&json!(2), &json!(0), &json!(0), &json!(2))
    );
    // Without a pattern nothing is given up.
    let shown = admin
        .preview(&json!({"brandId": brivault, "autoMatchRegExp": ""}))
        .await;
    assert_eq!(
        (&shown["data"]["matching"], &shown["data"]["released"]),
        (&json!(0), &json!(0))
    );
}

#[tokio::test]
async fn a_preview_shows_twenty_terms_of_each_kind() {
    let admin = Admin::new().await;
    let words: Vec<String> = (0..25).map(|place| format!("brivault {place}")).collect();
    let terms: Vec<(&str, Option<i64>)> = words.iter().map(|words| (words.as_str(), None)).collect();
    admin.store_terms(&terms).await;
    let shown = admin.preview(&json!({"autoMatchRegExp": "brivault"})).await;
    assert_eq!(shown["data"]["linked"], 25);
    assert_eq!(shown["meta"]["newlyLinked"].as_array().unwrap().len(), 20);
}

#[tokio::test]
async fn a_match_links_terms_without_a_brand_and_of_all_terms_releases_too() {
    let admin = Admin::new().await;
    let corvane = admin.brand_matching("Corvane", "corvane", "").await;
    let brivault = admin.brand_matching("Brivault", "brivault", "rue").await;
    admin
        .store_terms(&[
            ("sac BRÎVAULT", None),
            ("rue brivault", Some(brivault)),
            ("brivault corvane", Some(corvane)),
            ("bague", None),
        ])
        .await;
    let path = format!("/api/brands/{brivault}/AUTOMATCH");
    let (status, matched) = admin.post(&path, &json!({})).await;
    assert_eq!(status, StatusCode::OK, "{matched}");
    assert_eq!(
        matched,
        json!({"matching": 1, "linked": 1, "taken": 0, "released": 0, "lost": 0})
    );
    assert_eq!(admin.words_of(Some(brivault)).await, ["rue brivault", "sac BRÎVAULT"]);
    admin.app.state.clock.advance(chrono::TimeDelta::hours(1));
    let all = json!({"options": {"rematchAll": true}});
    let (_, matched) = admin.post(&path, &all).await;
    assert_eq!(
        matched,
        json!({"matching": 2, "linked": 1, "taken": 1, "released": 1, "lost": 0})
    );
    assert_eq!(
        admin.words_of(Some(brivault)).await,
        ["brivault corvane", "sac BRÎVAULT"]
    );
    assert_eq!(admin.words_of(None).await, ["bague", "rue brivault"]);
    let (_, matched) = admin.post(&path, &all).await;
    assert_eq!(
        matched,
        json!({"matching": 2, "linked": 0, "taken": 0, "released": 0, "lost": 0})
    );
    let (_, log) = admin.get("/api/audit?model=Term&event=change").await;
    let details = |place: usize| log["data"][place]["details"].clone();
    let (then, now) = ("2026-03-02T08:00:00.000Z", "2026-03-02T09:00:00.000Z");
    assert_eq!(log["data"].as_array().unwrap().len(), 3, "{log}");
    let released =
        json!({"before": {"brandId": brivault, "updatedDate": null}, "after": {"brandId": null, "updatedDate": now}});
    assert_eq!(details(0), released);
    assert_eq!(details(1)["before"]["brandId"], corvane);
    assert_eq!(details(2)["after"], json!({"brandId": brivault, "updatedDate": then}));
}

#[tokio::test]
async fn a_better_claim_of_a_validated_brand_is_left_alone() {
    let admin = Admin::new().await;
    let house = admin.brand_matching("House", "maison brivault", "").await;
    let brivault = admin.brand_matching("Brivault", "brivault", "").await;
    admin
        .store_terms(&[("maison brivault", None), ("maison brivault sacs", Some(house))])
        .await;
    let path = format!("/api/Brands/{brivault}/autoMatch");
    let all = json!({"options": {"rematchAll": true}});
    let (_, matched) = admin.post(&path, &all).await;
    assert_eq!((&matched["linked"], &matched["lost"]), (&json!(0), &json!(2)));
    admin
        .change(&format!("/api/Brands/{house}"), &json!({"validated": false}))
        .await;
    let (_, matched) = admin.post(&path, &all).await;
    assert_eq!(
        (&matched["linked"], &matched["lost"]),
        (&json!(1), &json!(1)),
        "it keeps what it holds"
    );
}

#[tokio::test]
async fn only_administrators_match_and_only_brands_with_a_pattern() {
    let admin = Admin::new().await;
    admin.app.company_user("acme").await;
    let user = admin.app.login("user@acme.example").await;
    let brand: i32 = admin
        .app
        .postgres
        .fetch("select id from brand where name = 'acme'")
        .await;
    for path in [
        format!("/api/Brands/{brand}/autoMatch"),
        "/api/Brands/matchPreview".to_owned(),
    ] {
        let answer = admin.app.post(&path, &json!({}), &[("token", &user)]).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{path}");
    }
    let (status, answer) = admin.post(&format!("/api/Brands/{brand}/autoMatch"), &json!({})).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{answer}");
    assert_eq!(
        answer["error"]["details"]["codes"],
        json!({"autoMatchRegExp": ["presence"]})
    );
    let (status, _) = admin.post("/api/Brands/999999/autoMatch", &json!({})).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    let (status, _) = admin
        .post("/api/Brands/matchPreview", &json!({"brandId": 999_999}))
        .await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_pattern_that_cannot_be_used_is_refused_at_once() {
    let admin = Admin::new().await;
    let brand = admin.id("/api/Brands", &json!({"label": "Acme"})).await;
    let one = format!("/api/Brands/{brand}");
    for (pattern, code) in [
        ("(", "pattern"),
        (r"(a|a)*\1$", "pattern"),
        ("(?:a{1000}){1000}", "pattern.size"),
        (r"(?i)[\s\S]{0,5000}x", "pattern.size"),
        (r"\pL{1000}", "pattern.size"),
        (r"[\w]{500}", "pattern.size"),
        (&"x".repeat(501), "length.max"),
    ] {
        for field in ["autoMatchRegExp", "autoMatchExcludeRegExp"] {
            let body = json!({ field: pattern });
            let began = Instant::now();
            let refused = [
                admin.post("/api/Brands", &body).await,
                admin.change(&one, &body).await,
                admin.post("/api/Brands/matchPreview", &body).await,
            ];
            assert!(began.elapsed() < 3 * AT_ONCE, "{pattern}: {:?}", began.elapsed());
            for (status, answer) in refused {
                assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{pattern}: {answer}");
                assert_eq!(
                    answer["error"]["details"]["codes"],
                    json!({ field: [code] }),
                    "{pattern}"
                );
            }
        }
    }
    let (status, answer) = admin.change(&one, &json!({"autoMatchRegExp": "(a+)+$"})).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
}

#[tokio::test]
async fn a_new_term_finds_its_brand() {
    let admin = Admin::new().await;
    let brivault = admin.brand_matching("Brivault", "brivault", "rue").await;
    let house = admin.brand_matching("House", "maison brivault", "").await;
    let hidden = json!({"label": "Hidden", "autoMatchRegExp": "maison brivault sacs"});
    admin.id("/api/Brands", &hidden).await;
    let list = json!([
        {"term": "Brîvault sacs"}, {"term": "MAISON BRIVAULT SACS", "brandId": null},
        {"term": "maison brivault", "brandId": brivault}, {"term": "rue brivault"}, {"term": "bague"}
    ]);
    let (status, made) = admin.post("/api/Terms", &list).await;
    assert_eq!(status, StatusCode::OK, "{made}");
    let given: Value = made
        .as_array()
        .unwrap()
        .iter()
        .map(|term| term["brandId"].clone())
        .collect();
    assert_eq!(given, json!([brivault, house, brivault, null, null]));
    assert_eq!(admin.words_of(Some(house)).await, ["MAISON BRIVAULT SACS"]);
    let (_, log) = admin.get("/api/audit?model=Term&event=create").await;
    let brands: Vec<_> = log["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["details"]["after"]["brandId"])
        .collect();
    assert!(brands.contains(&&json!(house)), "{log}");
}

#[tokio::test]
async fn a_brand_is_named_by_its_label_once() {
    let admin = Admin::new().await;
    let (_, made) = admin
        .post("/api/Brands", &json!([{"label": "Été Chic"}, {"label": "ete, chic!"}]))
        .await;
    assert_eq!(
        (&made[0]["name"], &made[1]["name"]),
        (&json!("ete-chic"), &json!("ete-chic-2"))
    );
    let (_, changed) = admin
        .change(&format!("/api/Brands/{}", made[0]["id"]), &json!({"label": "Winter"}))
        .await;
    assert_eq!(
        (&changed["label"], &changed["name"]),
        (&json!("Winter"), &json!("ete-chic"))
    );
    let (_, third) = admin
        .post("/api/Brands", &json!({"label": "Été chic", "name": null}))
        .await;
    assert_eq!(third["name"], "ete-chic-3");
    let (status, taken) = admin
        .post("/api/Brands", &json!({"label": "Other", "name": "ete-chic"}))
        .await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{taken}");
    let (_, without) = admin.post("/api/Brands", &json!({"label": "—"})).await;
    assert_eq!(without["name"], "brand");
    let (status, long) = admin.post("/api/Brands", &json!({"label": "é".repeat(256)})).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(long["error"]["details"]["codes"], json!({"label": ["length.max"]}));
    let (status, longest) = admin.post("/api/Brands", &json!({"label": "é".repeat(255)})).await;
    assert_eq!(status, StatusCode::OK, "{longest}");
}

#[tokio::test]
async fn a_brand_that_something_runs_for_is_not_deleted_and_its_figures_outlive_it() {
    let admin = Admin::new().await;
    let brand = admin.id("/api/Brands", &json!({"label": "Acme"})).await;
    let term = admin.id("/api/Terms", &json!({"term": "acme", "brandId": brand})).await;
    let store = &admin.app.postgres;
    store
        .execute("insert into stop_go_brand (brand_id) select id from brand")
        .await;
    store
        .execute(
            "insert into google_connect (customer_id, brand_id) select '123', id from brand;
             insert into google_statistic (google_connect_id, term_id, date, seo_id)
             select google_connect.id, term.id, '2026-03-01', nextval('google_figure_id') from google_connect, term",
        )
        .await;
    let one = format!("/api/Brands/{brand}");
    let delete = async || {
        let answer = admin
            .app
            .send("DELETE", &one, Body::empty(), &[("token", &admin.token)])
            .await;
        (answer.status, answer.body)
    };
    let (status, refused) = delete().await;
    assert_eq!(
        (status, &refused["error"]["code"]),
        (StatusCode::CONFLICT, &json!("BRAND_ENABLED"))
    );
    store.execute("update stop_go_brand set state = 'disable'").await;
    admin
        .change(&format!("/api/Terms/{term}"), &json!({"state": "enabled"}))
        .await;
    assert_eq!(delete().await.0, StatusCode::CONFLICT);
    admin
        .change(&format!("/api/Terms/{term}"), &json!({"state": "disabled"}))
        .await;
    assert_eq!(delete().await, (StatusCode::OK, json!({"count": 1})));
    assert_eq!(admin.words_of(None).await, ["acme"]);
    let path = format!("/api/Terms/{term}");
    admin
        .app
        .send("DELETE", &path, Body::empty(), &[("token", &admin.token)])
        .await;
    let left: i64 = store
        .fetch("select count(*) from google_statistic where term_id is null")
        .await;
    assert_eq!(left, 1);
}
