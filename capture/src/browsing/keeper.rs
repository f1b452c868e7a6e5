//! Starts browsers and ends them: the thread their life hangs on.
//!
//! A browser is started with `setpriv --pdeathsig KILL`, so that it dies with the worker whatever ends it. The signal follows
//! the thread that started the browser, not its process; this thread lives as long as the pool does.

use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::sync::oneshot;

use super::work_folder::WorkFolder;

/// Chromium speaks over its descriptors 3 and 4; these are the wrapper's standard ones.
const WRAPPER: &str = "exec 3<&0 4>&1 </dev/null >/dev/null; exec \"$@\"";

/// Starts browsers and ends them. When the last handle is gone, all browsers are ended and the pool's folder is removed.
#[derive(Clone)]
pub(super) struct Keeper {
    orders: mpsc::Sender<Order>,
}

enum Order {
    Start {
        program: PathBuf,
        flags: Flags,
        reply: oneshot::Sender<io::Result<Started>>,
    },
    End {
        pid: u32,
    },
    Close {
        done: oneshot::Sender<()>,
    },
}

/// Makes the arguments for a browser from its folder.
pub(super) type Flags = Box<dyn FnOnce(&Path) -> Vec<String> + Send>;

/// A browser that was just started.
pub(super) struct Started {
    /// Of its main process, which leads the group of all its processes.
    pub pid: u32,
    /// Takes calls.
    pub input: OwnedFd,
    /// Gives answers and events.
    pub output: OwnedFd,
    /// Gives what it complains about.
    pub errors: OwnedFd,
}

struct Kept {
    child: Child,
    folder: PathBuf,
}

impl Keeper {
    /// Starts the thread, which owns `folder`.
    pub fn start(folder: WorkFolder) -> io::Result<Self> {
        let (orders, received) = mpsc::channel();
        std::thread::Builder::new()
            .name("browser-keeper".into())
            .spawn(move || keep(folder, &received))?;
        Ok(Self { orders })
    }

    /// Starts a browser with a folder of its own.
    pub async fn launch(&self, program: PathBuf, flags: Flags) -> io::Result<Started> {
        let (reply, started) = oneshot::channel();
        self.order(Order::Start { program, flags, reply });
        started
            .await
            .unwrap_or_else(|_| Err(io::Error::other("the browser's thread has ended")))
    }

    /// Kills a browser with all its processes and removes its folder.
    pub fn end(&self, pid: u32) {
        self.order(Order::End { pid });
    }

    /// Ends all browsers, removes the pool's folder, and refuses to start more.
    pub async fn close(&self) {
        let (done, closed) = oneshot::channel();
        self.order(Order::Close { done });
        // An error means that the thread has ended, which is what was wanted.
        let _ = closed.await;
    }

    fn order(&self, order: Order) {
        // Refused only when the thread has ended, and then every browser has too.
        let _ = self.orders.send(order);
    }
}

fn keep(folder: WorkFolder, orders: &mpsc::Receiver<Order>) {
    let mut kept: HashMap<u32, Kept> = HashMap::new();
    let mut closing = None;
    while let Ok(order) = orders.recv() {
        match order {
            Order::Start { program, flags, reply } => {
                let started = start(&folder, &program, flags).map(|(started, browser)| {
                    kept.insert(started.pid, browser);
                    started
                });
                let pid = started.as_ref().ok().map(|started| started.pid);
                // Nobody waits for it any more: it would live unseen.
                if reply.send(started).is_err() {
                    end_one(pid.and_then(|pid| kept.remove(&pid)));
                }
            }
            Order::End { pid } => end_one(kept.remove(&pid)),
            Order::Close { done } => {
                closing = Some(done);
                break;
            }
        }
    }
    for (_, browser) in kept.drain() {
        end_one(Some(browser));
    }
    drop(folder);
    drop(closing);
}

fn start(folder: &WorkFolder, program: &Path, flags: Flags) -> io::Result<(Started, Kept)> {
    let folder = folder.browser_folder()?;
    let mut child = Command::new("setpriv")
        .args(["--pdeathsig", "KILL", "/bin/sh", "-c", WRAPPER, "browser"])
        .arg(program)
        .args(flags(&folder))
        .env_remove("DBUS_SESSION_BUS_ADDRESS")
        .envs(["HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"].map(|name| (name, &folder)))
        .current_dir(&folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(input), Some(output), Some(errors)) = pipes else {
        return Err(io::Error::other("the browser was started without pipes"));
    };
    let started = Started {
        pid: child.id(),
        input: input.into(),
        output: output.into(),
        errors: errors.into(),
    };
    Ok((started, Kept { child, folder }))
}

fn end_one(browser: Option<Kept>) {
    let Some(Kept { mut child, folder }) = browser else {
        return;
    };
    if let Ok(group) = i32::try_from(child.id()) {
        // Refused when the whole group is gone already.
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
    let _ = child.wait();
    // The rest of the group may write its last words while it dies; the pool's own end removes what is left.
    if let Err(error) = std::fs::remove_dir_all(&folder) {
        tracing::debug!(folder = %folder.display(), %error, "a browser's folder was not removed at once");
    }
}
