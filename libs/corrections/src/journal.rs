//! Corrections as the journal keeps them.

use analytics::ingest::AdRow;
use chrono::DateTime;
use postgres::corrections;
use postgres::manifests::ManifestId;
use postgres::{Executor, Result as Answer};
use serde::Deserialize;
use vocabulary::{CaptureId, SystemScope};

use crate::Error;

/// What becomes of a stored ad.
#[derive(Clone, Debug, PartialEq)]
pub struct Correction {
    /// As it is stored.
    pub before: AdRow,
    /// As it is from then on, under the same number and of the same month; `None` takes it away.
    pub after: Option<AdRow>,
}

impl Correction {
    pub(crate) fn written(&self) -> Result<corrections::Correction, Error> {
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

/// The ad that a journaled correction leaves.
pub(crate) fn ad(correction: &corrections::Correction) -> Result<Option<AdRow>, Error> {
    let mut ad = correction.ad.as_ref().map(AdRow::deserialize).transpose()?;
    // Written before ads had a time of their own: it had that of its slot.
    if let Some(ad) = ad.as_mut().filter(|ad| ad.seen_at == 0) {
        ad.seen_at = ad.slot_time;
    }
    Ok(ad)
}

/// The rows of a manifest as they were read off its pages, with what was corrected of them since.
pub async fn renewed(
    executor: impl Executor<'_>,
    system: &SystemScope,
    manifest: ManifestId,
    rows: Vec<AdRow>,
) -> Result<Vec<AdRow>, Error> {
    let found: Answer<_> = corrections::of_manifest(executor, system, manifest).await;
    let corrections = found?;
    let mut renewed = Vec::with_capacity(rows.len());
    for row in rows {
        match corrections.iter().find(|correction| correction.row == row.row) {
            None => renewed.push(row),
            Some(correction) => {
                let is_timed = correction.ad.as_ref().is_none_or(|ad| ad.get("seen_at").is_some());
                let corrected = ad(correction)?.map(|ad| AdRow {
                    // Written before ads had a time of their own, and not about the time.
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
