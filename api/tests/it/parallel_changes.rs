//! Changes that meet other changes of the same rows.

use std::time::Duration;

use axum::body::Body;
use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::resources::{Admin, argument};

/// A request that waits for no lock by then fails the test.
const PATIENCE: Duration = Duration::from_secs(20);

impl Admin {
    async fn answered(&self, method: &str, path: &str, body: &Value) -> (StatusCode, Value) {
        let headers = [("token", self.token.as_str()), ("content-type", "application/json")];
        let answer = self
            .app
            .send(method, path, Body::from(body.to_string()), &headers)
            .await;
        (answer.status, answer.body)
    }

    /// Returns once a request waits for a lock of another transaction.
    async fn until_one_waits(&self) {
        let waiting = "select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')";
        tokio::time::timeout(PATIENCE, async {
            while !self.app.postgres.fetch::<bool>(waiting).await {
                tokio::task::yield_now().await;
            }
        })
        .await
        .unwrap();
    }

    /// Two terms: the first enabled, the second disabled.
    async fn two_terms(&self) -> (i64, i64) {
        let first = json!({"term": "red shoes", "state": "enabled"});
        let second = json!({"term": "blue shoes", "state": "disabled"});
        (
            self.id("/api/Terms", &first).await,
            self.id("/api/Terms", &second).await,
        )
    }
}

#[tokio::test]
async fn a_row_that_meets_a_where_while_others_are_locked_is_left_as_it_is() {
    let admin = Admin::new().await;
    let store = &admin.app.postgres;
    for (method, path) in [("POST", "/api/Terms/update"), ("DELETE", "/api/Terms")] {
        store.execute("delete from term").await;
        let (first, second) = admin.two_terms().await;
        let mut held = postgres::begin(&store.pool).await.unwrap();
        sqlx::query("select from term where id = $1 for update")
            .bind(i32::try_from(first).unwrap())
            .execute(&mut *held)
            .await
            .unwrap();
        let path = format!("{path}?{}&confirm=all", argument("where", &json!({"state": "enabled"})));
        let body = json!({"region": "north"});
        let (answer, ()) = tokio::join!(admin.answered(method, &path, &body), async {
            admin.until_one_waits().await;
            store
                .execute("update term set state = 'enabled' where term = 'blue shoes'")
                .await;
            held.commit().await.unwrap();
        });
        assert_eq!(answer, (StatusCode::OK, json!({"count": 1})), "{method}");
        let (_, left) = admin.get(&format!("/api/Terms/{second}")).await;
        assert_eq!(left["region"], Value::Null, "{method}: {left}");
    }
}

#[tokio::test]
async fn rows_of_a_change_are_locked_by_their_ids() {
    let admin = Admin::new().await;
    let store = &admin.app.postgres;
    let (first, _) = admin.two_terms().await;
    // The first is stored after the second now.
    store
        .execute("update term set region = 'east' where state = 'enabled'")
        .await;
    let mut held = postgres::begin(&store.pool).await.unwrap();
    sqlx::query("select from term where id = $1 for update")
        .bind(i32::try_from(first).unwrap())
        .execute(&mut *held)
        .await
        .unwrap();
    let path = format!(
        "/api/Terms/update?{}&confirm=all",
        argument("where", &json!({"term": {"like": "%shoes"}}))
    );
    let (one, other) = (json!({"region": "north"}), json!({"region": "south"}));
    let (north, south, ()) = tokio::join!(
        admin.answered("POST", &path, &one),
        admin.answered("POST", &path, &other),
        async {
            admin.until_one_waits().await;
            // Whoever waits for the first holds no other.
            let free: i64 = store
                .fetch("select count(*) from (select from term where state = 'disabled' for update skip locked) free")
                .await;
            assert_eq!(free, 1);
            held.commit().await.unwrap();
        }
    );
    for answer in [north, south] {
        assert_eq!(answer, (StatusCode::OK, json!({"count": 2})));
    }
    let regions: i64 = store.fetch("select count(distinct region) from term").await;
    assert_eq!(regions, 1);
}

#[tokio::test]
async fn a_brand_whose_term_is_enabled_meanwhile_is_not_deleted() {
    let admin = Admin::new().await;
    let store = &admin.app.postgres;
    let brand = admin.id("/api/Brands", &json!({"label": "Acme"})).await;
    admin.id("/api/Terms", &json!({"term": "acme", "brandId": brand})).await;
    let mut enabling = postgres::begin(&store.pool).await.unwrap();
    sqlx::query("update term set state = 'enabled'")
        .execute(&mut *enabling)
        .await
        .unwrap();
    let path = format!("/api/Brands/{brand}");
    let nothing = json!({});
    let ((status, answer), ()) = tokio::join!(admin.answered("DELETE", &path, &nothing), async {
        admin.until_one_waits().await;
        enabling.commit().await.unwrap();
    });
    assert_eq!(status, StatusCode::CONFLICT, "{answer}");
    assert_eq!(
        store
            .fetch::<i64>("select count(*) from term where brand_id is not null")
            .await,
        1
    );
}

#[tokio::test]
async fn a_term_whose_words_change_during_a_match_is_left_as_it_is() {
    let admin = Admin::new().await;
    let store = &admin.app.postgres;
    let brand = admin
        .id(
            "/api/Brands",
            &json!({"label": "Brivault", "validated": true, "autoMatchRegExp": "brivault"}),
        )
        .await;
    store.execute("insert into term (term) values ('sac brivault')").await;
    let mut renaming = postgres::begin(&store.pool).await.unwrap();
    sqlx::query("update term set term = 'sac rouge'")
        .execute(&mut *renaming)
        .await
        .unwrap();
    let path = format!("/api/Brands/{brand}/autoMatch");
    let nothing = json!({});
    let ((status, matched), ()) = tokio::join!(admin.answered("POST", &path, &nothing), async {
        admin.until_one_waits().await;
        renaming.commit().await.unwrap();
    });
    assert_eq!((status, &matched["linked"]), (StatusCode::OK, &json!(0)), "{matched}");
    assert_eq!(
        store
            .fetch::<i64>("select count(*) from term where brand_id is null")
            .await,
        1
    );
}

#[tokio::test]
async fn a_replaced_brand_keeps_its_name() {
    let admin = Admin::new().await;
    let brand = admin.id("/api/Brands", &json!({"label": "Acme"})).await;
    let path = format!("/api/Brands/{brand}");
    let (status, answer) = admin.answered("PUT", &path, &json!({"label": "Winter"})).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let (_, stored) = admin.get(&path).await;
    assert_eq!((&stored["label"], &stored["name"]), (&json!("Winter"), &json!("acme")));
}
