//! Where the parts of one run listen.

use std::net::SocketAddr;

use runtime::Settings;
use runtime::settings::{Api, Engine, Engines};
use url::Url;

use super::ports::{PortTakenError, Ports};

/// Host name of the simulated engines.
const SIMULATED: &str = "serp.test";

/// Where the parts of one run listen. `None` for a part that does not run here: the settings name a store or mail server, or want no simulator.
#[derive(Debug)]
pub struct Addresses {
    /// The private Postgres.
    pub postgres: Option<SocketAddr>,
    /// The private Redis.
    pub redis: Option<SocketAddr>,
    /// The embedded ClickHouse.
    pub clickhouse: Option<SocketAddr>,
    /// The search simulator.
    pub simulator: Option<SocketAddr>,
    /// The simulated Google.
    pub google: Option<SocketAddr>,
    /// The mail catcher.
    pub catcher: Option<Catcher>,
    /// The API with the web client.
    pub api: SocketAddr,
    /// Health and metrics of the API.
    pub api_operations: SocketAddr,
    /// Health and metrics of the workers.
    pub workers_operations: SocketAddr,
}

/// Addresses of the mail catcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Catcher {
    /// The address for mails (SMTP).
    pub mail: SocketAddr,
    /// The address of the page that shows them.
    pub page: SocketAddr,
}

impl Addresses {
    /// Chooses the addresses of all parts that run here, all different; the port 0 becomes a free one. Parts that the settings make unnecessary get
    /// none. Fails when an address that is set cannot be listened on. They are free when this returns, but no longer reserved.
    pub fn choose(settings: &Settings) -> Result<Self, PortTakenError> {
        let Settings {
            postgres,
            redis,
            clickhouse,
            engines,
            api,
            workers,
            smtp,
            google,
            embedded,
            ..
        } = settings;
        let mut ports = Ports::default();
        let listen = ports.allocate("API", api.listen, "VIGIE__API__LISTEN")?;
        let api_operations = ports.allocate(
            "API's operations",
            api.operations_listen,
            "VIGIE__API__OPERATIONS_LISTEN",
        )?;
        let workers_operations = ports.allocate(
            "workers' operations",
            workers.operations_listen,
            "VIGIE__WORKERS__OPERATIONS_LISTEN",
        )?;
        let mut private =
            |wanted: bool, part, port, setting| wanted.then(|| ports.on_loopback(part, port, setting)).transpose();
        let mail = private(
            smtp.host.is_none(),
            "mail catcher",
            embedded.mail_port,
            "VIGIE__EMBEDDED__MAIL_PORT",
        )?;
        let page = private(
            smtp.host.is_none(),
            "mail catcher's page",
            embedded.mail_page_port,
            "VIGIE__EMBEDDED__MAIL_PAGE_PORT",
        )?;
        Ok(Self {
            postgres: private(
                postgres.url.is_none(),
                "private PostgreSQL",
                embedded.postgres_port,
                "VIGIE__EMBEDDED__POSTGRES_PORT",
            )?,
            redis: private(
                redis.url.is_none(),
                "private Redis",
                embedded.redis_port,
                "VIGIE__EMBEDDED__REDIS_PORT",
            )?,
            clickhouse: private(
                clickhouse.url.is_none(),
                "embedded ClickHouse",
                embedded.clickhouse_port,
                "VIGIE__EMBEDDED__CLICKHOUSE_PORT",
            )?,
            simulator: private(
                wants_simulator(engines),
                "search simulator",
                embedded.simulator_port,
                "VIGIE__EMBEDDED__SIMULATOR_PORT",
            )?,
            google: private(
                google.client_id.is_none(),
                "simulated Google",
                embedded.google_port,
                "VIGIE__EMBEDDED__GOOGLE_PORT",
            )?,
            catcher: mail.zip(page).map(|(mail, page)| Catcher { mail, page }),
            api: listen,
            api_operations,
            workers_operations,
        })
    }

    /// Returns the address for users: the public address of `set`, unless it is the default; that one gets the port in use and, with a TLS key,
    /// `https`.
    pub fn public_url(&self, set: &Api) -> Url {
        let mut url = set.public_url.clone();
        if url == Api::default().public_url {
            // Neither fails for an address with a host.
            let _ = url.set_scheme(if set.tls_key.is_some() { "https" } else { "http" });
            let _ = url.set_port(Some(self.api.port()));
        }
        url
    }
}

/// Returns whether both engines are set to the simulator's host and no address of a simulator elsewhere is set.
fn wants_simulator(engines: &Engines) -> bool {
    let simulated = |engine: &Engine| engine.base.host_str() == Some(SIMULATED);
    engines.simulator.is_none() && simulated(&engines.google) && simulated(&engines.bing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_free_ports() -> Settings {
        let mut settings = Settings::default();
        let free = "127.0.0.1:0".parse().unwrap();
        settings.api.listen = free;
        settings.api.operations_listen = free;
        settings.workers.operations_listen = free;
        settings
    }

    #[test]
    fn a_store_that_is_set_gets_no_port_and_no_two_parts_get_the_same() {
        let mut settings = on_free_ports();
        settings.redis.url = Some(runtime::Secret::new("redis://127.0.0.1:1".to_owned()));
        let chosen = Addresses::choose(&settings).unwrap();
        assert_eq!(chosen.redis, None);
        let mut ports: Vec<u16> = [chosen.postgres, chosen.clickhouse, chosen.simulator]
            .into_iter()
            .flatten()
            .chain([chosen.api, chosen.api_operations, chosen.workers_operations])
            .map(|address| address.port())
            .collect();
        ports.sort_unstable();
        ports.dedup();
        assert_eq!(ports.len(), 6);
    }

    #[test]
    fn no_mail_is_caught_where_a_mail_server_is_set() {
        let mut settings = on_free_ports();
        assert!(Addresses::choose(&settings).unwrap().catcher.is_some());
        settings.smtp.host = Some("mail.company.example".to_owned());
        assert_eq!(Addresses::choose(&settings).unwrap().catcher, None);
    }

    #[test]
    fn no_simulator_runs_where_an_engine_is_real() {
        let mut settings = on_free_ports();
        settings.engines.bing.base = "https://www.bing.com".parse().unwrap();
        assert_eq!(Addresses::choose(&settings).unwrap().simulator, None);
    }

    #[test]
    fn users_see_the_port_in_use_unless_an_address_is_set() {
        let mut settings = on_free_ports();
        let chosen = Addresses::choose(&settings).unwrap();
        assert_eq!(chosen.public_url(&settings.api).port(), Some(chosen.api.port()));
        settings.api.public_url = "https://vigie.example/".parse().unwrap();
        assert_eq!(chosen.public_url(&settings.api).as_str(), "https://vigie.example/");
    }
}
