//! The thread that starts browsers and ends them.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::mpsc;

use tokio::sync::oneshot;

use super::host::{self, Hosted};
use super::process::{self, Process, Started};
use super::work_folder::WorkFolder;

/// Where browsers run.
pub(super) enum BrowserHome {
    /// Under this process's user, in a folder of the pool.
    Here {
        /// Path of Chromium.
        program: PathBuf,
        /// The folder that holds the browsers' folders.
        folder: WorkFolder,
    },
    /// Under the user of the host that listens on this socket.
    Host(PathBuf),
}

/// Starts browsers and ends them. Dropping the last handle ends all browsers and removes the pool's folder.
#[derive(Clone)]
pub(super) struct Launcher {
    orders: mpsc::Sender<LauncherCommand>,
}

/// An order to the launcher's thread.
enum LauncherCommand {
    Start {
        flags: Vec<String>,
        reply: oneshot::Sender<io::Result<Started>>,
    },
    End {
        pid: u32,
    },
    Close {
        done: oneshot::Sender<()>,
    },
}

/// A running browser, by where it runs.
enum RunningBrowser {
    Here(Process),
    Hosted(Hosted),
}

impl RunningBrowser {
    /// Ends the browser with all its processes, wherever it runs.
    fn end(self) {
        match self {
            Self::Here(process) => process.end(),
            Self::Hosted(hosted) => hosted.end(),
        }
    }
}

impl Launcher {
    /// Starts the thread that starts and ends browsers; no browser yet.
    pub fn start(home: BrowserHome) -> io::Result<Self> {
        let (orders, received) = mpsc::channel();
        std::thread::Builder::new()
            .name("browser-keeper".into())
            .spawn(move || carry_out_orders(home, &received))?;
        Ok(Self { orders })
    }

    /// Starts a browser with these flags and a folder of its own. Fails when it cannot be started or the thread has ended; a browser whose caller is
    /// gone is ended at once.
    pub async fn launch(&self, flags: Vec<String>) -> io::Result<Started> {
        let (reply, started) = oneshot::channel();
        self.order(LauncherCommand::Start { flags, reply });
        started
            .await
            .unwrap_or_else(|_| Err(io::Error::other("the browser's thread has ended")))
    }

    /// Orders that a browser be killed with all its processes and its folder removed; does not wait. An unknown process id is ignored.
    pub fn end(&self, pid: u32) {
        self.order(LauncherCommand::End { pid });
    }

    /// Ends all browsers, removes the pool's folder and waits until that is done; later launches fail.
    pub async fn close(&self) {
        let (done, closed) = oneshot::channel();
        self.order(LauncherCommand::Close { done });
        // An error means that the thread has ended, which is the goal.
        let _ = closed.await;
    }

    fn order(&self, order: LauncherCommand) {
        // Fails only when the thread has ended, and then every browser has too.
        let _ = self.orders.send(order);
    }
}

/// Carries out orders one after another, until one closes the launcher or all its handles are dropped; then ends all browsers, removes the pool's
/// folder and only then answers the closing order.
fn carry_out_orders(home: BrowserHome, orders: &mpsc::Receiver<LauncherCommand>) {
    let mut browsers: HashMap<u32, RunningBrowser> = HashMap::new();
    let mut closing = None;
    while let Ok(order) = orders.recv() {
        match order {
            LauncherCommand::Start { flags, reply } => {
                let started = start_browser(&home, flags).map(|(started, browser)| {
                    browsers.insert(started.pid, browser);
                    started
                });
                let pid = started.as_ref().ok().map(|started| started.pid);
                // The caller is gone; nothing else would end the browser.
                if reply.send(started).is_err()
                    && let Some(browser) = pid.and_then(|pid| browsers.remove(&pid))
                {
                    browser.end();
                }
            }
            LauncherCommand::End { pid } => {
                if let Some(browser) = browsers.remove(&pid) {
                    browser.end();
                }
            }
            LauncherCommand::Close { done } => {
                closing = Some(done);
                break;
            }
        }
    }
    for (_, browser) in browsers.drain() {
        browser.end();
    }
    drop(home);
    drop(closing);
}

/// Starts a browser, here under this process's user or, as `home` says, by asking the host for one; returns its pipes and what ends it.
fn start_browser(home: &BrowserHome, flags: Vec<String>) -> io::Result<(Started, RunningBrowser)> {
    match home {
        BrowserHome::Here { program, folder } => process::start(program, folder.browser_folder()?, flags)
            .map(|(started, browser)| (started, RunningBrowser::Here(browser))),
        BrowserHome::Host(socket) => {
            host::request_browser(socket, flags).map(|(started, browser)| (started, RunningBrowser::Hosted(browser)))
        }
    }
}
