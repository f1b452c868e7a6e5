//! `vigie up` started as root: the parts run as one system user, the browsers as another, and root supervises both.
//!
//! A page that escapes from its browser is then neither the user whose processes hold the stores' passwords nor the owner of their files.

use std::ffi::OsString;
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, User, chown};
use runtime::Settings;
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::unprivileged::{self, HandOverError};
use crate::supervisor::Backoff;
use crate::terminal::complain;

/// In memory, emptied when the machine restarts.
const RUN: &str = "/run";
/// Access for the host's user; the parts' group, which new files inherit, may reach the socket.
const OWNER_AND_PASSING_GROUP: u32 = 0o2710;
/// Time for the host to listen.
const START_LIMIT: Duration = Duration::from_secs(10);
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);
/// Time for the host to end its browsers.
const END_LIMIT: Duration = Duration::from_secs(5);
/// The only variables the host inherits: others may hold passwords.
const INHERITED: [&str; 4] = ["PATH", "LANG", "LC_ALL", "TMPDIR"];

/// Runs the stack as its users until it ends, by itself or because `stop` sends it SIGTERM, and returns its exit code. A browser host that dies is
/// restarted after a growing wait; fails when it does not listen in time. Gives the data folder to the parts' user. Call it as root.
pub async fn run(settings: &Settings, stop: CancellationToken) -> Result<ExitCode, HandOverError> {
    let parts = unprivileged::account(&settings.embedded.user)?;
    let browsers = unprivileged::account(&settings.embedded.browser_user)?;
    unprivileged::give_folder(&settings.data, &parts)?;
    let host = Host::prepare(settings, browsers, &parts)?;
    let mut host_process = host.start().await?;
    let mut started = Instant::now();
    let mut stack = host.stack(&parts, &settings.data)?;
    let mut backoff = Backoff::default();
    let mut signalled = false;
    let ended = loop {
        tokio::select! {
            ended = stack.wait() => break ended.map_err(|reason| unprivileged::not_executed(&parts, reason))?,
            () = stop.cancelled(), if !signalled => {
                signalled = true;
                ask_to_end(&stack);
            }
            died = host_process.wait() => {
                let wait = backoff.after(started.elapsed());
                let how = died.map_or_else(|error| error.to_string(), |status| status.to_string());
                complain(format!("the browser host died: {how}. Started again in {:.1} s", wait.as_secs_f64()));
                sleep(wait).await;
                host_process = host.start().await?;
                started = Instant::now();
            }
        }
    };
    ask_to_end(&host_process);
    // Dropping the process kills it if it has not ended in time.
    let _ = timeout(END_LIMIT, host_process.wait()).await;
    Ok(exit_code(ended))
}

/// Sends SIGTERM to a child; does nothing when it has ended.
fn ask_to_end(child: &Child) {
    if let Some(pid) = child.id().and_then(|pid| i32::try_from(pid).ok()) {
        let _already_gone = kill(Pid::from_raw(pid), Signal::SIGTERM);
    }
}

/// Returns the exit code in a shell's form: the code, or 128 plus the signal; a failure when that exceeds 255.
fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status
        .code()
        .unwrap_or_else(|| 128 + status.signal().unwrap_or_default());
    u8::try_from(code).map_or(ExitCode::FAILURE, ExitCode::from)
}

/// The browser host: its user and the folder in which it listens and works.
struct Host {
    account: User,
    folder: TempDir,
    chromium: Option<PathBuf>,
    data: PathBuf,
}

impl Host {
    /// Creates the host's folder below [`RUN`], owned by `account`; the group of `parts` may only pass through it. Starts nothing. The folder is
    /// removed on drop.
    fn prepare(settings: &Settings, account: User, parts: &User) -> Result<Self, HandOverError> {
        let not_given = |reason| HandOverError::NotGiven {
            folder: RUN.into(),
            user: account.name.clone(),
            reason,
        };
        let folder = tempfile::Builder::new()
            .prefix("vigie-")
            .tempdir_in(RUN)
            .map_err(not_given)?;
        chown(folder.path(), Some(account.uid), Some(parts.gid)).map_err(|errno| not_given(errno.into()))?;
        std::fs::set_permissions(folder.path(), Permissions::from_mode(OWNER_AND_PASSING_GROUP)).map_err(not_given)?;
        Ok(Self {
            account,
            folder,
            chromium: settings.capture.chromium.clone(),
            data: settings.data.clone(),
        })
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("browsers")
    }

    /// Starts the host process and waits until it listens; fails, and kills it, when it ends before or does not listen within [`START_LIMIT`].
    /// Dropping the returned process kills it.
    async fn start(&self) -> Result<Child, HandOverError> {
        let not_executed = |reason| unprivileged::not_executed(&self.account, reason);
        let variables = INHERITED
            .iter()
            .filter_map(|name| Some((*name, std::env::var_os(name)?)));
        let chromium = self
            .chromium
            .iter()
            .map(|path| ("VIGIE__CAPTURE__CHROMIUM", path.as_os_str()));
        let mut command = unprivileged::as_user(&self.account, &["--pdeathsig", "TERM"]);
        command
            .arg("--clear-groups")
            .arg("--")
            .arg(unprivileged::this_program())
            .arg("browsers")
            .env_clear()
            .envs(variables)
            .envs(chromium)
            .envs(self.own_settings())
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        // A Ctrl-C must not reach it: the stack ends first.
        let mut child = Command::from(command)
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(not_executed)?;
        let listens = async {
            while std::os::unix::net::UnixStream::connect(self.socket()).is_err() {
                sleep(BETWEEN_LOOKS).await;
            }
        };
        tokio::select! {
            ended = child.wait() => {
                let how = ended.map_or_else(|error| error.to_string(), |status| status.to_string());
                Err(not_executed(io::Error::other(format!("`vigie browsers` ended with {how}"))))
            }
            listening = timeout(START_LIMIT, listens) => match listening {
                Ok(()) => Ok(child),
                Err(late) => Err(not_executed(late.into())),
            },
        }
    }

    /// Returns the settings that the host process gets as variables.
    fn own_settings(&self) -> [(&'static str, OsString); 5] {
        [
            ("VIGIE__DATA", self.data.clone().into()),
            ("VIGIE__CAPTURE__HOST", self.socket().into()),
            ("VIGIE__CAPTURE__WORK_FOLDER", self.folder.path().join("work").into()),
            ("VIGIE__LOGS__FORMAT", "text".into()),
            ("VIGIE__LOGS__FILTER", "warn".into()),
        ]
    }

    /// Starts this program again as the parts' user, with the same arguments and the host's socket, in the same process group, so that it keeps the
    /// terminal. It gets SIGTERM when this process dies; dropping the child does not end it.
    fn stack(&self, parts: &User, data: &Path) -> Result<Child, HandOverError> {
        let mut command = unprivileged::again_as(parts, data, &["--pdeathsig", "TERM"]);
        command.env("VIGIE__CAPTURE__HOST", self.socket());
        let mut command = Command::from(command);
        command
            .spawn()
            .map_err(|reason| unprivileged::not_executed(parts, reason))
    }
}
