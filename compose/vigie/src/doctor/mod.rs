//! Checks every part that Vigie needs and says how to fix what is wrong.

mod browser;
mod engines;
mod machine;
mod mail;
mod route;
mod stores;

use runtime::Settings;
use serde::Serialize;

pub use engines::all as engines;

/// The finding about one part.
#[derive(Debug, Serialize)]
pub struct Finding {
    /// Name of the part.
    pub part: &'static str,
    /// How good it is.
    pub verdict: Verdict,
    /// The observation, as a phrase.
    pub found: String,
    /// How to fix it; absent where nothing needs fixing.
    pub cure: Option<String>,
}

/// How good a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The part is as it should be.
    Good,
    /// It works, but not for long or not fully.
    Doubtful,
    /// Vigie does not work with it.
    Bad,
}

impl Finding {
    /// Builds the finding that a part is as it should be; it has no cure.
    fn good(part: &'static str, found: impl Into<String>) -> Self {
        Self {
            part,
            verdict: Verdict::Good,
            found: found.into(),
            cure: None,
        }
    }

    /// Builds the finding that a part works, but not for long or not fully; `cure` says how to fix it.
    fn doubtful(part: &'static str, found: impl Into<String>, cure: impl Into<String>) -> Self {
        Self {
            part,
            verdict: Verdict::Doubtful,
            found: found.into(),
            cure: Some(cure.into()),
        }
    }

    /// Builds the finding that Vigie does not work with a part; `cure` says how to fix it.
    fn bad(part: &'static str, found: impl Into<String>, cure: impl Into<String>) -> Self {
        Self {
            part,
            verdict: Verdict::Bad,
            found: found.into(),
            cure: Some(cure.into()),
        }
    }
}

/// Checks every part, one after the other, and returns one or two findings for each; faults are findings, so it never fails. Connects to the stores
/// and the mail server, and starts a browser. `running`: a private stack runs on the data folder and provided its addresses to `settings`.
pub async fn examine(settings: &Settings, running: bool) -> Vec<Finding> {
    let mut findings = vec![
        machine::user(settings),
        machine::data_folder(settings),
        machine::setpriv(),
    ];
    findings.extend(stores::postgres(settings, running).await);
    findings.push(stores::redis(settings, running).await);
    findings.extend(stores::clickhouse(settings, running).await);
    findings.push(mail::server(settings, running).await);
    findings.extend(browser::chromium(settings).await);
    findings.extend(machine::demonstration(settings));
    findings
}
