//! The list of actions, and what is done with a group of them.

use axum::http::StatusCode;
use postgres::categories::{self, CategoryKind, NewCategory};
use serde_json::{Value, json};
use vocabulary::SystemScope;

use crate::app::TestResponse;
use crate::seen::Market;

const LIST: &str = "/api/actions";
const SYSTEM: SystemScope = SystemScope::new("test");

struct World {
    seen: Market,
    acme: String,
    bolt: String,
    admin: String,
    operator: String,
}

impl World {
    async fn new() -> Self {
        let seen = Market::new().await;
        Self {
            acme: seen.app.login("user@acme.example").await,
            bolt: seen.app.login("user@bolt.example").await,
            admin: seen.app.login("admin@vigie.example").await,
            operator: seen.app.login("operator@vigie.example").await,
            seen,
        }
    }

    async fn found(&self, token: &str, path: &str) -> Value {
        let answer = self.seen.app.get(path, &[("token", token)]).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
        answer.body
    }

    async fn ids(&self, token: &str, path: &str) -> Vec<i64> {
        let page = self.found(token, path).await;
        page["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["id"].as_i64().unwrap())
            .collect()
    }

    async fn act(&self, token: &str, path: &str, ids: &[i64]) -> TestResponse {
        let body = json!({ "actionID": ids });
        self.seen
            .app
            .post(&format!("{LIST}/{path}"), &body, &[("token", token)])
            .await
    }
}

#[tokio::test]
async fn a_row_tells_what_the_action_is_and_what_the_reader_may_do_with_it() {
    let world = World::new().await;
    let one = format!("{LIST}?domain[]=www2.one.example&country[]=FR&sortBy=-lastView");
    let row = world.found(&world.acme, &one).await["data"][0].clone();
    assert_eq!(row["ID"], row["id"]);
    assert_eq!(
        (&row["master"], &row["dealer"]["domain"]),
        (&json!("one.example"), &json!("one.example"))
    );
    assert_eq!(row["brand"], "acme");
    assert_eq!((&row["status"], &row["countries"]), (&json!("new"), &json!(["FR"])));
    assert_eq!(row["metas"]["originalStatus"], "new");
    assert_eq!(row["termRel"], json!(1));
    let id = row["id"].as_i64().unwrap();
    let link = json!({"method": "POST", "href": format!("/api/actions/requested?actionID={id}")});
    assert_eq!(row["links"]["markAsRequested"], link);
    let names = |row: &Value| row["links"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&row), ["ignore", "markAsIgnored", "markAsRequested"]);
    let with_page = |links: &[&str]| {
        let of_page = [
            "addNote",
            "advertiserAddNote",
            "advertiserGetNotes",
            "brandAdvertiserAddNote",
            "brandAdvertiserGetNotes",
            "countAdvertisements",
            "getAdvertisements",
            "getNotes",
            "getTags",
        ];
        let mut all: Vec<String> = of_page.iter().chain(links).map(|name| (*name).to_owned()).collect();
        all.sort_unstable();
        all
    };

    // The link of one row answers that row.
    let href = row["links"]["markAsRequested"]["href"].as_str().unwrap();
    let changed = world
        .seen
        .app
        .post(href, &json!({ "actionID": id }), &[("token", &world.acme)])
        .await;
    assert_eq!(changed.status, StatusCode::OK, "{}", changed.body);
    assert_eq!(changed.body["data"]["status"], "requested");
    assert_eq!(names(&changed.body["data"]), with_page(&["cancel", "cancelRequested"]));
    let alone = format!("{LIST}/cancelRequested?actionID={id}");
    let back = world
        .seen
        .app
        .send("POST", &alone, axum::body::Body::empty(), &[("token", &world.acme)])
        .await;
    assert_eq!(
        (back.status, &back.body["data"]["status"]),
        (StatusCode::OK, &json!("new"))
    );
}

#[tokio::test]
async fn a_row_has_its_history_and_the_counts_of_its_mails() {
    let world = World::new().await;
    let id = world.ids(&world.acme, LIST).await[0];
    let requested = world.act(&world.acme, "requested", &[id]).await;
    assert_eq!(requested.status, StatusCode::OK, "{}", requested.body);
    world
        .seen
        .app
        .postgres
        .execute(
            format!(
                "update action set received_count = 4, sended_count = 3, reminded_count = 2, unread_count = 1, waiting = true where id = {id}"
            )
            .leak(),
        )
        .await;
    let found = world.found(&world.acme, &format!("{LIST}?ID[]={id}")).await;
    assert_eq!(found["meta"]["page"]["total"], 1);
    let row = &found["data"][0];
    let counts = ["receivedCount", "sendedCount", "remindedCount", "unreadCount"].map(|name| row[name].clone());
    assert_eq!(counts, [json!(4), json!(3), json!(2), json!(1)]);
    assert_eq!(row["waiting"], true);
    let history = row["history"].as_array().unwrap();
    let statuses: Vec<&Value> = history.iter().map(|entry| &entry["status"]).collect();
    assert_eq!(statuses, ["new", "requested"]);
    assert!(
        history
            .iter()
            .all(|entry| entry["date"].is_string() && entry["ID"].is_string())
    );
    let hidden = world.found(&world.bolt, &format!("{LIST}?ID[]={id}")).await;
    assert_eq!(hidden["data"], json!([]));
}

#[tokio::test]
async fn what_is_to_do_has_unread_mails_the_most_seen_first_and_then_the_oldest_mail() {
    let world = World::new().await;
    let own = world.ids(&world.acme, &format!("{LIST}?sortBy=domain")).await;
    let [first, second, third, ignored, read] = own[..5] else {
        panic!("{own:?}")
    };
    let execute = async |statement: String| world.seen.app.postgres.execute(statement.leak()).await;
    execute(format!(
        "update action set unread_count = 1, priority = case id when {first} then 90 when {read} then 99 else 10 end
         where id in ({first}, {second}, {third}, {ignored}, {read})"
    ))
    .await;
    execute(format!("update action set unread_count = 0 where id = {read}")).await;
    execute(format!(
        "insert into email (action_id, received_date, open) values
             ({second}, '2026-02-02', false), ({third}, '2026-02-01', false), ({second}, '2026-01-01', true)"
    ))
    .await;
    world.act(&world.acme, "ignored", &[ignored]).await;
    let todo = format!("{LIST}/todo");
    assert_eq!(world.ids(&world.acme, &todo).await, [first, third, second]);
    assert_eq!(world.ids(&world.bolt, &todo).await, Vec::<i64>::new());
    let page = world
        .found(&world.operator, &format!("{todo}?page[size]=1&page[number]=2"))
        .await;
    assert_eq!(
        (&page["data"][0]["id"], &page["meta"]["page"]["total"]),
        (&json!(third), &json!(3))
    );
    let next = page["links"]["next"].as_str().unwrap();
    assert!(next.starts_with("/api/actions/todo?"), "{next}");
    assert_eq!(world.ids(&world.operator, next).await, [second]);
}

#[tokio::test]
async fn filters_tell_what_was_searched() {
    let world = World::new().await;
    let ids = async |filter: &str| world.ids(&world.acme, &format!("{LIST}?{filter}&page[size]=0")).await;
    let all = ids("").await.len();
    world
        .seen
        .app
        .postgres
        .execute("update term set keyword_type = 'BRAND' where id = 1")
        .await;
    let (brand, generic) = (ids("keywordType[]=BRAND").await, ids("keywordType[]=-BRAND").await);
    assert!(!brand.is_empty());
    assert_eq!(brand.len() + generic.len(), all);
    assert_eq!(ids("keywordContent[]=TERM%201").await, brand);
    assert_eq!(ids("keywordContent[regexp]=/erm%201/i").await, brand);
    assert_eq!(ids("keywordContent[regexp]=-/erm%201/i").await, generic);
    // Operators as in every other list.
    assert_eq!(ids("keywordContent[contain]=erm%201").await, brand);
    assert_eq!(ids("keywordContent[exclude][]=erm%201").await, generic);
    assert_eq!(ids("keywordType[nin][]=BRAND").await, generic);
    assert_eq!(ids(&format!("ID[]={}", brand[0])).await, [brand[0]]);
}

#[tokio::test]
async fn filters_tell_who_has_to_answer() {
    let world = World::new().await;
    let own = world.ids(&world.acme, &format!("{LIST}?sortBy=domain")).await;
    let (theirs, ours, elsewhere) = (own[0], own[1], own[2]);
    for (id, status, waiting) in [
        (theirs, "inprogress", true),
        (ours, "reminded", false),
        (elsewhere, "new", true),
    ] {
        let set = format!("update action set status = '{status}', waiting = {waiting} where id = {id}");
        world.seen.app.postgres.execute(set.leak()).await;
    }
    let ids = async |filter: &str| world.ids(&world.acme, &format!("{LIST}?{filter}&page[size]=0")).await;
    assert_eq!(ids("waiting[]=true").await, [theirs]);
    assert_eq!(ids("waiting[]=false").await, [ours]);
}

#[tokio::test]
async fn a_group_is_changed_by_its_readers_as_a_whole_or_not_at_all() {
    let world = World::new().await;
    let own = world.ids(&world.acme, &format!("{LIST}?sortBy=domain")).await;
    let others = world.ids(&world.bolt, LIST).await;
    assert!(own.len() > 5 && !others.is_empty() && own.iter().all(|id| !others.contains(id)));

    for token in [&world.acme, &world.operator, &world.admin] {
        let requested = world.act(token, "requested", &own[..3]).await;
        assert_eq!(requested.status, StatusCode::OK, "{}", requested.body);
        assert_eq!(requested.body["data"].as_array().unwrap().len(), 3);
        assert_eq!(
            world.act(token, "cancelRequested", &own[..3]).await.status,
            StatusCode::OK
        );
        assert_eq!(world.act(token, "ignored", &own[..3]).await.status, StatusCode::OK);
        assert_eq!(world.act(token, "cancelIgnore", &own[..3]).await.status, StatusCode::OK);
    }
    world.act(&world.acme, "requested", &own[..1]).await;
    let mixed = world.act(&world.acme, "ignored", &own[..3]).await;
    assert_eq!(mixed.status, StatusCode::CONFLICT);
    assert_eq!(mixed.body["error"]["code"], "TRANSITION_NOT_ALLOWED");
    assert_eq!(
        mixed.body["error"]["details"]["messages"]["actionID"],
        json!([own[0].to_string()])
    );
    let foreign = world.act(&world.acme, "ignored", &[own[1], others[0]]).await;
    assert_eq!(foreign.status, StatusCode::NOT_FOUND);
    assert_eq!(
        world.ids(&world.acme, &format!("{LIST}?status[]=ignored")).await,
        Vec::<i64>::new()
    );
    for body in [json!({}), json!({"actionID": []}), json!({"actionID": "x"})] {
        let path = format!("{LIST}/ignored");
        let answer = world.seen.app.post(&path, &body, &[("token", &world.acme)]).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{body}");
    }
}

#[tokio::test]
async fn counters_are_those_of_the_role_and_do_not_follow_the_status() {
    let world = World::new().await;
    let own = world.ids(&world.acme, LIST).await;
    world.act(&world.acme, "requested", &own[..2]).await;
    let counters = async |token: &str| {
        let page = world.found(token, &format!("{LIST}?status[]=new&brandId[]=1")).await;
        assert_eq!(page["meta"]["page"]["total"], own.len() - 2);
        page["meta"]["subTotal"].clone()
    };
    let new = own.len() - 2;
    let of_company = json!({"new": new, "inprogress": 0, "accepted": 0, "refused": 0});
    assert_eq!(counters(&world.acme).await, of_company);
    let of_staff = json!({
        "new": new, "inprogress": 0, "accepted": 0, "refused": 0, "requested": 2, "disappeared": 0, "blocked": 0, "reminded": 0
    });
    assert_eq!(counters(&world.admin).await, of_staff);
    assert_eq!(counters(&world.operator).await, of_staff);
}

#[tokio::test]
async fn links_lead_from_page_to_page_in_the_order_asked_for() {
    let world = World::new().await;
    let whole = world
        .found(&world.admin, &format!("{LIST}?noPaging=true&sortBy=createdDate"))
        .await;
    let dates = |page: &Value| -> Vec<String> {
        let rows = page["data"].as_array().unwrap();
        rows.iter()
            .map(|row| row["createdDate"].as_str().unwrap().to_owned())
            .collect()
    };
    assert!(dates(&whole).is_sorted());
    let mut path = format!("{LIST}?page[size]=4&sortBy=createdDate");
    let mut found = Vec::new();
    loop {
        let page = world.found(&world.admin, &path).await;
        assert_eq!(page["links"]["prev"].is_null(), found.is_empty());
        found.extend(page["data"].as_array().unwrap().clone());
        match page["links"]["next"].as_str() {
            Some(next) => next.clone_into(&mut path),
            None => break,
        }
    }
    assert_eq!(Value::Array(found), whole["data"]);
}

#[tokio::test]
async fn what_an_excluded_text_holds_is_left_out_and_what_cannot_be_read_is_named() {
    let world = World::new().await;
    let all = world
        .ids(&world.admin, &format!("{LIST}?noPaging=true&sortBy=domain"))
        .await;
    let text = "adTitle[regexp]=%2Fof%20two%5C.example%2Fi";
    let held = world.ids(&world.admin, &format!("{LIST}?noPaging=true&{text}")).await;
    let lacked = world
        .ids(
            &world.admin,
            &format!("{LIST}?noPaging=true&{}", text.replace("=%2F", "=-%2F")),
        )
        .await;
    assert!(!held.is_empty() && held.len() + lacked.len() == all.len());
    assert!(held.iter().all(|id| !lacked.contains(id)));
    let only = world.ids(&world.admin, &format!("{LIST}?reappearance[]=only")).await;
    assert_eq!(only, Vec::<i64>::new());

    for (query, named) in [
        ("status[]=lost", "status"),
        ("status[without]=new", "status"),
        ("provider[]=altavista", "provider"),
        ("lastView[start]=yesterday", "lastView"),
        ("country[]=France", "country"),
        ("colour[]=red", "colour"),
        ("sortBy=-price", "sortBy"),
        ("reappearance[]=maybe", "reappearance"),
        ("adTitle[regexp]=%2Fa%7Cb%2F", "adTitle"),
        ("keywordTag[]=x", "keywordTag"),
    ] {
        let answer = world
            .seen
            .app
            .get(&format!("{LIST}?{query}"), &[("token", &world.admin)])
            .await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{query}");
        let message = answer.body["error"]["message"].as_str().unwrap();
        assert!(message.contains(named), "{query}: {message}");
    }
}

#[tokio::test]
async fn the_file_has_every_action_of_the_list_and_opens_by_a_ticket_once() {
    let world = World::new().await;
    let page = world
        .found(&world.acme, &format!("{LIST}?page[size]=2&sortBy=domain&country[]=FR"))
        .await;
    let link = page["links"]["exportCSV"].as_str().unwrap();
    assert!(
        link.starts_with("/api/actions/searchAll?noPaging=true&csv=true"),
        "{link}"
    );
    let body = json!({ "link": link });
    let ticket = world
        .seen
        .app
        .post("/api/exportTickets", &body, &[("token", &world.acme)])
        .await;
    assert_eq!(ticket.status, StatusCode::OK, "{}", ticket.body);
    let path = format!("{link}&access_token={}", ticket.body["access_token"].as_str().unwrap());
    let (status, file) = world.seen.app.text("GET", &path, "", &[]).await;
    assert_eq!(status, StatusCode::OK, "{file}");
    let lines: Vec<&str> = file.trim_start_matches('\u{feff}').lines().collect();
    let (last, lines) = lines.split_last().unwrap();
    assert!(last.starts_with("Valid captures,,0,of planned,0,"), "{last}");
    assert!(
        lines[0].starts_with("Engine,Domain,Master domain,Brand,Created"),
        "{}",
        lines[0]
    );
    assert_eq!(
        u64::try_from(lines.len() - 1).unwrap(),
        page["meta"]["page"]["total"].as_u64().unwrap()
    );
    let domains: Vec<&str> = lines[1..].iter().map(|line| line.split(',').nth(1).unwrap()).collect();
    assert!(
        domains.is_sorted() && domains.contains(&"www2.one.example"),
        "{domains:?}"
    );
    let (again, _) = world.seen.app.text("GET", &path, "", &[]).await;
    assert_eq!(again, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn the_file_of_a_list_without_figures_is_of_cases() {
    let world = World::new().await;
    let page = world
        .found(&world.acme, &format!("{LIST}?sortBy=domain&country[]=FR&figures=false"))
        .await;
    let rows = page["data"].as_array().unwrap();
    let link = page["links"]["exportCSV"].as_str().unwrap();
    let token = [("token", world.acme.as_str())];
    let (status, file) = world.seen.app.text("GET", link, "", &token).await;
    assert_eq!(status, StatusCode::OK, "{file}");
    let lines: Vec<&str> = file.trim_start_matches('\u{feff}').lines().collect();
    assert_eq!(
        lines[0],
        "Domain,Brand,Engine,Countries,Status,Last status,Next step,Date of the next step,Received,Sent,Reminders,Unread,Created,Last view,Tags,\
         Partner or reseller"
    );
    // No row beside the cases.
    assert_eq!(lines.len() - 1, rows.len(), "{file}");
    for (line, row) in lines[1..].iter().zip(rows) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells[0], row["domain"].as_str().unwrap());
        let counts = ["receivedCount", "sendedCount", "remindedCount", "unreadCount"];
        assert_eq!(cells[8..12], counts.map(|count| row[count].to_string()), "{line}");
    }
    let (_, french) = world.seen.app.text("GET", &format!("{link}&lng=fr"), "", &token).await;
    assert!(
        french.contains("Prochaine étape,Date de la prochaine étape,Reçus"),
        "{french}"
    );
}

#[tokio::test]
async fn the_tags_of_an_action_are_those_of_its_dealer_that_the_reader_sees() {
    let world = World::new().await;
    let row = world
        .found(&world.acme, &format!("{LIST}?domain[]=www2.one.example&country[]=FR"))
        .await["data"][0]
        .clone();
    let brand = row["brandId"].as_i64().unwrap();
    let tag = json!({"label": "Reseller", "scope": "tag", "visibility": "owner", "brandOwnerId": brand});
    let app = &world.seen.app;
    let tag = app.post("/api/Categories", &tag, &[("token", &world.acme)]).await;
    let link = format!("/api/Dealers/{}/categories/rel/{}", row["dealer"]["id"], tag.body["id"]);
    let (status, text) = app.text("PUT", &link, "", &[("token", &world.acme)]).await;
    assert_eq!(status, StatusCode::OK, "{text}");
    let path = format!("/api/advertiserTag/action?actionID={}", row["ID"]);
    let expected = json!([{"ID": tag.body["id"], "actionID": row["ID"], "label": "Reseller"}]);
    assert_eq!(world.found(&world.acme, &path).await, expected);
    assert_eq!(world.found(&world.bolt, &path).await, json!([]));
    let nothing = app.get("/api/advertiserTag/action", &[("token", &world.acme)]).await;
    assert_eq!(nothing.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_tag_that_staff_put_on_is_said_to_be_of_others_and_stays() {
    let world = World::new().await;
    let app = &world.seen.app;
    let list = format!("{LIST}?domain[]=www2.one.example&country[]=FR");
    let row = world.found(&world.acme, &list).await["data"][0].clone();
    let shared = json!({"label": "Reseller", "scope": "tag", "visibility": "all"});
    let tag = app.post("/api/Categories", &shared, &[("token", &world.admin)]).await;
    let link = format!("/api/Dealers/{}/categories/rel/{}", row["dealer"]["id"], tag.body["id"]);
    let asked = async |method: &str, token: &str| app.text(method, &link, "", &[("token", token)]).await.0;
    let of_others = async |token: &str| {
        let row = world.found(token, &list).await["data"][0].clone();
        let tags = row["categories"].as_array().unwrap();
        assert_eq!(tags.len(), 1, "{row}");
        tags[0]["ofOthers"].clone()
    };
    assert_eq!(asked("PUT", &world.admin).await, StatusCode::OK);
    assert_eq!(of_others(&world.admin).await, Value::Null);
    assert_eq!(of_others(&world.acme).await, true);
    assert_eq!(asked("DELETE", &world.acme).await, StatusCode::FORBIDDEN);
    // The company's own link is another one, and ends alone.
    assert_eq!(asked("PUT", &world.acme).await, StatusCode::OK);
    assert_eq!(of_others(&world.acme).await, Value::Null);
    assert_eq!(asked("DELETE", &world.acme).await, StatusCode::NO_CONTENT);
    assert_eq!(of_others(&world.acme).await, true);
}

#[tokio::test]
async fn what_is_open_of_a_domain_is_ignored_once_its_brand_calls_it_its_own() {
    const DOMAIN: &str = "www2.one.example";
    let world = World::new().await;
    let app = &world.seen.app;
    let pool = &app.state.postgres;
    let statuses = || async {
        let sql = "select id, brand_id, status::text from action where domain = $1 order by id";
        let rows = sqlx::query_as::<_, (i32, i32, String)>(sql)
            .bind(DOMAIN)
            .fetch_all(pool)
            .await;
        rows.unwrap()
    };
    let [acme, _] = world.seen.brands;
    let open = statuses().await;
    let (requested, ..) = open.iter().find(|(_, brand, _)| *brand == acme.0).unwrap();
    let asked = world.act(&world.acme, "requested", &[i64::from(*requested)]).await;
    assert_eq!(asked.status, StatusCode::OK, "{}", asked.body);
    let before = statuses().await;

    let dealers = categories::dealers_of_domains(pool, &[DOMAIN.to_owned()], app.state.clock.now()).await;
    let dealer = dealers.unwrap()[DOMAIN];
    for (name, is_own) in [("rivals", false), ("official", true)] {
        let tag = NewCategory {
            kind: CategoryKind::Dealers,
            name,
            label: name,
            owner: Some(acme),
            for_all: false,
        };
        let tag = categories::create(pool, &SYSTEM, &tag).await.unwrap();
        let path = format!("/api/Dealers/{dealer}/categories/rel/{tag}");
        let (status, text) = app.text("PUT", &path, "", &[("token", &world.admin)]).await;
        assert_eq!(status, StatusCode::OK, "{text}");
        let wanted = before.iter().cloned().map(|(id, brand, status)| {
            let is_open = brand == acme.0 && status == "new";
            (
                id,
                brand,
                if is_own && is_open {
                    "ignored".to_owned()
                } else {
                    status
                },
            )
        });
        assert_eq!(statuses().await, wanted.collect::<Vec<_>>(), "{name}");
    }
    assert!(
        before
            .iter()
            .any(|(_, brand, status)| *brand == acme.0 && status == "new")
    );
    assert!(before.iter().any(|(_, brand, _)| *brand != acme.0));
}
