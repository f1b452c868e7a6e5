//! Change streams: what is told of a change, by whom it was made, and who is shown it.

use axum::body::BodyDataStream;
use axum::http::StatusCode;
use futures::StreamExt;
use serde_json::{Value, json};
use tokio::time::{Duration, timeout};

use crate::app::App;
use crate::resources::argument;

/// A stream that tells nothing by then fails the test.
const PATIENCE: Duration = Duration::from_secs(20);

struct Stream(BodyDataStream);

impl Stream {
    async fn open(app: &App, path: &str, token: &str) -> Self {
        let answer = app.open(path, &[("token", token)]).await;
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        Self(answer.into_body().into_data_stream())
    }

    async fn next(&mut self) -> Value {
        loop {
            let piece = timeout(PATIENCE, self.0.next()).await.unwrap().unwrap().unwrap();
            let text = String::from_utf8(piece.to_vec()).unwrap();
            if let Some(data) = text.lines().find_map(|line| line.strip_prefix("data: ")) {
                return serde_json::from_str(data).unwrap();
            }
        }
    }
}

fn told(event: &Value) -> (&str, i64) {
    (event["type"].as_str().unwrap(), event["target"].as_i64().unwrap())
}

/// An application with two processes: the second knows nothing of the first but the database.
async fn two_processes() -> (App, axum::Router) {
    let app = App::start().await;
    app.company_user("acme").await;
    app.company_user("bolt").await;
    app.admin().await;
    let mut state = app.state.clone();
    state.changes = api::Changes::default();
    let peer = std::net::SocketAddr::from(([192, 0, 2, 1], 40_000));
    let second = api::router(state, axum::Router::new()).layer(axum::extract::connect_info::MockConnectInfo(peer));
    (app, second)
}

#[tokio::test]
async fn a_change_is_told_whoever_made_it_to_those_who_see_the_row_in_every_process() {
    let (app, second) = two_processes().await;
    let acme = app.login("user@acme.example").await;
    let bolt = app.login("user@bolt.example").await;
    let admin = app.login("admin@vigie.example").await;
    let brand: i32 = app.postgres.fetch("select id from brand where name = 'acme'").await;
    let path = "/api/Actions/change-stream";
    let mut of_acme = Stream::open(&app, path, &acme).await;
    let mut of_bolt = Stream::open(&app, path, &bolt).await;
    let request = axum::http::Request::builder().uri(path).header("token", &admin);
    let answer = tower::ServiceExt::oneshot(second, request.body(axum::body::Body::empty()).unwrap())
        .await
        .unwrap();
    let mut of_other_process = Stream(answer.into_body().into_data_stream());

    // The resource set.
    let body = json!({ "domain": "shop.example", "brandId": brand });
    let made = app.post("/api/Actions", &body, &[("token", &admin)]).await;
    let id = made.body["id"].as_i64().unwrap();
    let event = of_acme.next().await;
    assert_eq!(told(&event), ("create", id));
    assert_eq!(event["data"]["domain"], "shop.example");
    assert_eq!(told(&of_other_process.next().await), ("create", id));

    // A service of its own.
    let call = format!("/api/actions/requested?actionID={id}");
    let asked = app
        .send("POST", &call, axum::body::Body::empty(), &[("token", &acme)])
        .await;
    assert_eq!(asked.status, StatusCode::OK, "{}", asked.body);
    let event = of_acme.next().await;
    assert_eq!(told(&event), ("update", id));
    assert_eq!(event["data"]["status"], "requested");
    assert_eq!(told(&of_other_process.next().await), ("update", id));

    // A worker, which writes into the database alone; what no reader sees is no change.
    app.postgres.execute("update action set cycle = cycle + 1").await;
    app.postgres
        .execute("update action set last_view = '2026-03-01T00:00:00Z'")
        .await;
    let event = of_acme.next().await;
    assert_eq!(event["data"]["lastView"], "2026-03-01T00:00:00.000Z");
    assert_eq!(told(&of_other_process.next().await), ("update", id));

    // Its end, to who saw it alone.
    app.postgres.execute("delete from action").await;
    let gone = json!({ "target": id, "where": { "id": id }, "type": "remove" });
    assert_eq!(of_acme.next().await, gone);
    assert_eq!(of_other_process.next().await, gone);
    let other: i32 = app.postgres.fetch("select id from brand where name = 'bolt'").await;
    let body = json!({ "domain": "outlet.example", "brandId": other });
    let made = app.post("/api/Actions", &body, &[("token", &admin)]).await;
    // The first that the other company is told.
    assert_eq!(
        told(&of_bolt.next().await),
        ("create", made.body["id"].as_i64().unwrap())
    );
}

#[tokio::test]
async fn a_stream_keeps_to_its_where_for_rows_that_are_gone_too() {
    let app = App::start().await;
    app.admin().await;
    let admin = app.login("admin@vigie.example").await;
    let options = argument("options", &json!({ "where": { "state": "enabled" } }));
    let mut stream = Stream::open(&app, &format!("/api/Terms/change-stream?{options}"), &admin).await;
    for (words, state) in [("red shoes", "disabled"), ("blue shoes", "enabled")] {
        let body = json!({ "term": words, "state": state });
        app.post("/api/Terms", &body, &[("token", &admin)]).await;
    }
    let made = stream.next().await;
    assert_eq!(made["data"]["term"], "blue shoes");
    app.postgres.execute("delete from term where state = 'disabled'").await;
    app.postgres.execute("delete from term where state = 'enabled'").await;
    assert_eq!(stream.next().await["target"], made["target"]);
}

#[tokio::test]
async fn a_change_of_many_rows_is_told_of_each_and_secrets_of_none() {
    let app = App::start().await;
    let user = app.company_user("acme").await;
    app.admin().await;
    let admin = app.login("admin@vigie.example").await;
    let told = records::changes::listen(&app.postgres.pool).await.unwrap();
    let mut told = std::pin::pin!(told);
    let mut stream = Stream::open(&app, "/api/Terms/change-stream", &admin).await;
    app.postgres
        .execute("insert into term (term) select repeat('é', 60) || n from generate_series(1, 1200) n")
        .await;
    let mut seen = std::collections::BTreeSet::new();
    while seen.len() < 1_200 {
        seen.insert(stream.next().await["target"].as_i64().unwrap());
    }
    let mut ids = 0;
    while ids < 1_200 {
        if let records::changes::Change::Create { ids: made } = told.next().await.unwrap().unwrap().change {
            ids += made.len();
        }
    }
    app.postgres
        .execute("update user_account set verification_token = 'hidden' where email = 'user@acme.example'")
        .await;
    app.postgres
        .execute("delete from user_account where email = 'user@acme.example'")
        .await;
    let gone = told.next().await.unwrap().unwrap();
    let records::changes::Change::Remove { row } = &gone.change else {
        panic!("{gone:?}")
    };
    assert_eq!(row["id"], user.0);
    for secret in ["password_hash", "verification_token", "dashboards"] {
        assert!(row.get(secret).is_none(), "{row}");
    }
}
