//! Verifying rows and files against the chain.

use std::collections::BTreeSet;
use std::fmt;

use blobs::Blobs;
use chrono::{DateTime, Datelike, NaiveDate, Utc};
use postgres::captures::{self, Capture, Digest};
use postgres::evidence::{self, ChainEntry, Checked};
use postgres::{Pool, Tx};
use serde_json::Value;
use vocabulary::{CaptureId, SystemScope};

use crate::Result;
use crate::manifest::{link, manifest};

/// Entries read by one query.
const AT_ONCE: i64 = 200;

const SCOPE: SystemScope = SystemScope::new("verifying evidence");

/// A file that is kept of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredFile {
    /// The document as received.
    Page,
    /// The viewing copy.
    View,
    /// The picture of the whole page.
    Screenshot,
}

impl fmt::Display for StoredFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Page => "page as received",
            Self::View => "viewing copy",
            Self::Screenshot => "screenshot",
        })
    }
}

/// A difference from what was sealed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The entry's digest does not follow from its manifest and the entry before.
    EntryChanged,
    /// Entries before this one are missing.
    EntriesMissing(i32),
    /// A sealed capture has no entry any more.
    EntryRemoved,
    /// The record of the capture is gone.
    RowRemoved,
    /// These fields of the record have other values.
    RowChanged(Vec<String>),
    /// A file is missing though retention has not deleted it.
    FileMissing(StoredFile),
    /// A file has another content.
    FileChanged(StoredFile),
}

impl fmt::Display for Fault {
    /// Writes the fault as a clause about its capture, as in `its record was removed`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EntryChanged => f.write_str("its entry in the chain was changed"),
            Self::EntriesMissing(count) => write!(f, "{count} entries before its own were taken out of the chain"),
            Self::EntryRemoved => f.write_str("it was sealed, but its entry was taken out of the chain"),
            Self::RowRemoved => f.write_str("its record was removed"),
            Self::RowChanged(fields) => write!(f, "its record was changed: {}", fields.join(", ")),
            Self::FileMissing(file) => write!(f, "its {file} is missing"),
            Self::FileChanged(file) => write!(f, "its {file} was changed"),
        }
    }
}

/// A fault, with the capture and entry that have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedFault {
    /// Day and position of the entry, if there is one.
    pub entry: Option<(NaiveDate, i32)>,
    /// The capture concerned.
    pub capture: CaptureId,
    /// How it differs from what was sealed.
    pub fault: Fault,
}

impl fmt::Display for LocatedFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "capture {}", self.capture)?;
        if let Some((day, position)) = self.entry {
            write!(f, " (entry {position} of {day})")?;
        }
        write!(f, ": {}", self.fault)
    }
}

/// What was verified, and the faults found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Entries of the chain that were verified.
    pub entries: u64,
    /// Files read and hashed.
    pub files: u64,
    /// The last digest of each day. Copied to another place, it also reveals a chain that was rewritten as a whole.
    pub heads: Vec<(NaiveDate, Digest)>,
    /// Days whose entries retention deleted with their month. Only the last digest is kept; the first entry after it proves it.
    pub digest_only: Vec<NaiveDate>,
    /// Days whose last digest is not the one that was sealed.
    pub broken_days: Vec<NaiveDate>,
    /// Faults of entries and captures.
    pub findings: Vec<LocatedFault>,
}

impl Report {
    /// Whether no fault was found. Days of which only the digest is left count as sound.
    pub const fn is_sound(&self) -> bool {
        self.broken_days.is_empty() && self.findings.is_empty()
    }
}

/// Verifies the whole chain, or the entries of one UTC day, with the records and files of their captures, in one snapshot of the database. Everything
/// that differs is in the report; an error means that something could not be read, and ends the verification.
pub async fn verify(postgres: &Pool, blobs: &Blobs, day: Option<NaiveDate>) -> Result<Report> {
    let mut tx = postgres::begin(postgres).await?;
    postgres::evidence::see_one_state(&mut tx).await?;
    let days = evidence::days(&mut *tx, &SCOPE, day).await?;
    let before = match day {
        Some(day) => evidence::last_entry(&mut *tx, Some(day))
            .await?
            .map(|(_, _, digest)| digest),
        None => days
            .iter()
            .take_while(|day| day.is_digest_only)
            .last()
            .map(|day| day.digest),
    };
    let mut verification = Verification {
        blobs,
        before,
        last: None,
        dropped: evidence::months_without_captures(&mut *tx, &SCOPE).await?,
        report: Report::default(),
    };
    loop {
        let entries = evidence::after(&mut *tx, &SCOPE, verification.last, day, AT_ONCE).await?;
        if entries.is_empty() {
            break;
        }
        for entry in &entries {
            verification.check_entry(&mut tx, entry).await?;
        }
    }
    for capture in evidence::without_entry(&mut *tx, &SCOPE, day).await? {
        verification.report.findings.push(LocatedFault {
            entry: None,
            capture,
            fault: Fault::EntryRemoved,
        });
    }
    let mut report = verification.report;
    for day in days {
        if day.is_digest_only {
            report.digest_only.push(day.day);
        } else if !report.heads.contains(&(day.day, day.digest)) {
            report.broken_days.push(day.day);
        }
    }
    Ok(report)
}

/// A verification under way, entry by entry.
struct Verification<'a> {
    blobs: &'a Blobs,
    /// The digest of the entry before.
    before: Option<Digest>,
    /// Day and position of the entry before.
    last: Option<(NaiveDate, i32)>,
    /// Months whose captures retention dropped.
    dropped: Vec<NaiveDate>,
    report: Report,
}

impl Verification<'_> {
    /// Adds a fault of an entry to the report.
    fn note(&mut self, entry: &ChainEntry, fault: Fault) {
        self.report.findings.push(LocatedFault {
            entry: Some((entry.day, entry.position)),
            capture: entry.capture,
            fault,
        });
    }

    /// Verifies one entry: its position and digest, the record of its capture and, if it is the capture's newest entry, the files; adds the faults to
    /// the report. Entries must come in the order of the chain.
    async fn check_entry(&mut self, tx: &mut Tx, Checked { entry, is_newest }: &Checked) -> Result<()> {
        self.report.entries += 1;
        let expected = match self.last {
            Some((day, position)) if day == entry.day => position + 1,
            _ => 1,
        };
        if entry.position != expected {
            self.note(entry, Fault::EntriesMissing(entry.position - expected));
        } else if link(self.before, &entry.manifest) != entry.digest {
            self.note(entry, Fault::EntryChanged);
        }
        (self.before, self.last) = (Some(entry.digest), Some((entry.day, entry.position)));
        match self.report.heads.last_mut() {
            Some((day, head)) if *day == entry.day => *head = entry.digest,
            _ => self.report.heads.push((entry.day, entry.digest)),
        }
        let Some(capture) = captures::by_id(&mut **tx, entry.capture).await? else {
            if !self.was_dropped(entry) {
                self.note(entry, Fault::RowRemoved);
            }
            return Ok(());
        };
        let current = *is_newest && evidence::is_sealed(&mut **tx, entry.capture).await? == Some(true);
        let changed = differing_fields(&entry.manifest, &manifest(&capture), current);
        if !changed.is_empty() {
            self.note(entry, Fault::RowChanged(changed));
        }
        if *is_newest {
            self.check_files(entry, &capture, current).await?;
        }
        Ok(())
    }

    /// Whether retention deleted the record of an entry with its month, which is no fault. A reading of a later month may refer to it.
    fn was_dropped(&self, entry: &ChainEntry) -> bool {
        let slot_time = entry.manifest.pointer("/taken/slotTime").and_then(Value::as_str);
        let month = slot_time
            .and_then(|time| time.parse::<DateTime<Utc>>().ok())
            .and_then(|time| time.date_naive().with_day(1));
        month.is_some_and(|month| self.dropped.contains(&month))
    }

    /// Reads and hashes the files of a capture, unless retention deleted them, and adds those that are missing or changed to the report. The viewing
    /// copy is checked only if the entry is of the `current` reading.
    async fn check_files(&mut self, entry: &ChainEntry, capture: &Capture, current: bool) -> Result<()> {
        if capture.files_gone_at.is_some() {
            return Ok(());
        }
        let sealed = |part: &str, name: &str| -> Option<Digest> {
            let text = entry.manifest.get(part)?.get(name)?.as_str()?;
            hex::decode(text).ok()?.try_into().ok()
        };
        let files = [
            (StoredFile::Page, sealed("taken", "pageSha256")),
            (StoredFile::Screenshot, sealed("taken", "screenshotSha256")),
            (StoredFile::View, sealed("reading", "viewSha256").filter(|_| current)),
        ];
        for (file, digest) in files {
            let Some(digest) = digest else { continue };
            self.report.files += 1;
            match self.blobs.read(&digest).await {
                Ok(Some(_)) => {}
                Ok(None) => self.note(entry, Fault::FileMissing(file)),
                Err(blobs::Error::Damaged { .. }) => self.note(entry, Fault::FileChanged(file)),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

/// The names of the fields that differ between the parts `taken` and `reading` of both records, also those that only one has; a part that either
/// record lacks is named itself. Without `with_reading`, for a reading that was replaced since, only `taken` is compared.
fn differing_fields(sealed: &Value, present: &Value, with_reading: bool) -> Vec<String> {
    let parts: &[&str] = if with_reading {
        &["taken", "reading"]
    } else {
        &["taken"]
    };
    let mut names = Vec::new();
    for part in parts {
        let (Some(Value::Object(sealed)), Some(Value::Object(present))) = (sealed.get(part), present.get(part)) else {
            names.push((*part).to_owned());
            continue;
        };
        let fields: BTreeSet<&String> = sealed.keys().chain(present.keys()).collect();
        let differing = fields
            .into_iter()
            .filter(|name| sealed.get(*name) != present.get(*name));
        names.extend(differing.cloned());
    }
    names
}
