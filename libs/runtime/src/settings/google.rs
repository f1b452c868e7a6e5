//! Google Ads and Search Console.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::Secret;

/// How Google is reached, and what may be asked of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Google {
    /// The client id of the project at Google (OAuth); absent: nobody can be connected.
    pub client_id: Option<String>,
    /// The secret of that client.
    pub client_secret: Secret,
    /// A developer token; sent where one is set (decision D190).
    pub developer_token: Option<Secret>,
    /// Version of the Google Ads API, as in `v25`.
    pub version: String,
    /// The last day on which Google answers that version.
    pub version_ends: NaiveDate,
    /// Base address of the Google Ads API.
    pub ads_url: Url,
    /// Base address of the Search Console API.
    pub search_console_url: Url,
    /// The page on which people consent.
    pub consent_url: Url,
    /// Base address of `/token` and `/revoke`.
    pub oauth_url: Url,
    /// Operations of Google Ads in 24 hours that the project's access level allows; 0: without limit.
    pub daily_operations: u32,
    /// Whether campaigns and lists at Google may be changed; off, changes are only checked and logged.
    pub mutations: bool,
}

impl Default for Google {
    /// Google's own addresses, no client, the budget of the access level Explorer, and nothing changed at Google.
    fn default() -> Self {
        let url = |text: &str| Url::parse(text).unwrap_or_else(|error| unreachable!("{text}: {error}"));
        Self {
            client_id: None,
            client_secret: Secret::default(),
            developer_token: None,
            version: "v25".to_owned(),
            version_ends: NaiveDate::from_ymd_opt(2027, 8, 31).unwrap_or_default(),
            ads_url: url("https://googleads.googleapis.com"),
            search_console_url: url("https://www.googleapis.com"),
            consent_url: url("https://accounts.google.com/o/oauth2/v2/auth"),
            oauth_url: url("https://oauth2.googleapis.com"),
            daily_operations: 2_880,
            mutations: false,
        }
    }
}
