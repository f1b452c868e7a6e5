//! The processes of a stack: finds, stops, continues and counts them.

use std::collections::BTreeMap;
use std::io;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use vigie::trial::{TrialError, TrialStack};

/// The parts of a stack at the time of [`StackProcesses::from_stack`]: command lines by process id.
pub struct StackProcesses(BTreeMap<u32, String>);

impl StackProcesses {
    /// Notes the processes that the stack's parts have now.
    pub fn from_stack(stack: &TrialStack) -> Result<Self, TrialError> {
        Ok(Self(stack.parts()?.into_iter().collect()))
    }

    /// Sends SIGSTOP to a part and all that it started; the part is named as in [`StackProcesses::find_part`].
    pub fn stop(&self, part: &str) -> io::Result<()> {
        self.signal(part, Signal::SIGSTOP)
    }

    /// Sends SIGCONT to a part and all that it started.
    pub fn resume(&self, part: &str) -> io::Result<()> {
        self.signal(part, Signal::SIGCONT)
    }

    /// Sends a signal to a part and all that it started; processes that have ended are skipped.
    fn signal(&self, part: &str, signal: Signal) -> io::Result<()> {
        for pid in tree(self.find_part(part)?) {
            // A process that has ended meanwhile needs no signal.
            let _ = kill(Pid::from_raw(pid.cast_signed()), signal);
        }
        Ok(())
    }

    /// Lists the command lines of the parts whose processes no longer exist, also if they were started again.
    pub fn dead(&self, stack: &TrialStack) -> Result<Vec<String>, TrialError> {
        let now: BTreeMap<u32, String> = stack.parts()?.into_iter().collect();
        let gone = self.0.iter().filter(|(pid, _)| !now.contains_key(pid));
        Ok(gone.map(|(_, line)| line.clone()).collect())
    }

    /// Returns the process id of the first part whose program's path ends with `part`, or whose first argument (a subcommand of `vigie`) is `part`.
    /// Fails when there is none.
    pub fn find_part(&self, part: &str) -> io::Result<u32> {
        let found = self.0.iter().find(|(_, line)| {
            let mut arguments = line.split_whitespace();
            let program = arguments.next().unwrap_or_default();
            program.ends_with(part) || arguments.next() == Some(part)
        });
        found
            .map(|(pid, _)| *pid)
            .ok_or_else(|| io::Error::other(format!("no '{part}' among {:?}", self.0)))
    }
}

/// Lists a process and all that it started, directly or not.
pub fn tree(root: u32) -> Vec<u32> {
    let mut all = vec![root];
    let mut next = 0;
    while let Some(pid) = all.get(next) {
        let threads = std::fs::read_dir(format!("/proc/{pid}/task"))
            .into_iter()
            .flatten()
            .flatten();
        let children: String = threads
            .map(|thread| std::fs::read_to_string(thread.path().join("children")).unwrap_or_default())
            .collect();
        all.extend(children.split_whitespace().filter_map(|pid| pid.parse::<u32>().ok()));
        next += 1;
    }
    all
}
