//! Looks at every part Vigie needs and says how to mend what is wrong.

mod browser;
mod machine;
mod mail;
mod stores;
mod way;

use runtime::Settings;
use serde::Serialize;

/// What was found out about one part.
#[derive(Debug, Serialize)]
pub struct Finding {
    /// The part.
    pub part: &'static str,
    /// How it is.
    pub verdict: Verdict,
    /// What was found.
    pub found: String,
    /// How to mend it; absent where nothing is to be mended.
    pub cure: Option<String>,
}

/// How a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// As it should be.
    Good,
    /// It works, but not for long or not fully.
    Doubtful,
    /// Vigie does not work with it.
    Bad,
}

impl Finding {
    fn good(part: &'static str, found: impl Into<String>) -> Self {
        Self {
            part,
            verdict: Verdict::Good,
            found: found.into(),
            cure: None,
        }
    }

    fn doubtful(part: &'static str, found: impl Into<String>, cure: impl Into<String>) -> Self {
        Self {
            part,
            verdict: Verdict::Doubtful,
            found: found.into(),
            cure: Some(cure.into()),
        }
    }

    fn bad(part: &'static str, found: impl Into<String>, cure: impl Into<String>) -> Self {
        Self {
            part,
            verdict: Verdict::Bad,
            found: found.into(),
            cure: Some(cure.into()),
        }
    }
}

/// Looks at everything. `running` says whether a private stack runs on the data folder and lent its addresses to `settings`.
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
