//! Comparing the ledger with the stored ads, both ways, and repairing what differs.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use analytics::ingest::{self, MADE_UP_BATCHES};
use chrono::TimeDelta;
use postgres::invariants;
use postgres::manifests::{self, ManifestId, ManifestState};
use postgres::rereading;

use super::count_violations;
use crate::Error;
use crate::context::WorkerContext;
use crate::storing::{self, Storing};

/// Manifests compared at a time; bounds the memory and the time of one query.
const MANIFESTS_AT_ONCE: i64 = 100_000;
/// How far back the invariants of the ledger are checked.
const LEDGER_SINCE: TimeDelta = TimeDelta::days(7);
/// A slot that is unsettled after this time is stuck: longer than all its retries and the usual outage.
const SLOT_DEADLINE: Duration = Duration::from_hours(24);

/// The manifests compared, and what differed.
#[derive(Debug, Default)]
struct ReconcileCounts {
    compared: usize,
    /// Verified manifests whose rows are missing, too few or too many.
    wrong: usize,
    /// Like `wrong`, but the pages to restore the rows from are gone.
    irreparable: usize,
    /// Batches that were given up, but whose rows arrived later.
    late: usize,
    /// Batches that are missing in the ledger.
    unknown: usize,
}

/// Completes interrupted corrections, compares all manifests with the rows in ClickHouse, stores the wrong ones again, checks the invariants of the
/// ledger, and returns a summary.
pub async fn run(context: &WorkerContext, storing: &Arc<Storing>) -> Result<String, Error> {
    corrections::recover(&context.corrections()).await?;
    let newest = manifests::newest(&context.postgres).await?.0;
    let mut found = ReconcileCounts::default();
    let mut first = 1;
    while first <= newest {
        let last = newest.min(first + MANIFESTS_AT_ONCE - 1);
        compare(context, first, last, &mut found).await?;
        first = last + 1;
    }
    compare(context, first, MADE_UP_BATCHES.cast_signed() - 1, &mut found).await?;
    storing::recover_all(context, storing).await?;
    let violations = report_broken_invariants(context).await?;
    Ok(format!(
        "{} manifests compared, {} stored again, {} beyond repair, {} late batches deleted, {} unknown batches, \
         {violations} other violations",
        found.compared, found.wrong, found.irreparable, found.late, found.unknown
    ))
}

/// Compares the manifests from `first` to `last` (inclusive) with the row counts in ClickHouse and adds to `found`. Verified manifests with wrong
/// counts are reopened if their pages are kept; rows of abandoned manifests are deleted; rows of unknown ones are only counted.
///
/// Reads the ledger first: rows of a verified manifest are in the store by then. The state of all other batches is read after the store, because a
/// manifest is written before its rows.
async fn compare(context: &WorkerContext, first: i64, last: i64, found: &mut ReconcileCounts) -> Result<(), Error> {
    let _rows_in_place = rereading::keep_rows_in_place(&context.postgres).await?;
    let verified = manifests::verified_between(&context.postgres, ManifestId(first), ManifestId(last)).await?;
    let store = context.analytics.for_housekeeping();
    let range = first.cast_unsigned()..=last.cast_unsigned();
    let mut stored: BTreeMap<i64, u64> = ingest::batches(&store, range)
        .await?
        .into_iter()
        .map(|(batch, rows)| (batch.cast_signed(), rows))
        .collect();
    found.compared += verified.len();

    let (mut wrong, mut irreparable) = (Vec::new(), 0);
    for (manifest, rows) in verified {
        let counted = stored.remove(&manifest.0).unwrap_or(0);
        if counted == u64::from(rows) {
            continue;
        }
        if storing::can_be_stored_again(context, manifest).await? {
            tracing::error!(%manifest, rows, counted, "the store does not hold what the ledger says; it is stored again");
            wrong.push(manifest);
        } else {
            tracing::error!(%manifest, rows, counted, "the store does not hold what the ledger says, and its pages are gone");
            irreparable += 1;
        }
    }
    manifests::reopen(&context.postgres, &wrong).await?;
    found.wrong += wrong.len();
    found.irreparable += irreparable;

    let others: Vec<ManifestId> = stored.keys().copied().map(ManifestId).collect();
    let states: BTreeMap<_, _> = manifests::states(&context.postgres, &others)
        .await?
        .into_iter()
        .collect();
    let (mut late, mut unknown) = (0, 0);
    for manifest in others {
        match states.get(&manifest) {
            Some(ManifestState::Abandoned) => {
                tracing::error!(%manifest, "rows of a batch that was given up landed late; they are deleted");
                ingest::delete(&store, manifest.0.cast_unsigned()).await?;
                late += 1;
            }
            // Its rows are being written, or deleted by retention.
            Some(ManifestState::Storing | ManifestState::Verified) => {}
            // Not deleted: the ledger may be wrong, if it was restored from an older backup or belongs to another installation.
            None => {
                tracing::error!(%manifest, "the store holds rows of a batch that the ledger does not know");
                unknown += 1;
            }
        }
    }
    found.late += late;
    found.unknown += unknown;
    count_violations(
        "I1",
        u64::try_from(wrong.len() + irreparable + late + unknown).unwrap_or(u64::MAX),
    );
    Ok(())
}

/// Logs as an error, and counts in the metrics, every row of the ledger since [`LEDGER_SINCE`] that breaks an invariant, and every slot that is
/// unsettled after [`SLOT_DEADLINE`]; repairs nothing. Returns how many violations it found.
async fn report_broken_invariants(context: &WorkerContext) -> Result<usize, Error> {
    let since = context.clock.now() - LEDGER_SINCE;
    let violations = invariants::violations(&context.postgres, since, SLOT_DEADLINE).await?;
    for violation in &violations {
        let (invariant, subject, detail) = (&violation.invariant, &violation.subject, &violation.detail);
        tracing::error!(invariant, subject, detail, "an invariant is broken");
        count_violations(invariant, 1);
    }
    Ok(violations.len())
}
