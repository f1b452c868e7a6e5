//! Settings: built-in defaults, then a TOML file, then `VIGIE__SECTION__KEY` in the environment.

mod load;

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use url::{Host, Url};

use crate::Secret;
pub use load::{SettingError, SettingsError, from_environment, from_environment_over, load};

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
    /// The capturing browser.
    pub capture: Capture,
    /// The search engines.
    pub engines: Engines,
    /// Captured pages and uploaded files.
    pub blobs: Blobs,
    /// Limits of the monitoring screens.
    pub monitoring: Monitoring,
    /// The cases of advertisers.
    pub actions: Actions,
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
            capture: Capture::default(),
            engines: Engines::default(),
            blobs: Blobs::default(),
            monitoring: Monitoring::default(),
            actions: Actions::default(),
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

/// The relational store, Postgres.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Postgres {
    /// `postgres://user:password@host/database`, beyond this machine with `?sslmode=verify-full`; absent: `vigie up` starts a private cluster.
    pub url: Option<Secret>,
    /// Connections a process may hold.
    pub max_connections: u32,
}

impl Default for Postgres {
    fn default() -> Self {
        Self {
            url: None,
            max_connections: 16,
        }
    }
}

/// The store of rate limits, throttles and live events. Losing it loses no data.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Redis {
    /// `redis://host:port`, or `rediss://` with TLS; absent: `vigie up` starts one.
    pub url: Option<Secret>,
}

/// The store of ad results.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct ClickHouse {
    /// `http` or `https` address of a server or cluster; absent: `vigie up` starts the embedded engine.
    pub url: Option<Url>,
    /// The name of the user.
    pub user: String,
    /// The password of that user.
    pub password: Secret,
    /// The name of the database.
    pub database: String,
    /// Name of the cluster whose variant of the schema is applied; absent: a single node.
    pub cluster: Option<String>,
}

impl Default for ClickHouse {
    /// The embedded engine, as user `default` without a password, database `vigie`.
    fn default() -> Self {
        Self {
            url: None,
            user: "default".to_owned(),
            password: Secret::default(),
            database: "vigie".to_owned(),
            cluster: None,
        }
    }
}

/// Which authorities are trusted for stores that are reached over TLS.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Tls {
    /// PEM file of the authorities trusted for the stores; absent: the system's.
    pub authorities: Option<PathBuf>,
}

/// The HTTP server.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Api {
    /// Address of the web client and the API.
    pub listen: SocketAddr,
    /// Address of `/metrics` and the health checks, kept apart from users.
    pub operations_listen: SocketAddr,
    /// The address users type, for links in e-mails.
    pub public_url: Url,
    /// The certificate chain, in PEM; with `tls_key` the server speaks HTTPS.
    pub tls_certificate: Option<PathBuf>,
    /// The private key of the certificate, in PEM.
    pub tls_key: Option<PathBuf>,
    /// Seconds after which a request is given up. The web client gives up at 60.
    pub timeout_seconds: u64,
    /// Largest body of a JSON or form request, in bytes.
    pub max_body_bytes: usize,
    /// Whether failed logins are throttled (decision D22).
    pub login_throttle: bool,
    /// Hours without a request after which a session ends early; 0: never.
    pub session_idle_hours: u32,
    /// Megabytes of uploaded files that a user may hold.
    pub upload_megabytes_per_user: u32,
    /// Megabytes of uploaded files that the users of a company account may hold together.
    pub upload_megabytes_per_company: u32,
    /// Addresses of proxies whose `X-Forwarded-For` is believed, as in `["10.0.0.0/8", "192.0.2.1"]`. The header of any other client is
    /// ignored.
    pub trusted_proxies: Vec<TrustedProxy>,
    /// Open connections at most; further ones are closed at once. Each needs a file descriptor.
    pub max_connections: usize,
}

impl Api {
    /// How long a session may go without a request; `None` when it ends only at the end of its life.
    pub fn session_idle(&self) -> Option<chrono::TimeDelta> {
        (self.session_idle_hours > 0).then(|| chrono::TimeDelta::hours(self.session_idle_hours.into()))
    }

    /// Whether users reach the site over TLS: the server has a certificate, or the public address is `https`.
    pub fn is_secure(&self) -> bool {
        self.tls_certificate.is_some() || self.public_url.scheme() == "https"
    }
}

/// A proxy or a network of them, written `192.0.2.1` or `10.0.0.0/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TrustedProxy(IpNet);

impl TrustedProxy {
    /// Whether this address belongs to the proxy or network. An IPv4 address mapped into IPv6 counts as IPv4.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }
}

impl TryFrom<String> for TrustedProxy {
    type Error = String;

    /// Reads an IP address or a network, as in `192.0.2.1` or `10.0.0.0/8`. The error is a message that repeats the text.
    fn try_from(text: String) -> Result<Self, String> {
        let network = text.parse().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
        network
            .map(Self)
            .map_err(|_| format!("'{text}' is no address or network: write 192.0.2.1 or 10.0.0.0/8"))
    }
}

impl From<TrustedProxy> for String {
    fn from(proxy: TrustedProxy) -> Self {
        proxy.0.to_string()
    }
}

impl Default for Api {
    /// Plain HTTP on the loopback interface only, with no trusted proxy and throttled logins.
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            operations_listen: SocketAddr::from(([127, 0, 0, 1], 8081)),
            public_url: Url::parse("http://localhost:8080").expect("a constant address"),
            tls_certificate: None,
            tls_key: None,
            timeout_seconds: 58,
            max_body_bytes: 1 << 20,
            login_throttle: true,
            session_idle_hours: 7 * 24,
            upload_megabytes_per_user: 200,
            upload_megabytes_per_company: 2_000,
            trusted_proxies: Vec::new(),
            max_connections: 4_096,
        }
    }
}

impl Api {
    /// Whether other machines reach the site: it listens beyond the loopback interface, or its public address is neither `localhost` (or a name below
    /// it) nor a loopback address.
    pub fn is_exposed(&self) -> bool {
        let published = match self.public_url.host() {
            Some(Host::Domain(name)) => name != "localhost" && !name.ends_with(".localhost"),
            Some(Host::Ipv4(address)) => !address.is_loopback(),
            Some(Host::Ipv6(address)) => !address.is_loopback(),
            None => false,
        };
        published || !self.listen.ip().is_loopback()
    }
}

/// The queue consumers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Workers {
    /// Address of `/metrics` and the health checks.
    pub operations_listen: SocketAddr,
    /// Milliseconds between two passes over due terms.
    pub tick_millis: u64,
    /// Captures at the same time in one process.
    pub concurrency: usize,
    /// Bytes that must be free where captured pages are kept; below it no page is captured.
    pub least_free_bytes: u64,
}

impl Default for Workers {
    /// Operations on the loopback interface, two captures at a time, a pass every 30 s.
    fn default() -> Self {
        Self {
            operations_listen: SocketAddr::from(([127, 0, 0, 1], 8082)),
            tick_millis: 30_000,
            concurrency: 2,
            least_free_bytes: 512 << 20,
        }
    }
}

/// The mail server that sends Vigie's mails.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Smtp {
    /// The name of its host; absent: mails wait, and `vigie up` starts a catcher that shows them instead of sending them.
    pub host: Option<String>,
    /// The port; absent: 587 with `starttls`, 465 with `tls`, 25 with `none`.
    pub port: Option<u16>,
    /// How the connection is encrypted.
    pub security: SmtpSecurity,
    /// The name of the user; absent: the server asks for none.
    pub user: Option<String>,
    /// The password of that user.
    pub password: Secret,
    /// The sender of mails, as in `Vigie <vigie@company.example>`.
    pub from: String,
}

impl Default for Smtp {
    /// No server, so that mails wait; STARTTLS once a host is set.
    fn default() -> Self {
        Self {
            host: None,
            port: None,
            security: SmtpSecurity::Starttls,
            user: None,
            password: Secret::default(),
            from: "Vigie <vigie@localhost>".to_owned(),
        }
    }
}

/// How the connection to the mail server is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SmtpSecurity {
    /// Begins in the clear and is encrypted before mails or credentials are sent.
    Starttls,
    /// Encrypted from the start.
    Tls,
    /// Not encrypted, for a server on this machine.
    None,
}

/// The capturing browser.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Capture {
    /// The Chromium or Chrome program; absent: the first found on the machine.
    pub chromium: Option<PathBuf>,
    /// Socket of the `vigie browsers` whose user runs the browsers; absent: the workers' own user does.
    pub host: Option<PathBuf>,
    /// Whether Chromium's own sandbox is used. Where user namespaces are refused, captures do not start until this is `off`.
    pub sandbox: Switch,
    /// Seconds a capture may take.
    pub deadline_seconds: u64,
    /// Largest page in bytes.
    pub max_page_bytes: usize,
    /// Of which captures a picture of the whole page is kept.
    pub screenshots: Screenshots,
    /// Folder for the browser's profile and temporary files; absent: one in the data folder.
    pub work_folder: Option<PathBuf>,
}

impl Default for Capture {
    /// The first browser found on the machine, sandboxed and run by the workers' own user.
    fn default() -> Self {
        Self {
            chromium: None,
            host: None,
            sandbox: Switch::On,
            deadline_seconds: 45,
            max_page_bytes: 15 << 20,
            screenshots: Screenshots::New,
            work_folder: None,
        }
    }
}

/// Of which captures a picture of the whole page is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Screenshots {
    /// Of those with an ad that was not seen in the last 24 hours, and of doubtful and failed ones.
    New,
    /// Of every capture.
    Always,
    /// Of no capture.
    Never,
}

/// A setting that is `on` or `off`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Switch {
    /// Written as `on`.
    On,
    /// Written as `off`.
    Off,
}

impl Switch {
    /// Whether it is on.
    pub const fn is_on(self) -> bool {
        matches!(self, Self::On)
    }
}

/// The search engines.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Engines {
    /// How Google is searched.
    pub google: Engine,
    /// How Bing is searched.
    pub bing: Engine,
    /// `host:port` of a local simulator: browsers then resolve `serp.test` to it and no other name at all.
    pub simulator: Option<SocketAddr>,
}

/// How one search engine is reached. For the real Google: base `https://www.google.com`, hosts `google.com`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Engine {
    /// Searches go to `{base}/search`.
    pub base: Url,
    /// Host names (with their subdomains) the browser may reach for this engine.
    pub hosts: Vec<String>,
    /// Captures a minute at most, over all processes.
    pub per_minute: u32,
    /// The proxy for searches, `scheme://host:port`; absent: none.
    pub proxy: Option<Url>,
    /// Proxies for the searches of single countries, as in `["FR=http://proxy.example:3128"]`; they take precedence over `proxy`.
    pub country_proxies: Vec<CountryProxy>,
}

/// A proxy for the searches of one country, written `FR=http://proxy.example:3128`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CountryProxy {
    /// The country as two capital letters.
    pub country: String,
    /// `scheme://host:port`, with user and password where it asks for them.
    pub server: Url,
}

impl TryFrom<String> for CountryProxy {
    type Error = String;

    /// Reads `FR=http://proxy.example:3128`, the letters of the country in any case. The error never repeats the text, which may hold a password.
    fn try_from(text: String) -> Result<Self, String> {
        let parts = text.split_once('=').and_then(|(country, server)| {
            let is_country = country.len() == 2 && country.bytes().all(|byte| byte.is_ascii_alphabetic());
            is_country.then_some((country, Url::parse(server).ok()?))
        });
        // The text may hold a password: it is not repeated.
        let (country, server) = parts.ok_or(
            "a country's proxy is written as its two letters, '=' and an address: FR=http://proxy.example:3128",
        )?;
        Ok(Self {
            country: country.to_ascii_uppercase(),
            server,
        })
    }
}

impl From<CountryProxy> for String {
    fn from(proxy: CountryProxy) -> Self {
        format!("{}={}", proxy.country, proxy.server)
    }
}

impl Default for Engine {
    /// The simulator's name `serp.test`, at most 60 captures a minute, no proxy.
    fn default() -> Self {
        Self {
            base: Url::parse("http://serp.test").expect("a constant address"),
            hosts: vec!["serp.test".to_owned()],
            per_minute: 60,
            proxy: None,
            country_proxies: Vec::new(),
        }
    }
}

impl Default for Engines {
    /// Google and Bing as the simulator serves them, each under its own path of `serp.test`; the simulator's address is absent.
    fn default() -> Self {
        let at = |address: &str| Engine {
            base: Url::parse(address).expect("a constant address"),
            ..Engine::default()
        };
        Self {
            google: at("http://serp.test/google"),
            bing: at("http://serp.test/bing"),
            simulator: None,
        }
    }
}

/// Captured pages and uploaded files.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Blobs {
    /// The folder of the files; absent: one in the data folder.
    pub folder: Option<PathBuf>,
}

/// Limits of the monitoring screens.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Monitoring {
    /// The brand an administrator's list starts with; absent: the validated brand with most views (decision D73).
    pub default_brand_id: Option<i32>,
    /// Rows of a file at most (decision D57).
    pub most_exported_rows: u32,
}

impl Default for Monitoring {
    fn default() -> Self {
        Self {
            default_brand_id: None,
            most_exported_rows: 2_000_000,
        }
    }
}

/// The cases of advertisers.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Actions {
    /// Days an advertiser that agreed has to stop, before it counts as seen again (decision D42).
    pub reappearance_grace_days: u32,
    /// Days without a sighting after which an advertiser counts as gone (decision D54).
    pub disappear_days: u32,
}

impl Default for Actions {
    fn default() -> Self {
        Self {
            reappearance_grace_days: 7,
            disappear_days: 30,
        }
    }
}

/// How long data is kept; 0 keeps it for ever (decision D145).
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Retention {
    /// Days a captured page is kept.
    pub pages_days: u32,
    /// Months an ad result is kept.
    pub ads_months: u32,
    /// Months slots, captures and the entries of the chain of evidence are kept; at least as long as their pages and ads.
    pub ledger_months: u32,
    /// Months an entry of the audit log is kept.
    pub audit_months: u32,
}

impl Default for Retention {
    /// Half a year for pages, 25 months for everything else.
    fn default() -> Self {
        Self {
            pages_days: 180,
            ads_months: 25,
            ledger_months: 25,
            audit_months: 25,
        }
    }
}

/// What stored credentials are encrypted with.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Secrets {
    /// Keys of 32 bytes in hex, separated by commas. The first one encrypts, all of them decrypt: to change the key, put the new one first, run
    /// `vigie migrate`, and take the old one away. Absent: `vigie up` makes one.
    pub keys: Option<Secret>,
}

/// The parts that `vigie up` starts. A port of 0 means a free one.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Embedded {
    /// `libchdb.so`; absent: the one that `make up` keeps in the cache.
    pub clickhouse_library: Option<PathBuf>,
    /// Folder of `initdb` and `postgres`; absent: the newest found.
    pub postgres_programs: Option<PathBuf>,
    /// Port of the private Postgres.
    pub postgres_port: u16,
    /// Port of the private Redis.
    pub redis_port: u16,
    /// Port of the embedded ClickHouse.
    pub clickhouse_port: u16,
    /// Port of the simulated search engine.
    pub simulator_port: u16,
    /// Address on which the mail catcher listens.
    pub mail_address: IpAddr,
    /// Port on which the mail catcher takes mails.
    pub mail_port: u16,
    /// Port of the page that shows the mails caught.
    pub mail_page_port: u16,
    /// Ad results of the demo data loaded at the first start; 0 loads none.
    pub demo_rows: u64,
    /// The unprivileged system user that runs the parts when started as root.
    pub user: String,
    /// The unprivileged system user that runs the browsers when started as root.
    pub browser_user: String,
}

impl Default for Embedded {
    /// Free ports, mails on the loopback interface, installed programs, and some demo data.
    fn default() -> Self {
        Self {
            clickhouse_library: None,
            postgres_programs: None,
            postgres_port: 0,
            redis_port: 0,
            clickhouse_port: 0,
            simulator_port: 0,
            mail_address: IpAddr::from([127, 0, 0, 1]),
            mail_port: 0,
            mail_page_port: 0,
            demo_rows: 100_000,
            user: "vigie".to_owned(),
            browser_user: "vigie-browser".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_exposed_where_it_listens_or_is_published_beyond_this_machine() {
        let api = |listen: &str, public: &str| Api {
            listen: listen.parse().unwrap(),
            public_url: public.parse().unwrap(),
            ..Api::default()
        };
        assert!(!Api::default().is_exposed());
        assert!(!api("[::1]:80", "http://127.0.0.1").is_exposed());
        assert!(api("0.0.0.0:8080", "http://localhost:8080").is_exposed());
        assert!(api("127.0.0.1:8080", "https://vigie.example").is_exposed());
    }
}
