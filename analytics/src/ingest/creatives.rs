//! The texts of ads, written before the results that show them.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::ON_EVERY_SHARD;
use super::row::{AdRow, Creative};
use crate::{Client, Error};

/// Creatives that are remembered: of 64 bits each, about 10 MB.
const MOST_REMEMBERED: usize = 500_000;
/// Everything is forgotten after this, so that a store that lost some (restored from a backup) gets them again.
const FORGOTTEN_AFTER: Duration = Duration::from_hours(1);

/// Creatives that this process has stored lately. Ads repeat from capture to capture, and every insert spared is a wait for the disk
/// spared. Clones share the memory.
#[derive(Clone, Default)]
pub(crate) struct CreativeCache(Arc<Mutex<Memory>>);

#[derive(Default)]
struct Memory {
    creatives: HashSet<u64>,
    since: Option<Instant>,
}

impl CreativeCache {
    fn holds(&self, creative: u64) -> bool {
        self.with(|memory| memory.creatives.contains(&creative))
    }

    fn add(&self, creatives: impl IntoIterator<Item = u64>) {
        self.with(|memory| memory.creatives.extend(creatives));
    }

    fn with<T>(&self, act: impl FnOnce(&mut Memory) -> T) -> T {
        let mut memory = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_old = memory.since.is_none_or(|since| since.elapsed() > FORGOTTEN_AFTER);
        if is_old || memory.creatives.len() > MOST_REMEMBERED {
            *memory = Memory {
                since: Some(Instant::now()),
                ..Memory::default()
            };
        }
        act(&mut memory)
    }
}

/// Stores the creatives of these rows, but those that were stored lately.
pub(super) async fn insert(client: &Client, rows: &[AdRow]) -> Result<(), Error> {
    let mut seen = HashSet::new();
    let new: Vec<(u64, Creative<'_>)> = rows
        .iter()
        .map(Creative::from_row)
        .map(|creative| (number(&creative), creative))
        .filter(|(number, _)| !client.creatives().holds(*number) && seen.insert(*number))
        .collect();
    if new.is_empty() {
        return Ok(());
    }
    let failed = |error| client.error(error);
    let inserted = async {
        let insert = client
            .database()
            .insert::<Creative<'_>>("creatives")
            .await
            .map_err(failed)?;
        let mut insert = insert.with_setting(ON_EVERY_SHARD.0, ON_EVERY_SHARD.1);
        for (_, creative) in &new {
            insert.write(creative).await.map_err(failed)?;
        }
        insert.end().await.map_err(failed)
    };
    client.while_alive(inserted).await?;
    client.creatives().add(new.into_iter().map(|(number, _)| number));
    Ok(())
}

fn number(creative: &Creative<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    creative.hash(&mut hasher);
    hasher.finish()
}
