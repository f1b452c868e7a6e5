//! Settings: built-in defaults, then a TOML file, then `VIGIE__SECTION__KEY` in the environment.

mod api;
mod capture;
mod embedded;
mod google;
mod inbound;
mod load;
mod openid;
mod stop_go;
mod stores;
mod webhooks;
mod workers;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use api::{Api, Monitoring, TrustedProxy};
pub use capture::{Capture, CountryProxy, Engine, Engines, Screenshots, Switch};
pub use embedded::Embedded;
pub use google::Google;
pub use inbound::{Imap, ImapSecurity, Inbound};
pub use load::{SettingError, SettingsError, from_environment, from_environment_over, load};
pub use openid::OpenId;
pub use stop_go::{Frames, StopGo};
pub use stores::{Blobs, ClickHouse, Postgres, Redis, Retention, Secrets, Tls};
pub use webhooks::Webhooks;
pub use workers::{Actions, SearchVolumes, Smtp, SmtpSecurity, Workers};

/// All settings of all processes. Every key has a default or may be absent.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Time zone of scheduled jobs (`APP_TZ`).
    pub time_zone: chrono_tz::Tz,
    /// Format and filter of the logs.
    pub logs: Logs,
    /// Where the embedded stack keeps its data.
    pub data: PathBuf,
    /// The relational store, Postgres.
    pub postgres: Postgres,
    /// The store of rate limits, throttles and live events.
    pub redis: Redis,
    /// The store of ad results.
    pub clickhouse: ClickHouse,
    /// Which authorities are trusted for the stores.
    pub tls: Tls,
    /// The HTTP server.
    pub api: Api,
    /// The queue consumers.
    pub workers: Workers,
    /// The mail server.
    pub smtp: Smtp,
    /// How mail comes in.
    pub inbound: Inbound,
    /// Where monthly searches are counted.
    pub search_volumes: SearchVolumes,
    /// The capturing browser.
    pub capture: Capture,
    /// The search engines.
    pub engines: Engines,
    /// Google Ads and Search Console.
    pub google: Google,
    /// The provider that users may sign in with.
    pub openid: OpenId,
    /// Captured pages and uploaded files.
    pub blobs: Blobs,
    /// Limits of the monitoring screens.
    pub monitoring: Monitoring,
    /// The cases of advertisers.
    pub actions: Actions,
    /// When brands stop paying for ads on their own searches.
    pub stop_go: StopGo,
    /// Dashboards of others, shown in frames.
    pub frames: Frames,
    /// Where webhooks may lead.
    pub webhooks: Webhooks,
    /// How long data is kept.
    pub retention: Retention,
    /// What stored credentials are encrypted with.
    pub secrets: Secrets,
    /// The parts that `vigie up` starts.
    pub embedded: Embedded,
}

impl Default for Settings {
    /// The default of every section, the data folder `data` in the working directory, and the time zone of Paris.
    fn default() -> Self {
        Self {
            time_zone: chrono_tz::Europe::Paris,
            logs: Logs::default(),
            data: PathBuf::from("data"),
            postgres: Postgres::default(),
            redis: Redis::default(),
            clickhouse: ClickHouse::default(),
            tls: Tls::default(),
            api: Api::default(),
            workers: Workers::default(),
            smtp: Smtp::default(),
            inbound: Inbound::default(),
            search_volumes: SearchVolumes::default(),
            capture: Capture::default(),
            engines: Engines::default(),
            google: Google::default(),
            openid: OpenId::default(),
            blobs: Blobs::default(),
            monitoring: Monitoring::default(),
            actions: Actions::default(),
            stop_go: StopGo::default(),
            frames: Frames::default(),
            webhooks: Webhooks::default(),
            retention: Retention::default(),
            secrets: Secrets::default(),
            embedded: Embedded::default(),
        }
    }
}

/// Format and filter of the logs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Logs {
    /// `json` or `text`.
    pub format: LogFormat,
    /// Directives such as `info,sqlx=warn`.
    pub filter: String,
}

impl Default for Logs {
    fn default() -> Self {
        Self {
            format: LogFormat::Json,
            filter: "info,sqlx=warn,headless_chrome=warn,html5ever=error".to_owned(),
        }
    }
}

/// The form of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// One JSON object a line.
    Json,
    /// One readable line per event.
    Text,
}
