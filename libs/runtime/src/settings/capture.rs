//! The capturing browser and the search engines.

use std::net::SocketAddr;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use url::Url;

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

impl Engine {
    /// Names the route of searches without a proxy.
    pub const DIRECT: &str = "direct";

    /// Names the route of searches from a country: the host and port of its own proxy, else of the engine's, else [`Self::DIRECT`]. Only searches that
    /// take the same route share its pace and its rest after refusals.
    pub fn route(&self, country: Option<&str>) -> String {
        let is_of_country = |proxy: &&CountryProxy| country.is_some_and(|of| proxy.country.eq_ignore_ascii_case(of));
        let own = self.country_proxies.iter().find(is_of_country);
        let proxy = own.map(|proxy| &proxy.server).or(self.proxy.as_ref());
        proxy.and_then(host_and_port).unwrap_or_else(|| Self::DIRECT.to_owned())
    }

    /// The names of all routes that searches may take, the direct one last.
    pub fn routes(&self) -> Vec<String> {
        let of_countries = self.country_proxies.iter().map(|proxy| &proxy.server);
        let proxies = self.proxy.iter().chain(of_countries).filter_map(host_and_port);
        proxies.chain([Self::DIRECT.to_owned()]).collect()
    }
}

/// The host and port of an address; `None` when it lacks one of them.
fn host_and_port(address: &Url) -> Option<String> {
    Some(format!("{}:{}", address.host_str()?, address.port_or_known_default()?))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_of_a_country_take_its_proxy_or_else_that_of_the_engine() {
        let mut engine = Engine::default();
        assert_eq!(engine.route(Some("FR")), Engine::DIRECT);
        engine.proxy = Some("http://user:secret@any.example:1".parse().unwrap());
        engine.country_proxies = vec![CountryProxy::try_from("FR=https://french.example".to_owned()).unwrap()];
        assert_eq!(engine.route(Some("fr")), "french.example:443");
        assert_eq!(engine.route(Some("BE")), "any.example:1");
        assert_eq!(engine.route(None), "any.example:1");
        assert_eq!(engine.routes(), ["any.example:1", "french.example:443", Engine::DIRECT]);
    }
}
