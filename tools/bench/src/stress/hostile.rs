//! An attacker, with an account and without.

use std::time::{Duration, Instant};

use futures::future::join_all;
use reqwest::Client;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use url::Url;

use super::StressError;
use super::ordinary::session;
use super::world::Person;

/// Concurrent requests of one kind, by default.
const AT_ONCE: usize = 8;
/// Bytes of a form that the API accepts.
const FORM: usize = 1_000_000;
/// Depth of nested keys and relations.
const DEEP: usize = 4_000;
const INCLUDES: usize = 10;
const BETWEEN_DROPS: Duration = Duration::from_secs(4);
const LONGEST_ANSWER: Duration = Duration::from_secs(70);

/// A session with its attacks. Loops are bounded: each request follows the response to the one before.
pub struct Attacker {
    client: Client,
    address: Url,
    token: String,
}

impl Attacker {
    /// Opens a session of the person at the API, with a client that waits for at most [`LONGEST_ANSWER`].
    pub async fn sign_in(address: &Url, person: &Person) -> Result<Self, StressError> {
        let client = Client::builder().no_proxy().timeout(LONGEST_ANSWER).build()?;
        let token = session(&client, address, person).await?;
        Ok(Self {
            client,
            address: address.clone(),
            token,
        })
    }

    /// Sends forms with many keys and with deep ones, without a session, for this long.
    pub async fn forms(&self, length: Duration) {
        let many = (0..FORM / 16)
            .map(|key| format!("a[{key}]=1"))
            .collect::<Vec<_>>()
            .join("&");
        let deep = format!("a{}=1", "[b]".repeat(DEEP));
        let unbalanced = format!("a{}=1", "[".repeat(FORM / 2));
        let same: String = "where[and][0][or][0][name]=x&".repeat(FORM / 32);
        let forms = [many, deep, unbalanced, same].map(|form| form.chars().take(FORM).collect::<String>());
        let login = format!("{}api/UserAccounts/login", self.address);
        self.repeat(AT_ONCE, length, |number| {
            self.client
                .post(&login)
                .header("content-type", "application/x-www-form-urlencoded")
                .body(forms[number % forms.len()].clone())
        })
        .await;
    }

    /// Requests lists that include rows of rows, for this long.
    pub async fn includes(&self, length: Duration) {
        let mut include = String::from("\"terms\"");
        for level in 0..INCLUDES {
            let relation = if level % 2 == 0 { "brand" } else { "terms" };
            include = format!("{{\"relation\":\"{relation}\",\"scope\":{{\"include\":[{include}]}}}}");
        }
        let filter = format!("{{\"include\":[{include}]}}");
        self.repeat(AT_ONCE / 2, length, |number| {
            let resource = if number % 2 == 0 { "Terms" } else { "Brands" };
            let request = self.client.get(format!("{}api/{resource}", self.address));
            request
                .header("authorization", &self.token)
                .query(&[("filter", &filter)])
        })
        .await;
    }

    /// Signs in with wrong passwords for many addresses, `at_once` at a time, for `length`.
    pub async fn logins(&self, at_once: usize, length: Duration) {
        let login = format!("{}api/UserAccounts/login", self.address);
        self.repeat(at_once, length, |number| {
            let email = format!("somebody-{}@vigie.example", number % 997);
            let credentials = serde_json::json!({ "email": email, "password": "Wr0ng!Passw0rd" });
            self.client.post(&login).json(&credentials)
        })
        .await;
    }

    /// Keeps `count` connections open that send a little every [`BETWEEN_DROPS`], for this long.
    pub async fn slow_connections(&self, count: usize, length: Duration) {
        let (host, port) = (
            self.address.host_str().unwrap_or("127.0.0.1").to_owned(),
            self.address.port_or_known_default().unwrap_or(80),
        );
        let until = Instant::now() + length;
        let slow = (0..count).map(|number| {
            let host = host.clone();
            async move {
                while Instant::now() < until {
                    if let Ok(mut stream) = TcpStream::connect((host.as_str(), port)).await {
                        let mut said: &[u8] = if number % 3 == 0 {
                            b""
                        } else {
                            b"GET /api/UserAccounts/me HTTP/1.1\r\n"
                        };
                        while Instant::now() < until && stream.write_all(said).await.is_ok() {
                            tokio::time::sleep(BETWEEN_DROPS).await;
                            said = b"x-slow: 1\r\n";
                        }
                    }
                    tokio::time::sleep(Duration::from_millis(200)).await;
                }
            }
        });
        join_all(slow).await;
    }

    /// Requests the largest lists, `at_once` at a time, for `length`. Each differs, so that no query is shared.
    pub async fn worst_lists(&self, at_once: usize, length: Duration) {
        let lists = ["findAdvertisers", "groupTerms"];
        self.repeat(at_once, length, |number| {
            let (list, word) = (lists[number % lists.len()], number % 9_973);
            let query = format!(
                "page[size]=0&filters[date][between][start]=2020-01-01T00:00:00Z&filters[date][between][end]=2100-01-01T00:00:00Z\
                 &filters[adTitle][nregexp]=/nothing{word}/i"
            );
            let request = self.client.get(format!("{}api/Sems/{list}?{query}", self.address));
            request.header("authorization", &self.token)
        })
        .await;
    }

    /// Repeats a request, `at_once` at a time, for `length`. `request` gets a running number; responses are ignored.
    async fn repeat(&self, at_once: usize, length: Duration, request: impl Fn(usize) -> reqwest::RequestBuilder) {
        let until = Instant::now() + length;
        let workers = (0..at_once).map(|worker| {
            let request = &request;
            async move {
                let mut number = worker;
                while Instant::now() < until {
                    if let Ok(response) = request(number).send().await {
                        let _whole = response.bytes().await;
                    }
                    number += at_once;
                    // A refused request is repeated soon, but not in a spin that would only measure this process.
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            }
        });
        join_all(workers).await;
    }
}
