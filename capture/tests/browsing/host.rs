//! Browsers that a host runs for a pool.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use capture::browsing::{BrowserHost, HostSettings, Pool, Settings, StartError};

use crate::engine::{TestEngine, html, search, settings};
use crate::life::{assert_end, processes_of};

/// A host in `folder`, with the settings of a pool that uses it.
fn host(engine: &TestEngine, folder: &tempfile::TempDir, own: &tempfile::TempDir) -> (BrowserHost, Settings) {
    let mut settings = settings(engine, own);
    let socket = folder.path().join("browsers");
    let host = BrowserHost::start(HostSettings {
        chromium: settings.chromium.clone(),
        work_folder: folder.path().join("work"),
        socket: socket.clone(),
    })
    .unwrap();
    settings.host = Some(socket);
    (host, settings)
}

async fn end(processes: Vec<u32>) {
    tokio::task::spawn_blocking(move || assert_end(&processes))
        .await
        .unwrap();
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[tokio::test]
async fn a_pool_captures_with_a_browser_of_its_host_and_takes_it_along() {
    let engine = TestEngine::serve(|_| html("<p>results")).await;
    let (folder, own) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (host, settings) = host(&engine, &folder, &own);
    let mode = std::fs::metadata(folder.path().join("browsers"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o660, "others may use the socket");

    let pool = Pool::start(settings.clone()).await.unwrap();
    let page = pool.capture(search("x")).await.unwrap();
    assert!(page.html.contains("results"));
    let processes = processes_of(folder.path());
    assert_eq!(
        names(own.path()),
        Vec::<String>::new(),
        "the pool has a browser's folder of its own"
    );
    pool.shutdown().await;
    end(processes).await;

    let pool = Pool::start(settings).await.unwrap();
    pool.capture(search("x")).await.unwrap();
    let processes = processes_of(folder.path());
    drop(host);
    end(processes).await;
    assert!(pool.capture(search("x")).await.is_err());
    assert_eq!(names(folder.path()), ["work"]);
    assert_eq!(names(&folder.path().join("work")), Vec::<String>::new());
}

#[tokio::test]
async fn a_browser_inherits_nothing_that_opens_a_store() {
    let engine = TestEngine::serve(|_| html("<p>results")).await;
    let folder = tempfile::tempdir().unwrap();
    let pool = Pool::start(settings(&engine, &folder)).await.unwrap();
    let pid = pool.health().await.browsers[0].pid;
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap();
    let passed_on = [
        "PATH",
        "LANG",
        "LC_ALL",
        "VIGIE__DATA",
        "HOME",
        "TMPDIR",
        "PWD",
        "OLDPWD",
        "SHLVL",
        "_",
    ];
    // Variables that the program's own start script adds are not from this process.
    let kept_back: Vec<_> = std::env::vars_os()
        .filter_map(|(name, _)| name.into_string().ok())
        .filter(|name| !passed_on.contains(&name.as_str()) && !name.starts_with("XDG_"))
        .collect();
    assert!(
        kept_back.iter().any(|name| name.starts_with("CARGO")),
        "nothing to keep back: {kept_back:?}"
    );
    for variable in String::from_utf8_lossy(&environment).split_terminator('\0') {
        let name = variable.split('=').next().unwrap();
        assert!(!kept_back.iter().any(|kept| kept == name), "{name} is inherited");
    }
    pool.shutdown().await;
}

#[tokio::test]
async fn a_pool_without_its_host_says_what_to_start() {
    let engine = TestEngine::serve(|_| html("")).await;
    let folder = tempfile::tempdir().unwrap();
    let mut settings = settings(&engine, &folder);
    settings.host = Some(folder.path().join("nobody"));
    let error = Pool::start(settings).await.err().unwrap();
    assert!(matches!(error, StartError::Launch(_)), "{error}");
    assert!(error.to_string().contains("vigie browsers"), "{error}");
}

#[tokio::test]
async fn a_host_that_died_is_followed_by_another_on_its_socket_and_a_living_one_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("browsers");
    let settings = HostSettings {
        chromium: "/bin/false".into(),
        work_folder: folder.path().join("work"),
        socket: socket.clone(),
    };
    // What a killed host leaves: a socket without a listener.
    drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
    let _living = BrowserHost::start(settings.clone()).unwrap();
    let refused = BrowserHost::start(settings).err().unwrap();
    assert!(matches!(refused, StartError::HostSocket { .. }), "{refused}");
}
