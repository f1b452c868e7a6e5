//! Starting stores that outlive the test that started them, and stopping them.

use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::folder::Folder;
use crate::programs::{Runner, on_path};

/// The name of the watchdog's process.
const WATCHDOG_NAME: &str = "vigie-testkit-watchdog";

/// Stops the stores after five minutes without a test process, checked every five seconds: longer than those tests of a run that use no store.
const WATCHDOG: &str = r#"
idle=0
while [ -d "$1" ]; do
  sleep 5
  if flock --exclusive --nonblock "$1/users.lock" true; then idle=$((idle + 1)); else idle=0; fi
  if [ "$idle" -ge 60 ]; then
    exec flock "$1/start.lock" sh -c '
      flock --exclusive --nonblock "$1/users.lock" true || exit 0
      for pid in "$1"/*.pid; do [ "$(cat "$pid")" = "$2" ] || kill "$(cat "$pid")"; done
      sleep 2
      rm -rf "$1"' sh "$1" "$$"
  fi
done"#;

/// Waits until `ready` returns true, checking every 20 ms; panics after 30 seconds. `what` names the store in the message.
pub fn wait_for(what: &str, folder: &Folder, mut ready: impl FnMut() -> bool) {
    const LIMIT: Duration = Duration::from_secs(30);
    let end = Instant::now() + LIMIT;
    while !ready() {
        assert!(
            Instant::now() < end,
            "testkit: {what} did not start within {LIMIT:?}; see {}/*.log",
            folder.path().display()
        );
        sleep(Duration::from_millis(20));
    }
}

/// Whether the process in the file `{program}.pid` is running. Checks the name too, since another program may have got the process id.
pub fn is_alive(folder: &Folder, program: &str) -> bool {
    let Ok(pid) = fs::read_to_string(folder.join(&format!("{program}.pid"))) else {
        return false;
    };
    fs::read(format!("/proc/{}/cmdline", pid.trim())).is_ok_and(|line| String::from_utf8_lossy(&line).contains(program))
}

/// Starts a program that outlives the test, and writes its process id to the file `{name}.pid`.
#[expect(clippy::zombie_processes, reason = "the watchdog ends it, long after its parent")]
pub fn detach(folder: &Folder, name: &str, command: &mut Command) {
    let child = command
        .spawn()
        .unwrap_or_else(|error| panic!("testkit: {name}: {error}"));
    fs::write(folder.join(&format!("{name}.pid")), child.id().to_string()).expect("the folder is ours");
}

/// Starts the watchdog unless it is running.
pub fn watch(folder: &Folder, runner: &Runner) {
    if !is_alive(folder, WATCHDOG_NAME) {
        let mut shell = runner.command(&on_path("sh"));
        detach(
            folder,
            WATCHDOG_NAME,
            shell.args(["-c", WATCHDOG, WATCHDOG_NAME]).arg(folder.path()),
        );
    }
}

/// Ends the stores of this user's test runs, also while tests use them, and removes their folder. Does nothing if there is none.
pub fn stop() {
    let folder = Folder::of_this_user();
    let Ok(files) = fs::read_dir(folder.path()) else { return };
    let pids = files
        .flatten()
        .map(|file| file.path())
        .filter(|file| file.extension().is_some_and(|end| end == "pid"));
    for pid in pids.filter_map(|file| fs::read_to_string(file).ok()) {
        // Fails if the process has ended already.
        let _ = Command::new("kill").arg(pid.trim()).stderr(Stdio::null()).status();
    }
    // May fail while a store is still writing; the folder is temporary.
    let _ = fs::remove_dir_all(folder.path());
}
