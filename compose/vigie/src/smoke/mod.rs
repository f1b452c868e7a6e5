//! Runs one capture through a separate stack: a term comes due, and its ads in the API are compared with the truth, the ads that the simulated engine
//! served. Then the stack is lost, and a backup of it restored: the same views are there.

mod drill;
mod requests;
mod term;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use reqwest::Client;
use thiserror::Error;
use url::Url;

use crate::terminal::say;
use crate::trial::{TrialError, TrialStack};
pub use drill::Drill;
use term::CompanyUser;

/// Time until the capture of the due term is visible in the API.
const CAPTURE_PATIENCE: Duration = Duration::from_secs(40);
/// Pause between two requests to the API.
const BETWEEN_REQUESTS: Duration = Duration::from_millis(200);
/// Timeout of one request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// Why there is nothing to compare.
#[derive(Debug, Error)]
pub enum SmokeError {
    /// The stack did not start or stop.
    #[error(transparent)]
    Stack(#[from] TrialError),
    /// The system failed: no randomness, or no path of this program.
    #[error(transparent)]
    System(#[from] std::io::Error),
    /// Postgres returned an error.
    #[error(transparent)]
    Postgres(#[from] postgres::Error),
    /// The reference data lack the term's localization.
    #[error("the schema brings no localization {0}")]
    NoLocalization(&'static str),
    /// The password could not be hashed.
    #[error("the password cannot be hashed: {0}")]
    Hash(String),
    /// A request to the stack failed.
    #[error("a call to the stack failed: {0}")]
    Http(#[from] reqwest::Error),
    /// A command of the drill failed.
    #[error("`vigie {command}` ended with {how}")]
    Command {
        /// What was run.
        command: &'static str,
        /// Its exit status.
        how: String,
    },
    /// The capture did not arrive in time.
    #[error("no capture was seen within {} s; the logs are in {}", CAPTURE_PATIENCE.as_secs(), .0.display())]
    NoCapture(PathBuf),
}

/// Views by domain.
type Views = BTreeMap<String, u64>;

/// What the API reports and what the simulated engine served.
#[derive(Debug)]
pub struct Outcome {
    captures: usize,
    served: usize,
    views: Views,
    truth: Views,
}

/// The outcome of a run.
#[derive(Debug)]
pub struct Run {
    /// One capture, compared with the truth.
    pub outcome: Outcome,
    /// What a restored backup shows; `None` if there was nothing to compare it with.
    pub drill: Option<Drill>,
}

impl Run {
    /// Whether the capture is the truth and the restored stack shows the same.
    pub fn agrees(&self) -> bool {
        self.outcome.agrees() && self.drill.as_ref().is_some_and(Drill::agrees)
    }
}

impl Outcome {
    /// Whether the API shows as many captures as pages were served and the same views, and these are not empty.
    pub fn agrees(&self) -> bool {
        self.captures == self.served && !self.truth.is_empty() && self.views == self.truth
    }

    /// Returns the closing line: the captures and views that the API shows, the ads that were served, and the length of the run (`took`).
    pub fn line(&self, took: Duration) -> String {
        format!(
            "smoke: captures {}, ads {}, truth {}, seconds {:.1}",
            self.captures,
            self.views.values().sum::<u64>(),
            self.truth.values().sum::<u64>(),
            took.as_secs_f64()
        )
    }

    /// Describes where the API and the simulated engine differ, one line each: the views of a domain, and the number of captures against pages
    /// served. Empty also when neither has ads, although [`Self::agrees`] is false then.
    pub fn differences(&self) -> Vec<String> {
        let domains = self
            .views
            .keys()
            .chain(self.truth.keys().filter(|domain| !self.views.contains_key(*domain)));
        let of = |side: &Views, domain: &String| side.get(domain).copied().unwrap_or(0);
        let mut lines: Vec<String> = domains
            .filter(|domain| of(&self.views, domain) != of(&self.truth, domain))
            .map(|domain| {
                format!(
                    "  {domain}: the API says {}, the truth is {}",
                    of(&self.views, domain),
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

/// Starts a stack in a temporary folder on free ports, lets one term come due, collects the figures of both sides, whether they agree or not, and
/// stops the stack. The folder is kept if they do not agree or the run fails.
/// If they agree, then restores a backup of it in another folder and compares again. With an address of S3, files are in buckets there.
pub async fn run(s3: Option<&Url>) -> Result<Run, SmokeError> {
    let files = bucket_settings(s3, "lost");
    let mut stack = TrialStack::start_with(&std::env::current_exe()?, &borrowed(&files)).await?;
    let reader = term::make_due(&stack).await?;
    let outcome = collect_figures(&stack, &reader).await;
    if !outcome.as_ref().is_ok_and(Outcome::agrees) {
        stack.keep_folder();
        stack.stop().await?;
        return Ok(Run {
            outcome: outcome?,
            drill: None,
        });
    }
    let outcome = outcome?;
    let drill = drill::run(stack, &reader, &outcome, s3).await?;
    Ok(Run {
        outcome,
        drill: Some(drill),
    })
}

/// The settings of a bucket at an address of S3, by the names of their variables; none without an address.
fn bucket_settings(s3: Option<&Url>, name: &str) -> Vec<(&'static str, String)> {
    let Some(address) = s3 else {
        return Vec::new();
    };
    let endpoint = format!(
        "{}://{}",
        address.scheme(),
        address.authority().rsplit('@').next().unwrap_or_default()
    );
    vec![
        ("VIGIE__BLOBS__S3__BUCKET", name.to_owned()),
        ("VIGIE__BLOBS__S3__ENDPOINT", endpoint),
        ("VIGIE__BLOBS__S3__ACCESS_KEY", address.username().to_owned()),
        (
            "VIGIE__BLOBS__S3__SECRET_KEY",
            address.password().unwrap_or_default().to_owned(),
        ),
    ]
}

fn borrowed<'a>(settings: &'a [(&'static str, String)]) -> Vec<(&'static str, &'a str)> {
    settings.iter().map(|(name, value)| (*name, value.as_str())).collect()
}

/// Waits for the capture of the term that is due on the stack, and returns the figures of the API and of the simulated engine.
async fn collect_figures(stack: &TrialStack, reader: &CompanyUser) -> Result<Outcome, SmokeError> {
    say("  term              due");
    let client = Client::builder().no_proxy().timeout(REQUEST_TIMEOUT).build()?;
    let api = stack.setting_url("VIGIE__API__PUBLIC_URL", "the address of the API")?;
    let token = requests::sign_in(&client, &api, reader).await?;
    let captures = wait_for_capture(&client, &api, &token, stack).await?;
    let views = requests::views(&client, &api, &token).await?;
    let simulator = format!(
        "http://{}",
        stack.setting("VIGIE__ENGINES__SIMULATOR", "the address of the search simulator")?
    );
    let (served, truth) = requests::truth(&client, &simulator).await?;
    Ok(Outcome {
        captures,
        served,
        views,
        truth,
    })
}

/// Asks the API until it shows a stored capture, and returns how many it shows; fails after [`CAPTURE_PATIENCE`].
async fn wait_for_capture(client: &Client, api: &Url, token: &str, stack: &TrialStack) -> Result<usize, SmokeError> {
    let started = Instant::now();
    loop {
        let captures = requests::captures(client, api, token).await?;
        if captures > 0 {
            return Ok(captures);
        }
        if started.elapsed() > CAPTURE_PATIENCE {
            return Err(SmokeError::NoCapture(stack.logs()));
        }
        tokio::time::sleep(BETWEEN_REQUESTS).await;
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
            views: truth.clone(),
            truth: truth.clone(),
        };
        assert!(right.agrees() && right.differences().is_empty());
        assert_eq!(
            right.line(Duration::from_millis(1500)),
            "smoke: captures 1, ads 3, truth 3, seconds 1.5"
        );

        let moved = Outcome {
            views: views(&[("shop.example", 3)]),
            ..right
        };
        assert!(!moved.agrees());
        assert_eq!(moved.differences().len(), 2);

        let nothing = Outcome {
            captures: 1,
            served: 1,
            views: Views::new(),
            truth: Views::new(),
        };
        assert!(!nothing.agrees(), "a page without ads proves nothing");
        let twice = Outcome {
            captures: 1,
            served: 2,
            views: truth.clone(),
            truth,
        };
        assert!(!twice.agrees());
    }
}
