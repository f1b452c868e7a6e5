//! One contestant of the capture benchmark (`capture/bench/compare.mjs`): captures pages of the simulated engine in a pool.
//!
//! Prints `ready` once it is warm. For each line it reads it captures the pages and prints `done SECONDS BYTES`, the bytes of their documents. Ends
//! when its input does, or with an error when a capture fails.

use std::io::{BufRead, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use capture::browsing::{EngineAddress, Limits, Pool, Sandbox, SearchRequest, Settings};
use tokio::task::JoinSet;
use vocabulary::{Device, Engine};

/// Pages captured before the clock starts.
const WARM_UP: usize = 6;

struct Arguments {
    chromium: PathBuf,
    folder: PathBuf,
    engine: SocketAddr,
    pages: usize,
    tabs: usize,
    screenshot: bool,
}

/// Parses the command line that `main` describes; `None` unless it has exactly these arguments. Any last one but `screenshot` means no screenshots.
fn arguments() -> Option<Arguments> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [chromium, folder, engine, pages, tabs, screenshot] = arguments.as_slice() else {
        return None;
    };
    Some(Arguments {
        chromium: chromium.into(),
        folder: folder.into(),
        engine: engine.parse().ok()?,
        pages: pages.parse().ok()?,
        tabs: tabs.parse().ok()?,
        screenshot: screenshot == "screenshot",
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = arguments().ok_or("bench_capture CHROMIUM FOLDER ENGINE_ADDRESS PAGES TABS screenshot|html")?;
    let pool = Pool::start(Settings {
        chromium: arguments.chromium.clone(),
        host: None,
        work_folder: arguments.folder.clone(),
        sandbox: Sandbox::Off,
        tabs: arguments.tabs,
        // The other contestant waits for the load event only and keeps its browser.
        limits: Limits {
            settle: Duration::ZERO,
            recycle_after_pages: u32::MAX,
            ..Limits::default()
        },
        engines: [Engine::Google, Engine::Bing]
            .map(|engine| (engine, EngineAddress::simulator(engine, arguments.engine)))
            .into(),
        proxies: Vec::new(),
    })
    .await?;
    capture(&pool, "warm", WARM_UP, &arguments).await?;
    let mut out = std::io::stdout();
    writeln!(out, "ready")?;
    out.flush()?;
    for line in std::io::stdin().lock().lines() {
        line?;
        let begun = Instant::now();
        let bytes = capture(&pool, "term", arguments.pages, &arguments).await?;
        writeln!(out, "done {} {}", begun.elapsed().as_secs_f64(), bytes)?;
        out.flush()?;
    }
    pool.shutdown().await;
    Ok(())
}

/// Captures `pages` pages, one per tab at a time, whose terms are `word` and a number; returns the bytes of their documents together. The first
/// capture that fails ends it.
async fn capture(
    pool: &Pool,
    word: &str,
    pages: usize,
    arguments: &Arguments,
) -> Result<usize, Box<dyn std::error::Error>> {
    let mut running = JoinSet::new();
    for number in 0..pages {
        let pool = pool.clone();
        let request = SearchRequest {
            engine: Engine::Google,
            device: Device::Desktop,
            term: format!("{word} {number}"),
            locale: "fr_FR".parse()?,
            location: None,
            screenshot: arguments.screenshot,
            resources: false,
            deadline: None,
        };
        running.spawn(async move { pool.capture(request).await });
    }
    let mut bytes = 0;
    while let Some(captured) = running.join_next().await {
        bytes += captured??.html.len();
    }
    Ok(bytes)
}
