//! Corrections as they are stored in the journal.

use analytics::ingest::AdRow;
use chrono::DateTime;
use postgres::Executor;
use postgres::corrections;
use postgres::manifests::ManifestId;
use serde::Deserialize;
use vocabulary::{CaptureId, SystemScope};

use crate::Error;

/// The change of one stored ad.
#[derive(Clone, Debug, PartialEq)]
pub struct Correction {
    /// The ad as it is stored.
    pub before: AdRow,
    /// The ad after the correction, with the same number and in the same month; `None` deletes it.
    pub after: Option<AdRow>,
}

impl Correction {
    /// The correction as the journal stores it: manifest, row number, capture and time of the ad before, and the ad after as JSON, `None` if it is
    /// deleted. Writes nothing.
    pub(crate) fn to_record(&self) -> Result<corrections::Correction, Error> {
        let Self { before, after } = self;
        Ok(corrections::Correction {
            manifest: ManifestId(before.batch.cast_signed()),
            row: before.row,
            capture: CaptureId(before.capture_id),
            seen_at: DateTime::from_timestamp(before.seen_at.into(), 0).unwrap_or_default(),
            ad: after.as_ref().map(serde_json::to_value).transpose()?,
        })
    }
}

/// The ad after a journaled correction; `None` if the correction deletes it. An entry that is no ad is an error. One without `seen_at`, as earlier
/// versions wrote it, gets the time of its slot.
pub(crate) fn ad(correction: &corrections::Correction) -> Result<Option<AdRow>, Error> {
    let mut ad = correction.ad.as_ref().map(AdRow::deserialize).transpose()?;
    // Corrections of earlier versions have no `seen_at`: the time of an ad was that of its slot.
    if let Some(ad) = ad.as_mut().filter(|ad| ad.seen_at == 0) {
        ad.seen_at = ad.slot_time;
    }
    Ok(ad)
}

/// Applies to `rows`, those of a manifest as they were read off the pages, its corrections that were carried out. Returns the rows in their order,
/// without those that a correction deletes.
pub async fn apply_to_rows(
    executor: impl Executor<'_>,
    system: &SystemScope,
    manifest: ManifestId,
    rows: Vec<AdRow>,
) -> Result<Vec<AdRow>, Error> {
    let corrections = corrections::of_manifest(executor, system, manifest).await?;
    let mut renewed = Vec::with_capacity(rows.len());
    for row in rows {
        match corrections.iter().find(|correction| correction.row == row.row) {
            None => renewed.push(row),
            Some(correction) => {
                let is_timed = correction.ad.as_ref().is_none_or(|ad| ad.get("seen_at").is_some());
                let corrected = ad(correction)?.map(|ad| AdRow {
                    // A correction without `seen_at` that left the slot's time alone keeps the time of the row.
                    seen_at: if is_timed || ad.slot_time != row.slot_time {
                        ad.seen_at
                    } else {
                        row.seen_at
                    },
                    ..ad
                });
                renewed.extend(corrected);
            }
        }
    }
    Ok(renewed)
}
