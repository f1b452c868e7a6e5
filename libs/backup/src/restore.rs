//! Restoring a backup into empty stores.

use analytics::transfer;
use blobs::Digest;
use chrono::{DateTime, Utc};
use futures::{StreamExt, TryStreamExt, stream};
use vocabulary::SystemScope;

use crate::check::{check, file_names};
use crate::contents::{BackupId, Contents};
use crate::{Error, Repository, Stores, postgres_programs};

/// Captured pages and files that are copied at a time.
const FILES_AT_ONCE: usize = 8;

/// What was restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Restored {
    /// Everything that was committed before is there.
    pub taken_at: DateTime<Utc>,
    /// Rows of ClickHouse.
    pub rows: u64,
    /// Captured pages and files.
    pub files: u64,
    /// Rows of ClickHouse that came after PostgreSQL was copied: what they belong to is not there, so they are deleted.
    pub late_rows: u64,
    /// People whose addresses were erased again, since they had been erased after the backup.
    pub erased: u64,
}

/// Restores a backup into empty stores, after reading all of it. `has_secrets_key` tells whether the settings have the key of this name, with which
/// stored credentials were encrypted. Mails to advertisers stay stopped until somebody lifts the stop, since some may have left after the backup. Addresses that a later backup in the repository knows as erased are erased again. The schemas are those of the
/// backup: `vigie migrate` brings them up to date.
///
/// # Errors
/// Before anything is written: [`Error::Damaged`], [`Error::Newer`], [`Error::NotEmpty`], [`Error::MissingSecretsKey`]. Afterwards the stores are
/// to be emptied before another try.
pub async fn restore(
    repository: &Repository,
    id: BackupId,
    stores: &Stores<'_>,
    has_secrets_key: impl Fn(&str) -> bool,
    now: DateTime<Utc>,
) -> Result<Restored, Error> {
    let contents = repository.contents(id)?;
    refuse_newer(&contents)?;
    if let Some(missing) = contents.secrets_key.as_deref().filter(|key| !has_secrets_key(key)) {
        return Err(Error::MissingSecretsKey {
            missing: missing.to_owned(),
        });
    }
    if !postgres::restoring::is_empty(stores.postgres).await? {
        return Err(Error::NotEmpty("PostgreSQL"));
    }
    if contents.clickhouse.is_some() && !transfer::is_empty(stores.analytics).await? {
        return Err(Error::NotEmpty("ClickHouse"));
    }
    check(repository, &contents).await?;

    postgres_programs::restore(stores, repository.pieces.stream(&contents.postgres)).await?;
    restore_files(repository, &contents, stores).await?;
    let late_rows = restore_results(repository, &contents, stores).await?;
    let erased = erase_again(repository, id, stores, now).await?;
    let system = SystemScope::new("restore");
    postgres::restoring::stop_mails(stores.postgres, &system, contents.taken_at, now).await?;
    Ok(Restored {
        taken_at: contents.taken_at,
        rows: contents.rows() - late_rows.min(contents.rows()),
        files: contents.files,
        late_rows,
        erased,
    })
}

/// Refuses a backup whose schemas this version does not know.
fn refuse_newer(contents: &Contents) -> Result<(), Error> {
    let newer = |store: &str, found: i64| Error::Newer {
        what: format!("Vigie {}, {store} migration {found}", contents.vigie),
    };
    if contents.postgres_migration > postgres::newest_migration() {
        return Err(newer("PostgreSQL", contents.postgres_migration));
    }
    match &contents.clickhouse {
        Some(results) if results.migration > analytics::migrate::newest() => {
            Err(newer("ClickHouse", results.migration.into()))
        }
        _ => Ok(()),
    }
}

async fn restore_files(repository: &Repository, contents: &Contents, stores: &Stores<'_>) -> Result<(), Error> {
    let names = file_names(repository, contents).await?;
    stream::iter(names)
        .map(|name| async move {
            let packed = repository.pieces.packed(&name).await?;
            Ok::<_, Error>(stores.blobs.put_packed(&name.0, packed.into()).await?)
        })
        .buffer_unordered(FILES_AT_ONCE)
        .try_collect()
        .await
}

/// Restores the results and deletes those that the restored ledger does not know. Returns how many these are.
async fn restore_results(repository: &Repository, contents: &Contents, stores: &Stores<'_>) -> Result<u64, Error> {
    let Some(results) = &contents.clickhouse else {
        return Ok(0);
    };
    analytics::migrate::run_to(stores.analytics, results.migration).await?;
    for found in &results.partitions {
        transfer::import::<Error>(stores.analytics, &found.table, repository.pieces.stream(&found.content)).await?;
    }
    let newest = postgres::manifests::newest(stores.postgres).await?;
    Ok(transfer::forget_after(stores.analytics, newest.0.unsigned_abs()).await?)
}

/// Erases the addresses that this backup still has and any later one does not.
async fn erase_again(
    repository: &Repository,
    id: BackupId,
    stores: &Stores<'_>,
    now: DateTime<Utc>,
) -> Result<u64, Error> {
    let mut digests: Vec<Digest> = Vec::new();
    for later in repository.backups()?.into_iter().filter(|later| *later >= id) {
        for text in repository.contents(later)?.erased {
            let bytes = hex::decode(&text).ok().and_then(|bytes| bytes.try_into().ok());
            digests.push(bytes.ok_or_else(|| Error::Damaged(format!("{text} is no digest of an address")))?);
        }
    }
    digests.sort_unstable();
    digests.dedup();
    if digests.is_empty() {
        return Ok(0);
    }
    let system = SystemScope::new("restore");
    let mut transaction = postgres::begin(stores.postgres).await?;
    let erased = postgres::privacy::erase_again(&mut transaction, &system, &digests, now).await?;
    transaction.commit().await.map_err(postgres::Error::from)?;
    for file in erased.iter().flat_map(|erased| &erased.files) {
        if !postgres::privacy::is_used(stores.postgres, file).await? {
            stores.blobs.delete(file).await?;
        }
    }
    Ok(erased.len() as u64)
}
