//! Re-reading stored pages, as users of the lists see it.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use reqwest::Client;
use serde_json::{Value, json};

use crate::ledger::{Ledger, announcement};
use crate::trial::{Trial, folder, vigie};

const EMAIL: &str = "root@vigie.example";
const PASSWORD: &str = "a long password";

/// Words for which the simulated engine always shows ads. Inferred domains of products grow with every page, so products are not saved;
/// where they come before the ads, the first stored ad is not the first of the page.
const TERMS: &str = "insert into term (term, engine, localization_id, devices, every, state, keyword_type, options)
    select 'acheter alba running shoes ' || n, 'GOOGLE', (select id from localization where locale = 'fr_FR' and city = 'Paris'),
        '{DESKTOP}', 60000, 'enabled', 'GENERIC', '{\"saveShoppingAds\": false}'
    from generate_series(1, 3) n";
/// As if an older reader had missed the first ad of every page, and had another target for the second.
const MISREAD: [&str; 2] = [
    "ALTER TABLE ad_results DELETE
        WHERE (capture_id, mark) IN (SELECT capture_id, min(mark) FROM ad_results GROUP BY capture_id)
        SETTINGS mutations_sync = 2",
    "ALTER TABLE ad_results UPDATE target_url = 'https://misread.example/'
        WHERE (capture_id, mark) IN (SELECT capture_id, min(mark) FROM ad_results GROUP BY capture_id)
        SETTINGS mutations_sync = 2",
];
/// What that reader recorded in the ledger.
const MISREAD_LEDGER: [&str; 4] = [
    "update manifest_capture set n_rows = n_rows - 1",
    "update manifest m set n_rows = (select sum(n_rows) from manifest_capture where manifest_id = m.id)",
    "update capture set n_rows = n_rows - 1, text_ads = case when text_ads > 0 then text_ads - 1 else 0 end,
        shopping_ads = case when text_ads > 0 then shopping_ads else shopping_ads - 1 end",
    "update capture set reader_version = '0'",
];

#[tokio::test(flavor = "multi_thread")]
async fn the_figures_of_the_domains_list_are_those_of_the_present_reader_once_pages_were_read_again() {
    let data = folder();
    let mut up = Trial::start(vigie(data.path(), "up").env("VIGIE__WORKERS__TICK_MILLIS", "1000"));
    up.wait_for("Vigie is ready");
    let ledger = Ledger::open(data.path());
    sqlx::query(TERMS).execute(&ledger.postgres).await.unwrap();
    ledger.stored(3).await;
    ledger.drain().await;
    let reader = Reader::open(data.path()).await;

    let right = reader.domains().await;
    assert!(right["data"].as_array().unwrap().len() > 1, "{right}");
    reader.misread(&ledger).await;
    let wrong = reader.domains().await;
    assert_ne!(wrong["meta"]["page"]["totalViews"], right["meta"]["page"]["totalViews"]);

    let said = reread(data.path(), &[]);
    assert!(said.contains("captures replaced 0"), "{said}");
    assert_eq!(
        reader.domains().await,
        wrong,
        "differences are only shown without --apply"
    );
    let said = reread(data.path(), &["--apply"]);
    assert!(!said.contains("captures replaced 0"), "{said}");
    assert_eq!(reader.domains().await, right);
}

fn reread(data: &Path, arguments: &[&str]) -> String {
    let mut command = vigie(data, "reread");
    let output = command
        .args(["--since", "2020-01-01"])
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// An administrator who reads the lists.
struct Reader {
    http: Client,
    announced: BTreeMap<String, String>,
    token: String,
}

impl Reader {
    async fn open(data: &Path) -> Self {
        let mut child = vigie(data, "create-admin")
            .arg(EMAIL)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        writeln!(child.stdin.take().unwrap(), "{PASSWORD}").unwrap();
        assert!(child.wait().unwrap().success());
        let mut reader = Self {
            http: Client::new(),
            announced: announcement(data),
            token: String::new(),
        };
        let login = json!({"email": EMAIL, "password": PASSWORD});
        let request = reader.http.post(reader.url("/api/UserAccounts/login")).json(&login);
        let session: Value = request.send().await.unwrap().json().await.unwrap();
        session["id"]
            .as_str()
            .unwrap_or_else(|| panic!("{session}"))
            .clone_into(&mut reader.token);
        reader
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.announced["VIGIE__API__LISTEN"])
    }

    /// The whole list, ordered by name.
    async fn domains(&self) -> Value {
        let list = self.url("/api/Sems/findAdvertisers?page[size]=0&sort[by]=domain&sort[direction]=ASC");
        let response = self
            .http
            .get(list)
            .header("authorization", &self.token)
            .send()
            .await
            .unwrap();
        assert!(response.status().is_success(), "{response:?}");
        response.json().await.unwrap()
    }

    async fn misread(&self, ledger: &Ledger) {
        for change in MISREAD {
            let store = format!("{}/?database=vigie", self.announced["VIGIE__CLICKHOUSE__URL"]);
            let request = self
                .http
                .post(store)
                .basic_auth("default", Some(&self.announced["VIGIE__CLICKHOUSE__PASSWORD"]));
            let response = request.body(change).send().await.unwrap();
            assert!(response.status().is_success(), "{}", response.text().await.unwrap());
        }
        for change in MISREAD_LEDGER {
            sqlx::query(change).execute(&ledger.postgres).await.unwrap();
        }
    }
}
