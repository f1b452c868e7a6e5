//! Appending to the chain.

use postgres::captures;
use postgres::evidence::{self, ChainEntry};
use postgres::{Pool, Tx};
use vocabulary::SystemScope;

use crate::Result;
use crate::manifest::{link, manifest};

/// Entries appended in one transaction.
const AT_ONCE: i64 = 500;

const SCOPE: SystemScope = SystemScope::new("sealing evidence");

/// Appends an entry for every reading that is not in the chain yet, 500 in a transaction, and returns how many it appended. Safe to interrupt, and to
/// run in several processes at once: a call that finds another one appending leaves the rest to that one. After an error, what was committed stays.
pub async fn seal(postgres: &Pool) -> Result<u64> {
    let mut sealed = 0;
    loop {
        let mut tx = postgres::begin(postgres).await?;
        if !evidence::lock(&mut tx).await? {
            return Ok(sealed);
        }
        let entries = next_entries(&mut tx).await?;
        if entries.is_empty() {
            return Ok(sealed);
        }
        evidence::append(&mut tx, &entries).await?;
        tx.commit().await.map_err(postgres::Error::from)?;
        sealed += u64::try_from(entries.len()).unwrap_or(u64::MAX);
    }
}

/// Builds the next entries to append, in the order of the chain, for up to [`AT_ONCE`] readings that have none yet; empty when all have one. Writes
/// nothing, but locks their captures until the transaction ends. The caller holds the lock on the chain.
async fn next_entries(tx: &mut Tx) -> Result<Vec<ChainEntry>> {
    let unsealed = evidence::lock_unsealed(&mut **tx, &SCOPE, AT_ONCE).await?;
    let mut last = evidence::last_entry(&mut **tx, None).await?;
    let today = evidence::today(&mut **tx).await?;
    let mut entries = Vec::with_capacity(unsealed.len());
    for id in unsealed {
        let Some(capture) = captures::by_id(&mut **tx, id).await? else {
            continue;
        };
        // Days never go back, even when the clock of the database does.
        let (day, position) = match last {
            Some((day, position, _)) if day >= today => (day, position + 1),
            _ => (today, 1),
        };
        let manifest = manifest(&capture);
        let digest = link(last.map(|(_, _, digest)| digest), &manifest);
        last = Some((day, position, digest));
        entries.push(ChainEntry {
            day,
            position,
            capture: id,
            digest,
            manifest,
        });
    }
    Ok(entries)
}
