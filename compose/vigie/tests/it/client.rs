//! A user's requests while the stack is harmed, and what must exist afterwards.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use postgres::users::NewUser;
use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use vocabulary::Role;

use crate::ledger::{Ledger, announcement};

const ADMINISTRATOR: &str = "administrator@vigie.example";
const PASSWORD: &str = "Str0ng!Passw0rd";
/// The catcher drops older mails when it has more than 200.
const MOST_ACCOUNTS: usize = 150;
const BETWEEN_ACCOUNTS: Duration = Duration::from_millis(250);
const BETWEEN_LOOKS: Duration = Duration::from_millis(300);
/// Time for one response while everything around it breaks.
const ONE_ANSWER: Duration = Duration::from_secs(70);
/// Time for the last mail: attempts are 10 s to 2 min apart while the server or the ledger is away, and what a killed worker had claimed waits for the
/// four minutes of its lease.
const MAILS_COME: Duration = Duration::from_mins(6);

/// An administrator of a running stack.
#[derive(Clone)]
pub struct Administrator {
    client: Client,
    api: String,
    mails: String,
    token: String,
}

/// Creates accounts one after the other.
pub struct Making {
    /// The addresses of accounts whose creation succeeded.
    made: Arc<Mutex<BTreeSet<String>>>,
    work: JoinHandle<()>,
}

impl Making {
    pub fn end(self) -> BTreeSet<String> {
        self.work.abort();
        self.made.lock().unwrap().clone()
    }
}

impl Administrator {
    /// Signs in to the stack on `data`.
    pub async fn sign_in(data: &std::path::Path, ledger: &Ledger) -> Self {
        let announced = announcement(data);
        let mails = format!(
            "http://127.0.0.1:{}/api/mails",
            announced["VIGIE__EMBEDDED__MAIL_PAGE_PORT"]
        );
        Self::sign_in_at(&announced["VIGIE__API__PUBLIC_URL"], mails, ledger).await
    }

    /// Signs in to the API at this address; `mails` is where the catcher lists the mails of its stack.
    pub async fn sign_in_at(site: &str, mails: String, ledger: &Ledger) -> Self {
        let hash = api::passwords::hash(PASSWORD.to_owned()).await.unwrap();
        let new = NewUser {
            email: ADMINISTRATOR,
            password_hash: Some(&hash),
            roles: &[Role::Admin],
            ..NewUser::default()
        };
        let mut connection = ledger.postgres.acquire().await.unwrap();
        postgres::users::create(&mut connection, &new).await.unwrap();
        let mut administrator = Self {
            client: Client::builder()
                .no_proxy()
                // Of several APIs, each request may meet another.
                .pool_max_idle_per_host(0)
                .timeout(ONE_ANSWER)
                .build()
                .unwrap(),
            api: format!("{site}api"),
            mails,
            token: String::new(),
        };
        administrator.token = administrator.session_of(ADMINISTRATOR).await;
        administrator
    }

    /// Signs in an account that [`Self::make_account`] made; returns its session.
    pub async fn session_of(&self, email: &str) -> String {
        let credentials = json!({ "email": email, "password": PASSWORD });
        let (status, session) = self
            .call(Method::POST, "/UserAccounts/login", &credentials)
            .await
            .unwrap();
        assert_eq!(status, StatusCode::OK, "{session}");
        session["id"].as_str().unwrap().to_owned()
    }

    /// The same session with the API at another address.
    pub fn at(&self, site: &str) -> Self {
        Self {
            api: format!("{site}api"),
            ..self.clone()
        }
    }

    /// With another session or key.
    pub fn with(&self, token: &str) -> Self {
        Self {
            token: token.to_owned(),
            ..self.clone()
        }
    }

    /// The answer with its body; null where it is no JSON. A body that is null is not sent.
    pub async fn call(&self, method: Method, path: &str, body: &Value) -> Result<(StatusCode, Value), reqwest::Error> {
        let mut request = self.client.request(method, format!("{}{path}", self.api));
        if !self.token.is_empty() {
            request = request.header("token", &self.token);
        }
        if !body.is_null() {
            request = request.json(body);
        }
        let response = request.send().await?;
        let (status, answer) = (response.status(), response.bytes().await?);
        Ok((status, serde_json::from_slice(&answer).unwrap_or_default()))
    }

    pub async fn get(&self, path: &str) -> Result<(StatusCode, Value), reqwest::Error> {
        self.call(Method::GET, path, &Value::Null).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Result<StatusCode, reqwest::Error> {
        Ok(self.call(Method::POST, path, body).await?.0)
    }

    pub async fn patch(&self, path: &str, changes: &Value) -> Result<StatusCode, reqwest::Error> {
        Ok(self.call(Method::PATCH, path, changes).await?.0)
    }

    /// Opens a stream of changes, which begins with the next one.
    pub async fn listen(&self, path: &str) -> reqwest::Response {
        let request = self.client.get(format!("{}{path}", self.api));
        request.header("token", &self.token).send().await.unwrap()
    }

    /// Creates an account, whose owner gets a mail.
    pub async fn make_account(&self, email: &str) -> Result<StatusCode, reqwest::Error> {
        let account = json!({ "email": email, "password": PASSWORD });
        self.post("/UserAccounts", &account).await
    }

    /// Creates accounts from now on; each owner gets a mail.
    pub fn make_accounts(&self) -> Making {
        let made = Arc::<Mutex<BTreeSet<String>>>::default();
        let (noted, administrator) = (Arc::clone(&made), self.clone());
        let work = tokio::spawn(async move {
            for number in 0..MOST_ACCOUNTS {
                let email = format!("holder-{number}@vigie.example");
                let made = administrator.make_account(&email).await;
                if made.is_ok_and(|status| status.is_success()) {
                    noted.lock().unwrap().insert(email);
                }
                tokio::time::sleep(BETWEEN_ACCOUNTS).await;
            }
        });
        Making { made, work }
    }

    /// Fails unless every account whose creation succeeded exists, and its owner has the mail.
    pub async fn assert_kept(&self, made: &BTreeSet<String>, ledger: &Ledger) {
        let there: Vec<String> = sqlx::query_scalar("select email from user_account")
            .fetch_all(&ledger.postgres)
            .await
            .unwrap();
        let there: BTreeSet<String> = there.into_iter().collect();
        let lost: Vec<_> = made.difference(&there).collect();
        assert!(lost.is_empty(), "answered with success and not there: {lost:?}");
        let deadline = Instant::now() + MAILS_COME;
        loop {
            let caught = self.caught().await;
            let missing: Vec<_> = made.iter().filter(|holder| !caught.contains_key(*holder)).collect();
            if missing.is_empty() {
                return;
            }
            assert!(Instant::now() < deadline, "nobody wrote to {missing:?}");
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
    }

    /// The received mails by recipient.
    async fn caught(&self) -> BTreeMap<String, usize> {
        let mails: Vec<Value> = self.client.get(&self.mails).send().await.unwrap().json().await.unwrap();
        let mut caught = BTreeMap::new();
        for mail in mails {
            for to in mail["to"].as_array().unwrap() {
                *caught.entry(to.as_str().unwrap().to_owned()).or_default() += 1;
            }
        }
        caught
    }
}
