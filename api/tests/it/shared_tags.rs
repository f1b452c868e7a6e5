//! Tags that all share, and tags of a brand: who puts them on what, and who takes them off.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::app::App;

/// Two companies, each with a case against the same advertiser, and a tag that all share.
struct World {
    app: App,
    admin: String,
    acme: Company,
    bolt: Company,
    dealer: i64,
    tag: i64,
}

struct Company {
    token: String,
    brand: i64,
    term: i64,
    action: i64,
}

impl World {
    async fn new() -> Self {
        let app = App::start().await;
        app.admin().await;
        let admin = app.login("admin@vigie.example").await;
        let dealer = made(&app, &admin, "Dealers", &json!({"domain": "shop.example"})).await;
        let acme = Company::new(&app, &admin, "acme").await;
        let bolt = Company::new(&app, &admin, "bolt").await;
        let tag = json!({"label": "Marketplace", "visibility": "all", "scope": "tag"});
        let tag = made(&app, &admin, "Categories", &tag).await;
        Self {
            app,
            admin,
            acme,
            bolt,
            dealer,
            tag,
        }
    }

    async fn send(&self, method: &str, path: &str, token: &str) -> StatusCode {
        self.app.text(method, path, "", &[("token", token)]).await.0
    }

    fn link(&self) -> String {
        format!("/api/Dealers/{}/categories/rel/{}", self.dealer, self.tag)
    }

    /// How many tags of the dealer somebody sees.
    async fn seen(&self, token: &str) -> usize {
        let path = format!("/api/Dealers/{}/categories", self.dealer);
        let answer = self.app.get(&path, &[("token", token)]).await;
        answer.body.as_array().unwrap().len()
    }

    async fn status(&self, action: i64) -> String {
        self.app
            .postgres
            .fetch(format!("select status::text from action where id = {action}").leak())
            .await
    }
}

impl Company {
    async fn new(app: &App, admin: &str, name: &str) -> Self {
        app.company_user(name).await;
        let brand: i64 = app
            .postgres
            .fetch(format!("select id::int8 from brand where name = '{name}'").leak())
            .await;
        let case = json!({"domain": "shop.example", "country": "FR", "engine": "google", "brandId": brand});
        Self {
            token: app.login(&format!("user@{name}.example")).await,
            brand,
            term: made(
                app,
                admin,
                "Terms",
                &json!({"term": format!("{name} shoes"), "brandId": brand}),
            )
            .await,
            action: made(app, admin, "Actions", &case).await,
        }
    }
}

async fn made(app: &App, token: &str, path: &str, body: &Value) -> i64 {
    let answer = app.post(&format!("/api/{path}"), body, &[("token", token)]).await;
    assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
    answer.body["id"].as_i64().unwrap()
}

#[tokio::test]
async fn a_companys_link_of_a_shared_tag_is_its_own_and_staffs_are_everybodys() {
    let world = World::new().await;
    let (acme, bolt, admin) = (&world.acme.token, &world.bolt.token, &world.admin);
    let link = world.link();
    assert_eq!(world.send("PUT", &link, acme).await, StatusCode::OK);
    assert_eq!(
        [world.seen(acme).await, world.seen(bolt).await, world.seen(admin).await],
        [1, 0, 1]
    );
    // The other company neither sees nor ends it.
    assert_eq!(world.send("HEAD", &link, bolt).await, StatusCode::NOT_FOUND);
    assert_eq!(world.send("DELETE", &link, bolt).await, StatusCode::NO_CONTENT);
    assert_eq!(world.seen(acme).await, 1);
    // The same tag by both is one tag to staff.
    assert_eq!(world.send("PUT", &link, bolt).await, StatusCode::OK);
    assert_eq!([world.seen(bolt).await, world.seen(admin).await], [1, 1]);
    // Staff ends all, a company its own.
    assert_eq!(world.send("DELETE", &link, acme).await, StatusCode::NO_CONTENT);
    assert_eq!([world.seen(acme).await, world.seen(bolt).await], [0, 1]);
    assert_eq!(world.send("DELETE", &link, admin).await, StatusCode::NO_CONTENT);
    assert_eq!([world.seen(bolt).await, world.seen(admin).await], [0, 0]);

    assert_eq!(world.send("PUT", &link, admin).await, StatusCode::OK);
    assert_eq!([world.seen(acme).await, world.seen(bolt).await], [1, 1]);
    let all = format!("/api/Dealers/{}/categories", world.dealer);
    for path in [&link, &all, &format!("/api/Categories/{}/dealers", world.tag)] {
        assert_eq!(world.send("DELETE", path, acme).await, StatusCode::FORBIDDEN, "{path}");
    }
    assert_eq!(world.seen(bolt).await, 1);
}

#[tokio::test]
async fn a_shared_tag_is_put_on_what_is_of_the_own_brands_alone() {
    let world = World::new().await;
    let stranger = made(
        &world.app,
        &world.admin,
        "Dealers",
        &json!({"domain": "elsewhere.example"}),
    )
    .await;
    let of_terms = json!({"label": "Seasonal", "visibility": "all", "scope": "term"});
    let of_terms = made(&world.app, &world.admin, "Categories", &of_terms).await;
    let own_tag = json!({"label": "Mine", "visibility": "owner", "scope": "tag", "brandOwnerId": world.acme.brand});
    let own_tag = made(&world.app, &world.acme.token, "Categories", &own_tag).await;
    for (path, expected) in [
        (
            format!("/api/Dealers/{stranger}/categories/rel/{}", world.tag),
            StatusCode::FORBIDDEN,
        ),
        (
            format!("/api/Categories/{}/dealers/rel/{stranger}", world.tag),
            StatusCode::FORBIDDEN,
        ),
        (
            format!("/api/Terms/{}/categories/rel/{of_terms}", world.bolt.term),
            StatusCode::NOT_FOUND,
        ),
        (
            format!("/api/Terms/{}/categories/rel/{of_terms}", world.acme.term),
            StatusCode::OK,
        ),
        // A tag of its own goes on any advertiser.
        (
            format!("/api/Dealers/{stranger}/categories/rel/{own_tag}"),
            StatusCode::OK,
        ),
    ] {
        assert_eq!(world.send("PUT", &path, &world.acme.token).await, expected, "{path}");
    }
    // Making it on the spot is no way around.
    let shared = json!({"label": "New", "visibility": "all", "scope": "tag"});
    let path = format!("/api/Dealers/{stranger}/categories");
    let refused = world.app.post(&path, &shared, &[("token", &world.acme.token)]).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN, "{}", refused.body);
}

#[tokio::test]
async fn links_and_their_ends_are_kept_in_the_audit_log() {
    let world = World::new().await;
    let link = world.link();
    world.send("PUT", &link, &world.acme.token).await;
    world
        .send(
            "DELETE",
            &format!("/api/Dealers/{}/categories", world.dealer),
            &world.acme.token,
        )
        .await;
    let log = world
        .app
        .get("/api/audit?model=Dealer", &[("token", &world.admin)])
        .await
        .body;
    let of_links: Vec<&Value> = log["data"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["actor"]["email"] == "user@acme.example")
        .collect();
    let events: Vec<&str> = of_links.iter().map(|entry| entry["event"].as_str().unwrap()).collect();
    assert_eq!(events, ["unlink", "link"]);
    assert_eq!(
        of_links[0]["details"],
        json!({"relation": "categories", "model": "Category", "id": world.tag})
    );
}

#[tokio::test]
async fn only_the_official_tag_of_a_brand_puts_cases_aside_and_only_those_of_its_brand() {
    let world = World::new().await;
    // The other company calls the domain its own; its case is opened again by a person.
    let official = json!({"label": "Official", "name": "official", "scope": "tag", "visibility": "owner", "brandOwnerId": world.bolt.brand});
    let official = made(&world.app, &world.admin, "Categories", &official).await;
    let link = format!("/api/Dealers/{}/categories/rel/{official}", world.dealer);
    assert_eq!(world.send("PUT", &link, &world.bolt.token).await, StatusCode::OK);
    assert_eq!(world.status(world.bolt.action).await, "ignored");
    assert_eq!(world.status(world.acme.action).await, "new");
    let again = format!("update action set status = 'new' where id = {}", world.bolt.action);
    world.app.postgres.execute(again.leak()).await;
    // A private tag of the one company, and a shared one, leave it alone.
    let own_tag = json!({"label": "Mine", "visibility": "owner", "scope": "tag", "brandOwnerId": world.acme.brand});
    let own_tag = made(&world.app, &world.acme.token, "Categories", &own_tag).await;
    let private = format!("/api/Dealers/{}/categories/rel/{own_tag}", world.dealer);
    for path in [private, world.link()] {
        assert_eq!(
            world.send("PUT", &path, &world.acme.token).await,
            StatusCode::OK,
            "{path}"
        );
        assert_eq!(world.status(world.bolt.action).await, "new", "{path}");
    }
    // Its own official tag moves its own case.
    let own = json!({"label": "Official", "name": "official", "scope": "tag", "visibility": "owner", "brandOwnerId": world.acme.brand});
    let own = made(&world.app, &world.admin, "Categories", &own).await;
    let link = format!("/api/Dealers/{}/categories/rel/{own}", world.dealer);
    assert_eq!(world.send("PUT", &link, &world.acme.token).await, StatusCode::OK);
    assert_eq!(world.status(world.acme.action).await, "ignored");
    assert_eq!(world.status(world.bolt.action).await, "new");
}

#[tokio::test]
async fn all_links_are_ended_however_many_there_are() {
    let world = World::new().await;
    world
        .app
        .postgres
        .execute(format!(
            "with made as (insert into dealer (domain) select 'd' || n || '.example' from generate_series(1, 10500) n returning id)
             insert into category_dealer (category_id, dealer_id) select {}, id from made",
            world.tag
        ).leak())
        .await;
    let all = format!("/api/Categories/{}/dealers", world.tag);
    assert_eq!(world.send("DELETE", &all, &world.admin).await, StatusCode::NO_CONTENT);
    assert_eq!(
        world
            .app
            .postgres
            .fetch::<i64>("select count(*) from category_dealer")
            .await,
        0
    );
    let kept = "select count(*) from audit_entry where event = 'unlink'";
    assert_eq!(world.app.postgres.fetch::<i64>(kept).await, 10_500);
}

#[tokio::test]
async fn how_often_a_tag_is_used_counts_what_the_reader_sees() {
    let world = World::new().await;
    let (acme, bolt, admin) = (&world.acme.token, &world.bolt.token, &world.admin);
    let of_terms = json!({"label": "Seasonal", "visibility": "all", "scope": "term"});
    let of_terms = made(&world.app, admin, "Categories", &of_terms).await;
    let own = json!({"label": "Mine", "brandOwnerId": world.acme.brand});
    let own = made(&world.app, acme, "Categories", &own).await;
    for (path, token) in [
        (world.link(), acme),
        (
            format!("/api/Terms/{}/categories/rel/{of_terms}", world.acme.term),
            admin,
        ),
        (
            format!("/api/Terms/{}/categories/rel/{of_terms}", world.bolt.term),
            admin,
        ),
        (format!("/api/Dealers/{}/categories/rel/{own}", world.dealer), acme),
    ] {
        assert_eq!(world.send("PUT", &path, token).await, StatusCode::OK, "{path}");
    }
    let query = format!("ids[]={}&ids[]={of_terms}&ids[]={own}", world.tag);
    let uses = async |token: &str| {
        let path = format!("/api/advertiserTag/uses?{query}");
        let answer = world.app.get(&path, &[("token", token)]).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        let uses = answer.body["data"].as_array().unwrap().iter();
        uses.map(|one| (one["id"].as_i64().unwrap(), one["uses"].as_i64().unwrap()))
            .collect::<Vec<_>>()
    };
    assert_eq!(uses(admin).await, [(world.tag, 1), (of_terms, 2), (own, 1)]);
    assert_eq!(uses(acme).await, [(world.tag, 1), (of_terms, 1), (own, 1)]);
    // Neither the link of another company nor its tag.
    assert_eq!(uses(bolt).await, [(world.tag, 0), (of_terms, 1)]);
    // The same of both companies is on one advertiser.
    assert_eq!(world.send("PUT", &world.link(), bolt).await, StatusCode::OK);
    assert_eq!(uses(admin).await[0], (world.tag, 1));
    let many = ["ids[]=1"; 101].join("&");
    for query in ["", "ids[]=mine", many.as_str()] {
        let path = format!("/api/advertiserTag/uses?{query}");
        let refused = world.app.get(&path, &[("token", admin)]).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{query}");
    }
}

#[tokio::test]
async fn tags_of_one_name_say_which_brand_each_is_of() {
    let world = World::new().await;
    for brand in [world.acme.brand, world.bolt.brand] {
        let tag = json!({"label": "Reseller", "brandOwnerId": brand});
        made(&world.app, &world.admin, "Categories", &tag).await;
    }
    let shared = json!({"label": "Reseller!", "name": "shared", "visibility": "all", "brandOwnerId": world.bolt.brand});
    made(&world.app, &world.admin, "Categories", &shared).await;
    let brands = async |token: &str| {
        let path = "/api/advertiserTag/?query=resel&scope=tag";
        let answer = world.app.get(path, &[("token", token)]).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        let tags = answer.body["data"].as_array().unwrap().iter();
        tags.map(|tag| format!("{} of {}", tag["label"].as_str().unwrap(), tag["brand"]))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        brands(&world.admin).await,
        ["Reseller of \"acme\"", "Reseller of \"bolt\"", "Reseller! of \"bolt\""]
    );
    // The name of another company's brand stays its own.
    assert_eq!(
        brands(&world.acme.token).await,
        ["Reseller of \"acme\"", "Reseller! of null"]
    );
}

#[tokio::test]
async fn whether_another_brand_has_a_tag_of_a_name_is_not_learnt() {
    let world = World::new().await;
    let theirs = json!({"label": "Reseller", "brandOwnerId": world.bolt.brand});
    made(&world.app, &world.admin, "Categories", &theirs).await;
    let own = json!({"label": "Mine", "brandOwnerId": world.acme.brand});
    let own = made(&world.app, &world.acme.token, "Categories", &own).await;
    let of_bolt = |label: &str| json!({"label": label, "brandOwnerId": world.bolt.brand});
    let out_of_reach = [
        ("POST", "/api/Categories".to_owned(), of_bolt("Reseller")),
        ("POST", "/api/Categories".to_owned(), of_bolt("Other")),
        (
            "POST",
            "/api/Categories".to_owned(),
            json!([own_brand(&world, "Fine"), of_bolt("Reseller")]),
        ),
        (
            "POST",
            "/api/Categories".to_owned(),
            json!({"label": "Other", "brandOwnerId": 999_999}),
        ),
        ("POST", "/api/Categories".to_owned(), json!({"label": "Marketplace"})),
        (
            "POST",
            "/api/Categories".to_owned(),
            json!({"label": "x", "brandOwnerId": world.acme.brand, "visibility": "all"}),
        ),
        (
            "PATCH",
            format!("/api/Categories/{own}"),
            json!({"name": "reseller", "brandOwnerId": world.bolt.brand}),
        ),
        (
            "PATCH",
            format!("/api/Categories/{own}"),
            json!({"brandOwnerId": null, "name": "marketplace"}),
        ),
        ("PUT", format!("/api/Categories/{own}"), of_bolt("Reseller")),
        (
            "POST",
            format!("/api/Categories/update?where=%7B%22id%22:{own}%7D"),
            json!({"name": "reseller", "brandOwnerId": world.bolt.brand}),
        ),
    ];
    let headers = [
        ("token", world.acme.token.as_str()),
        ("content-type", "application/json"),
    ];
    for (method, path, body) in out_of_reach {
        let (status, answer) = world.app.text(method, &path, &body.to_string(), &headers).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{method} {path} {body}: {answer}");
    }
    let kept = json!({"name": "reseller", "brandOwnerId": world.acme.brand}).to_string();
    let (status, answer) = world
        .app
        .text("PATCH", &format!("/api/Categories/{own}"), &kept, &headers)
        .await;
    assert_eq!(status, StatusCode::OK, "{answer}");
}

/// A new tag of the brand of the first company.
fn own_brand(world: &World, label: &str) -> Value {
    json!({"label": label, "brandOwnerId": world.acme.brand})
}
