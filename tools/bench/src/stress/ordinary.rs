//! Somebody who goes about the day's work: lists, cases, the start page.

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

/// What a person takes between two looks at a screen, made short: 600 s have 1,000 requests in them.
const BETWEEN_REQUESTS: Duration = Duration::from_millis(200);
const LONGEST_ANSWER: Duration = Duration::from_mins(1);
/// After a store goes on, what failed while it was stopped may still be on its way.
const AFTER_A_STOP: Duration = Duration::from_secs(5);
/// What is asked for, in turn. `{from}` is a week ago, `{to}` is now.
const ASKED: [&str; 6] = [
    "api/UserAccounts/me",
    "api/Sems/findAdvertisers?page[size]=30&filters[date][between][start]={from}&filters[date][between][end]={to}&filters[brandID][inq][]=7",
    "api/actions?page[size]=30",
    "api/Sems/groupTerms?page[size]=30&sort[by]=nbViews&filters[date][between][start]={from}&filters[date][between][end]={to}&filters[brandID][inq][]=7",
    "api/captures?limit=10",
    "api/brand?query=al",
];

/// A session.
pub struct OrdinaryUser {
    client: Client,
    address: Url,
    token: String,
}

/// A session at work.
pub struct Running {
    work: JoinHandle<()>,
    seen: Arc<Mutex<Vec<TimedRequest>>>,
    excused: Mutex<Vec<OutageWindow>>,
    stop: Arc<AtomicBool>,
}

/// From when, and until when where that is known.
type OutageWindow = (Instant, Option<Instant>);

struct TimedRequest {
    path: &'static str,
    asked: Instant,
    took: Duration,
    /// `None` when there was none.
    status: Option<u16>,
}

/// What the user met, without what is excused.
pub struct UserReport {
    pub p99: Duration,
    pub refused: usize,
    pub requests: usize,
    slowest: Option<(Duration, &'static str)>,
    refusals: Vec<String>,
}

impl UserReport {
    /// In words, with what was refused.
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

/// The token of a session.
pub async fn session(client: &Client, address: &Url, who: &Person) -> Result<String, StressError> {
    let login = format!("{address}api/UserAccounts/login");
    let credentials = json!({ "email": who.email, "password": who.password });
    let session: Value = client.post(login).json(&credentials).send().await?.json().await?;
    let token = session["id"].as_str().ok_or(StressError::NoSession(who.email))?;
    Ok(token.to_owned())
}

impl OrdinaryUser {
    pub async fn sign_in(address: &Url, who: &Person) -> Result<Self, StressError> {
        let client = Client::builder()
            .no_proxy()
            .tcp_nodelay(true)
            .timeout(LONGEST_ANSWER)
            .build()?;
        let token = session(&client, address, who).await?;
        Ok(Self {
            client,
            address: address.clone(),
            token,
        })
    }

    /// Begins to work.
    pub fn start(self) -> Running {
        let (seen, stop) = (Arc::<Mutex<Vec<TimedRequest>>>::default(), Arc::<AtomicBool>::default());
        let (noted, told) = (Arc::clone(&seen), Arc::clone(&stop));
        let work = tokio::spawn(async move {
            for path in ASKED.iter().cycle() {
                if told.load(Ordering::Relaxed) {
                    return;
                }
                let answer = self.ask(path).await;
                noted.lock().unwrap_or_else(PoisonError::into_inner).push(answer);
                tokio::time::sleep(BETWEEN_REQUESTS).await;
            }
        });
        Running {
            work,
            seen,
            excused: Mutex::default(),
            stop,
        }
    }

    async fn ask(&self, path: &'static str) -> TimedRequest {
        let now = Clock::system().now();
        let time = |ago| {
            (now - chrono::TimeDelta::days(ago))
                .format("%Y-%m-%dT%H:%M:%SZ")
                .to_string()
        };
        let address = path.replace("{from}", &time(7)).replace("{to}", &time(0));
        let asked = Instant::now();
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
            asked,
            took: asked.elapsed(),
            status,
        }
    }
}

impl Running {
    /// A store is stopped: what is asked for may be refused.
    pub fn excuse_from_now(&self) {
        let mut excused = self.excused.lock().unwrap_or_else(PoisonError::into_inner);
        excused.push((Instant::now(), None));
    }

    /// It goes on.
    pub fn excuse_no_more(&self) {
        let mut excused = self.excused.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = excused.last_mut() {
            last.1 = Some(Instant::now() + AFTER_A_STOP);
        }
    }

    /// Ends the work, and answers what came of it.
    pub async fn end(self) -> Result<UserReport, StressError> {
        self.stop.store(true, Ordering::Relaxed);
        self.work.await?;
        let excused = self.excused.lock().unwrap_or_else(PoisonError::into_inner);
        let is_excused = |answer: &TimedRequest| {
            excused.iter().any(|(from, to)| {
                let ended = answer.asked + answer.took;
                ended >= *from && to.is_none_or(|to| answer.asked <= to)
            })
        };
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let mut counted: Vec<&TimedRequest> = seen.iter().filter(|answer| !is_excused(answer)).collect();
        counted.sort_by_key(|answer| answer.took);
        let is_refused = |answer: &&&TimedRequest| !answer.status.is_some_and(|status| (200..300).contains(&status));
        let refusals: Vec<String> = counted
            .iter()
            .filter(is_refused)
            .map(|answer| {
                format!(
                    "{:?} after {} ms: {}",
                    answer.status,
                    answer.took.as_millis(),
                    answer.path
                )
            })
            .collect();
        Ok(UserReport {
            p99: counted
                .get((counted.len() * 99 / 100).min(counted.len().saturating_sub(1)))
                .map_or(Duration::MAX, |answer| answer.took),
            refused: refusals.len(),
            requests: counted.len(),
            slowest: counted.last().map(|answer| (answer.took, answer.path)),
            refusals,
        })
    }
}
