//! `vigie backup`: copies the stores into a folder of backups.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use backup::Repository;
use clap::Args;
use runtime::Clock;
use runtime::sealing::Keys;

use super::CommandError;
use crate::backup_stores::{BackupStores, hand_over, read_key};
use crate::terminal::{complain, say};

/// Where the backup goes.
#[derive(Debug, Args)]
pub struct Backup {
    /// The folder of backups; made if it is missing
    folder: PathBuf,
    /// A file with 32 bytes in hex (`openssl rand -hex 32`), with which everything in the folder is encrypted; keep it elsewhere
    #[arg(long)]
    key_file: Option<PathBuf>,
    /// Keep this many of the newest backups and delete older ones
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    keep: Option<u16>,
    /// Leave out ClickHouse, of which a cluster makes backups of its own
    #[arg(long)]
    without_clickhouse: bool,
}

/// Makes a backup, reads back what was written, and deletes old backups if asked to; prints the name of the backup and what it took. As root, it first
/// becomes the user of the setting `embedded.user`, and gives that user an empty folder. The exit code is 1 when captured pages are damaged, although the
/// backup is made.
pub fn run(arguments: &Backup) -> Result<ExitCode, CommandError> {
    let settings = super::settings_of_stack()?;
    hand_over(&settings, &arguments.folder)?;
    super::block_on(async {
        let began = Instant::now();
        let key = read_key(arguments.key_file.as_deref())?;
        let repository = Repository::open_or_make(&arguments.folder, key.as_ref())?;
        let stores = BackupStores::connect(&settings, "vigie backup").await?;
        let secrets = Keys::read(settings.secrets.keys.as_ref())?;
        let written = backup::back_up(
            &repository,
            &stores.borrow(),
            secrets.names().next().map(str::to_owned),
            !arguments.without_clickhouse,
            Clock::system().now(),
        )
        .await?;
        if let Some(keep) = arguments.keep {
            let pruned = backup::prune(&repository, keep.into()).await?;
            say(format!("backups deleted: {}, pieces {}", pruned.backups, pruned.pieces));
        }
        say(format!(
            "backup {}: rows {}, files {}, new pieces {}, new bytes {}, seconds {:.1}",
            written.id,
            written.contents.rows(),
            written.contents.files,
            written.new_pieces,
            written.new_bytes,
            began.elapsed().as_secs_f64()
        ));
        for file in &written.damaged {
            complain(format!(
                "the file {} is damaged; the backup is without it",
                hex::encode(file)
            ));
        }
        Ok(if written.damaged.is_empty() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    })
}
