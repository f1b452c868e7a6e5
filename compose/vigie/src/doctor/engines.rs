//! The engines: whether each answers with a result page, by each of its routes.

use std::collections::BTreeSet;

use capture::browsing::Settings as Browsers;
use runtime::Settings;
use vocabulary::{Device, Engine};

use super::Finding;
use crate::browsing;
use crate::probe::{Grade, Probe, locale, name_of};

/// Words that every engine finds something for.
const WORDS: &str = "weather";
/// Where a route is of no country.
const COUNTRY: &str = "FR";

/// Searches once by each route of each engine, one after the other, as a desktop; the deadline of captures bounds each.
pub async fn all(settings: &Settings) -> Vec<Finding> {
    let pool = match browsing::pool(settings, 1) {
        Ok(pool) => pool,
        Err(error) => return vec![Finding::bad("Chromium", error.to_string(), "make install")],
    };
    let mut findings = Vec::new();
    for engine in [Engine::Google, Engine::Bing] {
        for country in countries(&pool, engine) {
            let mut own = pool.clone();
            own.work_folder = std::env::temp_dir().join(format!("vigie-doctor-{}", std::process::id()));
            findings.push(one(engine, &country, own).await);
        }
    }
    findings
}

/// A country for each route: those that proxies are for, and another one for the route of all others.
fn countries(pool: &Browsers, engine: Engine) -> Vec<String> {
    let own = pool.proxies.iter().filter(|proxy| proxy.engine == Some(engine));
    let mut countries: BTreeSet<String> = own.filter_map(|proxy| proxy.country.clone()).collect();
    let others = if countries.contains(COUNTRY) { "US" } else { COUNTRY };
    countries.insert(others.to_owned());
    countries.into_iter().collect()
}

async fn one(engine: Engine, country: &str, pool: Browsers) -> Finding {
    let part = name_of(engine);
    let folder = pool.work_folder.clone();
    let Ok(locale) = locale(country, None) else {
        return Finding::bad(part, format!("'{country}' is no country"), "correct the proxies");
    };
    let probe = Probe {
        term: WORDS.to_owned(),
        engine,
        device: Device::Desktop,
        locale,
    };
    let finding = match probe.search(pool, false).await {
        Ok(probed) => {
            let found = format!("{country}, {}: {}", probed.route, probed.sentence());
            let cure = probed.cure().unwrap_or_default();
            match probed.grade() {
                Grade::Good => Finding::good(part, found),
                Grade::Doubtful => Finding::doubtful(part, found, cure),
                Grade::Bad => Finding::bad(part, found, cure),
            }
        }
        Err(error) => Finding::bad(part, error.to_string(), "run `vigie doctor` without --engines first"),
    };
    let _already_gone = std::fs::remove_dir_all(folder);
    finding
}
