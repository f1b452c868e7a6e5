//! The texts of ads, written before the results that show them.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::ON_EVERY_SHARD;
use super::row::{AdRow, Creative};
use crate::{Client, Error};

/// Stores each creative of these rows once, except those that this process stored lately, and remembers them once every shard has them. After an
/// error none is remembered, though some may be stored.
pub(super) async fn insert(client: &Client, rows: &[AdRow]) -> Result<(), Error> {
    let mut seen = HashSet::new();
    let new: Vec<(u64, Creative<'_>)> = rows
        .iter()
        .map(Creative::from_row)
        .map(|creative| (hash_of_creative(&creative), creative))
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

/// A hash of a creative, by which this process remembers it.
fn hash_of_creative(creative: &Creative<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    creative.hash(&mut hasher);
    hasher.finish()
}
