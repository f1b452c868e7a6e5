//! One capture through the whole stack: a term comes due, and what the API says of its ads is compared with the truth.

mod answers;
mod term;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use reqwest::Client;
use thiserror::Error;
use url::Url;

use crate::terminal::say;
use crate::trial::{TrialError, TrialStack};

/// How long the capture of the due term may take to be seen by the API.
const CAPTURE_PATIENCE: Duration = Duration::from_secs(40);
/// Pause between two questions to the API.
const BETWEEN_QUESTIONS: Duration = Duration::from_millis(200);
/// Longest wait for one answer.
const ONE_ANSWER: Duration = Duration::from_secs(10);

/// Why there is nothing to compare.
#[derive(Debug, Error)]
pub enum SmokeError {
    /// The stack.
    #[error(transparent)]
    Stack(#[from] TrialError),
    /// The system: no randomness, no path of this program.
    #[error(transparent)]
    System(#[from] std::io::Error),
    /// Postgres.
    #[error(transparent)]
    Postgres(#[from] postgres::Error),
    /// The place of the term is not in the reference data.
    #[error("the schema brings no localization {0}")]
    NoLocalization(&'static str),
    /// The password could not be hashed.
    #[error("the password cannot be hashed: {0}")]
    Hash(String),
    /// An HTTP call.
    #[error("a call to the stack failed: {0}")]
    Http(#[from] reqwest::Error),
    /// The capture did not come.
    #[error("no capture was seen within {} s; the logs are in {}", CAPTURE_PATIENCE.as_secs(), .0.display())]
    NoCapture(PathBuf),
}

/// How often each domain was seen.
type Views = BTreeMap<String, u64>;

/// What was found on both sides.
#[derive(Debug)]
pub struct Outcome {
    captures: usize,
    served: usize,
    said: Views,
    truth: Views,
}

impl Outcome {
    /// Whether both sides agree, and there was something to agree on.
    pub fn agrees(&self) -> bool {
        self.captures == self.served && !self.truth.is_empty() && self.said == self.truth
    }

    /// The closing line.
    pub fn line(&self, took: Duration) -> String {
        format!(
            "smoke: captures {}, ads {}, truth {}, seconds {:.1}",
            self.captures,
            self.said.values().sum::<u64>(),
            self.truth.values().sum::<u64>(),
            took.as_secs_f64()
        )
    }

    /// Where both sides differ, one line each.
    pub fn differences(&self) -> Vec<String> {
        let domains = self
            .said
            .keys()
            .chain(self.truth.keys().filter(|domain| !self.said.contains_key(*domain)));
        let of = |side: &Views, domain: &String| side.get(domain).copied().unwrap_or(0);
        let mut lines: Vec<String> = domains
            .filter(|domain| of(&self.said, domain) != of(&self.truth, domain))
            .map(|domain| {
                format!(
                    "  {domain}: the API says {}, the truth is {}",
                    of(&self.said, domain),
                    of(&self.truth, domain)
                )
            })
            .collect();
        if self.captures != self.served {
            lines.push(format!(
                "  {} pages were served for {} captures",
                self.served, self.captures
            ));
        }
        lines
    }
}

/// Starts a stack in a temporary folder on free ports, lets one term come due, compares, and ends the stack. Where the sides differ
/// the folder is left behind.
pub async fn run() -> Result<Outcome, SmokeError> {
    let mut stack = TrialStack::start(&std::env::current_exe()?).await?;
    let outcome = look(&stack).await;
    if !outcome.as_ref().is_ok_and(Outcome::agrees) {
        stack.keep();
    }
    stack.stop().await?;
    outcome
}

async fn look(stack: &TrialStack) -> Result<Outcome, SmokeError> {
    let reader = term::make_due(stack).await?;
    say("  term              due");
    let client = Client::builder().no_proxy().timeout(ONE_ANSWER).build()?;
    let api = stack.told_url("VIGIE__API__PUBLIC_URL", "the address of the API")?;
    let token = answers::sign_in(&client, &api, &reader).await?;
    let captures = wait_for_capture(&client, &api, &token, stack).await?;
    let said = answers::views(&client, &api, &token).await?;
    let simulator = format!(
        "http://{}",
        stack.announced("VIGIE__ENGINES__SIMULATOR", "the address of the search simulator")?
    );
    let (served, truth) = answers::truth(&client, &simulator).await?;
    Ok(Outcome {
        captures,
        served,
        said,
        truth,
    })
}

async fn wait_for_capture(client: &Client, api: &Url, token: &str, stack: &TrialStack) -> Result<usize, SmokeError> {
    let asked = Instant::now();
    loop {
        let captures = answers::captures(client, api, token).await?;
        if captures > 0 {
            return Ok(captures);
        }
        if asked.elapsed() > CAPTURE_PATIENCE {
            return Err(SmokeError::NoCapture(stack.logs()));
        }
        tokio::time::sleep(BETWEEN_QUESTIONS).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn views(pairs: &[(&str, u64)]) -> Views {
        pairs
            .iter()
            .map(|(domain, count)| ((*domain).to_owned(), *count))
            .collect()
    }

    #[test]
    fn agrees_only_when_every_domain_was_seen_as_often_as_it_was_served() {
        let truth = views(&[("shop.example", 2), ("outlet.example", 1)]);
        let right = Outcome {
            captures: 1,
            served: 1,
            said: truth.clone(),
            truth: truth.clone(),
        };
        assert!(right.agrees() && right.differences().is_empty());
        assert_eq!(
            right.line(Duration::from_millis(1500)),
            "smoke: captures 1, ads 3, truth 3, seconds 1.5"
        );

        let moved = Outcome {
            said: views(&[("shop.example", 3)]),
            ..right
        };
        assert!(!moved.agrees());
        assert_eq!(moved.differences().len(), 2);

        let nothing = Outcome {
            captures: 1,
            served: 1,
            said: Views::new(),
            truth: Views::new(),
        };
        assert!(!nothing.agrees(), "a page without ads proves nothing");
        let twice = Outcome {
            captures: 1,
            served: 2,
            said: truth.clone(),
            truth,
        };
        assert!(!twice.agrees());
    }
}
