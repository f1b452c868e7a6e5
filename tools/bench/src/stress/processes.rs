//! The processes of a stack: stops, continues, measures and counts them.

use std::collections::BTreeMap;
use std::io;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use vigie::trial::TrialStack;

use super::StressError;

/// The parts that the stack started, by process id.
pub struct StackProcesses(BTreeMap<u32, String>);

impl StackProcesses {
    pub fn from_stack(stack: &TrialStack) -> Result<Self, StressError> {
        Ok(Self(stack.parts()?.into_iter().collect()))
    }

    /// Sends SIGSTOP to a part and all that it started.
    pub fn stop(&self, words: &str) -> Result<(), StressError> {
        self.signal(words, Signal::SIGSTOP)
    }

    pub fn go_on(&self, words: &str) -> Result<(), StressError> {
        self.signal(words, Signal::SIGCONT)
    }

    fn signal(&self, words: &str, signal: Signal) -> Result<(), StressError> {
        for pid in tree(self.find(words)?) {
            // A process that has ended meanwhile needs no signal.
            let _ = kill(Pid::from_raw(pid.cast_signed()), signal);
        }
        Ok(())
    }

    /// The peak memory of a part, in MB.
    pub fn memory_mb(&self, words: &str) -> Result<u64, StressError> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.find(words)?))?;
        let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib: Option<u64> = most.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
        Ok(kib.unwrap_or(u64::MAX) / 1024)
    }

    /// The parts that no longer exist.
    pub fn dead(&self, stack: &TrialStack) -> Result<Vec<String>, StressError> {
        let now: BTreeMap<u32, String> = stack.parts()?.into_iter().collect();
        let gone = self.0.iter().filter(|(pid, _)| !now.contains_key(pid));
        Ok(gone.map(|(_, line)| line.clone()).collect())
    }

    fn find(&self, words: &str) -> io::Result<u32> {
        let found = self.0.iter().find(|(_, line)| {
            let mut arguments = line.split_whitespace();
            let program = arguments.next().unwrap_or_default();
            program.ends_with(words) || arguments.next() == Some(words)
        });
        found
            .map(|(pid, _)| *pid)
            .ok_or_else(|| io::Error::other(format!("no '{words}' among {:?}", self.0)))
    }
}

/// A process and all that it started.
fn tree(root: u32) -> Vec<u32> {
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
