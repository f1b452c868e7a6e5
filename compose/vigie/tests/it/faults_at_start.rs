//! What prevents a start is named, with its cure.

use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::process::{Command, Output};

use nix::sys::signal::Signal;

use crate::trial::{Trial, folder, vigie};

/// The message of a start that must fail.
fn refusal(command: &mut Command) -> String {
    let Output { status, stderr, .. } = command.output().unwrap();
    let message = String::from_utf8_lossy(&stderr).into_owned();
    assert!(!status.success(), "{message}");
    message
}

fn assert_says(message: &str, words: &[&str]) {
    for word in words {
        assert!(message.contains(word), "'{word}' is not in: {message}");
    }
}

#[test]
fn names_every_unknown_setting_at_once() {
    let data = folder();
    let message = refusal(
        vigie(data.path(), "up")
            .env("VIGIE__WORKERS__TICK_MILIS", "5")
            .env("VIGIE__NOWHERE__KEY", "1"),
    );
    assert_says(
        &message,
        &[
            "VIGIE__WORKERS__TICK_MILIS",
            "did you mean 'workers.tick_millis'",
            "VIGIE__NOWHERE__KEY",
        ],
    );
}

#[test]
fn names_a_port_that_is_in_use_and_the_setting_that_moves_it() {
    let data = folder();
    let taken_address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let listener = TcpListener::bind(taken_address).unwrap();
    let message = refusal(vigie(data.path(), "up").env("VIGIE__API__LISTEN", taken_address.to_string()));
    drop(listener);
    assert_says(&message, &[&taken_address.to_string(), "VIGIE__API__LISTEN"]);
}

#[test]
fn names_a_missing_postgres() {
    let data = folder();
    let message = refusal(vigie(data.path(), "up").env("VIGIE__EMBEDDED__POSTGRES_PROGRAMS", data.path()));
    assert_says(&message, &["VIGIE__EMBEDDED__POSTGRES_PROGRAMS", "initdb"]);
}

#[test]
fn names_a_missing_redis_and_how_to_install_it() {
    let data = folder();
    let programs = folder();
    symlink("/usr/bin/setpriv", programs.path().join("setpriv")).unwrap();
    std::fs::set_permissions(programs.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let message = refusal(vigie(data.path(), "up").env("PATH", programs.path()));
    assert_says(
        &message,
        &[
            "redis-server was not found",
            "apt-get install redis-server",
            "VIGIE__REDIS__URL",
        ],
    );
}

#[test]
fn names_a_missing_engine_library() {
    let data = folder();
    let message = refusal(vigie(data.path(), "up").env("VIGIE__EMBEDDED__CLICKHOUSE_LIBRARY", "/nowhere/libchdb.so"));
    assert_says(
        &message,
        &["/nowhere/libchdb.so", "make install", "VIGIE__CLICKHOUSE__URL"],
    );
}

#[test]
fn without_a_browser_everything_but_captures_runs_and_captures_begin_once_there_is_one() {
    let data = folder();
    let programs = folder();
    std::fs::set_permissions(programs.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let chromium = programs.path().join("chromium");
    let mut up = Trial::start(vigie(data.path(), "up").env("VIGIE__CAPTURE__CHROMIUM", &chromium));
    up.wait_for("cannot start workers");
    up.wait_for_anywhere("VIGIE__CAPTURE__CHROMIUM");
    up.wait_for_anywhere("Vigie is ready");
    up.wait_for("workers died");
    symlink("/usr/bin/chromium", &chromium).unwrap();
    let back = up.wait_for("again");
    assert!(back.contains("workers"), "{back}");
}

#[test]
fn waits_for_a_store_that_is_down_and_says_which() {
    let data = folder();
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut up = Trial::start(vigie(data.path(), "up").env("VIGIE__REDIS__URL", format!("redis://{nobody}")));
    let message = up.wait_for("waiting for Redis");
    assert_says(&message, &[&nobody.to_string(), "VIGIE__REDIS__URL"]);
    up.send(Signal::SIGTERM);
    assert!(up.end().success());
}
