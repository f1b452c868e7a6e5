//! How pages reach the network, and what they can reach.

use std::net::Ipv4Addr;

use vocabulary::Engine;

use super::settings::Settings;

/// A route to the network: the machine's own (`None`) or the proxy with that index in the settings.
pub(super) type Egress = Option<usize>;

/// Chooses the route of a search: the index in `settings.proxies` of the first proxy whose engine and country, where set, match (country codes in any
/// case); `None`, the machine's own address, when no proxy does.
pub(super) fn egress(settings: &Settings, engine: Engine, country: &str) -> Egress {
    settings.proxies.iter().position(|proxy| {
        proxy.engine.is_none_or(|only| only == engine)
            && proxy
                .country
                .as_deref()
                .is_none_or(|only| only.eq_ignore_ascii_case(country))
    })
}

/// What the pages of a browser can reach. Nothing else exists for them.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reach<'a> {
    /// The engines' hosts, at the engine's `resolve` address where it has one.
    Engines,
    /// The relays' address; the proxies resolve what goes through them.
    Relays,
    /// One host, by name or by address.
    Host(&'a str),
}

/// Builds the value of Chromium's `--host-resolver-rules`. The rules cover numeric addresses and redirects too.
pub(super) fn resolver_rules(settings: &Settings, reach: Reach<'_>) -> String {
    let mut rules = Vec::new();
    match reach {
        Reach::Engines => {
            for engine in settings.engines.values() {
                rules.extend(engine.hosts.iter().map(|host| match engine.resolve {
                    Some(address) => format!("MAP {} {address}", host.as_str()),
                    None => format!("EXCLUDE {}", host.as_str()),
                }));
            }
        }
        Reach::Relays => rules.push(format!("EXCLUDE {}", Ipv4Addr::LOCALHOST)),
        Reach::Host(host) => rules.push(format!("EXCLUDE {host}")),
    }
    rules.push("MAP * ~NOTFOUND".to_owned());
    rules.join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::settings::{EngineAddress, Limits, Proxy, Sandbox};
    use super::*;

    fn settings() -> Settings {
        let proxy = |country: Option<&str>, engine| Proxy {
            server: "http://proxy.example:3128".parse().unwrap(),
            engine,
            country: country.map(str::to_owned),
        };
        Settings {
            chromium: "chromium".into(),
            host: None,
            work_folder: "work".into(),
            sandbox: Sandbox::On,
            tabs: 1,
            limits: Limits::default(),
            engines: [
                (
                    Engine::Google,
                    EngineAddress::simulator(Engine::Google, "127.0.0.1:99".parse().unwrap()),
                ),
                (Engine::Bing, EngineAddress::real(Engine::Bing)),
            ]
            .into(),
            proxies: vec![proxy(Some("de"), Some(Engine::Bing)), proxy(Some("FR"), None)],
        }
    }

    #[test]
    fn a_search_takes_the_first_proxy_that_fits_its_engine_and_country() {
        let route = |engine, country| egress(&settings(), engine, country);
        assert_eq!(route(Engine::Bing, "DE"), Some(0));
        assert_eq!(route(Engine::Google, "DE"), None);
        assert_eq!(route(Engine::Google, "FR"), Some(1));
    }

    #[test]
    fn only_what_a_browser_is_for_exists() {
        let direct = resolver_rules(&settings(), Reach::Engines);
        assert!(
            direct.starts_with("MAP serp.test 127.0.0.1:99, EXCLUDE bing.com, "),
            "{direct}"
        );
        assert!(direct.ends_with(", MAP * ~NOTFOUND"), "{direct}");
        assert!(!direct.contains("proxy.example"), "{direct}");
        let proxied = resolver_rules(&settings(), Reach::Relays);
        assert_eq!(proxied, "EXCLUDE 127.0.0.1, MAP * ~NOTFOUND");
        let printing = resolver_rules(&settings(), Reach::Host("vigie.example"));
        assert_eq!(printing, "EXCLUDE vigie.example, MAP * ~NOTFOUND");
    }
}
