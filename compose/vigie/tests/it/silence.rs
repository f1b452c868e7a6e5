//! An engine may refuse softly: it responds, and finds nothing. When that suddenly happens for many terms, captures on it pause; for one
//! term they do not.

use std::time::{Duration, Instant};

use reqwest::{Client, StatusCode};
use serde_json::json;
use tempfile::TempDir;
use vocabulary::Engine;

use crate::ledger::{Ledger, announcement};
use crate::trial::{Trial, folder, vigie};

/// Terms on the engine that falls silent: more than open its breaker while others are running.
const MANY: i64 = 14;
/// Terms on the other engine.
const FEW: i64 = 2;
/// Adds `$1` terms on Google and `$2` on Bing that have results whenever their engine has any.
const WATCH: &str = "insert into term (term, engine, localization_id, devices, every, state, keyword_type, options)
    select 'acheter alba running shoes ' || n, engine, (select id from localization where locale = 'fr_FR' and city = 'Paris'),
        '{DESKTOP}', 2635200000, 'enabled', 'GENERIC', '{}'
    from (values ('GOOGLE', $1::bigint), ('BING', $2::bigint)) as engines (engine, terms), generate_series(1, terms) n";
/// Words of only one of them.
const ODD: &str = "shoes 1";
/// Searches of that one: more than open the breaker when they are refused.
const SEARCHES_OF_ONE: i64 = 4;
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);
/// Time for anything expected to happen.
const WITHIN: Duration = Duration::from_mins(2);

const ODD_AGAIN: &str = "update term_due set first_slot = now(), next_slot = now()
    where term_id = (select id from term where engine = 'GOOGLE' and term like '%shoes 1')";
const ALL_AGAIN: &str = "update term_due set first_slot = now(), next_slot = now()";

const SILENT_ON_GOOGLE: &str = "select count(*) from capture where engine = 'google' and doubt = 'no-results'";
const WAITING_ON_GOOGLE: &str = "select count(*) from slot join term on term.id = term_id
    where engine = 'GOOGLE' and slot.state = 'queued' and run_at > now() + interval '10 minutes'";
const SILENT_ON_BING: &str = "select count(*) from capture where engine = 'bing' and doubt = 'no-results'";
const WAITING_ON_BING: &str = "select count(*) from slot join term on term.id = term_id
    where engine = 'BING' and slot.state = 'queued' and run_at > now() + interval '10 minutes'";

struct Watched {
    data: TempDir,
    ledger: Ledger,
    client: Client,
    _up: Trial,
}

impl Watched {
    fn start() -> Self {
        let data = folder();
        let mut up = Trial::start(
            vigie(data.path(), "up")
                .env("VIGIE__WORKERS__TICK_MILLIS", "200")
                .env("VIGIE__WORKERS__CONCURRENCY", "2")
                .env("VIGIE__ENGINES__GOOGLE__PER_MINUTE", "6000")
                .env("VIGIE__ENGINES__BING__PER_MINUTE", "6000"),
        );
        up.wait_for("Vigie is ready");
        Self {
            ledger: Ledger::open(data.path()),
            data,
            client: Client::builder().no_proxy().build().unwrap(),
            _up: up,
        }
    }

    fn announced(&self, name: &str) -> String {
        announcement(self.data.path())[name].clone()
    }

    /// Makes an engine find nothing from now on, for all terms or for those with these words.
    async fn silence(&self, engine: &str, words: Option<&str>) {
        let order = json!({ "fault": "no-results", "engine": engine, "q": words });
        let control = format!("http://{}/control/fault", self.announced("VIGIE__ENGINES__SIMULATOR"));
        let response = self.client.post(control).json(&order).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::CREATED);
    }

    /// How often the workers have paused an engine.
    async fn pauses(&self, engine: Engine) -> u32 {
        let metrics = format!("http://{}/metrics", self.announced("VIGIE__WORKERS__OPERATIONS_LISTEN"));
        let text = self.client.get(metrics).send().await.unwrap().text().await.unwrap();
        let counter = format!("vigie_engine_pauses_total{{engine=\"{engine}\"}} ");
        let count = text.lines().find_map(|line| line.strip_prefix(&counter));
        count.map_or(0, |count| count.parse().unwrap())
    }

    async fn watch(&self, google: i64, bing: i64) {
        let made = sqlx::query(WATCH).bind(google).bind(bing);
        made.execute(&self.ledger.postgres).await.unwrap();
    }

    async fn run(&self, statement: &'static str) {
        sqlx::query(statement).execute(&self.ledger.postgres).await.unwrap();
    }

    async fn count(&self, query: &'static str) -> i64 {
        sqlx::query_scalar(query)
            .fetch_one(&self.ledger.postgres)
            .await
            .unwrap()
    }

    /// Waits until `captures` captures are stored and every slot has ended.
    async fn settled(&self, captures: i64) {
        let deadline = Instant::now() + WITHIN;
        let under_way = "select count(*) from slot where settled_at is null";
        let stored = "select count(*) from slot where state = 'verified'";
        while (self.count(stored).await, self.count(under_way).await) != (captures, 0) {
            assert!(Instant::now() < deadline, "{}", self.ledger.states().await.0);
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
    }

    async fn wait(&self, what: &'static str) {
        let is_so = self.ledger.until(what, WITHIN).await;
        assert!(is_so, "not so: {what}; slots: {}", self.ledger.states().await.0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_suddenly_finds_nothing_for_many_terms_is_left_alone_and_for_one_term_it_is_not() {
    let watched = Watched::start();
    watched.watch(MANY, FEW).await;
    watched.settled(MANY + FEW).await;
    assert_eq!(watched.count(SILENT_ON_GOOGLE).await, 0, "every term has results");

    watched.silence("google", Some(ODD)).await;
    for search in 1..=SEARCHES_OF_ONE {
        watched.run(ODD_AGAIN).await;
        watched.settled(MANY + FEW + search).await;
        assert_eq!(watched.count(SILENT_ON_GOOGLE).await, search);
    }
    assert_eq!(watched.pauses(Engine::Google).await, 0, "one odd term pauses nothing");

    watched.silence("google", None).await;
    watched.run(ALL_AGAIN).await;
    watched
        .wait(
            "select count(*) = 4 from slot join term on term.id = term_id where engine = 'BING' and slot.state = 'verified'",
        )
        .await;
    watched
        .wait("select count(*) = 0 from slot where state not in ('verified', 'queued') or (state = 'queued' and run_at <= now())")
        .await;
    assert_eq!(watched.pauses(Engine::Google).await, 1);
    assert_eq!(watched.pauses(Engine::Bing).await, 0);
    let (silent, waiting) = (
        watched.count(SILENT_ON_GOOGLE).await - SEARCHES_OF_ONE,
        watched.count(WAITING_ON_GOOGLE).await,
    );
    assert_eq!(silent + waiting, MANY, "{}", watched.ledger.states().await.0);
    assert!(waiting > 0, "the engine was asked on and on: {silent} times");
}

#[tokio::test(flavor = "multi_thread")]
async fn new_terms_that_all_find_nothing_pause_an_engine_and_a_single_one_does_not() {
    let watched = Watched::start();
    watched.silence("google", Some(ODD)).await;
    watched.silence("bing", None).await;
    watched.watch(FEW, MANY).await;
    watched
        .wait("select count(*) = 2 from slot join term on term.id = term_id where engine = 'GOOGLE' and slot.state = 'verified'")
        .await;
    watched
        .wait("select count(*) = 0 from slot where state not in ('verified', 'queued') or (state = 'queued' and run_at <= now())")
        .await;
    assert_eq!(watched.count(SILENT_ON_GOOGLE).await, 1);
    assert_eq!(watched.pauses(Engine::Google).await, 0, "one odd term pauses nothing");
    assert_eq!(watched.pauses(Engine::Bing).await, 1);
    let (silent, waiting) = (
        watched.count(SILENT_ON_BING).await,
        watched.count(WAITING_ON_BING).await,
    );
    assert_eq!(silent + waiting, MANY, "{}", watched.ledger.states().await.0);
    assert!(waiting > 0, "the engine was asked on and on: {silent} times");
}
