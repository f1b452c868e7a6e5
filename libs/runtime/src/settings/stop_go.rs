//! Stop and Go, and the dashboards of others beside it.

use serde::{Deserialize, Serialize};
use url::Url;

/// When brands stop paying for ads on their own searches.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StopGo {
    /// Whether lanes may stop and go by themselves (`STOPGO_AUTOMATION`, decision D110); off: people decide.
    pub automation: bool,
    /// The page of the news (`STOPGO_NEWS_URL`, decision D115); absent: the screen says that there is none.
    pub news_url: Option<Url>,
}

/// Dashboards of others, shown in frames (decisions D5, D6).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Frames {
    /// Hosts that may be shown (`EMBED_ALLOWED_HOSTS`); none: no frame is shown.
    pub allowed_hosts: Vec<String>,
    /// Whether these hosts may be in this network, which is refused otherwise; for tests and closed networks.
    pub allow_private: bool,
    /// The dashboard that has the mails of cases (`LEGACY_DASHBOARD_URL`, decision D6); absent: they are a page of Vigie's own.
    pub legacy_dashboard_url: Option<Url>,
}
