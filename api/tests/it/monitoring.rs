//! The Domains and Terms lists, the choices of its filters, and the figures of the home page.

use std::collections::BTreeSet;

use analytics::sample::{Sample, SampleTerm, fill};
use axum::http::StatusCode;
use postgres::categories::{self, CategoryKind, NewCategory};
use serde_json::{Value, json};
use vocabulary::{BrandId, Engine, KeywordType, LocalizationId, SystemScope, TermId};

use crate::app::{App, TestResponse};

pub const LIST: &str = "/api/Sems/findAdvertisers";
pub const TERMS: &str = "/api/Sems/groupTerms";
const SYSTEM: SystemScope = SystemScope::new("test");

/// Two companies with results for the brand of each.
pub struct World {
    pub app: App,
    pub acme: BrandId,
    pub bolt: BrandId,
}

impl World {
    pub async fn new() -> Self {
        let app = App::start().await;
        app.company_user("acme").await;
        app.company_user("bolt").await;
        app.admin().await;
        let (acme, bolt) = (brand(&app, "acme").await, brand(&app, "bolt").await);
        let sample = Sample {
            terms: vec![term(1, acme), term(2, acme), term(3, bolt)],
            rows: 6_000,
            days: 5,
            end: u32::try_from(app.state.clock.now().timestamp()).unwrap(),
            seed: 1,
            all_different: false,
        };
        fill(&app.state.analytics, &sample).await.unwrap();
        Self { app, acme, bolt }
    }

    pub async fn ask(&self, email: &str, path: &str) -> TestResponse {
        let token = self.app.login(email).await;
        self.app.get(path, &[("authorization", &token)]).await
    }

    pub async fn found(&self, email: &str, path: &str) -> Value {
        let answer = self.ask(email, path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
        answer.body
    }
}

async fn brand(app: &App, name: &str) -> BrandId {
    let found = postgres::brands::search(&app.state.postgres, &SYSTEM, name, 1)
        .await
        .unwrap();
    found[0].id
}

fn term(id: i32, brand: BrandId) -> SampleTerm {
    SampleTerm {
        id: TermId(id),
        words: format!("red shoes {id}"),
        keyword_type: KeywordType::Generic,
        engine: Engine::Google,
        localization: LocalizationId(1),
        locale: "fr_FR".parse().unwrap(),
        city: "Paris".to_owned(),
        region: "Bretagne".to_owned(),
        brand: Some(brand),
        official: String::new(),
        advertisers: Vec::new(),
    }
}

pub fn domains(page: &Value) -> Vec<String> {
    let rows = page["data"].as_array().unwrap();
    rows.iter()
        .map(|row| row["domain"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn a_user_sees_the_domains_of_own_brands_only() {
    let world = World::new().await;
    let views = |page: &Value| page["meta"]["page"]["totalViews"].as_u64().unwrap();
    let acme = views(&world.found("user@acme.example", LIST).await);
    let bolt = views(&world.found("user@bolt.example", LIST).await);
    let all = views(&world.found("admin@vigie.example", LIST).await);
    assert_eq!(all, 6_000);
    assert_eq!(acme + bolt, all);
    assert!(acme > 0 && bolt > 0);

    let other = format!("{LIST}?filters[brandID][inq][]={}", world.bolt);
    assert_eq!(views(&world.found("user@acme.example", &other).await), 0);
    let own = format!("{LIST}?filters[brandID][inq][]={}", world.acme);
    assert_eq!(views(&world.found("user@acme.example", &own).await), acme);
}

#[tokio::test]
async fn a_user_sees_the_terms_of_own_brands_and_those_given_access_to() {
    let world = World::new().await;
    let terms = |page: &Value| -> Vec<u64> {
        let rows = page["data"].as_array().unwrap();
        rows.iter().map(|row| row["termId"].as_u64().unwrap()).collect()
    };
    let sorted = format!("{TERMS}?sort[by]=content&sort[direction]=ASC");
    assert_eq!(terms(&world.found("user@acme.example", &sorted).await), [1, 2]);
    assert_eq!(terms(&world.found("user@bolt.example", &sorted).await), [3]);
    let all = world.found("admin@vigie.example", &sorted).await;
    assert_eq!(terms(&all), [1, 2, 3]);
    assert_eq!(all["meta"]["page"]["totalViews"], 6_000);
    assert_eq!(all["data"][0]["content"], "red shoes 1");
    assert_eq!(all["data"][0]["brand"], Value::Null);
    let other = format!("{TERMS}?filters[brandID][inq][]={}", world.acme);
    let hidden = world.found("user@bolt.example", &other).await;
    assert_eq!(hidden["meta"]["page"]["totalViews"], 0);

    // Seen beside those of the own brands: a term of another's that was shared with the company.
    world
        .app
        .postgres
        .execute(
            "insert into term (id, term, brand_id) overriding system value select 1, 'red shoes 1', id from brand where name = 'acme'",
        )
        .await;
    world
        .app
        .postgres
        .execute("insert into term_company_account (term_id, company_account_id) select 1, id from company_account where name = 'bolt'")
        .await;
    assert_eq!(terms(&world.found("user@bolt.example", &sorted).await), [1, 3]);

    // Its brand is shown to those who see the brand.
    let brand = async |email: &str| world.found(email, &sorted).await["data"][0]["brand"].clone();
    assert_eq!(brand("admin@vigie.example").await, "acme");
    assert_eq!(brand("user@bolt.example").await, Value::Null);
}

#[tokio::test]
async fn own_domains_of_a_brand_are_no_competitors() {
    let world = World::new().await;
    let competitors = |page: &Value| page["data"][0]["nbCompetitors"].as_u64().unwrap();
    let one = format!("{TERMS}?filters[keywordContent][inq][]=red%20shoes%203");
    let before = world.found("user@bolt.example", &one).await;
    let own = &domains(&world.found("user@bolt.example", LIST).await)[0];
    let official = NewCategory {
        kind: CategoryKind::Dealers,
        name: "official",
        label: "Official",
        owner: Some(world.bolt),
        for_all: false,
    };
    let pool = &world.app.state.postgres;
    let official = categories::create(pool, &SYSTEM, &official).await.unwrap();
    categories::link_domain(pool, &SYSTEM, official, own).await.unwrap();
    let after = world.found("user@bolt.example", &one).await;
    assert_eq!(competitors(&after) + 1, competitors(&before));
    assert_eq!(after["data"][0]["nbViews"], before["data"][0]["nbViews"]);
}

#[tokio::test]
async fn links_lead_from_page_to_page_through_the_whole_list() {
    let world = World::new().await;
    let reader = "user@acme.example";
    let whole = world.found(reader, &format!("{LIST}?page[size]=0")).await;
    let mut path = format!("{LIST}?page[size]=7&filters[engine][inq][]=google");
    let mut seen = Vec::new();
    loop {
        let page = world.found(reader, &path).await;
        assert_eq!(page["meta"]["page"]["total"], whole["meta"]["page"]["total"]);
        assert_eq!(page["links"]["prev"].is_null(), seen.is_empty());
        seen.extend(domains(&page));
        match page["links"]["next"].as_str() {
            Some(next) => next.clone_into(&mut path),
            None => break,
        }
    }
    assert_eq!(seen, domains(&whole));
    assert!(seen.len() > 7);
}

#[tokio::test]
async fn a_tag_stands_on_its_rows_and_filters_them_for_those_who_see_it() {
    let world = World::new().await;
    let pool = &world.app.state.postgres;
    let both: Vec<BTreeSet<String>> = vec![
        domains(&world.found("user@acme.example", &format!("{LIST}?page[size]=0")).await)
            .into_iter()
            .collect(),
        domains(&world.found("user@bolt.example", &format!("{LIST}?page[size]=0")).await)
            .into_iter()
            .collect(),
    ];
    let shared = both[0].intersection(&both[1]).next().unwrap();
    let tag = NewCategory {
        kind: CategoryKind::Dealers,
        name: "reseller",
        label: "Reseller",
        owner: Some(world.acme),
        for_all: false,
    };
    let tag = categories::create(pool, &SYSTEM, &tag).await.unwrap();
    categories::link_domain(pool, &SYSTEM, tag, shared).await.unwrap();

    let tagged = format!("{LIST}?filters[advertiserTag][inq][]={tag}");
    let page = world.found("user@acme.example", &tagged).await;
    assert_eq!(domains(&page), std::slice::from_ref(shared));
    assert_eq!(page["data"][0]["categories"][0]["label"], "Reseller");
    let without = format!("{LIST}?page[size]=0&filters[advertiserTag][nin][]={tag}");
    assert!(!domains(&world.found("user@acme.example", &without).await).contains(shared));

    assert_eq!(
        domains(&world.found("user@bolt.example", &tagged).await),
        Vec::<String>::new()
    );
    let of_bolt = world
        .found("user@bolt.example", &format!("{LIST}?filters[domain][inq][]={shared}"))
        .await;
    assert_eq!(of_bolt["data"][0]["categories"].as_array().unwrap().len(), 0);
    let choices = world
        .found("user@bolt.example", "/api/advertiserTag/?query=resell")
        .await;
    assert_eq!(choices["data"].as_array().unwrap().len(), 0);
}

#[tokio::test]
async fn a_value_that_cannot_be_read_is_named() {
    let world = World::new().await;
    for (query, named) in [
        ("page[size]=many", "page[size]"),
        ("page[number]=0", "page[number]"),
        ("sort[by]=price", "sort[by]"),
        ("filters[colour]=red", "colour"),
        ("filters[country][inq][]=France", "country"),
        ("filters[date][between][start]=today", "date"),
        ("filters[brandID][like]=1", "brandID"),
        ("filters[keywordTag][inq][]=x", "keywordTag"),
        ("filter={", "filter"),
    ] {
        let answer = world
            .ask("user@acme.example", &format!("{LIST}?{}", query.replace('{', "%7B")))
            .await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{query}");
        let message = answer.body["error"]["message"].as_str().unwrap();
        assert!(message.contains(named), "{query}: {message}");
    }
}

#[tokio::test]
async fn choices_offer_what_the_reader_can_find() {
    let world = World::new().await;
    let reader = "user@bolt.example";
    let texts = |answer: &Value, key: &str| -> Vec<String> {
        let rows = answer["data"].as_array().unwrap();
        rows.iter().map(|row| row[key].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(texts(&world.found(reader, "/api/brand?query=").await, "name"), ["bolt"]);
    let keywords = world.found(reader, "/api/monitoring/keywords?query=SHOES").await;
    assert_eq!(texts(&keywords, "content"), ["red shoes 3"]);
    let regions = world.found(reader, "/api/monitoring/regions?country=fr").await;
    let regions = texts(&regions, "name");
    assert_eq!(
        regions[..2],
        ["Bretagne", "Auvergne-Rhone-Alpes"],
        "what is seen comes first"
    );
    assert_eq!(regions.len(), 19);
    let unseen = world.found(reader, "/api/monitoring/regions?country=BE").await;
    assert_eq!(texts(&unseen, "name").len(), 11);
    let offered = texts(
        &world
            .found(reader, "/api/monitoring/domains?query=.EXAMPLE&limit=3")
            .await,
        "domain",
    );
    let most_seen = domains(&world.found(reader, &format!("{LIST}?page[size]=3")).await);
    assert_eq!(offered, most_seen);
}

#[tokio::test]
async fn dealers_are_made_of_domains_that_the_reader_sees() {
    let world = World::new().await;
    let token = world.app.login("user@acme.example").await;
    let seen = domains(&world.found("user@acme.example", &format!("{LIST}?page[size]=3")).await);
    let body = json!({"domains": [seen[0], seen[1], "nowhere.example"]});
    let ask = async || {
        let answer = world
            .app
            .post("/api/monitoring/dealers", &body, &[("token", &token)])
            .await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        answer.body["data"].clone()
    };
    let made = ask().await;
    assert_eq!(made.as_array().unwrap().len(), 2);
    assert_eq!(ask().await, made);
    // A tag can be put on them, and is shown on the row.
    let tag = json!({"label": "Reseller", "scope": "tag", "visibility": "owner", "brandOwnerId": world.acme});
    let tag = world.app.post("/api/Categories", &tag, &[("token", &token)]).await;
    assert_eq!(tag.status, StatusCode::OK, "{}", tag.body);
    let dealer = made
        .as_array()
        .unwrap()
        .iter()
        .find(|dealer| dealer["domain"] == seen[0].as_str())
        .unwrap();
    let link = format!("/api/Dealers/{}/categories/rel/{}", dealer["id"], tag.body["id"]);
    let (status, text) = world.app.text("PUT", &link, "", &[("token", &token)]).await;
    assert_eq!(status, StatusCode::OK, "{text}");
    let row = world
        .found(
            "user@acme.example",
            &format!("{LIST}?filters[domain][inq][]={}", seen[0]),
        )
        .await;
    assert_eq!(row["data"][0]["categories"][0]["label"], "Reseller");
    let nothing = world.app.text("DELETE", &link, "", &[("token", &token)]).await;
    assert_eq!(nothing.0, StatusCode::NO_CONTENT, "{}", nothing.1);
    let many = json!({"domains": vec!["a.example"; 501]});
    let refused = world
        .app
        .post("/api/monitoring/dealers", &many, &[("token", &token)])
        .await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn the_days_of_a_period_add_up_to_its_totals() {
    let world = World::new().await;
    let period = "startDate=2026-02-20T00:00:00Z&endDate=2026-03-02T23:59:59.999Z";
    let stats = world
        .found("user@acme.example", &format!("/api/advertisers/stats?{period}"))
        .await;
    let list = world.found("user@acme.example", LIST).await;
    let sum = |key: &str| -> u64 {
        let days = stats["data"].as_array().unwrap();
        days.iter().map(|day| day[key].as_u64().unwrap()).sum()
    };
    assert_eq!(sum("views"), sum("ads") + sum("shopping"));
    assert_eq!(stats["meta"]["totalViews"], sum("views"));
    assert_eq!(stats["meta"]["totalViews"], list["meta"]["page"]["totalViews"]);
    assert_eq!(stats["meta"]["totalAds"], list["meta"]["page"]["totalAds"]);
    assert_eq!(stats["meta"]["totalDomains"], list["meta"]["page"]["total"]);
    let bad = world
        .ask("user@acme.example", "/api/advertisers/stats?startDate=x&endDate=y")
        .await;
    assert_eq!(bad.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn the_terms_of_each_day_are_among_those_of_the_period() {
    let world = World::new().await;
    let period = "startDate=2026-02-20T00:00:00Z&endDate=2026-03-02T23:59:59.999Z";
    let stats = world
        .found("user@acme.example", &format!("/api/keywords/stats?{period}"))
        .await;
    let list = world.found("user@acme.example", "/api/Sems/groupTerms").await;
    let days = stats["data"].as_array().unwrap();
    let views: u64 = days.iter().map(|day| day["views"].as_u64().unwrap()).sum();
    assert_eq!(stats["meta"]["totalViews"], views);
    assert_eq!(stats["meta"]["totalViews"], list["meta"]["page"]["totalViews"]);
    assert_eq!(stats["meta"]["totalKeywords"], list["meta"]["page"]["total"]);
    let total = stats["meta"]["totalKeywords"].as_u64().unwrap();
    let within = |day: &Value| (1..=total).contains(&day["keywords"].as_u64().unwrap());
    assert!(!days.is_empty() && days.iter().all(within), "{days:?}");
    let bad = world
        .ask("user@acme.example", "/api/keywords/stats?startDate=x&endDate=y")
        .await;
    assert_eq!(bad.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn lists_begin_with_the_most_viewed_validated_brand() {
    let mut world = World::new().await;
    let path = "/api/brand/default";
    let begins_with = async |world: &World| {
        let found = world.found("admin@vigie.example", path).await;
        found["data"]["name"].as_str().map(str::to_owned)
    };
    // Before views are counted, by name.
    assert_eq!(begins_with(&world).await.as_deref(), Some("acme"));
    world
        .app
        .postgres
        .execute("update brand set total_views = case name when 'bolt' then 3 else 2 end")
        .await;
    assert_eq!(begins_with(&world).await.as_deref(), Some("bolt"));
    world
        .app
        .postgres
        .execute("update brand set total_views = 4 where name = 'acme'")
        .await;
    assert_eq!(begins_with(&world).await.as_deref(), Some("acme"));
    world
        .app
        .postgres
        .execute("update brand set validated = false where name = 'acme'")
        .await;
    assert_eq!(begins_with(&world).await.as_deref(), Some("bolt"));
    let own = world.found("user@acme.example", path).await;
    assert_eq!(own["data"], Value::Null);

    let mut settings = runtime::Settings::default();
    settings.monitoring.default_brand_id = Some(world.acme.0);
    world.app.set(settings);
    assert_eq!(begins_with(&world).await.as_deref(), Some("acme"));
}

#[tokio::test]
async fn a_filter_by_tags_that_are_on_very_much_is_refused_and_none_is_cut() {
    let world = World::new().await;
    let pool = &world.app.postgres.pool;
    let shared = domains(&world.found("user@acme.example", LIST).await)[0].clone();
    let everywhere = NewCategory {
        kind: CategoryKind::Dealers,
        name: "everywhere",
        label: "Everywhere",
        owner: Some(world.acme),
        for_all: false,
    };
    let everywhere = categories::create(pool, &SYSTEM, &everywhere).await.unwrap();
    let words = NewCategory {
        kind: CategoryKind::Terms,
        name: "words",
        label: "Words",
        owner: Some(world.acme),
        for_all: false,
    };
    let words = categories::create(pool, &SYSTEM, &words).await.unwrap();
    let most = categories::MOST_TAGGED;
    let carry = async |domain: &str, first: i64, last: i64| {
        for statement in [
            "insert into dealer (domain) select case when n = 0 then $3 else 'shop' || n || '.example' end from generate_series($1, $2) n
             on conflict do nothing",
            "insert into category_dealer (category_id, dealer_id)
             select c.id, d.id from generate_series($1::int8, $2) n
                 join dealer d on d.domain = case when n = 0 then $3 else 'shop' || n || '.example' end
                 join category c on c.label = 'Everywhere'",
            "insert into term (term, brand_id)
             select 'word ' || n, (select id from brand where name = 'acme') from generate_series($1::int8, $2) n where $3 <> ''",
            "insert into term_category (category_id, term_id)
             select c.id, t.id from generate_series($1::int8, $2) n join term t on t.term = 'word ' || n
                 join category c on c.label = 'Words' where $3 <> ''",
        ] {
            let asked = sqlx::query(statement).bind(first).bind(last).bind(domain);
            asked.execute(pool).await.unwrap();
        }
    };
    carry(&shared, 0, most - 1).await;
    let tagged = format!("{LIST}?filters[advertiserTag][inq][]={everywhere}");
    let of_words = format!("{LIST}?filters[keywordTag][inq][]={words}");
    assert_eq!(domains(&world.found("user@acme.example", &tagged).await), [&*shared]);
    world.found("user@acme.example", &of_words).await;

    carry(&shared, most, most).await;
    let of_cases = format!("/api/actions?keywordTag[]={words}");
    for (path, what) in [(tagged, "domains"), (of_words, "terms"), (of_cases, "terms")] {
        let refused = world.ask("user@acme.example", &path).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{path}: {}", refused.body);
        assert_eq!(refused.body["error"]["code"], "TOO_MANY_TAGGED");
        let text = refused.body["error"]["message"].as_str().unwrap();
        assert!(text.contains(&format!("{most} {what}")), "{text}");
    }
}
