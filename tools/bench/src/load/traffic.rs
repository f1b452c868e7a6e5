//! Users at work: pages begin when they are due, whether or not earlier ones have ended, so that a slow response delays nobody's request.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures::future::join_all;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use reqwest::Method;
use runtime::Clock;
use serde_json::Value;
use tokio::task::JoinSet;
use tokio::time::{sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use vigie::terminal::say;
use vigie::trial::TrialStack;

use super::screens::{Mix, Screen, Visit};
use super::world::{Person, World};
use crate::bench::BenchError;
use crate::bench::figures::percentile;
use crate::bench::peers::Api;

/// A response that takes longer counts as none.
const PATIENCE: Duration = Duration::from_mins(1);
/// Pages that are open at once; the stack is overrun when there would be more.
const MOST_OPEN: usize = 2_000;
/// Errors that are printed.
const SHOWN_ERRORS: usize = 20;
/// Between the end of a change stream and the next.
const BETWEEN_STREAMS: Duration = Duration::from_secs(3);
/// Changes that the list of requested cases follows.
const CHANGES: &str =
    "api/Actions/change-stream?options=%7B%22where%22:%7B%22status%22:%7B%22inq%22:%5B%22requested%22%5D%7D%7D%7D";

/// The users with their sessions.
#[derive(Clone)]
pub struct Traffic(Arc<Sessions>);

struct Sessions {
    users: Vec<(Arc<Person>, Api)>,
    seed: u64,
    refused_streams: AtomicUsize,
}

/// A response: to what, how long after it was due, and what was wrong with it.
struct Timed {
    screen: Screen,
    took: Duration,
    error: Option<String>,
}

/// What the users met during one part of the run.
pub struct Figures {
    /// Times of all responses, ascending.
    times: Vec<Duration>,
    of_screens: BTreeMap<Screen, Vec<Duration>>,
    /// Requests without a response, or with another status than success.
    pub errors: usize,
    shown_errors: Vec<String>,
    length: Duration,
}

impl Traffic {
    /// Signs all users in.
    pub async fn sign_in(stack: &TrialStack, world: &World, seed: u64) -> Result<Self, BenchError> {
        let address = stack.setting_url("VIGIE__API__PUBLIC_URL", "the address of the API")?;
        let mut users = Vec::new();
        for person in &world.people {
            // Each has connections of their own, as their browser has.
            let api = Api::sign_in(address.clone(), &person.email, &world.password).await?;
            users.push((Arc::clone(person), api));
        }
        Ok(Self(Arc::new(Sessions {
            users,
            seed,
            refused_streams: AtomicUsize::new(0),
        })))
    }

    /// Opens pages of a mix for `length`, at random times, and waits for the last responses. `pages_a_second` is the average.
    pub async fn run(&self, mix: &Mix, pages_a_second: f64, length: Duration) -> Result<Figures, BenchError> {
        let mut random = ChaCha8Rng::seed_from_u64(self.0.seed);
        let mut open = JoinSet::new();
        let mut timed = Vec::new();
        let began = Instant::now();
        let mut due = began;
        loop {
            // Times between pages that come independently of each other.
            let gap = -random.random::<f64>().max(f64::MIN_POSITIVE).ln() / pages_a_second;
            due += Duration::from_secs_f64(gap);
            if due > began + length {
                break;
            }
            sleep_until(due.into()).await;
            while let Some(page) = open.try_join_next() {
                timed.extend(page?);
            }
            let Some((person, api)) = self.0.users.choose(&mut random) else {
                break;
            };
            let visit = Visit::draw(mix, person, Clock::system().now(), &mut random);
            if open.len() >= MOST_OPEN {
                timed.push(Timed {
                    screen: visit.screen,
                    took: PATIENCE,
                    error: Some(format!("{MOST_OPEN} pages are open")),
                });
                break;
            }
            open.spawn(show(api.clone(), visit, due));
        }
        while let Some(page) = open.join_next().await {
            timed.extend(page?);
        }
        Ok(Figures::new(timed, began.elapsed().max(length)))
    }

    /// Change streams that the API refused to open.
    pub fn refused_streams(&self) -> usize {
        self.0.refused_streams.load(Ordering::Relaxed)
    }

    /// Lets each user follow changes of cases until `ended`, as the list of cases does.
    pub async fn follow_changes(self, ended: CancellationToken) -> Result<(), BenchError> {
        let streams = self.0.users.iter().map(|(_, api)| async {
            // A stream ends with its session or after a while; then the next begins.
            loop {
                if let Err(BenchError::Http(error)) = api.download(CHANGES, || Ok(())).await
                    && error.is_status()
                {
                    self.0.refused_streams.fetch_add(1, Ordering::Relaxed);
                }
                sleep(BETWEEN_STREAMS).await;
            }
        });
        tokio::select! {
            () = ended.cancelled() => Ok(()),
            _ = join_all(streams) => Ok(()),
        }
    }
}

/// Opens a screen that was due at `due`.
async fn show(api: Api, visit: Visit, due: Instant) -> Vec<Timed> {
    let mut timed = Vec::new();
    let mut answers = Vec::new();
    for (answer, response) in ask(&api, visit.screen, visit.first(), due).await {
        answers.push(answer);
        timed.push(response);
    }
    let second = ask(&api, visit.screen, visit.second(&answers), Instant::now()).await;
    timed.extend(second.into_iter().map(|(_, response)| response));
    timed
}

/// Asks for these paths at once.
async fn ask(api: &Api, screen: Screen, paths: Vec<String>, due: Instant) -> Vec<(Value, Timed)> {
    let asked = paths.into_iter().map(|path| async move {
        let nothing = ("application/json", Vec::new());
        let (answer, error) = match timeout(PATIENCE, api.send(Method::GET, &path, nothing)).await {
            Ok(Ok((_, status, answer))) if status.is_success() => (answer, None),
            Ok(Ok((_, status, answer))) => (answer, Some(status.to_string())),
            Ok(Err(error)) => (Value::Null, Some(error.to_string())),
            Err(_) => (Value::Null, Some("no response in time".to_owned())),
        };
        let timed = Timed {
            screen,
            took: due.elapsed(),
            error: error.map(|error| format!("{error}: {path}")),
        };
        (answer, timed)
    });
    join_all(asked).await
}

impl Figures {
    fn new(timed: Vec<Timed>, length: Duration) -> Self {
        let mut figures = Self {
            times: Vec::with_capacity(timed.len()),
            of_screens: BTreeMap::new(),
            errors: 0,
            shown_errors: Vec::new(),
            length,
        };
        for Timed { screen, took, error } in timed {
            figures.times.push(took);
            figures.of_screens.entry(screen).or_default().push(took);
            if let Some(error) = error {
                figures.errors += 1;
                if figures.shown_errors.len() < SHOWN_ERRORS {
                    figures.shown_errors.push(error);
                }
            }
        }
        figures.times.sort_unstable();
        figures.of_screens.values_mut().for_each(|times| times.sort_unstable());
        figures
    }

    /// The number of requests.
    pub fn requests(&self) -> usize {
        self.times.len()
    }

    /// The time that a share of all responses does not exceed.
    pub fn percentile(&self, share: f64) -> Duration {
        Duration::from_secs_f64(percentile(&self.times, share) / 1e3)
    }

    /// Requests a second.
    #[expect(clippy::cast_precision_loss, reason = "millions of requests at most")]
    pub fn a_second(&self) -> f64 {
        self.times.len() as f64 / self.length.as_secs_f64()
    }

    /// Prints a line for each screen, and the first errors.
    pub fn print(&self) {
        say(format!("{:.1} requests a second:", self.a_second()));
        for (screen, times) in &self.of_screens {
            say(format!(
                "{screen}: {} requests, p50 {:.0} ms, p95 {:.0} ms, p99 {:.0} ms, slowest {:.0} ms",
                times.len(),
                percentile(times, 0.5),
                percentile(times, 0.95),
                percentile(times, 0.99),
                percentile(times, 1.0)
            ));
        }
        self.shown_errors.iter().for_each(say);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_count_every_request_and_every_error() {
        let timed = |millis, error: Option<&str>| Timed {
            screen: Screen::Home,
            took: Duration::from_millis(millis),
            error: error.map(str::to_owned),
        };
        let figures = Figures::new(
            vec![timed(30, None), timed(10, Some("503")), timed(20, None)],
            Duration::from_secs(2),
        );
        assert_eq!((figures.requests(), figures.errors), (3, 1));
        assert_eq!(figures.percentile(0.5), Duration::from_millis(20));
        assert_eq!(figures.percentile(1.0), Duration::from_millis(30));
        assert!((figures.a_second() - 1.5).abs() < 1e-9);
    }
}
