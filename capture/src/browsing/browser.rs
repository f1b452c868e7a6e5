//! One running browser with its tabs.

use std::collections::{HashSet, VecDeque};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use headless_chrome::protocol::cdp::Browser::GetVersion;
use headless_chrome::protocol::cdp::SystemInfo::GetProcessInfo;
use headless_chrome::protocol::cdp::Target::{CloseTarget, CreateTarget, FilterEntry, SetDiscoverTargets};
use serde::Deserialize;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::unix::pipe;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::egress::Egress;
use super::failure::StartError;
use super::flags::flags;
use super::keeper::{Keeper, Started};
use super::profile::Profile;
use super::settings::{Sandbox, Settings};
use super::tab::Tab;
use super::wire::{Event, Wire, WireError};

/// A browser that has not answered by then is taken for dead.
const START_LIMIT: Duration = Duration::from_secs(30);
/// Lines of its complaints that are kept to explain why it did not start.
const COMPLAINTS: usize = 20;
/// A document is sent as JSON, where a character can take six bytes, a picture as base64.
const MESSAGE_BYTES_A_PAGE_BYTE: usize = 6;

/// A running browser. It is ended when the last that uses it lets go.
pub(super) struct Browser {
    pub wire: Arc<Wire>,
    /// As in `Chrome/156.0.8078.79`.
    pub version: String,
    pid: u32,
    keeper: Keeper,
    targets: OwnTargets,
    idle: Mutex<Vec<Tab>>,
    page_bytes: u64,
    pages: AtomicU32,
    retired: AtomicBool,
}

impl Browser {
    /// Starts a browser and waits until it answers.
    pub async fn start(settings: &Arc<Settings>, keeper: &Keeper, egress: Egress) -> Result<Arc<Self>, StartError> {
        let program = settings.chromium.clone();
        let own_settings = Arc::clone(settings);
        let arguments = Box::new(move |folder: &Path| flags(&own_settings, egress, folder));
        let Started {
            pid,
            input,
            output,
            errors,
        } = keeper
            .launch(program.clone(), arguments)
            .await
            .map_err(StartError::Launch)?;
        let guard = EndOnDrop {
            keeper,
            pid,
            armed: true,
        };
        let (input, output, errors) = pipes(input, output, errors).map_err(StartError::Launch)?;
        let complaints = tokio::spawn(read_complaints(errors));
        let longest = usize::try_from(settings.limits.page_bytes).unwrap_or(usize::MAX);
        let wire = Wire::open(input, output, longest.saturating_mul(MESSAGE_BYTES_A_PAGE_BYTE));
        let answered = timeout(START_LIMIT, wire.call(None, GetVersion(None))).await;
        let Ok(Ok(version)) = answered else {
            drop(guard);
            let said = timeout(START_LIMIT, complaints)
                .await
                .ok()
                .and_then(Result::ok)
                .unwrap_or_default();
            return Err(why_silent(settings, said));
        };
        let targets = OwnTargets::default();
        tokio::spawn(close_strangers(Arc::clone(&wire), wire.listen(None), targets.clone()));
        if let Err(error) = wire.call(None, discover_pages()).await {
            return Err(StartError::Silent {
                program,
                said: error.to_string(),
            });
        }
        guard.disarm();
        tracing::info!(pid, version = version.product, "a browser has started");
        Ok(Arc::new(Self {
            wire,
            version: version.product.replace("Headless", ""),
            pid,
            keeper: keeper.clone(),
            targets,
            idle: Mutex::default(),
            page_bytes: settings.limits.page_bytes,
            pages: AtomicU32::new(0),
            retired: AtomicBool::new(false),
        }))
    }

    /// A tab for a profile: one that has it, else any idle one, else a new one.
    pub async fn tab(&self, profile: &Profile) -> Result<Tab, WireError> {
        let idle = {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            let fitting = idle.iter().position(|tab| tab.profile.as_ref() == Some(profile));
            fitting.map(|index| idle.swap_remove(index)).or_else(|| idle.pop())
        };
        match idle {
            Some(tab) => Ok(tab),
            None => Tab::open(&self.wire, &self.targets, self.page_bytes).await,
        }
    }

    /// Takes a tab back for the next job.
    pub fn give_back(&self, tab: Tab) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(tab);
    }

    /// Counts a page and says how many there were.
    pub fn count_page(&self) -> u32 {
        self.pages.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// How many pages it has loaded.
    pub fn pages(&self) -> u32 {
        self.pages.load(Ordering::Relaxed)
    }

    /// No further job is to use it.
    pub fn retire(&self) {
        self.retired.store(true, Ordering::Relaxed);
    }

    /// Whether a further job may use it.
    pub fn is_usable(&self) -> bool {
        !self.retired.load(Ordering::Relaxed) && !self.wire.is_gone()
    }

    /// Kills it at once, with all its tabs.
    pub fn kill(&self) {
        self.retire();
        self.keeper.end(self.pid);
    }

    /// The process id of its main process.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// The private memory of its processes.
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
        self.keeper.end(self.pid);
    }
}

/// Ends a browser whose start was broken off.
struct EndOnDrop<'a> {
    keeper: &'a Keeper,
    pid: u32,
    armed: bool,
}

impl EndOnDrop<'_> {
    fn disarm(mut self) {
        self.armed = false;
    }
}

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        if self.armed {
            self.keeper.end(self.pid);
        }
    }
}

/// The targets the pool has opened; every other page is a popup.
#[derive(Clone, Default)]
pub(super) struct OwnTargets(Arc<tokio::sync::Mutex<HashSet<String>>>);

impl OwnTargets {
    /// Creates a target. It is known as ours before anybody asks.
    pub async fn create(&self, wire: &Wire, target: CreateTarget) -> Result<String, WireError> {
        let mut own = self.0.lock().await;
        let id = wire.call(None, target).await?.target_id;
        own.insert(id.clone());
        Ok(id)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetCreated {
    target_info: TargetInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetDestroyed {
    target_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetInfo {
    target_id: String,
    #[serde(rename = "type")]
    kind: String,
}

/// Closes every page the pool has not opened itself.
async fn close_strangers(wire: Arc<Wire>, mut events: mpsc::UnboundedReceiver<Event>, targets: OwnTargets) {
    while let Some(event) = events.recv().await {
        if event.method == "Target.targetDestroyed" {
            if let Some(TargetDestroyed { target_id }) = event.params() {
                targets.0.lock().await.remove(&target_id);
            }
        } else if let Some(TargetCreated { target_info }) = event.params()
            && target_info.kind == "page"
            && !targets.0.lock().await.contains(&target_info.target_id)
        {
            wire.tell(
                None,
                CloseTarget {
                    target_id: target_info.target_id,
                },
            );
        }
    }
}

fn discover_pages() -> SetDiscoverTargets {
    let pages = FilterEntry {
        exclude: None,
        Type: Some("page".to_owned()),
    };
    SetDiscoverTargets {
        discover: true,
        filter: Some(vec![pages]),
    }
}

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

/// Reads what a browser complains about until it ends, and gives the last of it.
async fn read_complaints(errors: pipe::Receiver) -> VecDeque<String> {
    let mut lines = BufReader::new(errors).lines();
    let mut kept = VecDeque::with_capacity(COMPLAINTS);
    while let Ok(Some(line)) = lines.next_line().await {
        tracing::trace!(line, "the browser says");
        if kept.len() == COMPLAINTS {
            kept.pop_front();
        }
        kept.push_back(line);
    }
    kept
}

fn why_silent(settings: &Settings, said: VecDeque<String>) -> StartError {
    let said = Vec::from(said).join(" | ");
    let sandboxed = settings.sandbox == Sandbox::On;
    if sandboxed && (said.contains("No usable sandbox") || said.contains("namespace")) {
        return StartError::SandboxRefused;
    }
    // The shell's words when it cannot run the program.
    if let Some(reason) = said.strip_prefix("browser: 1: exec: ") {
        return StartError::NoChromium(reason.to_owned());
    }
    StartError::Silent {
        program: settings.chromium.clone(),
        said,
    }
}

/// Private and shared-by-itself memory of a process; 0 when it is gone.
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
