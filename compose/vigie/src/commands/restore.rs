//! `vigie restore`: restores a backup into empty stores, or checks or lists backups.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use backup::{BackupId, Repository};
use clap::Args;
use runtime::sealing::Keys;
use runtime::{Clock, Settings};

use super::CommandError;
use crate::backup_stores::{BackupStores, hand_over, read_key};
use crate::stack;
use crate::terminal::say;

/// Which backup to restore.
#[derive(Debug, Args)]
pub struct Restore {
    /// The folder of backups
    folder: PathBuf,
    /// The backup, as --list names it; the newest by default
    #[arg(long)]
    backup: Option<String>,
    /// The file with the key that the backups are encrypted with
    #[arg(long)]
    key_file: Option<PathBuf>,
    /// Restore although the key of the stored credentials is missing: they stay unreadable
    #[arg(long)]
    without_secrets: bool,
    /// Read all of the backup and compare it with its names; restore nothing
    #[arg(long, conflicts_with = "list")]
    check: bool,
    /// List the backups; restore nothing
    #[arg(long)]
    list: bool,
}

/// Restores a backup, and prints what was restored and how long it took; or checks it, or lists all. Stores that the settings do not name are private
/// ones of the data folder, which are started for it. As root, it first becomes the user of the setting `embedded.user`.
pub fn run(arguments: &Restore) -> Result<ExitCode, CommandError> {
    let settings = super::settings_of_stack()?;
    hand_over(&settings, &arguments.folder)?;
    let key = read_key(arguments.key_file.as_deref())?;
    let repository = Repository::open(&arguments.folder, key.as_ref())?;
    if arguments.list {
        list(&repository)?;
        return Ok(ExitCode::SUCCESS);
    }
    let id = repository.find(arguments.backup.as_deref())?;
    // The private stores end with the thread that started them.
    super::on_one_thread(async {
        if arguments.check {
            check(&repository, id).await?;
        } else if settings.postgres.url.is_some() && settings.clickhouse.url.is_some() {
            restore(&settings, &repository, id, arguments.without_secrets).await?;
        } else {
            stack::with_stores(&settings, async |variables| {
                let settings = runtime::settings::from_environment_over(variables)?;
                restore(&settings, &repository, id, arguments.without_secrets).await
            })
            .await?;
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// Prints each backup with what it consists of, oldest first.
fn list(repository: &Repository) -> Result<(), CommandError> {
    for id in repository.backups()? {
        let contents = repository.contents(id)?;
        say(format!(
            "{id}  Vigie {}, rows {}, files {}",
            contents.vigie,
            contents.rows(),
            contents.files
        ));
    }
    Ok(())
}

/// Reads all of a backup.
async fn check(repository: &Repository, id: BackupId) -> Result<(), CommandError> {
    let began = Instant::now();
    let found = backup::check(repository, &repository.contents(id)?).await?;
    say(format!(
        "backup {id} is whole: pieces {}, bytes {}, seconds {:.1}",
        found.pieces,
        found.bytes,
        began.elapsed().as_secs_f64()
    ));
    Ok(())
}

/// Restores a backup into the stores of the settings.
async fn restore(
    settings: &Settings,
    repository: &Repository,
    id: BackupId,
    without_secrets: bool,
) -> Result<(), CommandError> {
    let began = Instant::now();
    let stores = BackupStores::connect(settings, "vigie restore").await?;
    let secrets = Keys::read(settings.secrets.keys.as_ref())?;
    let has_key = |wanted: &str| without_secrets || secrets.names().any(|name| name == wanted);
    let restored = backup::restore(repository, id, &stores.borrow(), has_key, Clock::system().now()).await?;
    say(format!(
        "restored {id}: everything until {}, rows {}, files {}, late rows deleted {}, addresses erased again {}, seconds {:.1}",
        restored.taken_at.format("%Y-%m-%d %H:%M:%S UTC"),
        restored.rows,
        restored.files,
        restored.late_rows,
        restored.erased,
        began.elapsed().as_secs_f64()
    ));
    Ok(())
}
