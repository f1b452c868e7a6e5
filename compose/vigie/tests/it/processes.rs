//! The processes of one stack, found by its data folder in their environment or as their working directory (Redis overwrites its
//! environment).

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// The ids of all processes of the stack on `data`, with their command lines.
pub fn running_in(data: &Path) -> BTreeMap<i32, String> {
    let mark = format!("VIGIE__DATA={}", data.display()).into_bytes();
    let numbers = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    numbers
        .filter(|pid: &i32| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            let stands_in = std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|folder| folder.starts_with(data));
            stands_in || environment.split(|byte| *byte == 0).any(|variable| variable == mark)
        })
        .map(|pid| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            (pid, String::from_utf8_lossy(&line).replace('\0', " "))
        })
        .collect()
}

/// The process whose command line contains `words`.
pub fn running(data: &Path, words: &str) -> i32 {
    find(data, words).unwrap_or_else(|| panic!("no '{words}' among {:#?}", running_in(data)))
}

/// The same, if there is one. Of several, the lowest id, which for a browser is usually the one that started the others.
pub fn find(data: &Path, words: &str) -> Option<i32> {
    let all = running_in(data);
    all.iter().find(|(_, line)| line.contains(words)).map(|(pid, _)| *pid)
}

/// Processes that are stopped until this is dropped.
pub struct Stopped(Vec<i32>);

/// Sends SIGSTOP to every process whose command line contains `words`.
pub fn stop(data: &Path, words: &str) -> Stopped {
    let found: Vec<i32> = running_in(data)
        .into_iter()
        .filter(|(_, line)| line.contains(words))
        .map(|(pid, _)| pid)
        .collect();
    assert!(!found.is_empty(), "no '{words}' among {:#?}", running_in(data));
    let stopped = Stopped(found);
    stopped.signal(Signal::SIGSTOP);
    stopped
}

impl Stopped {
    fn signal(&self, signal: Signal) {
        for pid in &self.0 {
            // A process that has ended meanwhile needs no signal.
            let _ended = kill(Pid::from_raw(*pid), signal);
        }
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        self.signal(Signal::SIGCONT);
    }
}

/// Waits until none is left.
pub fn all_gone(data: &Path, patience: Duration) {
    let deadline = Instant::now() + patience;
    loop {
        let left = running_in(data);
        if left.is_empty() {
            return;
        }
        assert!(Instant::now() < deadline, "left behind: {left:#?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
