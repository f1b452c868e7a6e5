//! Change streams: what they send of a change, whoever made it, and who receives it.

use std::net::SocketAddr;

use axum::body::{Body, BodyDataStream};
use axum::http::StatusCode;
use futures::StreamExt;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Duration, timeout};

use crate::app::App;
use crate::resources::argument;

/// A stream that sends nothing by then fails the test.
const PATIENCE: Duration = Duration::from_secs(20);

struct Stream(BodyDataStream);

impl Stream {
    async fn open(app: &App, path: &str, token: &str) -> Self {
        let answer = app.open(path, &[("token", token)]).await;
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        Self(answer.into_body().into_data_stream())
    }

    async fn next(&mut self) -> Value {
        // Comments that keep it open are no events.
        let event = async {
            loop {
                let piece = self.0.next().await.unwrap().unwrap();
                let text = String::from_utf8(piece.to_vec()).unwrap();
                if let Some(data) = text.lines().find_map(|line| line.strip_prefix("data: ")) {
                    return serde_json::from_str(data).unwrap();
                }
            }
        };
        timeout(PATIENCE, event).await.unwrap()
    }
}

/// A site on a port, asked by clients over connections of their own.
struct Site {
    address: SocketAddr,
    _served: tokio::task::JoinSet<std::io::Result<()>>,
}

impl Site {
    async fn new(app: &App) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut served = tokio::task::JoinSet::new();
        served.spawn(axum::serve(listener, app.service()).into_future());
        Self {
            address,
            _served: served,
        }
    }

    /// Opens the change stream of a resource as a reader.
    async fn listen(&self, path: &str, token: &str) -> Listener {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let asked = format!("GET {path} HTTP/1.1\r\nhost: vigie\r\ntoken: {token}\r\n\r\n");
        stream.write_all(asked.as_bytes()).await.unwrap();
        let mut lines = BufReader::new(stream).lines();
        let status = timeout(PATIENCE, lines.next_line()).await.unwrap().unwrap().unwrap();
        assert!(status.starts_with("HTTP/1.1 200"), "{path}: {status}");
        Listener(lines)
    }
}

struct Listener(tokio::io::Lines<BufReader<TcpStream>>);

impl Listener {
    /// The next change; `None` when the stream has ended.
    async fn next(&mut self) -> Option<Value> {
        loop {
            let line = timeout(PATIENCE, self.0.next_line()).await.unwrap().unwrap()?;
            match line.strip_prefix("data: ") {
                Some(data) => return Some(serde_json::from_str(data).unwrap()),
                // The end of an answer in pieces.
                None if line == "0" => return None,
                None => {}
            }
        }
    }

    async fn hears(&mut self, kind: &str, id: i64) -> Value {
        let event = self.next().await.unwrap();
        assert_eq!(event_and_id(&event), (kind, id), "{event}");
        event
    }
}

async fn patch(app: &App, path: &str, body: Value, token: &str) {
    let headers = [("content-type", "application/json"), ("token", token)];
    let answer = app.send("PATCH", path, Body::from(body.to_string()), &headers).await;
    assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
}

fn event_and_id(event: &Value) -> (&str, i64) {
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
    assert_eq!(event_and_id(&event), ("create", id));
    assert_eq!(event["data"]["domain"], "shop.example");
    assert_eq!(event_and_id(&of_other_process.next().await), ("create", id));

    // A service of its own.
    let call = format!("/api/actions/requested?actionID={id}");
    let asked = app
        .send("POST", &call, axum::body::Body::empty(), &[("token", &acme)])
        .await;
    assert_eq!(asked.status, StatusCode::OK, "{}", asked.body);
    let event = of_acme.next().await;
    assert_eq!(event_and_id(&event), ("update", id));
    assert_eq!(event["data"]["status"], "requested");
    assert_eq!(event_and_id(&of_other_process.next().await), ("update", id));

    // A worker, which writes into the database alone; what no reader sees is no change.
    app.postgres.execute("update action set cycle = cycle + 1").await;
    app.postgres
        .execute("update action set last_view = '2026-03-01T00:00:00Z'")
        .await;
    let event = of_acme.next().await;
    assert_eq!(event["data"]["lastView"], "2026-03-01T00:00:00.000Z");
    assert_eq!(event_and_id(&of_other_process.next().await), ("update", id));

    // Its end, to who saw it alone.
    app.postgres.execute("delete from action").await;
    let gone = json!({ "target": id, "where": { "id": id }, "type": "remove" });
    assert_eq!(of_acme.next().await, gone);
    assert_eq!(of_other_process.next().await, gone);
    let other: i32 = app.postgres.fetch("select id from brand where name = 'bolt'").await;
    let body = json!({ "domain": "outlet.example", "brandId": other });
    let made = app.post("/api/Actions", &body, &[("token", &admin)]).await;
    // The first event that the other company receives.
    assert_eq!(
        event_and_id(&of_bolt.next().await),
        ("create", made.body["id"].as_i64().unwrap())
    );
}

#[tokio::test]
async fn a_case_is_told_when_one_of_its_mails_gets_on_or_comes_back() {
    let (app, _) = two_processes().await;
    let acme = app.login("user@acme.example").await;
    let bolt = app.login("user@bolt.example").await;
    app.postgres
        .execute(
            "insert into action (id, brand_id, domain, country, engine, status)
                 select 1 + row_number() over (order by name), id, name || '.shop.example', 'FR', 'google', 'requested'::action_status from brand
                 where name in ('acme', 'bolt');
             insert into email (id, action_id, kind, status, subject) values (5, 2, 'notification', 'queued', 'Your ads')",
        )
        .await;
    let mut of_acme = Stream::open(&app, "/api/Actions/change-stream", &acme).await;
    let mut of_bolt = Stream::open(&app, "/api/Actions/change-stream", &bolt).await;
    let delivery =
        "insert into mail_delivery (email_id, address, business_key, reply_token, bounce_token, not_before, created_at)
        values (5, 'ann@shop.example', 'k', repeat('r', 26), repeat('b', 26), now(), now())";
    for change in [
        delivery,
        "update mail_delivery set state = 'sending', claim = gen_random_uuid(), leased_until = now()",
        "update mail_delivery set state = 'unknown', claim = null, leased_until = null, settled_at = now()",
        "update mail_delivery set bounced_at = now()",
        "update mail_delivery set opened_at = now()",
    ] {
        app.postgres.execute(change).await;
        assert_eq!(event_and_id(&of_acme.next().await), ("update", 2), "{change}");
    }
    // What shows nowhere is no change: the next event is that of the case itself.
    app.postgres
        .execute("update mail_delivery set smtp_text = 'closed'")
        .await;
    app.postgres.execute("update action set priority = 7").await;
    assert_eq!(of_acme.next().await["data"]["priority"], 7);
    assert_eq!(event_and_id(&of_bolt.next().await), ("update", 3), "its first event");
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
async fn a_row_that_a_change_takes_out_of_sight_is_removed_there_and_made_where_it_comes_into_sight() {
    let app = App::start().await;
    app.company_user("acme").await;
    app.company_user("bolt").await;
    app.admin().await;
    let admin = app.login("admin@vigie.example").await;
    let of_acme: i32 = app.postgres.fetch("select id from brand where name = 'acme'").await;
    let of_bolt: i32 = app.postgres.fetch("select id from brand where name = 'bolt'").await;
    let site = Site::new(&app).await;
    let (user_of_acme, user_of_bolt) = (
        app.login("user@acme.example").await,
        app.login("user@bolt.example").await,
    );
    let cases = "/api/Actions/change-stream";
    let mut acme = site.listen(cases, &user_of_acme).await;
    let mut bolt = site.listen(cases, &user_of_bolt).await;
    let tags = "/api/Categories/change-stream";
    let mut tags_of_acme = site.listen(tags, &user_of_acme).await;
    let mut tags_of_bolt = site.listen(tags, &user_of_bolt).await;
    let make = async |path: &str, body: Value| {
        let made = app.post(path, &body, &[("token", &admin)]).await;
        assert_eq!(made.status, StatusCode::OK, "{}", made.body);
        made.body["id"].as_i64().unwrap()
    };

    // From brand to brand.
    let case = make("/api/Actions", json!({ "domain": "shop.example", "brandId": of_acme })).await;
    acme.hears("create", case).await;
    // The other reader has heard of it and seen nothing when it hears of the next.
    let theirs = make(
        "/api/Actions",
        json!({ "domain": "outlet.example", "brandId": of_bolt }),
    )
    .await;
    bolt.hears("create", theirs).await;
    patch(
        &app,
        &format!("/api/Actions/{case}"),
        json!({ "brandId": of_bolt }),
        &admin,
    )
    .await;
    let gone = acme.hears("remove", case).await;
    assert_eq!(
        gone,
        json!({ "target": case, "where": { "id": case }, "type": "remove" })
    );
    let arrived = bolt.hears("create", case).await;
    assert_eq!(arrived["data"]["domain"], "shop.example");

    // What goes on there is none of the first any more; the next that it hears is its own.
    patch(
        &app,
        &format!("/api/Actions/{case}"),
        json!({ "note": "theirs" }),
        &admin,
    )
    .await;
    bolt.hears("update", case).await;
    app.postgres.execute("delete from action where note = 'theirs'").await;
    bolt.hears("remove", case).await;
    let next = make("/api/Actions", json!({ "domain": "next.example", "brandId": of_acme })).await;
    acme.hears("create", next).await;

    // By visibility and owner.
    let tag = make(
        "/api/Categories",
        json!({ "label": "Resellers", "scope": "tag", "visibility": "all", "brandOwnerId": of_acme }),
    )
    .await;
    tags_of_acme.hears("create", tag).await;
    tags_of_bolt.hears("create", tag).await;
    patch(
        &app,
        &format!("/api/Categories/{tag}"),
        json!({ "visibility": "owner" }),
        &admin,
    )
    .await;
    tags_of_acme.hears("update", tag).await;
    tags_of_bolt.hears("remove", tag).await;
    patch(
        &app,
        &format!("/api/Categories/{tag}"),
        json!({ "brandOwnerId": of_bolt }),
        &admin,
    )
    .await;
    tags_of_acme.hears("remove", tag).await;
    tags_of_bolt.hears("create", tag).await;
}

#[tokio::test]
async fn a_row_that_meets_the_where_no_longer_is_removed() {
    let app = App::start().await;
    app.admin().await;
    let admin = app.login("admin@vigie.example").await;
    let site = Site::new(&app).await;
    let path = |where_: Value| {
        format!(
            "/api/Terms/change-stream?{}",
            argument("options", &json!({ "where": where_ }))
        )
    };
    let made = app
        .post(
            "/api/Terms",
            &json!({ "term": "red shoes", "state": "enabled" }),
            &[("token", &admin)],
        )
        .await;
    let id = made.body["id"].as_i64().unwrap();
    for (condition, changes) in [
        (
            json!({ "state": "enabled" }),
            [
                (json!({ "state": "disabled" }), "remove"),
                (json!({ "state": "enabled" }), "create"),
                (json!({ "region": "Bretagne" }), "update"),
            ],
        ),
        (
            json!({ "term": { "regexp": "^r.*(shoes|boots)$" } }),
            [
                (json!({ "term": "red boots" }), "update"),
                (json!({ "term": "blue boots" }), "remove"),
                (json!({ "term": "rubber boots" }), "create"),
            ],
        ),
    ] {
        let mut heard = site.listen(&path(condition), &admin).await;
        for (change, kind) in changes {
            patch(&app, &format!("/api/Terms/{id}"), change, &admin).await;
            heard.hears(kind, id).await;
        }
    }
}

#[tokio::test]
async fn rows_that_a_reader_is_given_or_loses_by_rights_are_told() {
    let app = App::start().await;
    app.company_user("acme").await;
    app.company_user("bolt").await;
    app.admin().await;
    let admin = app.login("admin@vigie.example").await;
    app.postgres
        .execute(
            "insert into term (term, brand_id) select name || ' shoes', id from brand where name in ('acme', 'bolt') order by name;
             insert into action (brand_id, domain) select id, 'shop.example' from brand where name = 'acme'",
        )
        .await;
    let id = async |what: &'static str| -> i64 { app.postgres.fetch::<i32>(what).await.into() };
    let (brand, company) = (
        id("select id from brand where name = 'acme'").await,
        id("select id from company_account where name = 'acme'").await,
    );
    let other_company = id("select id from company_account where name = 'bolt'").await;
    let (own, foreign) = (
        id("select id from term where term = 'acme shoes'").await,
        id("select id from term where term = 'bolt shoes'").await,
    );
    let case = id("select id from action").await;
    let site = Site::new(&app).await;
    let (acme, bolt) = (
        app.login("user@acme.example").await,
        app.login("user@bolt.example").await,
    );
    let mut terms = site.listen("/api/Terms/change-stream", &acme).await;
    let mut brands = site.listen("/api/Brands/change-stream", &acme).await;
    let mut cases = site.listen("/api/Actions/change-stream", &acme).await;
    let mut companies = site.listen("/api/CompanyAccounts/change-stream", &acme).await;
    let mut terms_of_bolt = site.listen("/api/Terms/change-stream", &bolt).await;

    // A term that is given, and taken away.
    let given = format!("/api/Terms/{foreign}/canBeAccessBy/rel/{company}");
    for (method, status, kind) in [
        ("PUT", StatusCode::OK, "create"),
        ("DELETE", StatusCode::NO_CONTENT, "remove"),
    ] {
        let answer = app.send(method, &given, Body::empty(), &[("token", &admin)]).await;
        assert_eq!(answer.status, status, "{}", answer.body);
        terms.hears(kind, foreign).await;
    }

    // A brand, with all that is of it.
    let link = format!("/api/Brands/{brand}/companyAccounts/rel/{company}");
    for (method, status, kind) in [
        ("DELETE", StatusCode::NO_CONTENT, "remove"),
        ("PUT", StatusCode::OK, "create"),
    ] {
        let answer = app.send(method, &link, Body::empty(), &[("token", &admin)]).await;
        assert_eq!(answer.status, status, "{}", answer.body);
        terms.hears(kind, own).await;
        brands.hears(kind, brand).await;
        cases.hears(kind, case).await;
    }

    // Another company.
    app.postgres
        .execute(
            "update user_account set company_account_id = (select id from company_account where name = 'bolt')
             where email = 'user@acme.example'",
        )
        .await;
    terms.hears("create", foreign).await;
    terms.hears("remove", own).await;
    companies.hears("create", other_company).await;
    companies.hears("remove", company).await;

    // A change of a row that the reader sees now, and the end of the account.
    app.postgres.execute("update term set state = 'archived'").await;
    terms.hears("update", foreign).await;
    terms_of_bolt.hears("update", foreign).await;
    app.postgres
        .execute("delete from user_account where email = 'user@acme.example'")
        .await;
    assert_eq!(terms.next().await, None);
}

#[tokio::test]
async fn a_change_of_many_rows_is_told_of_each_and_secrets_of_none() {
    let app = App::start().await;
    let user = app.company_user("acme").await;
    app.admin().await;
    let admin = app.login("admin@vigie.example").await;
    let heard = postgres::changes::listen(&app.postgres.direct()).await.unwrap();
    let mut heard = std::pin::pin!(heard);
    let mut stream = Stream::open(&app, "/api/Terms/change-stream", &admin).await;
    app.postgres
        .execute("insert into term (term) select repeat('é', 60) || n from generate_series(1, 1200) n")
        .await;
    let mut seen = std::collections::BTreeSet::new();
    while seen.len() < 1_200 {
        seen.insert(stream.next().await["target"].as_i64().unwrap());
    }
    // Of a change, too, and of a row that no notification holds whole.
    app.postgres.execute("update term set term = term || '!'").await;
    while !seen.is_empty() {
        let event = stream.next().await;
        assert_eq!(event["type"], "update");
        seen.remove(&event["target"].as_i64().unwrap());
    }
    app.postgres
        .execute("insert into term (term, options) values ('long', jsonb_build_object('x', repeat('y', 20000)))")
        .await;
    let long = stream.next().await["target"].as_i64().unwrap();
    app.postgres
        .execute("update term set state = 'archived' where term = 'long'")
        .await;
    assert_eq!(event_and_id(&stream.next().await), ("update", long));
    app.postgres.execute("delete from term where term = 'long'").await;
    assert_eq!(event_and_id(&stream.next().await), ("remove", long));
    let mut ids = 0;
    while ids < 1_200 {
        if let postgres::changes::Change::Create { ids: made } = heard.next().await.unwrap().unwrap().change {
            ids += made.len();
        }
    }
    app.postgres
        .execute("update user_account set verification_token = 'hidden' where email = 'user@acme.example'")
        .await;
    app.postgres
        .execute("delete from user_account where email = 'user@acme.example'")
        .await;
    let row = loop {
        let gone = heard.next().await.unwrap().unwrap();
        if let postgres::changes::Change::Remove { row } = gone.change
            && gone.table == "user_account"
        {
            break row;
        }
    };
    assert_eq!(row["id"], user.0);
    for secret in ["password_hash", "verification_token", "dashboards"] {
        assert!(row.get(secret).is_none(), "{row}");
    }
}

/// Changes that a stream may be behind, each announced by itself: more than `BACKLOG` of the API.
const TOO_FAR_BEHIND: usize = 300;

#[tokio::test]
async fn a_stream_that_is_too_far_behind_ends_so_that_its_list_is_read_again() {
    let app = App::start().await;
    app.company_user("acme").await;
    let acme = app.login("user@acme.example").await;
    app.postgres
        .execute("insert into action (domain, brand_id) select 'shop.example', id from brand where name = 'acme'")
        .await;
    let path = "/api/Actions/change-stream";
    let mut quick = Stream::open(&app, path, &acme).await;
    let mut slow = Stream::open(&app, path, &acme).await;
    for _ in 0..TOO_FAR_BEHIND {
        app.postgres
            .execute("update action set last_view = coalesce(last_view, '2026-03-01T00:00:00Z') + interval '1 s'")
            .await;
        assert_eq!(quick.next().await["type"], "update");
    }
    let whole = async { while slow.0.next().await.is_some() {} };
    timeout(PATIENCE, whole).await.unwrap();
    // The next stream hears of what comes.
    let mut next = Stream::open(&app, path, &acme).await;
    app.postgres.execute("delete from action").await;
    assert_eq!(next.next().await["type"], "remove");
}

#[tokio::test]
async fn a_term_that_a_match_links_comes_into_sight_of_the_company_and_one_that_it_releases_goes() {
    let app = App::start().await;
    app.company_user("acme").await;
    app.admin().await;
    let admin = app.login("admin@vigie.example").await;
    let acme = app.login("user@acme.example").await;
    app.postgres
        .execute(
            "insert into term (term) values ('acme shoes');
             insert into term (term, brand_id) select 'bolt shoes', id from brand;
             update brand set auto_match_reg_exp = 'acme'",
        )
        .await;
    let linked: i32 = app.postgres.fetch("select id from term where brand_id is null").await;
    let released: i32 = app
        .postgres
        .fetch("select id from term where brand_id is not null")
        .await;
    let brand: i32 = app.postgres.fetch("select id from brand").await;
    let mut stream = Stream::open(&app, "/api/Terms/change-stream", &acme).await;
    let body = json!({ "options": { "rematchAll": true } });
    let path = format!("/api/Brands/{brand}/autoMatch");
    let answer = app.post(&path, &body, &[("token", &admin)]).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    assert_eq!(event_and_id(&stream.next().await), ("create", linked.into()));
    assert_eq!(event_and_id(&stream.next().await), ("remove", released.into()));
}

#[tokio::test]
async fn a_stream_of_terms_with_a_tag_hears_of_links() {
    let app = App::start().await;
    app.company_user("acme").await;
    app.admin().await;
    let admin = app.login("admin@vigie.example").await;
    let acme = app.login("user@acme.example").await;
    app.postgres
        .execute(
            "insert into term (term, brand_id) select 'acme shoes', id from brand;
             insert into category (label, scope, visibility) values ('Core', 'term', 'all'), ('Hidden', 'term', 'owner')",
        )
        .await;
    let term: i32 = app.postgres.fetch("select id from term").await;
    let core: i32 = app.postgres.fetch("select id from category where label = 'Core'").await;
    let hidden: i32 = app
        .postgres
        .fetch("select id from category where label = 'Hidden'")
        .await;
    let listen = argument(
        "options",
        &json!({ "where": { "categories": { "inq": [core, hidden] } } }),
    );
    let path = format!("/api/Terms/change-stream?{listen}");
    let mut stream = Stream::open(&app, &path, &acme).await;
    for (method, tag, status) in [
        // A tag that the reader does not see.
        ("PUT", hidden, StatusCode::OK),
        ("DELETE", hidden, StatusCode::NO_CONTENT),
        ("PUT", core, StatusCode::OK),
    ] {
        let link = format!("/api/Terms/{term}/categories/rel/{tag}");
        let answer = app.send(method, &link, Body::empty(), &[("token", &admin)]).await;
        assert_eq!(answer.status, status, "{}", answer.body);
    }
    assert_eq!(event_and_id(&stream.next().await), ("create", term.into()));
    let link = format!("/api/Terms/{term}/categories/rel/{core}");
    app.send("DELETE", &link, Body::empty(), &[("token", &admin)]).await;
    assert_eq!(event_and_id(&stream.next().await), ("remove", term.into()));
}
