//! Settings of the capturing browser, from those of the process.

use std::path::PathBuf;
use std::time::Duration;

use capture::browsing::{self, EngineAddress, HostPattern, HostSettings, Limits, Proxy, Sandbox};
use runtime::Settings;
use runtime::settings;
use thiserror::Error;
use url::Url;
use vocabulary::Engine;

use crate::programs;

/// No browser is installed to capture with.
#[derive(Debug, Error)]
#[error(
    "no Chromium or Chrome was found. Install one (Debian: apt-get install chromium; Ubuntu: Google Chrome's .deb), or name it with VIGIE__CAPTURE__CHROMIUM"
)]
pub struct NoChromiumError;

/// Builds the settings of a browser pool with `tabs` tabs from those of the process. Both engines are the simulator's where one is set. Fails when no
/// browser is set or installed.
pub fn pool(settings: &Settings, tabs: usize) -> Result<browsing::Settings, NoChromiumError> {
    let capture = &settings.capture;
    let engines = [
        (Engine::Google, &settings.engines.google),
        (Engine::Bing, &settings.engines.bing),
    ];
    Ok(browsing::Settings {
        chromium: chromium(settings)?,
        host: capture.host.clone(),
        work_folder: work_folder(settings),
        sandbox: if capture.sandbox.is_on() {
            Sandbox::On
        } else {
            Sandbox::Off
        },
        tabs,
        limits: Limits {
            deadline: Duration::from_secs(capture.deadline_seconds),
            page_bytes: u64::try_from(capture.max_page_bytes).unwrap_or(u64::MAX),
            ..Limits::default()
        },
        engines: engines
            .into_iter()
            .map(|(engine, set)| (engine, engine_address(engine, set, settings)))
            .collect(),
        proxies: engines
            .into_iter()
            .flat_map(|(engine, set)| engine_proxies(engine, set))
            .collect(),
    })
}

/// Builds the settings of a browser host; `None` where no socket is set (VIGIE__CAPTURE__HOST). Fails when no browser is set or installed.
pub fn host(settings: &Settings) -> Result<Option<HostSettings>, NoChromiumError> {
    let Some(socket) = settings.capture.host.clone() else {
        return Ok(None);
    };
    Ok(Some(HostSettings {
        chromium: chromium(settings)?,
        work_folder: work_folder(settings),
        socket,
    }))
}

/// Returns the configured browser, else one that is installed; a configured path is not checked.
fn chromium(settings: &Settings) -> Result<PathBuf, NoChromiumError> {
    let set = settings.capture.chromium.clone();
    set.or_else(programs::chrome).ok_or(NoChromiumError)
}

/// Returns the configured work folder, else `capture` in the data folder.
fn work_folder(settings: &Settings) -> PathBuf {
    let set = settings.capture.work_folder.clone();
    set.unwrap_or_else(|| settings.data.join("capture"))
}

/// Returns the address of an engine: the simulator's where one is set, else the configured one, with the subdomains of its hosts.
fn engine_address(engine: Engine, set: &settings::Engine, settings: &Settings) -> EngineAddress {
    if let Some(simulator) = settings.engines.simulator {
        return EngineAddress::simulator(engine, simulator);
    }
    let with_subdomains = |host: &String| [HostPattern::new(host), HostPattern::new(format!("*.{host}"))];
    EngineAddress {
        base: set.base.clone(),
        hosts: set.hosts.iter().flat_map(with_subdomains).collect(),
        resolve: None,
    }
}

/// Lists the proxies of an engine, those of single countries first: the first that fits a search is used.
fn engine_proxies(engine: Engine, set: &settings::Engine) -> Vec<Proxy> {
    let one = |server: &Url, country: Option<&String>| Proxy {
        server: server.clone(),
        engine: Some(engine),
        country: country.cloned(),
    };
    let of_countries = set
        .country_proxies
        .iter()
        .map(|proxy| one(&proxy.server, Some(&proxy.country)));
    of_countries
        .chain(set.proxy.iter().map(|server| one(server, None)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_a_simulator_no_engine_is_searched_elsewhere() {
        let mut settings = Settings::default();
        settings.capture.chromium = Some("/usr/bin/chromium".into());
        settings.engines.google.base = "https://www.google.com".parse().unwrap();
        settings.engines.simulator = Some("127.0.0.1:4000".parse().unwrap());
        let pool = pool(&settings, 1).unwrap();
        assert!(
            pool.engines
                .values()
                .all(|engine| engine.base.host_str() == Some("serp.test"))
        );
    }

    #[test]
    fn the_proxies_of_countries_go_before_the_engines_own() {
        let mut settings = Settings::default();
        settings.capture.chromium = Some("/usr/bin/chromium".into());
        settings.engines.bing.proxy = Some("http://any.example:1".parse().unwrap());
        settings.engines.bing.country_proxies =
            vec![settings::CountryProxy::try_from("FR=http://french.example:2".to_owned()).unwrap()];
        let proxies = pool(&settings, 1).unwrap().proxies;
        let found: Vec<_> = proxies
            .iter()
            .map(|proxy| (proxy.engine, proxy.country.as_deref()))
            .collect();
        assert_eq!(found, [(Some(Engine::Bing), Some("FR")), (Some(Engine::Bing), None)]);
    }

    #[test]
    fn a_host_of_an_engine_includes_its_subdomains() {
        let mut settings = Settings::default();
        settings.capture.chromium = Some("/usr/bin/chromium".into());
        settings.engines.google.hosts = vec!["google.com".to_owned()];
        let pool = pool(&settings, 1).unwrap();
        let hosts = &pool.engines[&Engine::Google].hosts;
        for (host, meant) in [("google.com", true), ("www.google.com", true), ("notgoogle.com", false)] {
            assert_eq!(hosts.iter().any(|pattern| pattern.matches(host)), meant, "{host}");
        }
    }
}
