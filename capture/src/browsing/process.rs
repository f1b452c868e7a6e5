//! How a browser's processes are started and ended.
//!
//! A browser is started with `setpriv --pdeathsig KILL`, so that it dies with the process that started it, whatever ends that. The signal
//! follows the thread that started the browser, not its process: that thread must live as long as the browser.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// Chromium uses descriptors 3 and 4 for the protocol; the wrapper maps its standard ones to them.
const WRAPPER: &str = "exec 3<&0 4>&1 </dev/null >/dev/null; exec \"$@\"";
/// The only variables a browser inherits, including the one that marks whose it is: the others may hold the stores' passwords.
const INHERITED: [&str; 4] = ["PATH", "LANG", "LC_ALL", "VIGIE__DATA"];
/// Variables set to the browser's own folder.
const FOLDERS: [&str; 5] = ["HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"];

/// A browser that has just started.
pub(super) struct Started {
    /// Process id of the main process, which leads the group of all its processes.
    pub pid: u32,
    /// Where calls are written.
    pub input: OwnedFd,
    /// Where responses and events are read.
    pub output: OwnedFd,
    /// Where its error output is read.
    pub errors: OwnedFd,
}

/// A browser that runs under this process's user.
pub(super) struct Process {
    child: Child,
    folder: PathBuf,
}

/// Starts a browser that keeps its data in `folder`, which must exist and which [`Process::end`] removes. It leads a process group of its own and
/// dies with the calling thread; it inherits no variables but [`INHERITED`].
pub(super) fn start(program: &Path, folder: PathBuf, flags: Vec<String>) -> io::Result<(Started, Process)> {
    let mut child = Command::new("setpriv")
        .args(["--pdeathsig", "KILL", "/bin/sh", "-c", WRAPPER, "browser"])
        .arg(program)
        .args(flags)
        .arg(format!("--user-data-dir={}", folder.display()))
        .env_clear()
        .envs(
            INHERITED
                .iter()
                .filter_map(|name| Some((name, std::env::var_os(name)?))),
        )
        .envs(FOLDERS.map(|name| (name, &folder)))
        .current_dir(&folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(input), Some(output), Some(errors)) = pipes else {
        return Err(io::Error::other("the browser was started without pipes"));
    };
    let started = Started {
        pid: child.id(),
        input: input.into(),
        output: output.into(),
        errors: errors.into(),
    };
    Ok((started, Process { child, folder }))
}

impl Process {
    /// Kills the browser with all its processes, waits for its main process and removes its folder as far as that succeeds at once.
    pub fn end(mut self) {
        if let Ok(group) = i32::try_from(self.child.id()) {
            // Fails when the whole group is already gone.
            let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
        }
        let _ = self.child.wait();
        // Other processes of the group may still write while they die; removing the pool's folder removes the rest.
        if let Err(error) = std::fs::remove_dir_all(&self.folder) {
            tracing::debug!(folder = %self.folder.display(), %error, "a browser's folder was not removed at once");
        }
    }
}
