//! The processes that the supervisor started, and those they left behind.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;

/// The supervised children. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Processes(Arc<Mutex<BTreeSet<i32>>>);

impl Processes {
    /// Makes this process the parent of what its dying children leave behind, so that nothing escapes; returns an empty set of children.
    pub fn adopt_orphans() -> nix::Result<Self> {
        nix::sys::prctl::set_child_subreaper(true)?;
        Ok(Self::default())
    }

    /// Registers a child, which [`Processes::kill_orphans`] then spares, until the returned guard is dropped.
    pub fn note(&self, pid: u32) -> TrackedProcess {
        let pid = i32::try_from(pid).unwrap_or_default();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(pid);
        TrackedProcess { pid, of: self.clone() }
    }

    /// Kills and reaps every child of this process that is not registered: the backends of a killed Postgres, the browser of killed workers. One that
    /// is not dead at once is reaped by the next call. Returns how many there were.
    pub fn kill_orphans(&self) -> usize {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let orphans: Vec<Pid> = children_of(std::process::id())
            .into_iter()
            .filter(|pid| !known.contains(pid))
            .map(Pid::from_raw)
            .collect();
        for pid in &orphans {
            let _already_gone = kill(*pid, Signal::SIGKILL);
            let _not_yet_dead = waitpid(*pid, Some(WaitPidFlag::WNOHANG));
        }
        orphans.len()
    }
}

/// A registered child.
#[derive(Debug)]
pub struct TrackedProcess {
    pid: i32,
    of: Processes,
}

impl TrackedProcess {
    /// Signals the child to shut down; it is responsible for what it started.
    pub fn ask_to_end(&self, signal: Signal) {
        let _already_gone = kill(Pid::from_raw(self.pid), signal);
    }

    /// Kills the child with its whole process group.
    pub fn kill(&self) {
        let _no_group_yet = killpg(Pid::from_raw(self.pid), Signal::SIGKILL);
        let _already_gone = kill(Pid::from_raw(self.pid), Signal::SIGKILL);
    }
}

impl Drop for TrackedProcess {
    /// Unregisters the child, but does not end it; [`Processes::kill_orphans`] no longer spares it.
    fn drop(&mut self) {
        self.of
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&self.pid);
    }
}

/// Lists the processes whose parent is `parent`, read from `/proc`; empty when it cannot be read.
fn children_of(parent: u32) -> Vec<i32> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
        .filter(|pid| {
            std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| parent_in(&stat) == Some(parent))
        })
        .collect()
}

/// The fourth field of a `stat` line. The second is the program's name in brackets, which may itself contain spaces and brackets.
fn parent_in(stat: &str) -> Option<u32> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_parent_past_a_name_with_blanks_and_brackets() {
        assert_eq!(parent_in("42 (a ) b (c) S 7 42 42 0"), Some(7));
    }

    #[test]
    fn finds_its_own_children() {
        let mut child = std::process::Command::new("sleep").arg("30").spawn().unwrap();
        let found = children_of(std::process::id());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(found.contains(&i32::try_from(child.id()).unwrap()));
    }
}
