//! An ordinary user at work: lists, cases, the start page.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use reqwest::Client;
use runtime::Clock;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use url::Url;

use super::StressError;
use super::world::Person;

/// Pause between two requests, shorter than a user's: 600 s have more than 1,000 requests.
const BETWEEN_REQUESTS: Duration = Duration::from_millis(200);
const LONGEST_ANSWER: Duration = Duration::from_mins(1);
/// After a store continues, failures from the time it was stopped may still arrive.
const AFTER_A_STOP: Duration = Duration::from_secs(5);
/// What is requested, in rotation. `{from}` is a week ago, `{to}` is now.
const PATHS: [&str; 6] = [
    "api/UserAccounts/me",
    "api/Sems/findAdvertisers?page[size]=30&filters[date][between][start]={from}&filters[date][between][end]={to}&filters[brandID][inq][]=7",
    "api/actions?page[size]=30",
    "api/Sems/groupTerms?page[size]=30&sort[by]=nbViews&filters[date][between][start]={from}&filters[date][between][end]={to}&filters[brandID][inq][]=7",
    "api/captures?limit=10",
    "api/brand?query=al",
];

/// The session of the user.
pub struct OrdinaryUser {
    client: Client,
    address: Url,
    token: String,
}

/// The running user.
pub struct Running {
    work: JoinHandle<()>,
    requests: Arc<Mutex<Vec<TimedRequest>>>,
    excused: Mutex<Vec<OutageWindow>>,
    stop: Arc<AtomicBool>,
}

/// Start of an outage, and its end once known.
type OutageWindow = (Instant, Option<Instant>);

/// One request of the user and how it ended.
struct TimedRequest {
    path: &'static str,
    started: Instant,
    took: Duration,
    /// `None` without a response.
    status: Option<u16>,
}

/// What the user experienced, without excused failures.
pub struct UserReport {
    pub p99: Duration,
    pub refused: usize,
    pub requests: usize,
    slowest: Option<(Duration, &'static str)>,
    refusals: Vec<String>,
}

impl UserReport {
    /// Describes the slowest request, and on further lines the refusals.
    pub fn slowest(&self) -> String {
        let slowest = self.slowest.map_or_else(String::new, |(took, path)| {
            format!("{} ms for {path}", took.as_millis())
        });
        let refusals: Vec<_> = self
            .refusals
            .iter()
            .map(|line| format!("\n  refused: {line}"))
            .collect();
        slowest + &refusals.concat()
    }
}

/// Signs in and returns the session's token; fails with [`StressError::NoSession`] when the response has none.
pub async fn session(client: &Client, address: &Url, person: &Person) -> Result<String, StressError> {
    let login = format!("{address}api/UserAccounts/login");
    let credentials = json!({ "email": person.email, "password": person.password });
    let session: Value = client.post(login).json(&credentials).send().await?.json().await?;
    let token = session["id"].as_str().ok_or(StressError::NoSession(person.email))?;
    Ok(token.to_owned())
}

impl OrdinaryUser {
    /// Opens a session of the person at the API.
    pub async fn sign_in(address: &Url, person: &Person) -> Result<Self, StressError> {
        let client = Client::builder()
            .no_proxy()
            .tcp_nodelay(true)
            .timeout(LONGEST_ANSWER)
            .build()?;
        let token = session(&client, address, person).await?;
        Ok(Self {
            client,
            address: address.clone(),
            token,
        })
    }

    /// Starts requesting [`PATHS`] in rotation in the background, until [`Running::end`].
    pub fn start(self) -> Running {
        let (requests, stop) = (Arc::<Mutex<Vec<TimedRequest>>>::default(), Arc::<AtomicBool>::default());
        let (record, stopped) = (Arc::clone(&requests), Arc::clone(&stop));
        let work = tokio::spawn(async move {
            for path in PATHS.iter().cycle() {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                let response = self.ask(path).await;
                record.lock().unwrap_or_else(PoisonError::into_inner).push(response);
                tokio::time::sleep(BETWEEN_REQUESTS).await;
            }
        });
        Running {
            work,
            requests,
            excused: Mutex::default(),
            stop,
        }
    }

    /// Requests one path and reads the whole response; a failure is a request without a status.
    async fn ask(&self, path: &'static str) -> TimedRequest {
        let now = Clock::system().now();
        let time = |ago| {
            (now - chrono::TimeDelta::days(ago))
                .format("%Y-%m-%dT%H:%M:%SZ")
                .to_string()
        };
        let address = path.replace("{from}", &time(7)).replace("{to}", &time(0));
        let started = Instant::now();
        let request = self.client.get(format!("{}{address}", self.address));
        let status = match request.header("authorization", &self.token).send().await {
            Ok(response) => {
                let status = response.status().as_u16();
                response.bytes().await.ok().map(|_| status)
            }
            Err(_) => None,
        };
        TimedRequest {
            path,
            started,
            took: started.elapsed(),
            status,
        }
    }
}

impl Running {
    /// Excuses failures from now on: a store is stopped. End it with [`Running::excuse_no_more`].
    pub fn excuse_from_now(&self) {
        let mut excused = self.excused.lock().unwrap_or_else(PoisonError::into_inner);
        excused.push((Instant::now(), None));
    }

    /// Counts refusals again from [`AFTER_A_STOP`] on: the store continues.
    pub fn excuse_no_more(&self) {
        let mut excused = self.excused.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = excused.last_mut() {
            last.1 = Some(Instant::now() + AFTER_A_STOP);
        }
    }

    /// Ends the work after the running request and returns the report, without requests during an outage.
    pub async fn end(self) -> Result<UserReport, StressError> {
        self.stop.store(true, Ordering::Relaxed);
        self.work.await?;
        let excused = self.excused.lock().unwrap_or_else(PoisonError::into_inner);
        let is_excused = |response: &TimedRequest| {
            excused.iter().any(|(from, to)| {
                let ended = response.started + response.took;
                ended >= *from && to.is_none_or(|to| response.started <= to)
            })
        };
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let mut counted: Vec<&TimedRequest> = requests.iter().filter(|response| !is_excused(response)).collect();
        counted.sort_by_key(|response| response.took);
        let is_refused =
            |response: &&&TimedRequest| !response.status.is_some_and(|status| (200..300).contains(&status));
        let refusals: Vec<String> = counted
            .iter()
            .filter(is_refused)
            .map(|response| {
                format!(
                    "{:?} after {} ms: {}",
                    response.status,
                    response.took.as_millis(),
                    response.path
                )
            })
            .collect();
        Ok(UserReport {
            p99: counted
                .get((counted.len() * 99 / 100).min(counted.len().saturating_sub(1)))
                .map_or(Duration::MAX, |response| response.took),
            refused: refusals.len(),
            requests: counted.len(),
            slowest: counted.last().map(|response| (response.took, response.path)),
            refusals,
        })
    }
}
