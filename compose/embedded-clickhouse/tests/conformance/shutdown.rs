use std::process::Stdio;

use crate::server::{self, Server};

#[tokio::test]
async fn ends_cleanly_and_keeps_its_data() {
    let data = tempfile::tempdir().expect("a folder");
    let server = Server::on(data.path());
    server
        .text("CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a")
        .await;
    server.text("INSERT INTO t VALUES (1)").await;
    let (status, errors) = server.terminate();
    assert!(status.success(), "{errors}");
    assert_eq!(errors, "");
    assert_eq!(Server::on(data.path()).text("SELECT a FROM t").await, "1\n");
}

#[tokio::test]
async fn cancels_what_still_runs_when_its_time_is_up() {
    let (server, _data) = server::start();
    let endless = "SELECT count() FROM numbers(1000000000000) WHERE NOT ignore(number)";
    let request = tokio::spawn(server.post(&[], endless).send());
    let runs = || async { server.text("SELECT count() FROM system.processes").await == "2\n" };
    server::until("it runs", runs).await;
    let (status, errors) = server.terminate();
    assert!(status.success(), "{errors}");
    assert!(
        request
            .await
            .expect("joined")
            .is_ok_and(|answer| answer.status() == 500)
    );
}

#[tokio::test]
async fn refuses_a_folder_that_another_process_owns() {
    let data = tempfile::tempdir().expect("a folder");
    let _owner = Server::on(data.path());
    let second = server::command(data.path())
        .stdout(Stdio::null())
        .output()
        .expect("it runs");
    let errors = String::from_utf8_lossy(&second.stderr);
    assert!(!second.status.success());
    assert!(errors.contains("another process may own it"), "{errors}");
}

#[tokio::test]
async fn names_the_cure_where_the_library_is_missing() {
    let data = tempfile::tempdir().expect("a folder");
    let mut command = server::command(data.path());
    command.env("VIGIE_CHDB_LIBRARY", "").args(["--max-concurrent", "0"]);
    let refused = command.output().expect("it runs");
    assert!(String::from_utf8_lossy(&refused.stderr).contains("must be 1 or more"));

    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_embedded-clickhouse"));
    command
        .args(["--library", "/nowhere/libchdb.so", "--secret", "s", "--data"])
        .arg(data.path());
    let refused = command.output().expect("it runs");
    let errors = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        errors.contains("/nowhere/libchdb.so") && errors.contains("fetch-library.sh"),
        "{errors}"
    );
}
