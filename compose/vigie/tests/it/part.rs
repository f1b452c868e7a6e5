//! One process of the stack, which is started again whenever it is gone.

use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// What the id of a worker begins with, and how many letters follow.
const WORKER: &[u8] = b"worker-";
const WORKER_ID: usize = 36;

/// A process of Vigie, killed as often as one likes.
pub struct Part {
    /// Its subcommand, and its number among those of the same: `workers 2`.
    pub name: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    launch: Option<Command>,
    child: Option<Child>,
    /// The id in whose name its process claims work, once it is known.
    worker: Option<String>,
    /// Those of the processes that were killed.
    dead: Vec<String>,
}

impl Part {
    /// A part that is not running yet.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            state: Mutex::default(),
        }
    }

    /// Starts its process, and every later one in the same way.
    pub fn start(&self, launch: Command) {
        let mut state = self.state();
        state.launch = Some(launch);
        state.run();
    }

    /// Kills the process and starts the next.
    pub fn kill(&self) {
        let mut state = self.state();
        state.end();
        state.run();
    }

    /// Starts the next process if this one has ended by itself, and returns whether it had.
    pub fn revive(&self) -> bool {
        let mut state = self.state();
        let child = state.child.as_mut();
        if child.is_none_or(|child| matches!(child.try_wait(), Ok(None))) {
            return false;
        }
        state.end();
        state.run();
        true
    }

    /// Sends its process a signal.
    pub fn signal(&self, signal: Signal) {
        if let Some(child) = &self.state().child {
            kill(Pid::from_raw(child.id().cast_signed()), signal).unwrap();
        }
    }

    /// The id in whose name its process claims work, once it has claimed some.
    pub fn worker(&self) -> Option<String> {
        self.state().worker.clone()
    }

    /// Ends it for good.
    pub fn end(&self) {
        self.state().end();
    }

    /// Looks in what its process sends to the ledger for the id in whose name it claims work.
    pub fn listen(&self, sent: &[u8]) {
        let mut state = self.state();
        if state.worker.is_some() {
            return;
        }
        let found = sent.windows(WORKER.len()).position(|window| window == WORKER);
        let id = found.and_then(|at| sent.get(at..at + WORKER.len() + WORKER_ID));
        state.worker = id.map(|id| String::from_utf8_lossy(id).into_owned());
    }

    /// The ids in whose names processes that were killed had claimed work, since the last call.
    pub fn take_dead(&self) -> Vec<String> {
        std::mem::take(&mut self.state().dead)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn run(&mut self) {
        self.child = self.launch.as_mut().map(|launch| launch.spawn().unwrap());
    }

    fn end(&mut self) {
        if let Some(mut child) = self.child.take() {
            // One that has ended already needs no signal.
            let _ended = child.kill();
            child.wait().unwrap();
        }
        self.dead.extend(self.worker.take());
    }
}
