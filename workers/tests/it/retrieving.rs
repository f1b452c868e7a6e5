//! Retrievals of figures, against the sandbox of Google.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use google::{ADS_SCOPE, Client, SEARCH_CONSOLE_SCOPE};
use google_sim::{Running, Simulator};
use postgres::google::{Figure, FoundCustomer, GrantKind, NewGrant, NewItem, NewRetrieval, Remark, Source};
use runtime::Clock;
use runtime::Secret;
use runtime::sealing::Keys;
use serde_json::json;
use testkit::Postgres;
use url::Url;
use vocabulary::{BrandId, Scope, SystemScope, TermId, UserId};
use workers::google_access::GoogleAccess;
use workers::jobs::refresh_figures;
use workers::retrieving::Retriever;

const SYSTEM: SystemScope = SystemScope::new("test");
const ROOT: &str = "9001000001";
const CUSTOMER: &str = "1000000101";
const WHAT: &str = "google_grant.refresh_token";

/// An item with three keywords, and what reads its figures.
struct Linked {
    postgres: Postgres,
    sandbox: Running,
    clock: Clock,
    retriever: Retriever,
    item: i32,
    terms: Vec<i32>,
    scope: Scope,
}

impl Linked {
    async fn new() -> Self {
        let postgres = Postgres::new().await;
        let now: DateTime<Utc> = "2026-11-24T10:00:00Z".parse().unwrap();
        let clock = Clock::by_hand(now);
        let sandbox = Simulator::start(&["brivault.example"], clock.clone()).await.unwrap();
        let client = Client::new(&sandbox.settings()).unwrap();
        let token = consent(&client, &sandbox).await;
        let keys = Keys::read(Some(&Secret::new("0a".repeat(32)))).unwrap();
        let retriever = Retriever {
            access: GoogleAccess {
                postgres: postgres.pool.clone(),
                clock: clock.clone(),
                client,
                keys: keys.clone(),
                daily_operations: 2_880,
            },
        };
        postgres
            .execute(
                "insert into user_account (id, email) values (1, 'ada@vigie.example');
                 insert into brand (id, name, label) values (7, 'brivault', 'Brivault');
                 insert into term (term, engine, brand_id, localization_id)
                 select words, 'GOOGLE', 7, (select id from localization where locale = 'fr_FR' order by id limit 1)
                 from unnest(array['brivault', 'leather bag', 'wallet', 'belt']) words",
            )
            .await;
        let scope = Scope::administrator(UserId(1));
        let mut tx = postgres::begin(&postgres.pool).await.unwrap();
        let scopes = [ADS_SCOPE.to_owned(), SEARCH_CONSOLE_SCOPE.to_owned()];
        let new = NewGrant {
            kind: GrantKind::Manager,
            email: None,
            scopes: &scopes,
            refresh_token: &keys.seal(WHAT, &token).unwrap(),
        };
        let grant = postgres::google::add_grant(&mut tx, &SYSTEM, &new, now).await.unwrap();
        let customer = FoundCustomer {
            grant,
            id: CUSTOMER.to_owned(),
            manager: ROOT.to_owned(),
            manager_name: String::new(),
            name: "Brivault France".to_owned(),
            is_manager: false,
            is_enabled: true,
            level: 2,
            currency: Some("EUR".to_owned()),
            time_zone: None,
        };
        postgres::google::replace_customers(&mut tx, &SYSTEM, grant, &[customer], now)
            .await
            .unwrap();
        let new = NewItem {
            customer: CUSTOMER,
            grant,
            login_customer: None,
            brand: BrandId(7),
            domain: Some("brivault.example"),
        };
        let until = now + TimeDelta::days(30);
        let item = postgres::google::create_item(&mut *tx, &scope, &new, (&[1; 32], until), now)
            .await
            .unwrap()
            .unwrap();
        let site = ("sc-domain:brivault.example", scopes.as_slice());
        postgres::google::attach_site(&mut tx, &SYSTEM, (item, grant), site, now)
            .await
            .unwrap()
            .unwrap();
        let linkable = postgres::google::linkable(&mut *tx, &scope, item).await.unwrap();
        let terms: Vec<i32> = linkable.iter().map(|one| one.id).collect();
        let ids: Vec<TermId> = terms.iter().map(|id| TermId(*id)).collect();
        assert_eq!(postgres::google::link(&mut *tx, &scope, item, &ids).await.unwrap(), 4);
        tx.commit().await.unwrap();
        Self {
            postgres,
            sandbox,
            clock,
            retriever,
            item,
            terms,
            scope,
        }
    }

    /// Queues a month of a source; returns its id.
    async fn ask(&self, source: Source, month: &str) -> i64 {
        let first: NaiveDate = format!("{month}-01").parse().unwrap();
        let wanted = NewRetrieval {
            source,
            days: (first, first + TimeDelta::days(27)),
            terms: self.terms.clone(),
        };
        let mut tx = postgres::begin(&self.postgres.pool).await.unwrap();
        let ids =
            postgres::google::queue_retrievals(&mut tx, &self.scope, self.item, &[wanted], self.clock.now()).await;
        tx.commit().await.unwrap();
        ids.unwrap()[0]
    }

    /// Reads until nothing may run any more.
    async fn drain(&self) {
        while self.retriever.pass().await.unwrap() {}
    }

    async fn fault(&self, fault: &str, times: u32) {
        let url = self.sandbox.url().join("/control/faults").unwrap();
        let body = json!({"fault": fault, "times": times});
        reqwest::Client::new().post(url).json(&body).send().await.unwrap();
    }

    /// Stores figures of a source as a retrieval does.
    async fn store(&self, source: Source, figures: &[Figure]) {
        let mut tx = postgres::begin(&self.postgres.pool).await.unwrap();
        let stored = postgres::google::store_figures(&mut tx, &SYSTEM, (self.item, source, None), figures).await;
        assert_eq!(stored.unwrap(), figures.len() as u64);
        tx.commit().await.unwrap();
    }

    async fn rows(&self, source: Source) -> i64 {
        let query = match source {
            Source::Sea => "select count(*) from google_statistic where sea_id is not null",
            Source::Seo => "select count(*) from google_statistic where seo_id is not null",
        };
        self.postgres.fetch(query).await
    }

    async fn remarks(&self, id: i64) -> Vec<Remark> {
        let found = postgres::google::retrievals_of(&self.postgres.pool, &self.scope, self.item, 100).await;
        let row = found.unwrap().into_iter().find(|row| row.id == id).unwrap();
        assert_eq!((row.state.as_str(), row.note), ("done", None));
        row.remarks.0
    }

    async fn state(&self, id: i64) -> (String, i32, Option<String>) {
        let found = postgres::google::retrievals_of(&self.postgres.pool, &self.scope, self.item, 100)
            .await
            .unwrap();
        let row = found.into_iter().find(|row| row.id == id).unwrap();
        (row.state, row.operations, row.note)
    }

    async fn health(&self) -> String {
        self.postgres.fetch("select health from google_connect").await
    }

    /// The same at another time: access tokens of before have ended, which clients measure by the time that passes.
    fn move_to(&mut self, time: &str) {
        let time: DateTime<Utc> = time.parse().unwrap();
        self.clock.advance(time - self.clock.now());
        self.retriever.access.client = Client::new(&self.sandbox.settings()).unwrap();
    }

    async fn refresh(&self) -> String {
        refresh_figures(&self.retriever.access).await.unwrap()
    }

    /// Makes the user an administrator, whom notices are for.
    async fn administrator(&self) {
        self.postgres
            .execute(
                "insert into role_mapping (principal_type, principal_id, role_id) select 'USER', '1', id from role where name = 'admin'",
            )
            .await;
    }

    /// The notices that are queued: kind, subject and details.
    async fn notices(&self) -> String {
        self.postgres
            .fetch(
                "select coalesce(string_agg(concat_ws(' ', kind, context ->> 'subject', context ->> 'body'), '|' order by id), '') from mail_outbox",
            )
            .await
    }
}

/// A refresh token of the person with all rights.
pub(crate) async fn consent(client: &Client, sandbox: &Running) -> String {
    let redirect: Url = "https://vigie.example/callback".parse().unwrap();
    let scopes = [ADS_SCOPE, SEARCH_CONSOLE_SCOPE];
    let consent = client.consent(&scopes, &redirect).unwrap();
    let challenge = consent
        .url
        .query_pairs()
        .find(|(key, _)| key == "code_challenge")
        .unwrap();
    let form = [
        ("redirect_uri", redirect.as_str()),
        ("state", &consent.state),
        ("code_challenge", &challenge.1),
        ("person", "ada"),
        ("scopes", ADS_SCOPE),
        ("scopes", SEARCH_CONSOLE_SCOPE),
    ];
    let http = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap();
    let url = sandbox.url().join("/o/oauth2/v2/auth").unwrap();
    let sent = http.post(url).form(&form).send().await.unwrap();
    let back = Url::parse(sent.headers()["location"].to_str().unwrap()).unwrap();
    let code = back
        .query_pairs()
        .find(|(key, _)| key == "code")
        .unwrap()
        .1
        .into_owned();
    let granted = client.exchange(&code, &consent.verifier, &redirect, &scopes).await;
    granted.unwrap().refresh_token
}

#[tokio::test]
async fn a_month_of_each_source_is_read_once_however_often_it_is_asked_for() {
    let linked = Linked::new().await;
    let paid = linked.ask(Source::Sea, "2026-09").await;
    assert_eq!(linked.ask(Source::Sea, "2026-09").await, paid, "asked twice");
    let unpaid = linked.ask(Source::Seo, "2026-09").await;
    linked.drain().await;
    let (state, operations, note) = linked.state(paid).await;
    assert_eq!((state.as_str(), operations, note), ("done", 1, None));
    assert_eq!(linked.state(unpaid).await.0, "done");
    let (sea, seo) = (linked.rows(Source::Sea).await, linked.rows(Source::Seo).await);
    assert!(sea >= 28 && seo >= 28, "{sea} {seo}");
    assert_eq!(linked.health().await, "ok");
    // Read again, the same rows are there.
    linked.ask(Source::Sea, "2026-09").await;
    linked.drain().await;
    assert_eq!(linked.rows(Source::Sea).await, sea);
    let used = postgres::google::usage(&linked.postgres.pool, linked.clock.now())
        .await
        .unwrap();
    assert_eq!(used.operations, 2);
}

#[tokio::test]
async fn the_limit_of_the_day_stops_paid_figures_alone_until_it_ends() {
    let mut linked = Linked::new().await;
    linked.fault("daily-limit", 1).await;
    let paid = linked.ask(Source::Sea, "2026-09").await;
    let later = linked.ask(Source::Sea, "2026-10").await;
    let unpaid = linked.ask(Source::Seo, "2026-09").await;
    linked.drain().await;
    assert_eq!(linked.state(paid).await.0, "queued");
    assert_eq!(linked.state(later).await.0, "queued");
    assert_eq!(linked.state(unpaid).await.0, "done");
    assert!(linked.state(paid).await.2.unwrap().contains("used up"));
    linked.clock.advance(TimeDelta::seconds(40_592));
    // Access tokens of that morning have ended; clients measure their age by the time that passes.
    linked.retriever.access.client = Client::new(&linked.sandbox.settings()).unwrap();
    linked.drain().await;
    let (state, _, note) = linked.state(paid).await;
    assert_eq!(state, "done", "{note:?}");
    assert_eq!(linked.state(later).await.0, "done");
}

#[tokio::test]
async fn a_stream_that_breaks_off_stores_nothing_and_is_read_again() {
    let linked = Linked::new().await;
    linked.fault("cut-stream", 1).await;
    let paid = linked.ask(Source::Sea, "2026-09").await;
    linked.drain().await;
    assert_eq!(linked.state(paid).await.0, "queued");
    assert_eq!(linked.rows(Source::Sea).await, 0);
    linked.clock.advance(TimeDelta::minutes(1));
    linked.drain().await;
    assert_eq!(linked.state(paid).await.0, "done");
    assert!(linked.rows(Source::Sea).await > 0);
}

#[tokio::test]
async fn a_revoked_grant_ends_retrievals_and_keeps_what_was_read() {
    let linked = Linked::new().await;
    linked.ask(Source::Sea, "2026-09").await;
    linked.drain().await;
    let before = linked.rows(Source::Sea).await;
    linked.fault("grant-revoked", 1).await;
    let next = linked.ask(Source::Sea, "2026-10").await;
    let other = linked.ask(Source::Sea, "2026-08").await;
    linked.drain().await;
    assert_eq!(linked.state(next).await.0, "failed");
    let (state, operations, note) = linked.state(other).await;
    assert_eq!((state.as_str(), operations), ("failed", 0));
    assert!(note.unwrap().contains("revoked"));
    assert_eq!(linked.rows(Source::Sea).await, before);
    assert_eq!(linked.health().await, "revoked");
}

#[tokio::test]
async fn a_worker_that_was_killed_leaves_its_retrieval_to_the_next() {
    let linked = Linked::new().await;
    let paid = linked.ask(Source::Sea, "2026-09").await;
    let now = linked.clock.now();
    let lease = std::time::Duration::from_mins(3);
    let dead = postgres::google::claim(&linked.postgres.pool, &SYSTEM, (true, true), lease, now)
        .await
        .unwrap()
        .unwrap();
    assert!(!linked.retriever.pass().await.unwrap(), "another has it");
    linked.clock.advance(TimeDelta::minutes(4));
    linked.drain().await;
    assert_eq!(linked.state(paid).await.0, "done");
    // The dead one comes back: it may write nothing.
    let outcome = postgres::google::Outcome {
        state: "failed",
        rows: 0,
        operations: 0,
        request_id: None,
        remarks: &[],
        note: None,
    };
    let ended =
        postgres::google::end_retrieval(&linked.postgres.pool, &SYSTEM, &dead, &outcome, linked.clock.now()).await;
    assert!(!ended.unwrap());
}

#[tokio::test]
async fn what_a_person_stops_or_deletes_is_not_read() {
    let linked = Linked::new().await;
    let paid = linked.ask(Source::Sea, "2026-09").await;
    postgres::google::stop_retrievals(&linked.postgres.pool, &linked.scope, linked.item, linked.clock.now())
        .await
        .unwrap();
    linked.drain().await;
    assert_eq!(linked.state(paid).await.0, "stopped");
    linked.ask(Source::Sea, "2026-10").await;
    linked.postgres.execute("delete from google_connect").await;
    linked.drain().await;
    assert_eq!(linked.rows(Source::Sea).await, 0);
}

#[tokio::test]
async fn days_that_google_may_still_change_are_read_again_and_final_ones_are_not() {
    let mut linked = Linked::new().await;
    assert_eq!(
        linked.refresh().await,
        "1 grants checked, 0 do not work, 2 retrievals queued"
    );
    assert_eq!(
        linked.refresh().await,
        "1 grants checked, 0 do not work, 0 retrievals queued"
    );
    linked.drain().await;
    let days: String = linked
        .postgres
        .fetch("select string_agg(concat_ws(' ', source, state, first_day, last_day), ', ' order by source) from google_retrieval")
        .await;
    assert_eq!(days, "SEA done 2026-11-14 2026-11-23, SEO done 2026-11-14 2026-11-23");
    assert!(linked.rows(Source::Sea).await >= 10 && linked.rows(Source::Seo).await >= 10);
    // Read later they may have changed.
    linked.move_to("2026-11-24T11:30:00Z");
    assert_eq!(
        linked.refresh().await,
        "1 grants checked, 0 do not work, 2 retrievals queued"
    );
    linked.drain().await;
    // Of two months each is a retrieval; what was final when it was read is left out from then on.
    linked.move_to("2026-12-07T10:00:00Z");
    assert_eq!(
        linked.refresh().await,
        "1 grants checked, 0 do not work, 4 retrievals queued"
    );
    linked.drain().await;
    assert_eq!(
        linked.refresh().await,
        "1 grants checked, 0 do not work, 2 retrievals queued"
    );
}

#[tokio::test]
async fn administrators_hear_of_a_grant_that_is_revoked_once() {
    let linked = Linked::new().await;
    linked.administrator().await;
    linked.fault("grant-revoked", 1).await;
    assert_eq!(
        linked.refresh().await,
        "1 grants checked, 1 do not work, 0 retrievals queued"
    );
    assert_eq!(
        linked.refresh().await,
        "0 grants checked, 0 do not work, 0 retrievals queued"
    );
    assert_eq!(linked.notices().await, "revoked Google Brivault");
    assert_eq!(linked.health().await, "revoked");
}

#[tokio::test]
async fn administrators_hear_of_a_version_that_ends_before_and_after_it_does() {
    let mut linked = Linked::new().await;
    linked.administrator().await;
    linked.refresh().await;
    assert_eq!(linked.notices().await, "", "its end is far");
    linked.move_to("2027-07-15T10:00:00Z");
    linked.refresh().await;
    linked.refresh().await;
    assert_eq!(linked.notices().await, "version v25 31/08/2027");
    linked.move_to("2027-09-02T10:00:00Z");
    linked.refresh().await;
    assert_eq!(linked.notices().await, "version v25 31/08/2027|version v25 31/08/2027");
}

#[tokio::test]
async fn two_years_of_three_hundred_terms_cost_an_operation_a_month() {
    let mut linked = Linked::new().await;
    linked
        .postgres
        .execute(
            "insert into term (term, engine, brand_id, localization_id)
             select 'word ' || n, 'GOOGLE', 7, (select min(localization_id) from term) from generate_series(1, 296) n;
             insert into google_keyword (google_connect_id, term_id)
             select (select id from google_connect), id from term on conflict do nothing",
        )
        .await;
    let ids: String = linked
        .postgres
        .fetch("select string_agg(id::text, ',') from term")
        .await;
    linked.terms = ids.split(',').map(|id| id.parse().unwrap()).collect();
    assert_eq!(linked.terms.len(), 300);
    for month in 0..24 {
        let (year, month) = (2024 + (10 + month) / 12, (10 + month) % 12 + 1);
        linked.ask(Source::Sea, &format!("{year}-{month:02}")).await;
    }
    linked.drain().await;
    let done: i64 = linked
        .postgres
        .fetch("select count(*) from google_retrieval where state = 'done'")
        .await;
    assert_eq!(done, 24);
    let used = postgres::google::usage(&linked.postgres.pool, linked.clock.now())
        .await
        .unwrap();
    assert!(used.operations <= 26, "{used:?}");
}

#[tokio::test]
async fn both_sources_of_an_item_are_stored_at_once_whatever_their_order() {
    let linked = Linked::new().await;
    let first: NaiveDate = "2025-01-01".parse().unwrap();
    let mut figures: Vec<Figure> = Vec::new();
    for days in 0..600 {
        figures.extend(linked.terms.iter().map(|term| Figure {
            term: *term,
            date: first + TimeDelta::days(days),
            impressions: 10,
            clicks: 1,
            cost_micros: 0,
            is_final: true,
        }));
    }
    let reversed: Vec<Figure> = figures.iter().rev().cloned().collect();
    for _ in 0..5 {
        tokio::join!(
            linked.store(Source::Seo, &figures),
            linked.store(Source::Sea, &reversed)
        );
    }
    let days: i64 = linked.postgres.fetch("select count(*) from google_statistic").await;
    assert_eq!(days, 2_400);
    assert_eq!(
        (linked.rows(Source::Seo).await, linked.rows(Source::Sea).await),
        (days, days)
    );
}

#[tokio::test]
async fn what_was_left_out_is_said_in_no_language() {
    let linked = Linked::new().await;
    linked
        .postgres
        .execute(
            "update term set term = 'a \"quoted\" bag' where term = 'belt';
             update term set localization_id = (select id from localization where locale = 'fr_BE' order by id limit 1) where term = 'wallet'",
        )
        .await;
    let paid = linked.ask(Source::Sea, "2026-09").await;
    let old = linked.ask(Source::Seo, "2025-07").await;
    let recent = linked.ask(Source::Seo, "2026-09").await;
    linked.drain().await;
    let unaskable = Remark::Unaskable {
        words: vec!["a \"quoted\" bag".to_owned()],
        others: 0,
    };
    let elsewhere = Remark::Elsewhere {
        terms: 1,
        market: "FR".to_owned(),
    };
    assert_eq!(linked.remarks(paid).await, [unaskable, elsewhere]);
    assert_eq!(linked.remarks(old).await, [Remark::Forgotten]);
    assert_eq!(linked.remarks(recent).await, []);
}
