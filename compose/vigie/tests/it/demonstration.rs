//! What a new user finds when starting Vigie for the first time.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;

use chrono::Timelike as _;
use chrono_tz::Tz;
use reqwest::{Client, StatusCode};
use schedules::calendar::Scheduled;
use serde_json::{Value, json};

use crate::ledger::{Ledger, announcement};
use crate::trial::{Trial, folder, vigie};

const PASSWORD: &str = api::passwords::PUBLISHED;
const ROWS: &str = "4000";

/// Queries for cases with an impossible history or dates, by what is wrong with them. The last sighting of a case is that of its ads.
const IMPOSSIBLE: [(&str, &str); 8] = [
    (
        "something happened before the first sighting, or will happen",
        "select count(*) from action_history h join action a on a.id = h.action_id where h.at < a.created_date or h.at > now()",
    ),
    (
        "the history goes back in time",
        "select count(*) from (select at, lag(at) over (partition by action_id order by id) as before from action_history) steps
         where at < before",
    ),
    (
        "the history ends in another status, or at another time",
        "select count(*) from action a join lateral (
             select status, at from action_history h where h.action_id = a.id order by id desc limit 1) last on true
         where (last.status, last.at) is distinct from (a.status::text, a.last_status_date)",
    ),
    (
        "the advertiser was notified before it was requested, or answered before",
        "select count(*) from action
         where requested_date > inprogress_date or inprogress_date > least(reminded_date, accepted_date, blocked_date)",
    ),
    (
        "it disappeared while it was seen",
        "select count(*) from action where status = 'disappeared' and last_view > disappeared_date - interval '30 days'",
    ),
    (
        "it is not seen any more and is open",
        "select count(*) from action
         where status in ('new', 'requested', 'inprogress', 'reminded') and last_view < now() - interval '34 days'",
    ),
    (
        "it appeared again before it was seen again",
        "select count(*) from action where status = 'reappearance' and reappearance_date > last_view",
    ),
    (
        "it was accepted and seen after its time to stop",
        "select count(*) from action where status = 'accepted' and last_view > accepted_date + interval '7 days'",
    ),
];

struct Site {
    client: Client,
    api: String,
}

impl Site {
    fn from_announcement(announced: &BTreeMap<String, String>) -> Self {
        Self {
            client: Client::builder().no_proxy().build().unwrap(),
            api: format!("{}api", announced["VIGIE__API__PUBLIC_URL"]),
        }
    }

    /// Signs in; returns the session with its user.
    async fn sign_in(&self, email: &str) -> Value {
        let login = self.client.post(format!("{}/UserAccounts/login", self.api));
        let response = login
            .json(&json!({ "email": email, "password": PASSWORD }))
            .send()
            .await
            .unwrap();
        assert_eq!(response.status(), StatusCode::OK, "{email}");
        response.json().await.unwrap()
    }

    async fn get(&self, path: &str, session: &Value) -> reqwest::Response {
        let request = self.client.get(format!("{}{path}", self.api));
        request
            .header("token", session["id"].as_str().unwrap())
            .send()
            .await
            .unwrap()
    }

    async fn json(&self, path: &str, session: &Value) -> Value {
        let response = self.get(path, session).await;
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        response.json().await.unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_demonstration_is_what_a_watched_market_looks_like() {
    let data = folder();
    // Nothing else is captured meanwhile.
    let _up = {
        let mut up = Trial::start(
            vigie(data.path(), "up")
                .env("VIGIE__TIME_ZONE", where_it_is_noon())
                .env("VIGIE__WORKERS__TICK_MILLIS", "86400000")
                .env("VIGIE__WORKERS__PLAN_CHANGES_AT_ONCE", "false"),
        );
        up.wait_for("Vigie is ready");
        up
    };
    jobs_have_run(data.path()).await;
    let loaded = vigie(data.path(), "demo-data").args(["--rows", ROWS]).output().unwrap();
    assert!(loaded.status.success(), "{loaded:?}");
    let said = String::from_utf8(loaded.stdout).unwrap();
    let (announced, ledger) = (announcement(data.path()), Ledger::open(data.path()));
    let site = Site::from_announcement(&announced);

    each_company_has_two_users(&site, &said).await;
    captures_are_those_of_workers(data.path(), &ledger).await;
    every_link_leads_to_a_page(&site).await;
    cases_could_have_happened(&ledger, &announced).await;
    figures_are_covered(&site, &ledger, &announced).await;
    let read_again = vigie(data.path(), "reread")
        .args(["--since", "2000-01-01"])
        .output()
        .unwrap();
    let said = String::from_utf8(read_again.stdout).unwrap();
    assert!(said.contains("unreadable 0, differing 0,"), "{said}");

    // Generated again it is the same, and nothing is duplicated.
    let pages = count(&ledger, "select count(*) from capture").await;
    let replaced = vigie(data.path(), "demo-data")
        .args(["--rows", ROWS, "--replace"])
        .output()
        .unwrap();
    assert!(replaced.status.success(), "{replaced:?}");
    let since = count(&ledger, "select count(*) from capture").await - pages;
    assert!((0..10).contains(&since), "{since} pages came while it was made anew");
    captures_are_those_of_workers(data.path(), &ledger).await;
    cases_could_have_happened(&ledger, &announced).await;
    figures_are_covered(&site, &ledger, &announced).await;
}

/// A zone in which no nightly job is due while the test runs.
fn where_it_is_noon() -> String {
    let hours_west = i64::from(runtime::Clock::system().now().hour()) - 12;
    format!("Etc/GMT{hours_west:+}")
}

/// Waits for the first run of every job: those of a new installation are all due, and one that checks accepted cases plans captures of its own.
async fn jobs_have_run(data: &std::path::Path) {
    let ledger = Ledger::open(data);
    let end = std::time::Instant::now() + std::time::Duration::from_mins(2);
    loop {
        let jobs = schedules::calendar::overview(&ledger.postgres, Tz::UTC, runtime::Clock::system().now());
        let has_run = |job: &Scheduled| job.last.as_ref().is_some_and(|run| run.outcome.is_some());
        if jobs.await.unwrap().iter().all(has_run) {
            return;
        }
        assert!(std::time::Instant::now() < end, "the first runs of jobs have not ended");
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
}

/// The planned and valid captures of lists are those that their figures are about, over all days.
async fn figures_are_covered(site: &Site, ledger: &Ledger, announced: &BTreeMap<String, String>) {
    let session = site.sign_in("operator@vigie.example").await;
    let coverage = site.json("/coverage?filters[date][between][start]=2000-01-01T00:00:00Z&filters[date][between][end]=2099-12-31T23:59:59Z", &session).await;
    let (planned, valid) = (
        coverage["data"]["planned"].as_i64().unwrap(),
        coverage["data"]["valid"].as_i64().unwrap(),
    );
    let without_ads = "select count(*) from capture where verdict = 'results' and n_rows = 0";
    let with_ads = with_ads(announced).await;
    assert_eq!(valid, with_ads + count(ledger, without_ads).await, "{coverage}");
    assert!(planned > valid && planned - valid < planned / 10, "{coverage}");
    let late = "select count(*) from slot where settled_at not between slot_ts and slot_ts + interval '10 minutes'";
    assert_eq!(count(ledger, late).await, 0, "captures end when their pages come");
}

/// How many captures have ads in the store.
async fn with_ads(announced: &BTreeMap<String, String>) -> i64 {
    let count = ask(announced, "SELECT uniqExact(capture_id) FROM ad_results FORMAT TSV").await;
    count.trim().parse().unwrap()
}

async fn each_company_has_two_users(site: &Site, said: &str) {
    let accounts: Vec<&str> = said
        .lines()
        .filter_map(|line| line.split_whitespace().find(|word| word.contains('@')))
        .collect();
    let mut users = BTreeMap::<i64, usize>::new();
    for email in &accounts {
        assert!(email.ends_with(".example"), "{email}");
        let session = site.sign_in(email).await;
        let me = site.json("/UserAccounts/me", &session).await;
        if let Some(company) = me["companyAccountId"].as_i64() {
            *users.entry(company).or_default() += 1;
        }
    }
    assert_eq!(accounts.len(), 6, "{said}");
    assert_eq!(users.values().copied().collect::<Vec<_>>(), [2, 2], "{users:?}");
}

/// Records, rows, files and chain agree.
async fn captures_are_those_of_workers(data: &std::path::Path, ledger: &Ledger) {
    let captures = count(ledger, "select count(*) from capture where verdict = 'results'").await;
    let planned = count(ledger, "select count(*) from slot").await;
    assert!(
        captures > 200 && captures == planned,
        "{captures} captures of {planned} slots"
    );
    ledger.assert_sound(&BTreeMap::new(), &data.join("blobs")).await;
    // Whoever loads them, the owner is the same: workers store their pages in the same folders.
    let owner = data.join("blobs").metadata().unwrap().uid();
    for folder in data.join("blobs").read_dir().unwrap() {
        assert_eq!(folder.unwrap().metadata().unwrap().uid(), owner);
    }
    let verified = vigie(data, "evidence").arg("verify").output().unwrap();
    assert!(verified.status.success(), "{verified:?}");
}

/// For every ad on the lists, either its page is shown with the ad on it, or the list says that the page was not kept.
async fn every_link_leads_to_a_page(site: &Site) {
    let session = site.sign_in("user@brivault.example").await;
    let (mut shown, mut not_kept) = (0, 0);
    let list = site.json("/Sems/findAdvertisers?page[size]=100", &session).await;
    let domains: Vec<&str> = list["data"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|row| row["domain"].as_str())
        .collect();
    assert!(domains.len() > 5, "{list}");
    for domain in domains.iter().take(15) {
        let ads = site
            .json(&format!("/advertisement?domain={domain}&limit=20"), &session)
            .await;
        for ad in ads.as_array().unwrap() {
            let (capture, kind) = (ad["resultId"].as_str().unwrap(), ad["type"].as_str().unwrap());
            if !ad["pageKept"].as_bool().unwrap() {
                let seen = ad["advertisementLastSeen"].as_str().unwrap();
                let seen: chrono::DateTime<chrono::Utc> = seen.parse().unwrap();
                assert!(
                    runtime::Clock::system().now() - seen > chrono::TimeDelta::days(1),
                    "{ad}"
                );
                not_kept += 1;
                continue;
            }
            let query = format!("domain={domain}&adstype={kind}");
            let result = site.json(&format!("/result/{capture}?{query}"), &session).await;
            let mark = result["data"]["ad"]
                .as_u64()
                .unwrap_or_else(|| panic!("{domain} is not on {capture}"));
            let page = site
                .get(
                    &format!("/capture-iframe/{capture}/htmlContent?page=1&{query}"),
                    &session,
                )
                .await;
            assert_eq!(page.status(), StatusCode::OK);
            let page = page.text().await.unwrap();
            assert!(page.contains(&format!("id=\"ad-{mark}\"")), "{capture}");
            shown += 1;
        }
    }
    assert!(
        shown > 10 && not_kept > 10,
        "{shown} pages shown, {not_kept} said not to be kept"
    );
}

async fn cases_could_have_happened(ledger: &Ledger, announced: &BTreeMap<String, String>) {
    for (wrong, query) in IMPOSSIBLE {
        assert_eq!(count(ledger, query).await, 0, "{wrong}");
    }
    let statuses = count(ledger, "select count(distinct status) from action").await;
    assert!(statuses >= 8, "cases in {statuses} statuses");
    let people = "select count(distinct actor_id) from action_history";
    assert_eq!(
        count(ledger, people).await,
        5,
        "two users of each company and the operator"
    );

    // Each has existing ads, the last of which is its last sighting.
    let seen = last_seen(announced).await;
    let cases: Vec<(i32, String, String, String, i64)> = sqlx::query_as(
        "select brand_id, country, engine, domain, extract(epoch from last_view)::bigint from action where brand_id is not null",
    )
    .fetch_all(&ledger.postgres)
    .await
    .unwrap();
    assert!(cases.len() > 100, "{}", cases.len());
    for (brand, country, engine, domain, last) in cases {
        let key = (brand.unsigned_abs(), country, engine, domain);
        assert_eq!(seen.get(&key).copied(), Some(last), "{key:?}");
    }
}

/// When the ads of a brand, country, engine and domain were last seen, in seconds since 1970.
async fn last_seen(announced: &BTreeMap<String, String>) -> BTreeMap<(u32, String, String, String), i64> {
    let query = "SELECT brand_id, country, engine, domain, toUnixTimestamp(max(seen_at)) FROM ad_results GROUP BY 1, 2, 3, 4 FORMAT JSONCompactEachRow";
    let lines = ask(announced, query).await;
    let rows = lines
        .lines()
        .map(|line| serde_json::from_str::<(u32, String, String, String, i64)>(line).unwrap());
    rows.map(|(brand, country, engine, domain, at)| ((brand, country, engine, domain), at))
        .collect()
}

/// The result of a query to the store of ads.
async fn ask(announced: &BTreeMap<String, String>, query: &'static str) -> String {
    let store = format!("{}/?database=vigie", announced["VIGIE__CLICKHOUSE__URL"]);
    let request = Client::builder().no_proxy().build().unwrap().post(store);
    let request = request.basic_auth("default", Some(&announced["VIGIE__CLICKHOUSE__PASSWORD"]));
    request.body(query).send().await.unwrap().text().await.unwrap()
}

async fn count(ledger: &Ledger, query: &'static str) -> i64 {
    sqlx::query_scalar(query).fetch_one(&ledger.postgres).await.unwrap()
}
