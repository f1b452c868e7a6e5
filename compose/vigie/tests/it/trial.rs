//! A `vigie up` in a separate folder, whose output can be waited for.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

/// Longer than anything takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(90);
/// Last lines of a stack's output that a failed test prints.
const LAST_WORDS: usize = 400;
const FREE: &str = "127.0.0.1:0";

/// The binary, on a folder, on free ports, without demo data and without the caller's settings.
pub fn vigie(data: &Path, command: &str) -> Command {
    let mut vigie = Command::new(env!("CARGO_BIN_EXE_vigie"));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("VIGIE__")) {
        vigie.env_remove(name);
    }
    vigie
        .arg(command)
        .env("VIGIE__DATA", data)
        .env("VIGIE__API__LISTEN", FREE)
        .env("VIGIE__API__OPERATIONS_LISTEN", FREE)
        .env("VIGIE__WORKERS__OPERATIONS_LISTEN", FREE)
        .env("VIGIE__EMBEDDED__DEMO_ROWS", "0")
        .stdin(Stdio::null());
    vigie
}

/// A running `vigie up`.
pub struct Trial {
    child: Child,
    lines: Receiver<String>,
    heard: Vec<String>,
}

impl Trial {
    /// Starts a command and listens to both its outputs.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = channel();
        let outputs: [Box<dyn Read + Send>; 2] = [
            Box::new(child.stdout.take().unwrap()),
            Box::new(child.stderr.take().unwrap()),
        ];
        for output in outputs {
            let sender = sender.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    if sender.send(line).is_err() {
                        return;
                    }
                }
            });
        }
        Self {
            child,
            lines,
            heard: Vec::new(),
        }
    }

    /// A whole stack that has reported that it is ready.
    pub fn ready(data: &Path) -> Self {
        let mut trial = Self::start(&mut vigie(data, "up"));
        trial.wait_for("Vigie is ready");
        trial
    }

    /// Waits for a line that contains `words`, and returns it.
    pub fn wait_for(&mut self, words: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self
                .lines
                .recv_timeout(deadline.saturating_duration_since(Instant::now()))
            {
                Ok(line) => {
                    self.heard.push(line.clone());
                    if line.contains(words) {
                        return line;
                    }
                }
                Err(end @ (RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected)) => {
                    panic!("'{words}' was not said ({end}):\n{}", self.heard.join("\n"))
                }
            }
        }
    }

    /// The same for a line that may precede the last one waited for: the two outputs have no common order.
    pub fn wait_for_anywhere(&mut self, words: &str) {
        if !self.heard.iter().any(|line| line.contains(words)) {
            self.wait_for(words);
        }
    }

    pub fn send(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.id().cast_signed()), signal).unwrap();
    }

    /// Waits for its end.
    pub fn end(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("it does not end:\n{}", self.heard.join("\n"));
    }
}

impl Drop for Trial {
    /// A failed test leaves no stack behind, and prints the stack's last output.
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.heard.extend(self.lines.try_iter());
            let last = self.heard.len().saturating_sub(LAST_WORDS);
            println!("{}", self.heard[last..].join("\n"));
        }
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ended_meanwhile = kill(Pid::from_raw(self.child.id().cast_signed()), Signal::SIGTERM);
            let _status = self.child.wait();
        }
    }
}

/// A folder for a stack.
pub fn folder() -> TempDir {
    tempfile::Builder::new().prefix("vigie-trial.").tempdir().unwrap()
}
