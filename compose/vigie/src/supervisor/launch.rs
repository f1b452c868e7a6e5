//! How a process is started so that it cannot outlive the supervisor.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use nix::sys::signal::Signal;
use tokio::process::{Child, Command};

/// A log longer than this at a start is moved to `NAME.log.1`.
const LOG_BYTES_BEFORE_ROTATION: u64 = 32 << 20;
/// Characters of a log line shown in a message.
const LINE_LENGTH_SHOWN: usize = 300;

/// A program with all it needs to start.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Path of the program.
    pub program: PathBuf,
    /// Arguments of the program.
    pub arguments: Vec<OsString>,
    /// Variables that override the supervisor's.
    pub environment: Vec<(&'static str, OsString)>,
    /// Working directory; absent: the supervisor's.
    pub folder: Option<PathBuf>,
    /// Where its output goes, appended.
    pub log: PathBuf,
}

impl Launch {
    /// Starts the program in its own process group, so that a Ctrl-C in the terminal reaches the supervisor only, and appends its output to the log.
    /// Dropping the child kills it; it gets `at_death` when the calling thread ends, which must live as long as the supervisor. Fails
    /// when the log cannot be opened or `setpriv` cannot be started; when only the program is missing, the child ends with a failure.
    pub fn start(&self, at_death: Signal, input: Stdio) -> io::Result<Child> {
        let log = open_log(&self.log)?;
        let mut command = Command::new("setpriv");
        command
            .args(["--pdeathsig", at_death.as_str().trim_start_matches("SIG"), "--"])
            .arg(&self.program)
            .args(&self.arguments)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(input)
            .stdout(log.try_clone()?)
            .stderr(log)
            .process_group(0)
            .kill_on_drop(true);
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command.spawn()
    }
}

/// Opens a log to append to it; one over [`LOG_BYTES_BEFORE_ROTATION`] is first renamed, replacing the one renamed before.
fn open_log(path: &Path) -> io::Result<File> {
    if std::fs::metadata(path).is_ok_and(|found| found.len() > LOG_BYTES_BEFORE_ROTATION) {
        std::fs::rename(path, path.with_extension("log.1"))?;
    }
    OpenOptions::new().create(true).append(true).mode(0o640).open(path)
}

/// Returns the last `lines` lines of a log for a message, each on a new line after a margin, cut at [`LINE_LENGTH_SHOWN`] characters. Equal lines in
/// a row, as of a part that keeps failing, count as one; empty when the log cannot be read.
pub fn log_tail(path: &Path, lines: usize) -> String {
    let bytes = std::fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let mut all: Vec<&str> = text.lines().collect();
    all.dedup();
    let mut tail = String::new();
    for line in all.iter().skip(all.len().saturating_sub(lines)) {
        tail.push_str("\n    | ");
        tail.extend(line.chars().take(LINE_LENGTH_SHOWN));
    }
    tail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_the_end_of_a_log_without_repetitions() {
        let log = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(log.path(), "one\ntwo\nthree\nthree\nthree\n").unwrap();
        assert_eq!(log_tail(log.path(), 2), "\n    | two\n    | three");
        assert_eq!(log_tail(Path::new("/nowhere"), 2), "");
    }
}
