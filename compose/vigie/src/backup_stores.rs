//! What `vigie backup` and `vigie restore` begin with: the user they run as, the key of the backups, and the stores.

use std::path::{Path, PathBuf};

use analytics::Client;
use backup::{Repository, Stores};
use blobs::Blobs;
use postgres::Pool;
use runtime::{Secret, Settings};
use thiserror::Error;

use crate::connections::{self, ConnectError};
use crate::programs::{POSTGRES_LEAST, PostgresPrograms};
use crate::stack::unprivileged::{self, HandOverError};

/// What a backup needs and does not have.
#[derive(Debug, Error)]
pub enum NeedsError {
    /// The key cannot be read.
    #[error("the key of the backups, {}, cannot be read: {reason}", .file.display())]
    KeyFile {
        /// Path of its file.
        file: PathBuf,
        /// The system's error.
        reason: std::io::Error,
    },
    /// The folder holds other files.
    #[error(transparent)]
    Folder(#[from] backup::Error),
    /// Root could not become the system user.
    #[error(transparent)]
    HandOver(#[from] HandOverError),
    /// A store is not set.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// PostgreSQL's programs are missing.
    #[error(
        "no pg_dump of PostgreSQL {POSTGRES_LEAST} or later was found. Install it (Debian and Ubuntu: apt-get install postgresql-client), or name its folder with VIGIE__EMBEDDED__POSTGRES_PROGRAMS"
    )]
    PostgresPrograms,
}

/// As root, gives an empty folder of backups to the user of the setting `embedded.user` and becomes that user. Refuses a folder of other files.
pub fn hand_over(settings: &Settings, folder: &Path) -> Result<(), NeedsError> {
    Repository::refuse_others(folder)?;
    unprivileged::give(&settings.embedded.user, folder)?;
    unprivileged::hand_over(&settings.embedded.user, &settings.data)?;
    Ok(())
}

/// Reads the key of the backups.
pub fn read_key(file: Option<&Path>) -> Result<Option<Secret>, NeedsError> {
    let read = |file: &Path| {
        std::fs::read_to_string(file)
            .map(Secret::new)
            .map_err(|reason| NeedsError::KeyFile {
                file: file.to_owned(),
                reason,
            })
    };
    file.map(read).transpose()
}

/// Connections to the stores of a backup, and PostgreSQL's programs.
pub struct BackupStores {
    postgres: Pool,
    postgres_url: String,
    programs: PathBuf,
    analytics: Client,
    blobs: Blobs,
}

impl BackupStores {
    /// Fails when a store is not set or no programs of PostgreSQL are found.
    pub async fn connect(settings: &Settings, program: &str) -> Result<Self, NeedsError> {
        let set = settings.embedded.postgres_programs.clone();
        let found = || {
            PostgresPrograms::all()
                .into_iter()
                .next()
                .map(|programs| programs.folder)
        };
        Ok(Self {
            postgres: connections::postgres_direct(settings, &connections::postgres(settings, program)?, program)?
                .pool()
                .clone(),
            postgres_url: connections::postgres_url(settings)?,
            programs: set.or_else(found).ok_or(NeedsError::PostgresPrograms)?,
            analytics: connections::analytics(settings)?,
            blobs: connections::blobs(settings).await?,
        })
    }

    /// The stores as the backup takes them.
    pub fn borrow(&self) -> Stores<'_> {
        Stores {
            postgres: &self.postgres,
            postgres_url: &self.postgres_url,
            postgres_programs: &self.programs,
            analytics: &self.analytics,
            blobs: &self.blobs,
        }
    }
}
