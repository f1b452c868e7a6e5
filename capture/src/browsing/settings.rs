//! Settings of a pool.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use url::Url;
use vocabulary::Engine;

/// The host name under which the simulated search engine is searched.
const SIMULATOR_HOST: &str = "serp.test";

/// Settings of a pool.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The Chromium or Chrome to run. `chromium-headless-shell`, which has no windows, needs less than half the processor time of
    /// `chromium`.
    pub chromium: PathBuf,
    /// The socket of the [`super::BrowserHost`] that runs the browsers under a separate user; `None` runs them under this process's user.
    pub host: Option<PathBuf>,
    /// Parent of the pool's folder; created when missing. What dead pools left there is removed at start.
    pub work_folder: PathBuf,
    /// Whether Chromium runs its sandbox.
    pub sandbox: Sandbox,
    /// Pages loaded at once; at least 1.
    pub tabs: usize,
    /// The limits of each capture and of a browser's life.
    pub limits: Limits,
    /// The engines that can be searched.
    pub engines: BTreeMap<Engine, EngineAddress>,
    /// Proxies; the first that fits a search is used, else the machine's own address.
    pub proxies: Vec<Proxy>,
}

/// Whether Chromium runs its sandbox. Off is for machines that refuse user namespaces; it is never chosen silently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sandbox {
    /// Captured pages are confined to Chromium's sandbox.
    On,
    /// Captured pages run with the rights of the worker.
    Off,
}

/// The limits of each capture and of a browser's life.
#[derive(Clone, Debug)]
pub struct Limits {
    /// From the start of the load to the result, unless the request sets its own.
    pub deadline: Duration,
    /// Most decoded bytes of a page with all it loads, and of its serialised document.
    pub page_bytes: u64,
    /// Most redirects of the document, over HTTP and by scripts together.
    pub redirects: u32,
    /// A page is read once nothing that could change it has been in flight for this long after its load.
    pub settle: Duration,
    /// A browser is replaced after this many pages.
    pub recycle_after_pages: u32,
    /// A browser is replaced when the private memory of its processes is over this.
    pub recycle_memory_bytes: u64,
}

impl Default for Limits {
    /// Limits that fit the result pages of real engines.
    fn default() -> Self {
        Self {
            deadline: Duration::from_secs(45),
            page_bytes: 15_000_000,
            redirects: 20,
            settle: Duration::from_millis(200),
            recycle_after_pages: 150,
            recycle_memory_bytes: 1_000_000_000,
        }
    }
}

/// Where an engine is searched and which hosts its pages may reach. Other hosts do not exist for its pages.
#[derive(Clone, Debug)]
pub struct EngineAddress {
    /// Searches go to `{base}/search?…`; a query in it is kept.
    pub base: Url,
    /// The hosts a page may load from.
    pub hosts: Vec<HostPattern>,
    /// Address of all these hosts; `None` asks the resolver.
    pub resolve: Option<SocketAddr>,
}

impl EngineAddress {
    /// Returns the engine's public address and the hosts its pages load from, resolved by the system.
    ///
    /// # Panics
    /// Never: the addresses are constants.
    pub fn real(engine: Engine) -> Self {
        let (base, hosts): (&str, &[&str]) = match engine {
            Engine::Google => (
                "https://www.google.com",
                &[
                    "google.com",
                    "*.google.com",
                    "*.gstatic.com",
                    "*.googleusercontent.com",
                    "*.ggpht.com",
                ],
            ),
            Engine::Bing => (
                "https://www.bing.com",
                &["bing.com", "*.bing.com", "*.bing.net", "*.microsoft.com", "*.live.com"],
            ),
        };
        Self {
            base: Url::parse(base).expect("a constant address"),
            hosts: hosts.iter().map(|host| HostPattern::new(*host)).collect(),
            resolve: None,
        }
    }

    /// Returns the address of an engine of the simulator that listens at `address`, under the path `/{engine}`; its host name exists only for the
    /// browser.
    ///
    /// # Panics
    /// Never: the address is a constant.
    pub fn simulator(engine: Engine, address: SocketAddr) -> Self {
        Self {
            base: Url::parse(&format!("http://{SIMULATOR_HOST}/{engine}")).expect("a constant address"),
            hosts: vec![HostPattern::new(SIMULATOR_HOST)],
            resolve: Some(address),
        }
    }
}

/// A host name, or `*.name` for all its subdomains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPattern(String);

impl HostPattern {
    /// From `www.google.com` or `*.google.com`.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self(pattern.into().to_ascii_lowercase())
    }

    /// The pattern as Chromium's flags take it.
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether `host`, in lower case, is the name or, for `*.name`, one of its subdomains; `*.name` does not match `name` itself.
    pub fn matches(&self, host: &str) -> bool {
        match self.0.strip_prefix("*.") {
            Some(parent) => host
                .strip_suffix(parent)
                .is_some_and(|rest| rest.len() > 1 && rest.ends_with('.')),
            None => self.0 == host,
        }
    }
}

/// A proxy for the searches of an engine or country.
#[derive(Clone, Debug)]
pub struct Proxy {
    /// `http://`, `https://` or `socks5://`, with user and password where the proxy needs them.
    pub server: Url,
    /// Only for searches on this engine; `None` for all.
    pub engine: Option<Engine>,
    /// Only for searches from this country (`FR`); `None` for all.
    pub country: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_means_the_hosts_below_it_and_no_others() {
        let pattern = HostPattern::new("*.Engine.example");
        assert!(pattern.matches("www.engine.example"));
        assert!(pattern.matches("a.b.engine.example"));
        for other in [
            "engine.example",
            ".engine.example",
            "notengine.example",
            "engine.example.evil.example",
        ] {
            assert!(!pattern.matches(other), "{other}");
        }
    }
}
