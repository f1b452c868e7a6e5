//! Captures hundreds of pages of the simulated engine, one in ten of them hostile, and says what is left of them.
//!
//!     soak_capture CHROMIUM FOLDER ENGINE_ADDRESS CAPTURES TABS
//!
//! Fails when a page without a fault is not captured, or when a browser, a folder or an open file is left over.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use capture::browsing::{EngineAddress, Limits, Pool, Sandbox, SearchRequest, Settings};
use tokio::task::JoinSet;
use vocabulary::{Device, Engine};

/// Words by which the simulated engine is asked for a fault.
const FAULTS: [&str; 9] = [
    "consent",
    "huge",
    "loop",
    "hang",
    "dialogs",
    "redirects",
    "502",
    "captcha",
    "shell",
];
/// One capture in so many has a fault.
const FAULT_EVERY: usize = 10;
/// Pages that never finish cost this much each.
const DEADLINE: Duration = Duration::from_secs(8);
/// What is open then is a leak.
const CLOSING_LIMIT: Duration = Duration::from_secs(2);

type Failure = Box<dyn std::error::Error>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let [chromium, folder, engine, count, tabs] = given.as_slice() else {
        return Err("soak_capture CHROMIUM FOLDER ENGINE_ADDRESS CAPTURES TABS".into());
    };
    let engine: SocketAddr = engine.parse()?;
    let count: usize = count.parse()?;
    let files_before = open_files()?;
    let pool = Pool::start(Settings {
        chromium: chromium.into(),
        work_folder: folder.into(),
        sandbox: if nix::unistd::geteuid().is_root() {
            Sandbox::Off
        } else {
            Sandbox::On
        },
        tabs: tabs.parse()?,
        limits: Limits {
            deadline: DEADLINE,
            ..Limits::default()
        },
        engines: [Engine::Google, Engine::Bing]
            .map(|name| (name, EngineAddress::simulator(name, engine)))
            .into(),
        proxies: Vec::new(),
    })
    .await?;

    let begun = Instant::now();
    let mut running = JoinSet::new();
    for number in 0..count {
        let (pool, fault) = (pool.clone(), fault_of(number));
        let request = request(number, fault)?;
        running.spawn(async move { (fault, pool.capture(request).await) });
    }
    let mut ends: BTreeMap<String, usize> = BTreeMap::new();
    let mut lost = 0;
    while let Some(ended) = running.join_next().await {
        let (fault, captured) = ended?;
        let end = captured
            .as_ref()
            .map_or_else(|error| error.failure().to_string(), |_| "captured".to_owned());
        lost += usize::from(fault.is_none() && captured.is_err());
        *ends.entry(format!("{} {end}", fault.unwrap_or("fine"))).or_default() += 1;
    }
    let health = pool.health().await;
    pool.shutdown().await;

    let folders = Path::new(folder).read_dir()?.count();
    let files = files_left(files_before).await?;
    let mut out = std::io::stdout();
    for (end, count) in &ends {
        writeln!(out, "{count:>5} {end}")?;
    }
    let (seconds, started) = (begun.elapsed().as_secs(), health.browsers_started);
    writeln!(
        out,
        "soak: captures {count}, lost {lost}, browsers {started}, seconds {seconds}, folders left {folders}, files left {files}"
    )?;
    if lost == 0 && folders == 0 && files == 0 {
        Ok(())
    } else {
        Err("the soak has left something".into())
    }
}

fn fault_of(number: usize) -> Option<&'static str> {
    let (turn, rest) = (number / FAULT_EVERY, number % FAULT_EVERY);
    (rest == FAULT_EVERY - 1).then(|| FAULTS[turn % FAULTS.len()])
}

fn request(number: usize, fault: Option<&str>) -> Result<SearchRequest, Failure> {
    let devices = [Device::Desktop, Device::Mobile, Device::Tablet];
    let locales = ["fr_FR", "en_GB", "de_DE"];
    Ok(SearchRequest {
        engine: if number.is_multiple_of(2) {
            Engine::Google
        } else {
            Engine::Bing
        },
        device: devices[number % devices.len()],
        term: fault.map_or_else(
            || format!("term {number}"),
            |fault| format!("term {number} fault-{fault}"),
        ),
        locale: locales[number / devices.len() % locales.len()].parse()?,
        place: None,
        screenshot: number.is_multiple_of(FAULT_EVERY),
        resources: number.is_multiple_of(2),
        deadline: None,
    })
}

/// Pipes are closed a moment after the browser they led to.
async fn files_left(before: usize) -> std::io::Result<usize> {
    let latest = Instant::now() + CLOSING_LIMIT;
    loop {
        let left = open_files()?.saturating_sub(before);
        if left == 0 || Instant::now() > latest {
            return Ok(left);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn open_files() -> std::io::Result<usize> {
    // One more is open while it is counted, each time.
    Ok(std::fs::read_dir("/proc/self/fd")?.count())
}
