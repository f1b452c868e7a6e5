//! By which way pages reach the network, and what of it they can reach.

use url::Url;

use super::profile::Profile;
use super::settings::Settings;

/// A way to the network: the machine's own (`None`) or the proxy of that index in the settings. Each has a browser of its own.
pub(super) type Egress = Option<usize>;

/// The way a search takes.
pub(super) fn egress(settings: &Settings, profile: &Profile) -> Egress {
    settings.proxies.iter().position(|proxy| {
        proxy.engine.is_none_or(|engine| engine == profile.engine)
            && proxy
                .country
                .as_deref()
                .is_none_or(|country| country.eq_ignore_ascii_case(profile.locale.country()))
    })
}

/// Chromium's resolver rules: the hosts of the engines and nothing else exist. They hold for addresses in numbers and for
/// redirects too.
pub(super) fn resolver_rules(settings: &Settings, egress: Egress) -> String {
    let mut rules = Vec::new();
    if let Some(proxy) = egress.and_then(|index| settings.proxies.get(index)) {
        // What goes through the proxy is resolved there: only the proxy itself is to be found from here.
        rules.extend(proxy.server.host_str().map(|host| format!("EXCLUDE {host}")));
    } else {
        for engine in settings.engines.values() {
            for host in &engine.hosts {
                rules.push(match engine.resolve {
                    Some(address) => format!("MAP {} {address}", host.as_str()),
                    None => format!("EXCLUDE {}", host.as_str()),
                });
            }
        }
        rules.dedup();
    }
    rules.push("MAP * ~NOTFOUND".to_owned());
    rules.join(", ")
}

/// The proxy's address without user and password, as Chromium's flag takes it.
pub(super) fn proxy_server(server: &Url) -> String {
    let port = server.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{}{port}", server.scheme(), server.host_str().unwrap_or_default())
}
