//! Why a backup cannot be made or used.

use std::path::PathBuf;

use thiserror::Error;

/// Why a call of this crate fails.
#[derive(Debug, Error)]
pub enum Error {
    /// The folder, or a file in it, cannot be read or written.
    #[error("the backup folder: {} cannot be used ({reason})", .path.display())]
    Folder {
        /// Path of the folder or file.
        path: PathBuf,
        /// The system's error.
        reason: std::io::Error,
    },
    /// The folder has files, but none that a repository begins with.
    #[error("{} holds other files and no backups; name an empty folder, or one that backups were made in", .0.display())]
    NotARepository(PathBuf),
    /// The folder has no backup.
    #[error("there is no backup in {}", .0.display())]
    NoBackup(PathBuf),
    /// No backup has this name.
    #[error("there is no backup {name}; there are: {}", .known.join(", "))]
    UnknownBackup {
        /// What was asked for.
        name: String,
        /// The backups that are there.
        known: Vec<String>,
    },
    /// Another backup, or a check, uses the folder.
    #[error("{} is used by another backup at this moment", .0.display())]
    InUse(PathBuf),
    /// The backups are encrypted and no key was named, or another.
    #[error("the backups in {} are encrypted with the key {key}; name its file with --key-file", .folder.display())]
    OtherKey {
        /// The folder of backups.
        folder: PathBuf,
        /// The name of the key: the first digits of its SHA-256.
        key: String,
    },
    /// A key was named for backups that are not encrypted.
    #[error("the backups in {} are not encrypted: leave out --key-file, or begin an empty folder with it", .0.display())]
    NotEncrypted(PathBuf),
    /// The text is no key.
    #[error("a key for backups is 32 bytes in hex (`openssl rand -hex 32`)")]
    BadKey,
    /// The repository was made by a later version.
    #[error("the backups were made by a later version of Vigie ({what}); restore with that version, or a later one")]
    Newer {
        /// What this version does not know.
        what: String,
    },
    /// The disk of the backups, or of the stores, is full.
    #[error("no space is left on the disk: {0}")]
    Full(String),
    /// Something of a backup is missing, cut off or was changed.
    #[error("the backup is damaged: {0}")]
    Damaged(String),
    /// A program of PostgreSQL failed.
    #[error("{program} failed: {message}")]
    Program {
        /// The command, such as `pg_dump`.
        program: &'static str,
        /// What it wrote, or the system's error.
        message: String,
    },
    /// The address of PostgreSQL cannot be used.
    #[error("VIGIE__POSTGRES__URL, or VIGIE__POSTGRES__DIRECT_URL where it is set, cannot be used: {0}")]
    PostgresUrl(String),
    /// A store that is restored into has contents.
    #[error("{0} is not empty. A backup is restored into empty stores: name another VIGIE__DATA, or empty databases")]
    NotEmpty(&'static str),
    /// The stored credentials were encrypted with a key that the settings lack.
    #[error(
        "the stored credentials of this backup are encrypted with the key {missing}, which VIGIE__SECRETS__KEYS does not have; add it, or leave the credentials unreadable with --without-secrets"
    )]
    MissingSecretsKey {
        /// The name of the key: the first digits of its SHA-256.
        missing: String,
    },
    /// ClickHouse is a cluster.
    #[error(
        "ClickHouse is a cluster, of which one node has only its own part: copy it with its own BACKUP DATABASE … ON CLUSTER, and the rest with --without-clickhouse"
    )]
    Cluster,
    /// PostgreSQL returned an error.
    #[error(transparent)]
    Postgres(#[from] postgres::Error),
    /// ClickHouse returned an error.
    #[error(transparent)]
    Analytics(#[from] analytics::Error),
    /// A store of files returned an error.
    #[error(transparent)]
    Blobs(blobs::Error),
    /// Something could not be written as JSON.
    #[error("a backup cannot be described: {0}")]
    Json(#[from] serde_json::Error),
}

impl From<blobs::Error> for Error {
    fn from(error: blobs::Error) -> Self {
        if is_full(&error) {
            return Self::Full(error.to_string());
        }
        match error {
            blobs::Error::Damaged { .. } => Self::Damaged(error.to_string()),
            error => Self::Blobs(error),
        }
    }
}

impl Error {
    /// The error of the system at a path of the repository.
    pub(crate) fn at(path: &std::path::Path, reason: std::io::Error) -> Self {
        if is_full(&reason) {
            return Self::Full(path.display().to_string());
        }
        Self::Folder {
            path: path.to_owned(),
            reason,
        }
    }

    /// The error of a stream that is cut into pieces: the one that its source gave, or the system's.
    pub(crate) fn of_stream(error: std::io::Error) -> Self {
        match error.downcast::<Self>() {
            Ok(own) => own,
            Err(error) => Self::Damaged(error.to_string()),
        }
    }
}

/// Whether an error comes from a full disk or quota.
fn is_full(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let kind = error.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
        if matches!(
            kind,
            Some(std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded)
        ) {
            return true;
        }
        cause = error.source();
    }
    false
}
