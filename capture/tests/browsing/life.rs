//! How browsers begin and end.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use capture::browsing::{Pool, Sandbox, StartError};

use crate::engine::{TestEngine, html, pool, search, settings};

/// Gives the helper test below its folder.
const FOLDER_VARIABLE: &str = "VIGIE_TEST_POOL_FOLDER";
/// Killed processes are gone by then.
const END_LIMIT: Duration = Duration::from_secs(10);

/// The browsers that use the folder, with all their processes.
pub fn processes_of(folder: &Path) -> Vec<u32> {
    let folder = folder.to_str().unwrap();
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        if let Some((_, parent)) = state_and_parent(pid) {
            children.entry(parent).or_default().push(pid);
        }
        let command = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if String::from_utf8_lossy(&command).contains(&format!("--user-data-dir={folder}")) {
            found.push(pid);
        }
    }
    let mut next = 0;
    while let Some(pid) = found.get(next) {
        let further = children.remove(pid).unwrap_or_default();
        found.extend(further);
        next += 1;
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn state_and_parent(pid: u32) -> Option<(char, u32)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}

/// Waits until all have ended, zombies (`Z`) included.
pub fn assert_end(processes: &[u32]) {
    assert!(processes.len() > 3, "a browser has more processes than {processes:?}");
    let begun = Instant::now();
    for &pid in processes {
        while state_and_parent(pid).is_some_and(|(state, _)| state != 'Z') {
            assert!(begun.elapsed() < END_LIMIT, "{pid} is still there");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[tokio::test]
async fn shutdown_leaves_no_process_and_no_file() {
    let engine = TestEngine::serve(|_| html("<p>results")).await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;
    pool.capture(search("x")).await.unwrap();
    let processes = processes_of(folder.path());

    pool.shutdown().await;

    assert_end(&processes);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    assert!(pool.capture(search("x")).await.is_err());
}

#[tokio::test]
async fn a_pool_that_is_dropped_ends_its_browsers() {
    let engine = TestEngine::serve(|_| html("<p>results")).await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;
    pool.capture(search("x")).await.unwrap();
    let processes = processes_of(folder.path());
    drop(pool);
    tokio::task::spawn_blocking(move || assert_end(&processes))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_browser_is_replaced_after_its_pages() {
    let engine = TestEngine::serve(|_| html("<p>results")).await;
    let folder = tempfile::tempdir().unwrap();
    let mut settings = settings(&engine, &folder);
    settings.limits.recycle_after_pages = 3;
    let pool = Pool::start(settings).await.unwrap();
    for _ in 0..7 {
        pool.capture(search("x")).await.unwrap();
    }
    let health = pool.health().await;
    assert_eq!((health.captured, health.failed, health.browsers_started), (7, 0, 3));
    pool.shutdown().await;
}

#[tokio::test]
async fn a_browser_that_has_grown_is_replaced() {
    let engine = TestEngine::serve(|_| html("<p>results")).await;
    let folder = tempfile::tempdir().unwrap();
    let mut settings = settings(&engine, &folder);
    settings.limits.recycle_memory_bytes = 1;
    let pool = Pool::start(settings).await.unwrap();
    for _ in 0..11 {
        pool.capture(search("x")).await.unwrap();
    }
    assert_eq!(pool.health().await.browsers_started, 2);
    pool.shutdown().await;
}

#[tokio::test]
async fn the_sandbox_is_never_left_out_silently() {
    let engine = TestEngine::serve(|_| html("<p>results")).await;
    let folder = tempfile::tempdir().unwrap();
    let mut settings = settings(&engine, &folder);
    settings.sandbox = Sandbox::On;
    match Pool::start(settings).await {
        Ok(pool) => {
            assert!(!nix::unistd::geteuid().is_root());
            let command = std::fs::read(format!("/proc/{}/cmdline", pool.health().await.browsers[0].pid)).unwrap();
            assert!(!String::from_utf8_lossy(&command).contains("--no-sandbox"));
            pool.capture(search("x")).await.unwrap();
            pool.shutdown().await;
        }
        Err(error) => {
            assert!(
                matches!(error, StartError::SandboxAsRoot | StartError::SandboxRefused),
                "{error}"
            );
            assert!(error.to_string().contains("VIGIE__CAPTURE__SANDBOX=off"), "{error}");
        }
    }
}

#[tokio::test]
async fn a_machine_without_chromium_learns_what_to_do() {
    let engine = TestEngine::serve(|_| html("")).await;
    let folder = tempfile::tempdir().unwrap();
    let mut settings = settings(&engine, &folder);
    settings.chromium = PathBuf::from("/nowhere/chromium");
    let error = Pool::start(settings).await.err().unwrap();
    assert!(matches!(error, StartError::NoChromium(_)), "{error}");
    assert!(error.to_string().contains("/nowhere/chromium") && error.to_string().contains("VIGIE__CAPTURE__CHROMIUM"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_program_that_is_no_chromium_is_not_waited_for() {
    let engine = TestEngine::serve(|_| html("")).await;
    let folder = tempfile::tempdir().unwrap();
    let mut settings = settings(&engine, &folder);
    settings.chromium = PathBuf::from("/bin/false");
    let error = Pool::start(settings).await.err().unwrap();
    assert!(matches!(error, StartError::Silent { .. }), "{error}");
}

#[tokio::test]
#[ignore = "the other process of the test below"]
async fn holds_a_pool_until_it_is_killed() {
    let engine = TestEngine::serve(|_| html("<p>results")).await;
    let folder = PathBuf::from(std::env::var_os(FOLDER_VARIABLE).unwrap());
    let unused = tempfile::tempdir().unwrap();
    let mut settings = settings(&engine, &unused);
    settings.work_folder = folder;
    let pool = Pool::start(settings).await.unwrap();
    pool.capture(search("x")).await.unwrap();
    println!("captured");
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn browsers_die_with_a_worker_that_is_killed_and_the_next_start_sweeps_after_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut worker = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "life::holds_a_pool_until_it_is_killed",
            "--ignored",
            "--nocapture",
        ])
        .env(FOLDER_VARIABLE, folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(worker.stdout.take().unwrap()).lines();
    assert!(
        lines.map_while(Result::ok).any(|line| line.contains("captured")),
        "the other process did not capture"
    );
    let processes = processes_of(folder.path());

    worker.kill().unwrap();
    worker.wait().unwrap();

    assert_end(&processes);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    let engine = TestEngine::serve(|_| html("<p>results")).await;
    let pool = pool(&engine, &folder).await;
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        1,
        "what the killed worker left is still there"
    );
    pool.shutdown().await;
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
