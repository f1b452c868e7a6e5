//! Keeps the parts of the stack alive: starts them, starts those that die again, and ends them all.

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

/// A part that has not served by then is started again.
const LONGEST_START: Duration = Duration::from_mins(1);
/// Deaths before the first readiness after which a start has failed. More than one, because a part of a stack that was killed may
/// still be on its way out and hold its data folder.
const ATTEMPTS_AT_START: u32 = 5;
/// Lines of its log shown when a part cannot be started.
const LINES_SHOWN: usize = 6;

/// A part could not be brought up at all.
#[derive(Debug, Error)]
#[error("cannot start {part}: {how}. Its log is {}:{}", .log.display(), log_tail(.log, LINES_SHOWN))]
pub struct StartError {
    /// The part.
    pub part: &'static str,
    /// How its last attempt ended.
    pub how: String,
    /// Its log.
    pub log: PathBuf,
}

/// What happened to a part after its start had been answered.
#[derive(Debug)]
pub enum Event {
    /// It died by itself and will be started again after the wait.
    Died {
        /// The part.
        part: &'static str,
        /// Its exit code or signal.
        how: String,
        /// Until the next start.
        wait: Duration,
        /// Its log.
        log: PathBuf,
    },
    /// It serves, again or at last.
    Back {
        /// The part.
        part: &'static str,
    },
    /// What looked after it broke down: nobody would start it again.
    Unkept {
        /// The part.
        part: &'static str,
    },
}

/// Parts that are ended together.
#[derive(Debug)]
pub struct Group {
    processes: Processes,
    events: mpsc::UnboundedSender<Event>,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Group {
    /// An empty group. Later deaths and returns are told to `events`.
    pub fn new(processes: Processes, events: mpsc::UnboundedSender<Event>) -> Self {
        Self {
            processes,
            events,
            stop: CancellationToken::new(),
            tasks: TaskTracker::new(),
        }
    }

    /// Starts a part and keeps it alive until [`Group::end`]. Returns when it serves; the time that took is the answer. A part that could
    /// not be started is left alone.
    pub async fn start(&self, part: Part) -> Result<Duration, StartError> {
        self.start_and_keep(part, OnFailedStart::GivesUp).await
    }

    /// The same for a part without which the rest is of use: after the answer that it could not be started it is tried again for ever,
    /// ever more slowly, and each death and its readiness are told as of a part that had been ready.
    pub async fn start_persistently(&self, part: Part) -> Result<Duration, StartError> {
        self.start_and_keep(part, OnFailedStart::GoesOn).await
    }

    async fn start_and_keep(&self, part: Part, persistence: OnFailedStart) -> Result<Duration, StartError> {
        let (first, told) = oneshot::channel();
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
                // Nobody listens any more only while the supervisor itself is ending.
                let _unheard = events.send(Event::Unkept { part: name });
            }
        });
        told.await.unwrap_or_else(|_| {
            Err(StartError {
                part: name,
                how: "it was stopped".to_owned(),
                log,
            })
        })
    }

    /// Ends all parts at the same time and waits until each is gone, killing those that outstay their grace.
    pub async fn end(&self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        self.processes.kill_orphans();
    }
}

/// Looks after one part.
struct PartSupervisor {
    part: Part,
    processes: Processes,
    events: mpsc::UnboundedSender<Event>,
    stop: CancellationToken,
    /// Whoever waits for the first readiness; taken when it came.
    first: Option<oneshot::Sender<Result<Duration, StartError>>>,
    persistence: OnFailedStart,
}

/// What becomes of a part that could not be started.
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
    async fn run(mut self) {
        let asked = Instant::now();
        let mut backoff = Backoff::default();
        let mut attempts = 0;
        loop {
            attempts += 1;
            let born = Instant::now();
            let PartExit::Died(how) = self.live(asked).await else {
                return;
            };
            self.processes.kill_orphans();
            if self.first.is_some() && attempts >= ATTEMPTS_AT_START {
                let how = how.clone();
                self.tell_first(|part| {
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

    /// Starts the process and stays with it to its end.
    async fn live(&mut self, asked: Instant) -> PartExit {
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
            ended = child.wait() => return PartExit::Died(describe(ended)),
            () = self.stop.cancelled() => return self.end(child, &noted).await,
            came = tokio::time::timeout(LONGEST_START, serves(&ready, pid)) => if came.is_err() {
                noted.kill();
                let _status = child.wait().await;
                return PartExit::Died(format!("it did not serve within {} s", LONGEST_START.as_secs()));
            },
        }
        if self.first.is_some() {
            self.tell_first(|_| Ok(asked.elapsed()));
        } else {
            self.report(Event::Back { part: self.part.name });
        }
        tokio::select! {
            ended = child.wait() => PartExit::Died(describe(ended)),
            () = self.stop.cancelled() => self.end(child, &noted).await,
        }
    }

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
        // Nobody listens any more only while the supervisor itself is ending.
        let _unheard = self.events.send(event);
    }

    fn tell_first(&mut self, outcome: impl FnOnce(&Part) -> Result<Duration, StartError>) {
        if let Some(first) = self.first.take() {
            let _unheard = first.send(outcome(&self.part));
        }
    }
}

async fn serves(ready: &Ready, pid: u32) {
    while !ready.check(pid).await {
        tokio::time::sleep(ready::BETWEEN_QUESTIONS).await;
    }
}

fn describe(ended: std::io::Result<ExitStatus>) -> String {
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
