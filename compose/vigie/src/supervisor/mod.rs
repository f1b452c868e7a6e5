//! Keeps the parts of the stack alive: starts them, restarts those that die, and ends them all.

mod backoff;
mod launch;
mod part;
mod processes;
mod ready;
mod step;

use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use thiserror::Error;
use tokio::process::Child;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::{AbortOnDropHandle, TaskTracker};

pub use backoff::Backoff;
pub use launch::Launch;
use launch::log_tail;
pub use part::Part;
pub use processes::Processes;
use processes::TrackedProcess;
pub use ready::Ready;
pub use step::{Step, StepError};

/// A part that is not ready by then is restarted.
const LONGEST_START: Duration = Duration::from_mins(1);
/// Deaths before the first readiness after which a start has failed. More than one, because a part of a killed stack may still be shutting
/// down and hold its data folder.
const ATTEMPTS_AT_START: u32 = 5;
/// Lines of its log shown when a part cannot be started.
const LINES_SHOWN: usize = 6;

/// A part could not be brought up at all.
#[derive(Debug, Error)]
#[error("cannot start {part}: {how}. Its log is {}:{}", .log.display(), log_tail(.log, LINES_SHOWN))]
pub struct StartError {
    /// Name of the part.
    pub part: &'static str,
    /// How its last attempt ended.
    pub how: String,
    /// Path of its log.
    pub log: PathBuf,
}

/// What happened to a part after its start was reported.
#[derive(Debug)]
pub enum Event {
    /// It died by itself and will be restarted after the wait.
    Died {
        /// Name of the part.
        part: &'static str,
        /// Its exit code or signal.
        how: String,
        /// Time until the next start.
        wait: Duration,
        /// Path of its log.
        log: PathBuf,
    },
    /// It is ready, again or at last.
    Back {
        /// Name of the part.
        part: &'static str,
    },
    /// Its supervisor failed: nothing would restart it.
    Unsupervised {
        /// Name of the part.
        part: &'static str,
    },
}

/// Parts that end together.
#[derive(Debug)]
pub struct Group {
    processes: Processes,
    events: mpsc::UnboundedSender<Event>,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Group {
    /// Creates an empty group, which registers its processes in `processes`. Sends to `events` what happens to a part after its start was reported.
    pub fn new(processes: Processes, events: mpsc::UnboundedSender<Event>) -> Self {
        Self {
            processes,
            events,
            stop: CancellationToken::new(),
            tasks: TaskTracker::new(),
        }
    }

    /// Starts a part and keeps it alive until [`Group::end`]. Returns once it is ready, with the time that took. Fails, and abandons the part, when
    /// it has died [`ATTEMPTS_AT_START`] times before it was ready.
    pub async fn start(&self, part: Part) -> Result<Duration, StartError> {
        self.start_and_keep(part, OnFailedStart::GivesUp).await
    }

    /// Starts a part as [`Group::start`] does, but goes on after it failed: the part is restarted forever, ever more slowly, and each death and
    /// recovery is then reported as an event.
    pub async fn start_persistently(&self, part: Part) -> Result<Duration, StartError> {
        self.start_and_keep(part, OnFailedStart::GoesOn).await
    }

    /// Starts a task that supervises a part; returns once the part is ready, with the time that took, or with an error once its start has failed or
    /// the group has ended. `persistence` says whether supervision goes on after a failed start. A task that panics is reported as an event.
    async fn start_and_keep(&self, part: Part, persistence: OnFailedStart) -> Result<Duration, StartError> {
        let (first, readiness) = oneshot::channel();
        let (name, log) = (part.name, part.launch.log.clone());
        let keeper = PartSupervisor {
            part,
            processes: self.processes.clone(),
            events: self.events.clone(),
            stop: self.stop.clone(),
            first: Some(first),
            persistence,
        };
        let events = self.events.clone();
        self.tasks.spawn(async move {
            if AbortOnDropHandle::new(tokio::spawn(keeper.run())).await.is_err() {
                // The receiver is gone only while the supervisor itself is ending.
                let _unreceived = events.send(Event::Unsupervised { part: name });
            }
        });
        readiness.await.unwrap_or_else(|_| {
            Err(StartError {
                part: name,
                how: "it was stopped".to_owned(),
                log,
            })
        })
    }

    /// Ends all parts at once and waits until each is gone, killing those that exceed their grace period.
    pub async fn end(&self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        self.processes.kill_orphans();
    }
}

/// Supervises one part.
struct PartSupervisor {
    part: Part,
    processes: Processes,
    events: mpsc::UnboundedSender<Event>,
    stop: CancellationToken,
    /// Receives the first readiness; taken when it comes.
    first: Option<oneshot::Sender<Result<Duration, StartError>>>,
    persistence: OnFailedStart,
}

/// What to do with a part that could not be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OnFailedStart {
    GivesUp,
    GoesOn,
}

/// How one life of a part ended.
enum PartExit {
    Died(String),
    Stopped,
}

impl PartSupervisor {
    /// Starts the part, and starts it again after a growing wait whenever it dies, until the group ends or its start is given up. Kills what each
    /// dead process left behind. Reports the first readiness or failed start to the caller of the start, and later deaths as events.
    async fn run(mut self) {
        let requested = Instant::now();
        let mut backoff = Backoff::default();
        let mut attempts = 0;
        loop {
            attempts += 1;
            let born = Instant::now();
            let PartExit::Died(how) = self.live(requested).await else {
                return;
            };
            self.processes.kill_orphans();
            if self.first.is_some() && attempts >= ATTEMPTS_AT_START {
                let how = how.clone();
                self.report_first(|part| {
                    Err(StartError {
                        part: part.name,
                        how,
                        log: part.launch.log.clone(),
                    })
                });
                if self.persistence == OnFailedStart::GivesUp {
                    return;
                }
            }
            let wait = backoff.after(born.elapsed());
            if self.first.is_none() {
                self.report(Event::Died {
                    part: self.part.name,
                    how,
                    wait,
                    log: self.part.launch.log.clone(),
                });
            }
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = self.stop.cancelled() => return,
            }
        }
    }

    /// Starts the process, reports when it is ready, and waits until it dies, or until the group ends and the process with it. One that cannot be
    /// executed counts as dead, and so does one that is not ready within [`LONGEST_START`], which is killed.
    async fn live(&mut self, requested: Instant) -> PartExit {
        let mut child = match self.part.launch.start(self.part.end, Stdio::null()) {
            Ok(child) => child,
            Err(error) => return PartExit::Died(format!("it cannot be executed ({error})")),
        };
        let Some(pid) = child.id() else {
            return PartExit::Died("it ended at once".to_owned());
        };
        let noted = self.processes.note(pid);
        let ready = self.part.ready.clone();
        tokio::select! {
            ended = child.wait() => return PartExit::Died(describe_end(ended)),
            () = self.stop.cancelled() => return self.end(child, &noted).await,
            came = tokio::time::timeout(LONGEST_START, wait_until_ready(&ready, pid)) => if came.is_err() {
                noted.kill();
                let _status = child.wait().await;
                return PartExit::Died(format!("it did not serve within {} s", LONGEST_START.as_secs()));
            },
        }
        if self.first.is_some() {
            self.report_first(|_| Ok(requested.elapsed()));
        } else {
            self.report(Event::Back { part: self.part.name });
        }
        tokio::select! {
            ended = child.wait() => PartExit::Died(describe_end(ended)),
            () = self.stop.cancelled() => self.end(child, &noted).await,
        }
    }

    /// Asks the process to end, and kills it with its process group after its grace period. Returns [`PartExit::Stopped`] once it is gone.
    async fn end(&self, mut child: Child, noted: &TrackedProcess) -> PartExit {
        noted.ask_to_end(self.part.end);
        if tokio::time::timeout(self.part.grace, child.wait()).await.is_err() {
            tracing::warn!(part = self.part.name, "did not end in time and is killed");
            noted.kill();
            let _status = child.wait().await;
        }
        PartExit::Stopped
    }

    fn report(&self, event: Event) {
        // The receiver is gone only while the supervisor itself is ending.
        let _unreceived = self.events.send(event);
    }

    /// Passes the outcome of the first start to the caller that waits for it; later calls do nothing.
    fn report_first(&mut self, outcome: impl FnOnce(&Part) -> Result<Duration, StartError>) {
        if let Some(first) = self.first.take() {
            let _unreceived = first.send(outcome(&self.part));
        }
    }
}

/// Waits, without a limit of its own, until the part is ready.
async fn wait_until_ready(ready: &Ready, pid: u32) {
    while !ready.check(pid).await {
        tokio::time::sleep(ready::BETWEEN_QUESTIONS).await;
    }
}

/// Describes how a process ended, for a message, as in `it ended with code 1`.
fn describe_end(ended: std::io::Result<ExitStatus>) -> String {
    use std::os::unix::process::ExitStatusExt;
    match ended {
        Ok(status) => match (status.code(), status.signal()) {
            (Some(code), _) => format!("it ended with code {code}"),
            (None, Some(signal)) => format!("it was ended by signal {signal}"),
            (None, None) => "it ended".to_owned(),
        },
        Err(error) => format!("it could not be waited for ({error})"),
    }
}
