//! A Redis database per test.

use std::fs;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::folder::Folder;
use crate::programs::{Runner, on_path};
use crate::running::{detach, is_alive, wait_for, watch};

const DATABASES: u32 = 4_096;
const SOCKET: &str = "redis.sock";

/// The address of a Redis database that no other test of the run is likely to use. It may not be empty: where that matters, use keys that
/// no other test uses.
pub fn redis() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let folder = Folder::of_this_user();
    let runner = Runner::unprivileged();
    folder.with_lock(&runner, || {
        if !is_alive(&folder, "redis-server") {
            start(&folder, &runner);
        }
        watch(&folder, &runner);
    });
    let database = (std::process::id().wrapping_mul(16) + NEXT.fetch_add(1, Ordering::Relaxed)) % DATABASES;
    format!("redis+unix://{}?db={database}", folder.join(SOCKET).display())
}

/// Starts a Redis that listens only on a socket in the folder, and waits until it accepts connections. The caller holds the lock on the folder.
fn start(folder: &Folder, runner: &Runner) {
    let socket = folder.join(SOCKET);
    let _ = fs::remove_file(&socket);
    let mut server = runner.command(&on_path("redis-server"));
    server
        .args([
            "--port",
            "0",
            "--unixsocketperm",
            "777",
            "--save",
            "",
            "--appendonly",
            "no",
            "--unixsocket",
        ])
        .arg(&socket)
        .args(["--databases", &DATABASES.to_string(), "--logfile"])
        .arg(folder.join("redis.log"));
    detach(folder, "redis-server", &mut server);
    wait_for("Redis", folder, || UnixStream::connect(&socket).is_ok());
}
