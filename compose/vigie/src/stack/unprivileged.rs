//! Root does not run the stack: Postgres and Chromium's sandbox refuse it. A process started as root becomes the system user.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::unistd::{Uid, User, chown};
use thiserror::Error;

/// Why root could not become the system user.
#[derive(Debug, Error)]
pub enum HandOverError {
    /// The system user does not exist.
    #[error(
        "started as root, Vigie runs its parts as the system user '{0}', which does not exist. Make it with `make install`, or name another one with VIGIE__EMBEDDED__USER (for the browsers VIGIE__EMBEDDED__BROWSER_USER)"
    )]
    NoUser(String),
    /// The folder belongs to another user.
    #[error("the folder {} belongs to another user than '{user}', which runs the parts. Run: chown -R {user}: {}", .folder.display(), .folder.display())]
    Foreign {
        /// Path of the folder.
        folder: PathBuf,
        /// Name of the system user.
        user: String,
    },
    /// The folder could not be created or handed over.
    #[error("the folder {} cannot be given to user '{user}' ({reason}). Name another one; the data folder is set by VIGIE__DATA", .folder.display())]
    NotGiven {
        /// Path of the folder.
        folder: PathBuf,
        /// Name of the system user.
        user: String,
        /// The system's error.
        reason: io::Error,
    },
    /// The program could not be executed as that user.
    #[error("{} cannot be executed by user '{user}' ({reason}). Put it where everybody may read it, such as /usr/local/bin", .program.display())]
    NotExecuted {
        /// Path of this program.
        program: PathBuf,
        /// Name of the system user.
        user: String,
        /// The system's error.
        reason: io::Error,
    },
}

/// As root, makes `user` the owner of the data folder, created if missing, and executes this program again as that user; returns only on error then.
/// A folder of another user that is not empty is an error. Not as root, does nothing.
pub fn hand_over(user: &str, data: &Path) -> Result<(), HandOverError> {
    if !Uid::effective().is_root() {
        return Ok(());
    }
    let account = account(user)?;
    give_folder(data, &account)?;
    become_user(&account, data)
}

/// As root, makes `user` the owner of a folder, created if missing, before [`hand_over`]. A folder of another user that is not empty is an error. Not
/// as root, does nothing.
pub fn give(user: &str, folder: &Path) -> Result<(), HandOverError> {
    if !Uid::effective().is_root() {
        return Ok(());
    }
    give_folder(folder, &account(user)?)
}

/// Replaces this process by the same program with the same arguments, run as `account`. Returns only on error.
pub fn become_user(account: &User, data: &Path) -> Result<(), HandOverError> {
    let reason = again_as(account, data, &[]).exec();
    Err(not_executed(account, reason))
}

/// Builds a command that runs this program again with its own arguments, but as `account`, through setpriv with the additional `options`. `HOME` and
/// `VIGIE__DATA` are `data` as an absolute path.
pub(super) fn again_as(account: &User, data: &Path, options: &[&str]) -> Command {
    let data = std::path::absolute(data).unwrap_or_else(|_| data.to_owned());
    let mut command = as_user(account, options);
    command
        .arg("--init-groups")
        .arg("--")
        .arg(this_program())
        .args(std::env::args_os().skip(1))
        .env("HOME", &data)
        .env("USER", &account.name)
        .env("VIGIE__DATA", &data)
        .env_remove("XDG_CACHE_HOME")
        .env_remove("XDG_RUNTIME_DIR");
    command
}

/// Builds the beginning of a command that runs as `account`, through setpriv with the additional `options`. The caller adds what happens to the
/// groups, such as `--init-groups`, then `--` and the program.
pub(super) fn as_user(account: &User, options: &[&str]) -> Command {
    let mut command = Command::new("setpriv");
    command.args(options).args([
        "--reuid",
        &account.name,
        "--regid",
        &account.gid.to_string(),
        "--inh-caps=-all",
    ]);
    command
}

/// Returns the path of this program; `vigie` when the system does not say.
pub(super) fn this_program() -> PathBuf {
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("vigie"))
}

/// Builds the error that this program could not be executed as `account`.
pub(super) fn not_executed(account: &User, reason: io::Error) -> HandOverError {
    HandOverError::NotExecuted {
        program: this_program(),
        user: account.name.clone(),
        reason,
    }
}

/// Looks up a system user by name; fails when it does not exist.
pub(super) fn account(user: &str) -> Result<User, HandOverError> {
    let Ok(Some(account)) = User::from_name(user) else {
        return Err(HandOverError::NoUser(user.to_owned()));
    };
    Ok(account)
}

/// Makes `account` the owner of a folder, which is created, closed to other users, if missing. A folder of another user is given away only when it is
/// empty, else this fails.
pub(super) fn give_folder(folder: &Path, account: &User) -> Result<(), HandOverError> {
    let not_given = |reason| HandOverError::NotGiven {
        folder: folder.to_owned(),
        user: account.name.clone(),
        reason,
    };
    super::data_folder::make(folder).map_err(not_given)?;
    let owner = std::fs::metadata(folder).map_err(not_given)?.uid();
    if owner == account.uid.as_raw() {
        return Ok(());
    }
    // Only an empty folder changes its owner without being asked.
    let empty = std::fs::read_dir(folder).map_err(not_given)?.next().is_none();
    if !empty {
        return Err(HandOverError::Foreign {
            folder: folder.to_owned(),
            user: account.name.clone(),
        });
    }
    chown(folder, Some(account.uid), Some(account.gid)).map_err(|errno| not_given(errno.into()))
}
