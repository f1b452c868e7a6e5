//! The programs of the stores, and the user that runs them.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nix::unistd::User;

/// The system user that runs the stores when the tests run as root: Postgres refuses root.
const SYSTEM_USER: &str = "vigie";
const INSTALL: &str = "run compose/install/install.sh, which installs what the tests need";

/// Runs programs as an unprivileged user.
#[derive(Clone, Debug)]
pub struct Runner {
    /// User and group to switch to; `None` for tests that do not run as root.
    pub switch: Option<(u32, u32)>,
}

impl Runner {
    /// A runner for the user of this process or, if that is root, for [`SYSTEM_USER`], which is created if it is missing.
    pub fn unprivileged() -> Self {
        if !nix::unistd::geteuid().is_root() {
            return Self { switch: None };
        }
        let find = || User::from_name(SYSTEM_USER).ok().flatten();
        let user = find().or_else(|| {
            let made = Command::new("useradd")
                .args(["--system", "--no-create-home", "--user-group", SYSTEM_USER])
                .status();
            made.ok().filter(std::process::ExitStatus::success).and_then(|_| find())
        });
        let user = user.unwrap_or_else(|| panic!("testkit: there is no user '{SYSTEM_USER}'; {INSTALL}"));
        Self {
            switch: Some((user.uid.as_raw(), user.gid.as_raw())),
        }
    }

    /// A command that runs the program as the unprivileged user, in `/` and a process group of its own, without input and output.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .current_dir("/")
            .process_group(0);
        if let Some((user, group)) = self.switch {
            command.uid(user).gid(group);
        }
        command
    }
}

/// The browser that captures are made with: the one without windows where Debian installed it, as in `vigie up`, or else that on the search path.
pub fn chromium() -> PathBuf {
    let shell = PathBuf::from("/usr/lib/chromium/chromium-headless-shell");
    if shell.exists() { shell } else { "chromium".into() }
}

/// The path of a program of the newest Postgres under `/usr/lib/postgresql`, or else on the search path.
pub fn postgres(name: &str) -> PathBuf {
    let mut versions: Vec<(u32, PathBuf)> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .filter(|(_, folder)| folder.join("initdb").exists())
        .collect();
    versions.sort();
    match versions.pop() {
        Some((_, folder)) => folder.join(name),
        None => on_path(name),
    }
}

/// The path of a program on the search path; panics with what to install if it is missing.
pub fn on_path(name: &str) -> PathBuf {
    let found = Command::new("sh")
        .args(["-c", &format!("command -v {name}")])
        .output()
        .ok();
    let path = found.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    match path.filter(|path| !path.is_empty()) {
        Some(path) => PathBuf::from(path),
        None => panic!("testkit: the program '{name}' is missing; {INSTALL}"),
    }
}

/// The path of the embedded ClickHouse, beside the running test or one folder above; panics with how to build it if it is missing.
pub fn embedded_clickhouse() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its own program");
    let folders = test.ancestors().skip(1).take(2);
    let found = folders
        .map(|folder| folder.join("embedded-clickhouse"))
        .find(|program| program.is_file());
    found.unwrap_or_else(|| {
        panic!(
            "testkit: the embedded ClickHouse is not built beside {}; run: cargo build -p embedded-clickhouse",
            test.display()
        )
    })
}

/// chDB's library, where the install step puts it.
#[expect(
    clippy::disallowed_methods,
    reason = "tests have no settings; the cache is found as the install step finds it"
)]
/// The path of chDB's library, where the install step puts it; panics with what to install if it is missing.
pub fn chdb() -> PathBuf {
    const LIBRARY: &str = "vigie/chdb/26.7.3-stable.1/node_modules/@chdb/lib-linux-x64-gnu/libchdb.so";
    let cache = if nix::unistd::geteuid().is_root() {
        PathBuf::from("/var/cache")
    } else {
        std::env::var("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .or_else(|_| std::env::var("HOME").map(|home| PathBuf::from(home).join(".cache")))
            .unwrap_or_else(|_| PathBuf::from("/var/cache"))
    };
    let library = cache.join(LIBRARY);
    assert!(
        library.is_file(),
        "testkit: {} is missing; {INSTALL}",
        library.display()
    );
    library
}
