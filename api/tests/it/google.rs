//! Google connect: who may what, and the way from an invitation to queued retrievals.

use axum::body::Body;
use axum::http::{StatusCode, header};
use google_sim::{Running, Simulator};
use serde_json::{Value, json};
use url::Url;

use crate::app::{App, TestResponse, settings};

const ADS: &str = "https://www.googleapis.com/auth/adwords";
const SITE: &str = "https://www.googleapis.com/auth/webmasters.readonly";

/// An API beside a sandbox of Google, with an administrator and the brand of a company.
struct Connected {
    app: App,
    sandbox: Running,
    admin: String,
    brand: i32,
}

impl Connected {
    async fn new() -> Self {
        let mut app = App::start().await;
        let sandbox = Simulator::start(&["acme.example"], app.state.clock.clone())
            .await
            .unwrap();
        let mut settings = settings();
        settings.google = sandbox.settings();
        app.set(settings);
        app.admin().await;
        app.company_user("acme").await;
        app.company_user("bolt").await;
        let admin = app.login("admin@vigie.example").await;
        let brand = app.postgres.fetch("select id from brand where name = 'acme'").await;
        let terms = "insert into term (term, engine, brand_id, localization_id)
            select words, engine, b.id, (select id from localization where locale = 'fr_FR' order by id limit 1)
            from brand b, (values ('acme', 'GOOGLE'), ('acme shoes', 'GOOGLE'), ('acme', 'BING')) t (words, engine)
            where b.name = 'acme'";
        app.postgres.execute(terms).await;
        Self {
            app,
            sandbox,
            admin,
            brand,
        }
    }

    async fn get(&self, path: &str) -> Value {
        let answer = self.app.get(path, &[("token", &self.admin)]).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
        answer.body
    }

    async fn send(&self, method: &str, path: &str, body: &Value) -> TestResponse {
        let headers = [("token", self.admin.as_str()), ("content-type", "application/json")];
        self.app
            .send(method, path, Body::from(body.to_string()), &headers)
            .await
    }

    /// Follows the sign-in that `begun` answers to its end, as a person who gives these scopes; returns where the browser is sent.
    async fn consent(&self, begun: TestResponse, person: &str, scopes: &[&str]) -> String {
        assert_eq!(begun.status, StatusCode::OK, "{}", begun.body);
        let cookie = begun.headers[header::SET_COOKIE].to_str().unwrap();
        let cookie = cookie.split(';').next().unwrap().to_owned();
        let back = self.answer_of(&begun.body, person, scopes).await;
        self.come_back(&back, &cookie).await
    }

    /// What Google sends the browser back with.
    async fn answer_of(&self, begun: &Value, person: &str, scopes: &[&str]) -> String {
        let page = Url::parse(begun["data"]["url"].as_str().unwrap()).unwrap();
        assert!(page.as_str().starts_with(self.sandbox.url().as_str()));
        let pair = |name: &str| page.query_pairs().find(|(key, _)| key == name).unwrap().1.into_owned();
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        for name in ["redirect_uri", "state", "code_challenge"] {
            form.append_pair(name, &pair(name));
        }
        form.append_pair("person", person);
        for scope in scopes {
            form.append_pair("scopes", scope);
        }
        let location = post_form(self.sandbox, "/o/oauth2/v2/auth", form.finish()).await;
        let back = Url::parse(&location).unwrap();
        format!("{}?{}", back.path(), back.query().unwrap())
    }

    async fn come_back(&self, back: &str, cookie: &str) -> String {
        let answer = self.app.get(back, &[("cookie", cookie)]).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.body);
        answer.headers[header::LOCATION].to_str().unwrap().to_owned()
    }

    async fn manager(&self) -> String {
        let begun = self.send("POST", "/api/google/grants", &json!({})).await;
        self.consent(begun, "ada", &[ADS]).await
    }

    /// Links the brand to a customer; returns the id of the item.
    async fn item(&self) -> i64 {
        assert_eq!(self.manager().await, "/google-connect?result=ok");
        let available = self.get("/api/google/customer/available").await;
        let customer = &available["data"][0];
        let body = json!({
            "ID": customer["ID"], "fromID": customer["fromID"], "loginCustomerID": customer["loginCustomer"]["ID"],
            "brandID": self.brand, "domain": "acme.example",
        });
        let made = self.send("POST", "/api/google/customer", &body).await;
        assert_eq!(made.status, StatusCode::CREATED, "{}", made.body);
        made.body["data"]["ID"].as_i64().unwrap()
    }

    /// The token of a new invitation.
    async fn invite(&self, item: i64) -> String {
        let made = self
            .send("POST", &format!("/api/google/{item}/invitation"), &json!({}))
            .await;
        assert_eq!(made.status, StatusCode::OK, "{}", made.body);
        let url = made.body["data"]["url"].as_str().unwrap();
        url.split_once('#').unwrap().1.to_owned()
    }

    /// Accepts an invitation; nobody is signed in.
    async fn accept(&self, token: &str) -> TestResponse {
        self.app
            .post("/api/google/invitations/accept", &json!({ "token": token }), &[])
            .await
    }
}

/// Posts a form without following where it leads; returns that address.
async fn post_form(sandbox: Running, path: &str, form: String) -> String {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut connection = tokio::net::TcpStream::connect(sandbox.address).await.unwrap();
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: sandbox\r\nconnection: close\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{form}",
        form.len()
    );
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await.unwrap();
    let location = answer.lines().find_map(|line| line.strip_prefix("location: "));
    location.unwrap_or_else(|| panic!("{answer}")).trim().to_owned()
}

#[tokio::test]
async fn a_brand_is_linked_invited_and_read() {
    let connected = Connected::new().await;
    let item = connected.item().await;
    let of = format!("/api/google/{item}");
    let shown = connected.get(&of).await;
    assert_eq!(shown["data"]["keywords"], json!({"activated": 0, "available": 2}));
    assert_eq!(shown["data"]["scope"], json!([ADS]));
    let left = connected.get("/api/google/customer/available").await;
    let ids: Vec<&Value> = left["data"].as_array().unwrap().iter().map(|one| &one["ID"]).collect();
    assert!(!ids.contains(&&shown["data"]["customerID"]) && ids.len() == 4, "{left}");

    let token = connected.invite(item).await;
    let read = connected
        .app
        .post("/api/google/invitations/read", &json!({ "token": token }), &[])
        .await;
    assert_eq!(read.body["data"]["domain"], "acme.example", "{}", read.body);
    let ended = connected.consent(connected.accept(&token).await, "ada", &[SITE]).await;
    assert_eq!(ended, "/google-invitation?result=ok");
    let shown = connected.get(&of).await;
    assert_eq!(shown["data"]["siteUrl"], "sc-domain:acme.example");
    assert_eq!(shown["data"]["scope"], json!([ADS, SITE]));
    assert!(shown["data"]["expiration"].is_null());
    assert_eq!(connected.accept(&token).await.status, StatusCode::NOT_FOUND, "used");

    let linkable = connected
        .get(&format!("/api/google/keyword/linkable?customerConfigID={item}"))
        .await;
    assert_eq!(linkable["data"][0]["localization"]["ISO2"], "FR", "{linkable}");
    let ids: Vec<&Value> = linkable["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["ID"])
        .collect();
    let body = json!({"customerConfigID": item, "keywordIDs": ids});
    let linked = connected.send("POST", "/api/google/keyword/link", &body).await;
    assert_eq!(linked.body["data"]["count"], 2);
    let dates = json!({"startDate": "2026-01-15", "endDate": "2026-03-01"});
    let cost = connected
        .send("POST", &format!("{of}/retrievals/preview"), &dates)
        .await;
    assert_eq!(
        (&cost.body["data"]["operations"], &cost.body["data"]["months"]),
        (&json!(3), &json!(3))
    );
    for _ in 0..2 {
        let asked = connected.send("POST", &format!("{of}/retrievals"), &dates).await;
        assert_eq!(asked.status, StatusCode::ACCEPTED, "{}", asked.body);
        assert_eq!(asked.body["data"]["retrievals"].as_array().unwrap().len(), 6);
    }
    let queued: i64 = connected
        .app
        .postgres
        .fetch("select count(*) from google_retrieval")
        .await;
    assert_eq!(queued, 6, "asked twice, queued once");
    let wrong = json!({"startDate": "2026-03-02", "endDate": "2026-03-01"});
    let refused = connected.send("POST", &format!("{of}/retrievals"), &wrong).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    let body = json!({"customerConfigID": item, "keywordID": ids[0]});
    let paid = connected
        .send("POST", "/api/google/keyword/metrics/update", &body)
        .await;
    assert_eq!(paid.status, StatusCode::ACCEPTED, "{}", paid.body);
    let narrowed = connected.send("PATCH", &of, &json!({ "scope": [SITE] })).await;
    assert_eq!(narrowed.status, StatusCode::OK, "{}", narrowed.body);
    let unlinked = json!({"customerConfigID": item, "keywordIDs": [ids[0]]});
    connected.send("DELETE", "/api/google/keyword/link", &unlinked).await;
    let grant = &connected.get("/api/google/grants").await["data"][0]["id"];
    let gone = connected
        .send("DELETE", &format!("/api/google/grants/{grant}"), &json!({}))
        .await;
    assert_eq!(gone.status, StatusCode::NO_CONTENT, "{}", gone.body);

    // Whoever did it is on record, and no token is.
    let audited: String = connected
        .app
        .postgres
        .fetch(
            "select string_agg(concat_ws(' ', event, model), ', ' order by id) from audit_entry where model like 'Google%'",
        )
        .await;
    assert_eq!(
        audited,
        "create GoogleConnect, create GoogleInvitation, link GoogleKeyword, change GoogleConnect, unlink GoogleKeyword, remove GoogleGrant"
    );
    let details: String = connected
        .app
        .postgres
        .fetch("select string_agg(details::text, '') from audit_entry")
        .await;
    assert!(!details.contains(&token), "{details}");
}

#[tokio::test]
async fn a_state_is_used_once_by_the_browser_that_began() {
    let connected = Connected::new().await;
    let begun = connected.send("POST", "/api/google/grants", &json!({})).await;
    let cookie = begun.headers[header::SET_COOKIE].to_str().unwrap();
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"),
        "{cookie}"
    );
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let back = connected.answer_of(&begun.body, "ada", &[ADS]).await;
    let stale = "/google-invitation?result=stale";
    assert_eq!(connected.come_back(&back, "google_sign_in=another").await, stale);
    // The foreign browser used it up.
    assert_eq!(connected.come_back(&back, &cookie).await, stale);
    assert_eq!(connected.manager().await, "/google-connect?result=ok");
    let begun = connected.send("POST", "/api/google/grants", &json!({})).await;
    let cookie = begun.headers[header::SET_COOKIE].to_str().unwrap().to_owned();
    let cookie = cookie.split(';').next().unwrap();
    let back = connected.answer_of(&begun.body, "ada", &[ADS]).await;
    connected.app.state.clock.advance(chrono::TimeDelta::minutes(11));
    assert_eq!(connected.come_back(&back, cookie).await, stale);
}

#[tokio::test]
async fn a_consent_that_is_declined_half_or_of_the_wrong_account_links_nothing() {
    let connected = Connected::new().await;
    let item = connected.item().await;
    let token = connected.invite(item).await;
    for (person, scopes, result) in [
        ("nobody", vec![SITE], "denied"),
        ("ada", vec![], "part"),
        ("nils", vec![SITE], "account"),
    ] {
        let ended = connected.consent(connected.accept(&token).await, person, &scopes).await;
        assert_eq!(ended, format!("/google-invitation?result={result}"));
    }
    let shown = connected.get(&format!("/api/google/{item}")).await;
    assert!(shown["data"]["siteUrl"].is_null(), "{shown}");
    let renewed = connected.invite(item).await;
    assert_eq!(connected.accept(&token).await.status, StatusCode::NOT_FOUND, "replaced");
    connected.app.state.clock.advance(chrono::TimeDelta::days(31));
    assert_eq!(connected.accept(&renewed).await.status, StatusCode::CONFLICT, "over");
}

#[tokio::test]
async fn nobody_but_administrators_reaches_anything_and_no_token_is_shown() {
    let connected = Connected::new().await;
    let item = connected.item().await;
    let app = &connected.app;
    app.operator().await;
    for email in ["user@acme.example", "user@bolt.example", "operator@vigie.example"] {
        let token = app.login(email).await;
        for path in [
            "/api/google".to_owned(),
            "/api/google/export".to_owned(),
            "/api/google/grants".to_owned(),
            format!("/api/google/{item}"),
            format!("/api/google/{item}/statistics"),
            format!("/api/google/{item}/statistics/export"),
            format!("/api/google/keyword/link?customerConfigID={item}"),
        ] {
            let answer = app.get(&path, &[("token", &token)]).await;
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{email} {path}: {}", answer.body);
        }
    }
    let sealed: String = app.postgres.fetch("select refresh_token from google_grant").await;
    assert!(sealed.starts_with("x1."), "sealed");
    let grants = connected.get("/api/google/grants").await.to_string();
    assert!(!grants.contains("x1.") && !grants.contains("1//"), "{grants}");
}

#[tokio::test]
async fn figures_are_shown_side_by_side_and_purged_by_their_ids() {
    let connected = Connected::new().await;
    let item = connected.item().await;
    connected
        .app
        .postgres
        .execute(
            "insert into google_keyword (google_connect_id, term_id)
             select c.id, t.id from google_connect c, term t where t.engine = 'GOOGLE';
             insert into google_statistic (google_connect_id, term_id, date, seo_id, seo_impressions, seo_clicks)
             select k.google_connect_id, k.term_id, d.date, nextval('google_figure_id'), 10, 1
             from google_keyword k, (values (date '2026-03-01'), (date '2026-02-28')) d (date);
             update google_statistic set sea_id = nextval('google_figure_id'), sea_impressions = 10, sea_clicks = 1
             where date = '2026-03-01'",
        )
        .await;
    let table = connected
        .get(&format!("/api/google/{item}/statistics?page[size]=3"))
        .await;
    assert_eq!(table["meta"]["page"]["total"], 4, "{table}");
    assert_eq!(table["data"].as_array().unwrap().len(), 3);
    assert_eq!(
        table["data"][2]["SEA"],
        json!({"ID": null, "impressions": 0, "clicks": 0})
    );
    let first = &table["data"][0];
    let body = json!({"customerConfigID": item, "SEA": [first["SEA"]["ID"]], "SEO": [first["SEA"]["ID"]]});
    let purged = connected.send("DELETE", "/api/google/keyword/stats", &body).await;
    assert_eq!(purged.body["data"]["count"], 1, "an id is of its own source");
    let grouped = connected
        .get(&format!(
            "/api/google/keyword/stats?customerConfigID={item}&startDate=2026-02-28&endDate=2026-02-28"
        ))
        .await;
    assert_eq!(grouped["data"].as_array().unwrap().len(), 2, "{grouped}");
    assert_eq!(grouped["data"][0]["stats"].as_array().unwrap().len(), 1);
    let days = connected.get(&format!("/api/google/{item}/statistics/days")).await;
    assert_eq!(days["data"][1]["seoImpressions"], 20, "{days}");
    let token = [("token", connected.admin.as_str())];
    let (status, csv) = connected
        .app
        .text(
            "GET",
            &format!("/api/google/{item}/statistics/export?lng=fr"),
            "",
            &token,
        )
        .await;
    assert_eq!(status, StatusCode::OK);
    assert!(csv.contains("Impressions SEO") && csv.lines().count() == 5, "{csv}");
    // The day goes with the last of its sources.
    let body = json!({"customerConfigID": item, "SEO": [first["SEO"]["ID"]]});
    let purged = connected.send("DELETE", "/api/google/keyword/stats", &body).await;
    assert_eq!(purged.body["data"]["count"], 1);
    let left = connected
        .get(&format!("/api/google/{item}/statistics?page[size]=0"))
        .await;
    assert_eq!(left["meta"]["page"]["total"], 3, "{left}");
    // Figures of a term that is gone are counted and shown, one by one.
    connected
        .app
        .postgres
        .execute("delete from term where id = (select min(term_id) from google_keyword)")
        .await;
    let whole = connected
        .get(&format!("/api/google/{item}/statistics?page[size]=0"))
        .await;
    let shown = whole["data"].as_array().unwrap();
    assert!(shown.iter().any(|row| row["keywordID"].is_null()), "{whole}");
    assert_eq!(whole["meta"]["page"]["total"], shown.len(), "{whole}");
    let first = connected
        .get(&format!("/api/google/{item}/statistics?page[size]=2"))
        .await;
    assert_eq!(first["data"].as_array().unwrap()[..], shown[..2]);
    let all = connected
        .send("POST", &format!("/api/google/{item}/purge"), &json!({}))
        .await;
    assert_eq!(all.body["data"]["count"], 4);
}
