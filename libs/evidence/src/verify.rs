//! Checking rows and files against the chain.

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

/// Entries looked at in one go.
const AT_ONCE: i64 = 200;

const SCOPE: SystemScope = SystemScope::new("verifying evidence");

/// A file that is kept of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredFile {
    /// The document as received.
    Page,
    /// The viewing copy.
    View,
    /// The picture.
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

/// What is not as it was when it was sealed.
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
    /// These fields of the record say something else.
    RowChanged(Vec<String>),
    /// A file is gone before its time.
    FileMissing(StoredFile),
    /// A file holds something else.
    FileChanged(StoredFile),
}

impl fmt::Display for Fault {
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

/// A fault and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedFault {
    /// The entry, if there is one.
    pub place: Option<(NaiveDate, i32)>,
    /// The capture.
    pub capture: CaptureId,
    /// What is wrong.
    pub fault: Fault,
}

impl fmt::Display for LocatedFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "capture {}", self.capture)?;
        if let Some((day, position)) = self.place {
            write!(f, " (entry {position} of {day})")?;
        }
        write!(f, ": {}", self.fault)
    }
}

/// What was checked, and what was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Entries of the chain.
    pub entries: u64,
    /// Files read and hashed.
    pub files: u64,
    /// The last digest of each day. Noted elsewhere, it also shows a chain that was written anew as a whole.
    pub heads: Vec<(NaiveDate, Digest)>,
    /// Days whose entries went with their month: only their digest is kept, and checked by what goes on from it.
    pub digest_only: Vec<NaiveDate>,
    /// Days whose entries do not end as they did when they were sealed.
    pub broken_days: Vec<NaiveDate>,
    /// What is wrong with entries and captures.
    pub findings: Vec<LocatedFault>,
}

impl Report {
    /// Whether all is as it was sealed.
    pub const fn is_sound(&self) -> bool {
        self.broken_days.is_empty() && self.findings.is_empty()
    }
}

/// Checks the chain, or one day of it, with the records and files it speaks of. It sees one state of the records, whatever is written
/// meanwhile.
pub async fn verify(postgres: &Pool, blobs: &Blobs, day: Option<NaiveDate>) -> Result<Report> {
    let mut tx = postgres::begin(postgres).await?;
    postgres::evidence::see_one_state(&mut tx).await?;
    let days = evidence::days(&mut *tx, &SCOPE, day).await?;
    let before = match day {
        Some(day) => evidence::end(&mut *tx, Some(day)).await?.map(|(_, _, digest)| digest),
        None => days
            .iter()
            .take_while(|day| day.is_digest_only)
            .last()
            .map(|day| day.digest),
    };
    let mut check = Check {
        blobs,
        before,
        place: None,
        dropped: evidence::months_without_captures(&mut *tx, &SCOPE).await?,
        report: Report::default(),
    };
    loop {
        let entries = evidence::after(&mut *tx, &SCOPE, check.place, day, AT_ONCE).await?;
        if entries.is_empty() {
            break;
        }
        for entry in &entries {
            check.entry(&mut tx, entry).await?;
        }
    }
    for capture in evidence::without_entry(&mut *tx, &SCOPE, day).await? {
        check.report.findings.push(LocatedFault {
            place: None,
            capture,
            fault: Fault::EntryRemoved,
        });
    }
    let mut report = check.report;
    for kept in days {
        if kept.is_digest_only {
            report.digest_only.push(kept.day);
        } else if !report.heads.contains(&(kept.day, kept.digest)) {
            report.broken_days.push(kept.day);
        }
    }
    Ok(report)
}

struct Check<'a> {
    blobs: &'a Blobs,
    before: Option<Digest>,
    place: Option<(NaiveDate, i32)>,
    /// Months whose captures retention dropped.
    dropped: Vec<NaiveDate>,
    report: Report,
}

impl Check<'_> {
    fn note(&mut self, entry: &ChainEntry, fault: Fault) {
        self.report.findings.push(LocatedFault {
            place: Some((entry.day, entry.position)),
            capture: entry.capture,
            fault,
        });
    }

    async fn entry(&mut self, tx: &mut Tx, Checked { entry, is_newest }: &Checked) -> Result<()> {
        self.report.entries += 1;
        let expected = match self.place {
            Some((day, position)) if day == entry.day => position + 1,
            _ => 1,
        };
        if entry.position != expected {
            self.note(entry, Fault::EntriesMissing(entry.position - expected));
        } else if link(self.before, &entry.manifest) != entry.digest {
            self.note(entry, Fault::EntryChanged);
        }
        (self.before, self.place) = (Some(entry.digest), Some((entry.day, entry.position)));
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
        let changed = differences(&entry.manifest, &manifest(&capture), current);
        if !changed.is_empty() {
            self.note(entry, Fault::RowChanged(changed));
        }
        if *is_newest {
            self.files(entry, &capture, current).await?;
        }
        Ok(())
    }

    /// Whether the record went with its month. A reading of a later month may speak of it.
    fn was_dropped(&self, entry: &ChainEntry) -> bool {
        let slot_time = entry.manifest.pointer("/taken/slotTime").and_then(Value::as_str);
        let month = slot_time
            .and_then(|time| time.parse::<DateTime<Utc>>().ok())
            .and_then(|time| time.date_naive().with_day(1));
        month.is_some_and(|month| self.dropped.contains(&month))
    }

    async fn files(&mut self, entry: &ChainEntry, capture: &Capture, current: bool) -> Result<()> {
        if capture.files_gone_at.is_some() {
            return Ok(());
        }
        let stated = |part: &str, name: &str| -> Option<Digest> {
            let text = entry.manifest.get(part)?.get(name)?.as_str()?;
            hex::decode(text).ok()?.try_into().ok()
        };
        let files = [
            (StoredFile::Page, stated("taken", "pageSha256")),
            (StoredFile::Screenshot, stated("taken", "screenshotSha256")),
            (StoredFile::View, stated("reading", "viewSha256").filter(|_| current)),
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

/// The fields in which a record differs from what was sealed. A reading that was replaced since is not compared.
fn differences(sealed: &Value, present: &Value, with_reading: bool) -> Vec<String> {
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
        let differing = present.iter().filter(|(name, value)| sealed.get(*name) != Some(value));
        names.extend(differing.map(|(name, _)| name.clone()));
    }
    names
}
