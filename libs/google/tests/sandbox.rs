//! The client against the sandbox: it differs from the original by its address alone.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::time::Duration;

use google::{
    ADS_SCOPE, Account, Client, Consent, GoogleError, GrantKey, Granted, ListOutcome, NegativeOutcome,
    SEARCH_CONSOLE_SCOPE, SeaRow,
};
use google_sim::{Running, Simulator};
use runtime::Clock;
use runtime::settings::Google;
use serde_json::{Value, json};
use url::Url;

const ROOT: &str = "9001000001";
const CUSTOMER: &str = "1000000101";

struct Sandbox {
    running: Running,
    client: Client,
    http: reqwest::Client,
}

impl Sandbox {
    async fn start() -> Self {
        Self::with(|settings| settings).await
    }

    /// A sandbox in which changes are made.
    async fn mutable() -> Self {
        Self::with(|settings| Google {
            mutations: true,
            ..settings
        })
        .await
    }

    async fn with(change: impl FnOnce(Google) -> Google) -> Self {
        let clock = Clock::by_hand("2026-11-24T10:00:00Z".parse().unwrap());
        let running = Simulator::start(&["brivault.example", "corvane.example"], clock)
            .await
            .unwrap();
        let client = Client::new(&change(running.settings())).unwrap();
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .unwrap();
        Self { running, client, http }
    }

    /// Consents as a person to some of what is asked; returns the code, empty where the person declined.
    async fn consent(&self, person: &str, asked: &[&str], given: &[&str]) -> (Consent, String) {
        let consent = self.client.consent(asked, &redirect()).unwrap();
        let pair = |name: &str| {
            let found = consent.url.query_pairs().find(|(key, _)| key == name);
            found.unwrap().1.into_owned()
        };
        let page = self.http.get(consent.url.clone()).send().await.unwrap();
        assert!(page.status().is_success());
        let mut form = vec![
            ("redirect_uri", pair("redirect_uri")),
            ("state", pair("state")),
            ("code_challenge", pair("code_challenge")),
            ("person", person.to_owned()),
        ];
        form.extend(given.iter().map(|scope| ("scopes", (*scope).to_owned())));
        let url = self.running.url().join("/o/oauth2/v2/auth").unwrap();
        let sent = self.http.post(url).form(&form).send().await.unwrap();
        let back = Url::parse(sent.headers()["location"].to_str().unwrap()).unwrap();
        let of = |name: &str| {
            let found = back.query_pairs().find(|(key, _)| key == name);
            found.map(|(_, value)| value.into_owned()).unwrap_or_default()
        };
        assert_eq!(of("state"), consent.state);
        let code = of("code");
        (consent, code)
    }

    async fn grant(&self, person: &str, scopes: &[&str]) -> Granted {
        let (consent, code) = self.consent(person, scopes, scopes).await;
        self.client
            .exchange(&code, &consent.verifier, &redirect(), scopes)
            .await
            .unwrap()
    }

    async fn account(&self, person: &str) -> Account {
        let granted = self.grant(person, &[ADS_SCOPE, SEARCH_CONSOLE_SCOPE]).await;
        self.client
            .account(key(1, granted.refresh_token), Some(ROOT.to_owned()))
    }

    async fn fault(&self, fault: &str) {
        let url = self.running.url().join("/control/faults").unwrap();
        let sent = self.http.post(url).json(&json!({"fault": fault})).send().await.unwrap();
        assert!(sent.status().is_success());
    }

    async fn get(&self, path: &str) -> Value {
        let url = self.running.url().join(path).unwrap();
        self.http.get(url).send().await.unwrap().json().await.unwrap()
    }
}

fn key(id: i64, refresh_token: String) -> GrantKey {
    GrantKey { id, refresh_token }
}

fn redirect() -> Url {
    "https://vigie.example/api/google/oauth/callback".parse().unwrap()
}

fn september() -> (chrono::NaiveDate, chrono::NaiveDate) {
    ("2026-09-01".parse().unwrap(), "2026-09-30".parse().unwrap())
}

async fn read(account: &Account) -> Result<Vec<SeaRow>, GoogleError> {
    let texts = ["brivault", "l'eau", "wallet"];
    account.search_terms(CUSTOMER, &texts, september()).await
}

/// A new list, with changes on.
async fn list(account: &Account) -> String {
    match account.create_list(CUSTOMER, "Vigie").await.unwrap() {
        ListOutcome::Done(list) => list,
        ListOutcome::Checked => panic!("changes are on"),
    }
}

#[tokio::test]
async fn a_consent_is_for_whom_and_what_it_says() {
    let sandbox = Sandbox::start().await;
    let granted = sandbox.grant("ada", &[ADS_SCOPE]).await;
    assert_eq!(granted.email.as_deref(), Some("ada.lindqvist@brands.example"));
    assert_eq!(granted.scopes, [ADS_SCOPE]);
    assert!(!format!("{granted:?}").contains(&granted.refresh_token));
}

#[tokio::test]
async fn a_code_is_used_once_and_with_its_verifier() {
    let sandbox = Sandbox::start().await;
    let (consent, code) = sandbox.consent("ada", &[ADS_SCOPE], &[ADS_SCOPE]).await;
    let other = sandbox.client.consent(&[ADS_SCOPE], &redirect()).unwrap();
    let (wanted, redirect) = ([ADS_SCOPE], redirect());
    let wrong = sandbox.client.exchange(&code, &other.verifier, &redirect, &wanted);
    let wrong = wrong.await.unwrap_err();
    assert!(matches!(wrong, GoogleError::GrantFailing(_)), "{wrong}");
    // The wrong verifier used the code up.
    let late = sandbox.client.exchange(&code, &consent.verifier, &redirect, &wanted);
    assert!(late.await.is_err());
}

#[tokio::test]
async fn half_a_consent_is_none() {
    let sandbox = Sandbox::start().await;
    let (consent, code) = sandbox.consent("ada", &[ADS_SCOPE], &[]).await;
    let (wanted, redirect) = ([ADS_SCOPE], redirect());
    let exchanged = sandbox.client.exchange(&code, &consent.verifier, &redirect, &wanted);
    assert_eq!(
        exchanged.await.unwrap_err(),
        GoogleError::ConsentInPart(ADS_SCOPE.to_owned())
    );
    let (_, declined) = sandbox.consent("nobody", &[ADS_SCOPE], &[ADS_SCOPE]).await;
    assert_eq!(declined, "");
}

#[tokio::test]
async fn customers_are_read_below_their_manager() {
    let sandbox = Sandbox::start().await;
    let account = sandbox.account("ada").await;
    let roots = account.customers().await.unwrap();
    assert_eq!(roots.iter().map(|root| root.id.as_str()).collect::<Vec<_>>(), [ROOT]);
    let tree = account.tree(ROOT).await.unwrap();
    let closed = tree.iter().find(|node| !node.is_enabled).unwrap();
    assert_eq!((closed.id.as_str(), closed.level), ("1000000299", 1));
    assert!(
        tree.iter()
            .any(|node| node.currency.as_deref() == Some("USD") && node.level == 2)
    );
    assert_eq!(account.operations(), 2);
    let nobodys = sandbox.account("nils").await;
    assert!(nobodys.customers().await.unwrap().is_empty());
}

#[tokio::test]
async fn figures_are_of_the_texts_and_days_that_were_asked_for() {
    let sandbox = Sandbox::start().await;
    let account = sandbox.account("ada").await;
    let rows = read(&account).await.unwrap();
    assert!(rows.len() >= 30, "{}", rows.len());
    let (first, last) = september();
    assert!(
        rows.iter()
            .all(|row| row.date >= first && row.date <= last && row.impressions >= row.clicks)
    );
    assert!(rows.iter().any(|row| row.cost_micros > 0));
    assert_eq!(account.operations(), 1);
    assert!(account.last_request().unwrap().starts_with("sandbox-"));
}

#[tokio::test]
async fn a_site_is_read_by_whom_it_belongs_to_and_without_its_last_days() {
    let sandbox = Sandbox::start().await;
    let account = sandbox.account("ada").await;
    let sites: Vec<String> = account
        .sites()
        .await
        .unwrap()
        .into_iter()
        .map(|site| site.url)
        .collect();
    assert_eq!(sites, ["sc-domain:brivault.example", "https://www.corvane.example/"]);
    let days = ("2026-11-01".parse().unwrap(), "2026-11-24".parse().unwrap());
    for site in &sites {
        let mut pages = 0;
        let rows = account.search_analytics(site, ("fra", None), days, |page| pages = page);
        let rows = rows.await.unwrap();
        assert_eq!(rows.iter().map(|row| row.date).max().unwrap().to_string(), "2026-11-21");
        assert_eq!(pages, 1);
    }
    let foreign = account.search_analytics("https://other.example/", ("fra", None), days, |_| ());
    assert!(matches!(foreign.await, Err(GoogleError::Forbidden { .. })));
    assert_eq!(account.operations(), 0);
}

#[tokio::test]
async fn each_failure_of_google_is_known_by_its_kind() {
    let sandbox = Sandbox::start().await;
    let account = sandbox.account("ada").await;
    sandbox.fault("daily-limit").await;
    let daily = read(&account).await.unwrap_err();
    let GoogleError::DailyLimit { retry_after, rate } = &daily else {
        panic!("{daily}")
    };
    assert_eq!(*retry_after, Duration::from_secs(40_591));
    assert!(rate.contains("explorer"));
    for fault in ["short-limit", "server-error", "cut-stream"] {
        sandbox.fault(fault).await;
        let error = read(&account).await.unwrap_err();
        assert!(error.may_pass(), "{fault}: {error}");
        assert!(read(&account).await.is_ok(), "after {fault}");
    }
    sandbox.fault("not-approved").await;
    assert_eq!(read(&account).await.unwrap_err(), GoogleError::NotApproved);
    sandbox.fault("version-ended").await;
    assert_eq!(read(&account).await.unwrap_err(), GoogleError::VersionEnded);
    sandbox.fault("console-quota").await;
    let site = "sc-domain:brivault.example";
    let quota = account.search_analytics(site, ("fra", None), september(), |_| ());
    let quota = quota.await.unwrap_err();
    assert!(matches!(quota, GoogleError::Busy { retry_after, .. } if retry_after == Duration::from_mins(15)));
}

#[tokio::test]
async fn a_closed_customer_a_wrong_manager_and_an_old_version_are_refused() {
    let sandbox = Sandbox::start().await;
    let account = sandbox.account("ada").await;
    let closed = account.search_terms("1000000299", &["a"], september()).await;
    assert_eq!(closed.unwrap_err(), GoogleError::CustomerClosed);
    let dashes = account.search_terms("100-000-0101", &["a"], september()).await;
    assert!(matches!(
        dashes.unwrap_err(),
        GoogleError::Refused { code, request_id: Some(_), .. } if code == "INVALID_CUSTOMER_ID"
    ));
    let granted = sandbox.grant("ada", &[ADS_SCOPE]).await;
    let alone = sandbox.client.account(key(2, granted.refresh_token), None);
    let missing = alone.search_terms(CUSTOMER, &["a"], september()).await.unwrap_err();
    assert!(missing.to_string().contains("login-customer-id"), "{missing}");
    // This grant has no right to Search Console.
    assert!(matches!(alone.sites().await, Err(GoogleError::Forbidden { .. })));
    let old = Sandbox::with(|settings| Google {
        version: "v20".to_owned(),
        ..settings
    })
    .await;
    let account = old.account("ada").await;
    assert_eq!(read(&account).await.unwrap_err(), GoogleError::VersionEnded);
}

#[tokio::test]
async fn a_grant_that_was_revoked_says_so() {
    let sandbox = Sandbox::start().await;
    let account = sandbox.account("ada").await;
    assert!(read(&account).await.is_ok());
    sandbox.fault("grant-revoked").await;
    assert!(matches!(read(&account).await, Err(GoogleError::GrantFailing(_))));
    assert_eq!(read(&account).await.unwrap_err(), GoogleError::GrantRevoked);

    let granted = sandbox.grant("ada", &[ADS_SCOPE]).await;
    sandbox.client.revoke(&granted.refresh_token).await.unwrap();
    sandbox.client.revoke(&granted.refresh_token).await.unwrap();
    let gone = sandbox
        .client
        .account(key(9, granted.refresh_token), Some(ROOT.to_owned()));
    assert_eq!(read(&gone).await.unwrap_err(), GoogleError::GrantRevoked);
}

#[tokio::test]
async fn a_list_of_negatives_holds_what_was_put_into_it() {
    let sandbox = Sandbox::mutable().await;
    let account = sandbox.account("ada").await;
    let list = list(&account).await;
    let texts = ["brivault", "wallet", "what?", "brivault"];
    let outcomes = account.add_negatives(CUSTOMER, &list, &texts).await.unwrap();
    assert_eq!(outcomes[0], NegativeOutcome::Done);
    assert!(matches!(&outcomes[2], NegativeOutcome::Refused(_)));
    // It is there already: as wanted.
    assert_eq!(outcomes[3], NegativeOutcome::Done);
    for campaigns in [["71", "72"], ["71", "72"]] {
        account.attach_list(CUSTOMER, &list, &campaigns).await.unwrap();
    }
    let found = account.negatives(CUSTOMER, &list).await.unwrap();
    let texts: Vec<&str> = found.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(texts, ["brivault", "wallet"]);
    for _ in 0..2 {
        let removed = account.remove_negatives(CUSTOMER, &[&found[0].resource]).await;
        assert_eq!(removed.unwrap(), [NegativeOutcome::Done]);
    }
    let detached = account.detach_list(CUSTOMER, &list).await.unwrap();
    assert_eq!(detached, ListOutcome::Done(list));
    let lists = sandbox.get("/control/lists").await;
    assert_eq!(lists[0]["keywords"], json!(["wallet"]));
    assert_eq!(lists[0]["campaigns"], json!([]));
}

#[tokio::test]
async fn a_lost_answer_leaves_the_outcome_unknown_and_the_list_tells_it() {
    let sandbox = Sandbox::mutable().await;
    let account = sandbox.account("ada").await;
    let list = list(&account).await;
    sandbox.fault("lost-answer").await;
    let outcomes = account.add_negatives(CUSTOMER, &list, &["brivault"]).await.unwrap();
    assert!(matches!(&outcomes[0], NegativeOutcome::Unknown(_)));
    assert_eq!(account.negatives(CUSTOMER, &list).await.unwrap().len(), 1);
    sandbox.fault("partial-failure").await;
    let outcomes = account.add_negatives(CUSTOMER, &list, &["belt", "wallet"]).await;
    let outcomes = outcomes.unwrap();
    assert!(matches!(&outcomes[0], NegativeOutcome::Refused(_)));
    assert_eq!(outcomes[1], NegativeOutcome::Done);
}

#[tokio::test]
async fn nothing_is_changed_while_changes_are_off() {
    let sandbox = Sandbox::start().await;
    let account = sandbox.account("ada").await;
    let made = account.create_list(CUSTOMER, "Vigie").await.unwrap();
    assert_eq!(made, ListOutcome::Checked);
    assert_eq!(sandbox.get("/control/lists").await, json!([]));
    assert_eq!(sandbox.get("/control/journal").await, json!([]));
}

#[tokio::test]
async fn where_nobody_listens_google_is_unreachable() {
    let nowhere = Sandbox::with(|settings| Google {
        ads_url: "http://127.0.0.1:9".parse().unwrap(),
        ..settings
    })
    .await;
    let account = nowhere.account("ada").await;
    assert!(matches!(read(&account).await, Err(GoogleError::Unreachable(_))));
}
