//! Making a backup.

use std::collections::{HashMap, HashSet};

use analytics::transfer;
use blobs::Digest;
use chrono::{DateTime, Utc};
use futures::{StreamExt, TryStreamExt};
use tokio_util::io::StreamReader;
use vocabulary::SystemScope;

use crate::contents::{BackupId, Contents, FORMAT, PieceName, Results, Stored, StoredPartition};
use crate::pieces::Writer;
use crate::postgres_programs::Dump;
use crate::{Error, Repository, Stores};

/// Captured pages and files that are copied at a time.
const FILES_AT_ONCE: usize = 8;

/// A backup that was made.
#[derive(Debug)]
pub struct Written {
    /// By which it is found again.
    pub id: BackupId,
    /// What it consists of.
    pub contents: Contents,
    /// Pieces that no backup had before.
    pub new_pieces: u64,
    /// What they take on the disk.
    pub new_bytes: u64,
    /// Captured pages and files that are damaged in their own store. The backup is without them.
    pub damaged: Vec<Digest>,
}

/// Copies the stores into the repository and reads back what was written. `secrets_key` is the name of the key that stored credentials are encrypted
/// with. With `with_clickhouse` false, ClickHouse is left out. Until this returns there is no backup; what a failure leaves is taken up by the next.
///
/// # Errors
/// [`Error::Cluster`] when ClickHouse is a cluster and not left out, [`Error::Full`] when the disk of the repository is full; other errors when a store
/// fails.
pub async fn back_up(
    repository: &Repository,
    stores: &Stores<'_>,
    secrets_key: Option<String>,
    with_clickhouse: bool,
    now: DateTime<Utc>,
) -> Result<Written, Error> {
    if with_clickhouse && transfer::is_cluster(stores.analytics) {
        return Err(Error::Cluster);
    }
    let id = BackupId::at(now);
    let mut writer = Writer::new(&repository.pieces).await?;
    let mut connection = stores.postgres.acquire().await.map_err(postgres::Error::from)?;
    let postgres_migration = postgres::restoring::last_migration(&mut *connection).await?;
    drop(connection);
    let mut dump = Dump::start(stores)?;
    let postgres = writer.store(&mut dump.output).await?;
    dump.finish().await?;
    // After the copy, which knows of no later ones.
    let erased = postgres::privacy::erased(stores.postgres, &SystemScope::new("backup")).await?;
    let files = store_files(&mut writer, repository, stores).await?;
    let clickhouse = if with_clickhouse {
        Some(store_results(&mut writer, repository, stores).await?)
    } else {
        None
    };
    let contents = Contents {
        format: FORMAT,
        taken_at: now,
        vigie: env!("CARGO_PKG_VERSION").to_owned(),
        postgres_migration,
        postgres,
        clickhouse,
        files: files.copied,
        file_names: files.names,
        secrets_key,
        erased: erased.iter().map(hex::encode).collect(),
    };
    for piece in &writer.new {
        repository.pieces.packed(piece).await?;
    }
    repository.write(id, &contents)?;
    Ok(Written {
        id,
        contents,
        new_pieces: writer.new.len() as u64,
        new_bytes: writer.new_bytes,
        damaged: files.damaged,
    })
}

/// The captured pages and files of a backup.
struct Files {
    copied: u64,
    names: Stored,
    damaged: Vec<Digest>,
}

/// Copies captured pages and files that no backup has yet, each as a piece, and the names of all. Those that are deleted meanwhile or are damaged are
/// left out.
async fn store_files(writer: &mut Writer<'_>, repository: &Repository, stores: &Stores<'_>) -> Result<Files, Error> {
    let mut names: Vec<Digest> = stores.blobs.names().try_collect().await?;
    names.sort_unstable();
    let missing: Vec<Digest> = names
        .iter()
        .copied()
        .filter(|name| !writer.has(&PieceName(*name)))
        .collect();
    let mut copied = futures::stream::iter(missing)
        .map(|name| async move {
            let Some(packed) = stores.blobs.packed(&name).await? else {
                return Ok((name, Copied::Gone));
            };
            if blobs::unpack(&name, &packed).is_err() {
                return Ok((name, Copied::Damaged));
            }
            let size = repository.pieces.put_packed(&PieceName(name), packed.to_vec()).await?;
            Ok::<_, Error>((name, Copied::Stored(size)))
        })
        .buffer_unordered(FILES_AT_ONCE);
    let (mut missing, mut damaged) = (HashSet::new(), Vec::new());
    while let Some(copy) = copied.next().await {
        match copy? {
            (name, Copied::Stored(size)) => writer.note(PieceName(name), size),
            (name, Copied::Gone) => {
                missing.insert(name);
            }
            (name, Copied::Damaged) => {
                missing.insert(name);
                damaged.push(name);
            }
        }
    }
    drop(copied);
    names.retain(|name| !missing.contains(name));
    Ok(Files {
        copied: names.len() as u64,
        names: writer.store(names.concat().as_slice()).await?,
        damaged,
    })
}

/// What became of the copy of a file.
enum Copied {
    /// Its size in the repository.
    Stored(u64),
    Gone,
    Damaged,
}

/// Copies the partitions whose parts changed since the newest backup, and takes the others from it.
async fn store_results(
    writer: &mut Writer<'_>,
    repository: &Repository,
    stores: &Stores<'_>,
) -> Result<Results, Error> {
    let migration = analytics::migrate::last_applied(stores.analytics).await?;
    let last = match repository.find(None) {
        Ok(id) => match repository.contents(id) {
            Ok(contents) => contents.clickhouse,
            // A damaged list keeps nobody from making a new backup.
            Err(Error::Damaged(_)) => None,
            Err(error) => return Err(error),
        },
        Err(Error::NoBackup(_)) => None,
        Err(error) => return Err(error),
    };
    // Columns that a migration added are not in an older export.
    let last = last.filter(|results| results.migration == migration);
    let known: HashMap<(String, String, String), Stored> = last
        .into_iter()
        .flat_map(|results| results.partitions)
        .map(|found| ((found.table, found.partition, found.state), found.content))
        .collect();
    let mut partitions = Vec::new();
    for found in transfer::partitions(stores.analytics).await? {
        let key = (found.table.clone(), found.partition.clone(), found.state.clone());
        let is_whole = |content: &&Stored| content.pieces.iter().all(|piece| writer.has(piece));
        let content = if let Some(content) = known.get(&key).filter(is_whole) {
            content.clone()
        } else {
            let rows = transfer::export(stores.analytics, &found);
            let rows = rows.map_err(|error| std::io::Error::other(Error::Analytics(error)));
            writer.store(StreamReader::new(std::pin::pin!(rows))).await?
        };
        partitions.push(StoredPartition {
            table: found.table,
            partition: found.partition,
            state: found.state,
            rows: found.rows,
            content,
        });
    }
    Ok(Results { migration, partitions })
}
