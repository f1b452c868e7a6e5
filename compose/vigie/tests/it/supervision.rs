//! A whole stack: stopped, killed in parts, killed as a whole.

use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::processes;
use crate::trial::{Trial, folder, vigie};

/// The time in which the stack promises to stop.
const STOP: Duration = Duration::from_secs(15);

#[test]
fn stops_in_time_and_leaves_no_process() {
    let data = folder();
    let mut up = Trial::ready(data.path());
    let parts = [
        "/postgres ",
        "redis-server",
        "embedded-clickhouse",
        "serp-sim",
        "mail-catcher",
        "vigie api",
        "vigie workers",
        "chromium",
    ];
    for part in parts {
        processes::running(data.path(), part);
    }

    let started = Instant::now();
    up.send(Signal::SIGTERM);
    let status = up.end();
    assert!(status.success(), "{status}");
    assert!(started.elapsed() < STOP, "{:?}", started.elapsed());
    processes::all_gone(data.path(), Duration::ZERO);
}

#[test]
fn refuses_a_second_stack_on_the_same_folder_and_the_first_lives_on() {
    let data = folder();
    let mut first = Trial::start(&mut vigie(data.path(), "up"));
    first.wait_for("PostgreSQL        ready");
    let second = vigie(data.path(), "up").output().unwrap();
    let line = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(!second.status.success());
    assert!(
        line.contains("another `vigie up`") && line.contains("VIGIE__DATA"),
        "{line}"
    );
    first.wait_for("Vigie is ready");
}

#[test]
fn starts_every_killed_part_again_and_says_so() {
    let data = folder();
    let mut up = Trial::ready(data.path());
    let parts = [
        ("workers", "vigie workers"),
        ("API", "vigie api"),
        ("search simulator", "serp-sim"),
        ("mail catcher", "mail-catcher"),
        ("Redis", "redis-server"),
        ("ClickHouse", "embedded-clickhouse"),
        ("PostgreSQL", "/postgres "),
    ];
    for (name, command) in parts {
        let killed = processes::running(data.path(), command);
        kill(Pid::from_raw(killed), Signal::SIGKILL).unwrap();
        let line = up.wait_for(&format!("{name} died"));
        assert!(line.contains("signal 9") && line.contains(".log"), "{line}");
        let back = up.wait_for("again");
        assert!(back.contains(name), "{back}");
        assert_ne!(processes::running(data.path(), command), killed);
    }
    up.send(Signal::SIGINT);
    assert!(up.end().success());
    processes::all_gone(data.path(), Duration::ZERO);
}

#[test]
fn a_killed_supervisor_takes_its_parts_along_and_the_folder_can_be_used_again() {
    let data = folder();
    let mut up = Trial::ready(data.path());
    up.send(Signal::SIGKILL);
    up.end();
    processes::all_gone(data.path(), STOP);
    Trial::ready(data.path());
}

/// The effective user of a process.
fn user_of(pid: i32) -> u32 {
    std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(format!("/proc/{pid}")).unwrap())
}

#[test]
fn started_as_root_browsers_have_a_user_of_their_own_and_no_password() {
    if !nix::unistd::geteuid().is_root() {
        // Only root may start a process of another user.
        return;
    }
    let data = folder();
    let mut up = Trial::ready(data.path());
    let workers = processes::running(data.path(), "vigie workers");
    let browsers: Vec<i32> = processes::running_in(data.path())
        .into_iter()
        .filter_map(|(pid, line)| line.contains("--user-data-dir=").then_some(pid))
        .collect();
    assert!(!browsers.is_empty());
    let own = nix::unistd::User::from_name("vigie-browser").unwrap().unwrap();
    for browser in browsers {
        assert_eq!(user_of(browser), own.uid.as_raw());
        let environment = std::fs::read(format!("/proc/{browser}/environ")).unwrap();
        assert!(!String::from_utf8_lossy(&environment).contains("VIGIE__POSTGRES"));
    }
    assert_ne!(user_of(workers), own.uid.as_raw());
    // What the workers' user may read, the browsers' may not.
    for secret in [
        data.path().join("running.env"),
        format!("/proc/{workers}/environ").into(),
    ] {
        let read = std::process::Command::new("setpriv")
            .args([
                "--reuid",
                "vigie-browser",
                "--regid",
                "vigie-browser",
                "--clear-groups",
                "cat",
            ])
            .arg(&secret)
            .output()
            .unwrap();
        assert!(!read.status.success(), "{} can be read", secret.display());
    }

    // The host is supervised like every part.
    let host = processes::running(data.path(), "vigie browsers");
    kill(Pid::from_raw(host), Signal::SIGKILL).unwrap();
    up.wait_for("the browser host died");
    let deadline = Instant::now() + STOP;
    while processes::find(data.path(), "vigie browsers").is_none() {
        assert!(Instant::now() < deadline, "the host is not started again");
        std::thread::sleep(Duration::from_millis(50));
    }
    up.send(Signal::SIGTERM);
    assert!(up.end().success());
    processes::all_gone(data.path(), Duration::ZERO);
}
