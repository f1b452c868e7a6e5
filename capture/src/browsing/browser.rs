//! One running browser with its tabs.

use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use headless_chrome::protocol::cdp::Browser::GetVersion;
use headless_chrome::protocol::cdp::SystemInfo::GetProcessInfo;
use serde::Deserialize;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::unix::pipe;
use tokio::time::timeout;

use super::egress::Reach;
use super::failure::StartError;
use super::flags::flags;
use super::gate::Gate;
use super::launcher::Launcher;
use super::process::Started;
use super::settings::{Sandbox, Settings};
use super::tab::{Tab, TabSettings};
use super::targets::{OwnTargets, close_popups, discover_pages};
use super::wire::{Wire, WireError};

/// A browser that has not answered by then counts as dead.
const START_LIMIT: Duration = Duration::from_secs(30);
/// Last lines of its error output kept to explain a failed start.
const ERROR_LINES: usize = 20;
/// Documents arrive as JSON, where a character can take six bytes; pictures arrive as base64.
const MESSAGE_BYTES_A_PAGE_BYTE: usize = 6;

/// A running browser. It ends when its last user drops it.
pub(super) struct Browser {
    pub wire: Arc<Wire>,
    /// As in `Chrome/156.0.8078.79`.
    pub version: String,
    pid: u32,
    launcher: Launcher,
    targets: OwnTargets,
    idle: Mutex<Vec<Tab>>,
    page_bytes: u64,
    most_idle: usize,
    pages: AtomicU32,
    retired: AtomicBool,
}

impl Browser {
    /// Starts a browser and waits until it answers, at most [`START_LIMIT`]; it is killed when the start fails or is cancelled. The error
    /// holds the last [`ERROR_LINES`] lines of the browser's error output.
    pub async fn start(
        settings: &Arc<Settings>,
        launcher: &Launcher,
        reach: Reach<'_>,
    ) -> Result<Arc<Self>, StartError> {
        let program = settings.chromium.clone();
        let Started {
            pid,
            input,
            output,
            errors,
        } = launcher
            .launch(flags(settings, reach))
            .await
            .map_err(StartError::Launch)?;
        let guard = EndOnDrop {
            launcher,
            pid,
            armed: true,
        };
        let (input, output, errors) = pipes(input, output, errors).map_err(StartError::Launch)?;
        let errors = tokio::spawn(read_errors(errors));
        let longest = usize::try_from(settings.limits.page_bytes).unwrap_or(usize::MAX);
        let wire = Wire::open(input, output, longest.saturating_mul(MESSAGE_BYTES_A_PAGE_BYTE));
        let version = timeout(START_LIMIT, wire.call(None, GetVersion(None))).await;
        let Ok(Ok(version)) = version else {
            drop(guard);
            let output = timeout(START_LIMIT, errors)
                .await
                .ok()
                .and_then(Result::ok)
                .unwrap_or_default();
            return Err(start_failure(settings, output));
        };
        let targets = OwnTargets::default();
        tokio::spawn(close_popups(Arc::clone(&wire), wire.listen(None), targets.clone()));
        if let Err(error) = wire.call(None, discover_pages()).await {
            return Err(StartError::Silent {
                program,
                output: error.to_string(),
            });
        }
        guard.disarm();
        tracing::info!(pid, version = version.product, "a browser has started");
        Ok(Arc::new(Self {
            wire,
            version: version.product.replace("Headless", ""),
            pid,
            launcher: launcher.clone(),
            targets,
            idle: Mutex::default(),
            page_bytes: settings.limits.page_bytes,
            most_idle: settings.tabs.saturating_sub(1),
            pages: AtomicU32::new(0),
            retired: AtomicBool::new(false),
        }))
    }

    /// Hands out an idle tab that uses exactly this gate (`None`: a direct connection), or opens a new one; idle tabs of other gates are closed first
    /// where there are more than the limit of tabs allows. If one cannot be closed, this fails and opens none.
    pub async fn tab(&self, gate: Option<&Arc<Gate>>) -> Result<Tab, WireError> {
        let (fitting, surplus) = self.pick(gate);
        for tab in surplus {
            tab.close().await?;
        }
        if let Some(tab) = fitting {
            return Ok(tab);
        }
        let settings = TabSettings {
            page_bytes: self.page_bytes,
            gate: gate.cloned(),
        };
        Tab::open(&self.wire, &self.targets, settings).await
    }

    /// Takes the first idle tab with exactly this gate. Without one, takes out the oldest idle tabs above `most_idle` instead, which must be closed
    /// before a new one may open.
    fn pick(&self, gate: Option<&Arc<Gate>>) -> (Option<Tab>, Vec<Tab>) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |tab: &Tab| tab.gate().map(Arc::as_ptr) == gate.map(Arc::as_ptr);
        if let Some(index) = idle.iter().position(fits) {
            return (Some(idle.remove(index)), Vec::new());
        }
        let surplus = idle.len().saturating_sub(self.most_idle);
        (None, idle.drain(..surplus).collect())
    }

    /// Gives a used tab a new page for the next job and adds it to the idle tabs. Cookies and storage are cleared only when that job begins.
    pub async fn take_back(&self, tab: Tab) -> Result<(), WireError> {
        let tab = tab.renew(&self.targets).await?;
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(tab);
        Ok(())
    }

    /// Counts a page; returns how many there have been.
    pub fn count_page(&self) -> u32 {
        self.pages.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Pages loaded so far.
    pub fn pages(&self) -> u32 {
        self.pages.load(Ordering::Relaxed)
    }

    /// Marks the browser so that the pool gives it no further jobs; running jobs continue.
    pub fn retire(&self) {
        self.retired.store(true, Ordering::Relaxed);
    }

    /// Whether a further job may use it.
    pub fn is_usable(&self) -> bool {
        !self.retired.load(Ordering::Relaxed) && !self.wire.is_gone()
    }

    /// Retires the browser and kills it at once, with all its tabs; their running calls fail.
    pub fn kill(&self) {
        self.retire();
        self.launcher.end(self.pid);
    }

    /// The process id of its main process.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Sums the private anonymous memory (`RssAnon`) of all the browser's processes, in bytes. A process that this one may not see counts as 0.
    pub async fn memory_bytes(&self) -> Result<u64, WireError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Processes {
            process_info: Vec<Process>,
        }
        #[derive(Deserialize)]
        struct Process {
            id: u32,
        }
        let Processes { process_info } = self.wire.call_for(None, GetProcessInfo(None)).await?;
        Ok(process_info.iter().map(|process| private_memory(process.id)).sum())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.launcher.end(self.pid);
    }
}

/// Ends a browser on drop unless [`EndOnDrop::disarm`] was called: its start failed or was cancelled.
struct EndOnDrop<'a> {
    launcher: &'a Launcher,
    pid: u32,
    armed: bool,
}

impl EndOnDrop<'_> {
    /// Lets the browser live: its start has succeeded.
    fn disarm(mut self) {
        self.armed = false;
    }
}

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        if self.armed {
            self.launcher.end(self.pid);
        }
    }
}

/// Turns a browser's descriptors into asynchronous pipes, in the same order; needs a tokio runtime.
fn pipes(
    input: OwnedFd,
    output: OwnedFd,
    errors: OwnedFd,
) -> std::io::Result<(pipe::Sender, pipe::Receiver, pipe::Receiver)> {
    Ok((
        pipe::Sender::from_owned_fd(input)?,
        pipe::Receiver::from_owned_fd(output)?,
        pipe::Receiver::from_owned_fd(errors)?,
    ))
}

/// Reads a browser's error output until it ends; returns the last [`ERROR_LINES`] lines, oldest first.
async fn read_errors(errors: pipe::Receiver) -> VecDeque<String> {
    let mut lines = BufReader::new(errors).lines();
    let mut last_lines = VecDeque::with_capacity(ERROR_LINES);
    while let Ok(Some(line)) = lines.next_line().await {
        tracing::trace!(line, "the browser says");
        if last_lines.len() == ERROR_LINES {
            last_lines.pop_front();
        }
        last_lines.push_back(line);
    }
    last_lines
}

/// Derives from a browser's error output why it did not start: a refused sandbox, a missing program, else [`StartError::Silent`] with the output.
fn start_failure(settings: &Settings, output: VecDeque<String>) -> StartError {
    let output = Vec::from(output).join(" | ");
    let sandboxed = settings.sandbox == Sandbox::On;
    if sandboxed && (output.contains("No usable sandbox") || output.contains("namespace")) {
        return StartError::SandboxRefused;
    }
    // What the shell prints when it cannot run the program.
    if let Some(reason) = output.strip_prefix("browser: 1: exec: ") {
        return StartError::NoChromium(reason.to_owned());
    }
    StartError::Silent {
        program: settings.chromium.clone(),
        output,
    }
}

/// Reads a process's private memory (`RssAnon`) from `/proc`, in bytes; 0 once it is gone.
fn private_memory(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let kilobytes = |line: &str| {
        line.split_ascii_whitespace()
            .nth(1)
            .and_then(|number| number.parse::<u64>().ok())
    };
    status
        .lines()
        .filter(|line| line.starts_with("RssAnon:"))
        .filter_map(kilobytes)
        .sum::<u64>()
        * 1_024
}
