//! Captures hundreds of pages of the simulated engine, one in ten of them hostile, and reports what is left over.
//!
//!     soak_capture CHROMIUM FOLDER ENGINE_ADDRESS CAPTURES TABS
//!
//! Fails when a page without a fault is not captured, or when a process, a folder or an open file is left over.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use capture::browsing::{EngineAddress, Limits, Pool, Sandbox, SearchRequest, Settings};
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, JoinSet};
use vocabulary::{Device, Engine};

/// Words in a term that make the simulated engine fail.
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
/// Captures per capture with a fault.
const FAULT_EVERY: usize = 10;
/// What each page that never finishes costs.
const DEADLINE: Duration = Duration::from_secs(8);
/// Time between two samples of the browsers' memory.
const SAMPLE: Duration = Duration::from_millis(500);
const BYTES_A_MB: u64 = 1_000_000;
/// What is still open after this is a leak.
const CLOSING_LIMIT: Duration = Duration::from_secs(2);

type Failure = Box<dyn std::error::Error>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [chromium, folder, engine, count, tabs] = arguments.as_slice() else {
        return Err("soak_capture CHROMIUM FOLDER ENGINE_ADDRESS CAPTURES TABS".into());
    };
    let engine: SocketAddr = engine.parse()?;
    let count: usize = count.parse()?;
    let files_before = open_files()?;
    let pool = Pool::start(Settings {
        chromium: chromium.into(),
        host: None,
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
    let (stop, memory) = sample_memory();
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
    drop(stop);
    let (peak, late_peak) = memory.await?;

    let processes = processes_left().await?;
    // Consent answers outlive the pool, in a file.
    let entries = Path::new(folder).read_dir()?.flatten();
    let folders = entries.filter(|entry| entry.path().is_dir()).count();
    let files = files_left(files_before).await?;
    let mut out = std::io::stdout();
    for (end, count) in &ends {
        writeln!(out, "{count:>5} {end}")?;
    }
    let (seconds, started) = (begun.elapsed().as_secs(), health.browsers_started);
    writeln!(
        out,
        "soak: captures {count}, lost {lost}, browsers {started}, seconds {seconds}, \
         peak memory {} MB (in the last half {} MB), \
         processes left {processes}, folders left {folders}, files left {files}",
        peak / BYTES_A_MB,
        late_peak / BYTES_A_MB,
    )?;
    if lost + folders + files + processes == 0 {
        Ok(())
    } else {
        Err("the soak has left something".into())
    }
}

/// The fault of the capture of this number: the last of each [`FAULT_EVERY`] has one, from [`FAULTS`] in turn; `None` for the others.
fn fault_of(number: usize) -> Option<&'static str> {
    let (turn, rest) = (number / FAULT_EVERY, number % FAULT_EVERY);
    (rest == FAULT_EVERY - 1).then(|| FAULTS[turn % FAULTS.len()])
}

/// The request of a capture. Engine, device, locale, screenshot and resources follow from its number; its term has the word of the fault, if any.
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
        location: None,
        screenshot: number.is_multiple_of(FAULT_EVERY),
        resources: number.is_multiple_of(2),
        deadline: None,
    })
}

/// Samples the private memory of all browsers together until the sender is dropped; the task then returns the maximum, and that of the second half of
/// the samples, in bytes.
fn sample_memory() -> (oneshot::Sender<()>, JoinHandle<(u64, u64)>) {
    let (stop, mut stopped) = oneshot::channel::<()>();
    let sampling = tokio::spawn(async move {
        let mut samples = Vec::new();
        while tokio::time::timeout(SAMPLE, &mut stopped).await.is_err() {
            samples.push(descendants().iter().map(|pid| private_memory(*pid)).sum());
        }
        let most = |samples: &[u64]| samples.iter().copied().max().unwrap_or_default();
        (most(&samples), most(&samples[samples.len() / 2..]))
    });
    (stop, sampling)
}

/// The process ids of the descendants of this process that have not ended.
fn descendants() -> Vec<u32> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let (Some((pid, _)), Some((_, rest))) = (stat.split_once(' '), stat.rsplit_once(") ")) else {
            continue;
        };
        let mut fields = rest.split(' ');
        if let (Ok(pid), Some(state), Some(Ok(parent))) = (pid.parse(), fields.next(), fields.next().map(str::parse))
            && state != "Z"
        {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = vec![std::process::id()];
    let mut next = 0;
    while next < found.len() {
        let further = children.remove(&found[next]).unwrap_or_default();
        found.extend(further);
        next += 1;
    }
    found.split_off(1)
}

/// The private memory of a process in bytes; 0 when it is gone.
fn private_memory(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kilobytes = line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok());
    kilobytes.unwrap_or_default() * 1_024
}

/// How many descendants are left; killed processes are gone a moment later.
async fn processes_left() -> std::io::Result<usize> {
    until_none(|| Ok(descendants().len())).await
}

/// How many more files are open than `before`; pipes are closed a moment after the browser they led to.
async fn files_left(before: usize) -> std::io::Result<usize> {
    until_none(|| Ok(open_files()?.saturating_sub(before))).await
}

/// Calls `count` every 20 ms until it returns 0 or [`CLOSING_LIMIT`] is over. Returns the last count: more than 0 means that something is left over.
async fn until_none(count: impl Fn() -> std::io::Result<usize>) -> std::io::Result<usize> {
    let latest = Instant::now() + CLOSING_LIMIT;
    loop {
        let left = count()?;
        if left == 0 || Instant::now() > latest {
            return Ok(left);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn open_files() -> std::io::Result<usize> {
    // Counting opens one more, each time.
    Ok(std::fs::read_dir("/proc/self/fd")?.count())
}
